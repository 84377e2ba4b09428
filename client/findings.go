package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// Exceptions returns what the project allows, and its key; none to those who do
// not write there, and none of a server that is older than that.
func (s *Server) Exceptions(ctx context.Context, project memory.ProjectID) (x memory.Exceptions, err error) {
	var w wire.Project
	if err := s.get(ctx, "/api/v1/projects/"+url.PathEscape(string(project)), nil, &w); err != nil {
		return x, err
	}
	if x.Key = w.Key(); x.Key.IsZero() {
		return x, nil
	}
	x.Rules, err = s.AllowRules(ctx, project)
	return x, err
}

// AllowRules returns the exceptions in force.
func (s *Server) AllowRules(ctx context.Context, project memory.ProjectID) (rules []memory.AllowRule, err error) {
	var w wire.Page[wire.AllowRule]
	if err := s.get(ctx, projectPath(project, "allow-rules"), nil, &w); err != nil {
		return nil, err
	}
	for _, item := range w.Items {
		r, err := item.Domain()
		if err != nil {
			return nil, fmt.Errorf("read a rule: %w", err)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// ReportFinding tells of a secret that was not sent.
func (s *Server) ReportFinding(ctx context.Context, project memory.ProjectID, r memory.FindingReport) (memory.Finding, error) {
	return s.finding(ctx, request{path: projectPath(project, "findings"), body: wire.NewFindingReport(r)})
}

// Findings returns a page of findings, newest first, and the cursor of the next
// page, "" at the end.
func (s *Server) Findings(
	ctx context.Context, project memory.ProjectID, state memory.FindingState, cursor string,
) (page []memory.Finding, next string, err error) {
	query := url.Values{}
	for name, value := range map[string]string{"state": string(state), "cursor": cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return s.findings(ctx, project, query)
}

// Leaks returns the member's own secrets in stored texts, newest first, as many
// as one page has, that the server says nobody has settled. An older server tells
// of none.
func (s *Server) Leaks(ctx context.Context, project memory.ProjectID) ([]memory.Finding, error) {
	page, _, err := s.findings(ctx, project, url.Values{"author": {"me"}, "leaked": {"true"}})
	if notTaken(err) {
		return nil, nil
	}
	return page, err
}

// Asked returns the member's own findings that they asked to be allowed, newest
// first, as many as one page has, until the text is shared or the secret is out
// of it. An older server tells of none.
func (s *Server) Asked(ctx context.Context, project memory.ProjectID) ([]memory.Finding, error) {
	page, _, err := s.findings(ctx, project, url.Values{"author": {"me"}, "asked": {"true"}, "limit": {"200"}})
	if notTaken(err) {
		return nil, nil
	}
	return page, err
}

func (s *Server) findings(ctx context.Context, project memory.ProjectID, query url.Values) (page []memory.Finding, next string, err error) {
	var w wire.Page[wire.SecretFinding]
	if err := s.get(ctx, projectPath(project, "findings"), query, &w); err != nil {
		return nil, "", err
	}
	for _, item := range w.Items {
		f, err := item.Domain()
		if err != nil {
			return nil, "", fmt.Errorf("read a finding: %w", err)
		}
		page = append(page, f)
	}
	return page, w.Next, nil
}

// FindingView returns one finding with who may have got it, and what to do about
// it.
func (s *Server) FindingView(
	ctx context.Context, project memory.ProjectID, id memory.FindingID,
) (v memory.FindingView, r memory.Rotation, err error) {
	var w wire.SecretFinding
	if err := s.get(ctx, projectPath(project, "findings/"+url.PathEscape(string(id))), nil, &w); err != nil {
		return v, r, err
	}
	return w.View()
}

// Allow asks for an exception, or takes that back.
func (s *Server) Allow(ctx context.Context, project memory.ProjectID, id memory.FindingID, a wire.AllowAction) (memory.Finding, error) {
	return s.finding(ctx, request{path: projectPath(project, "findings/"+url.PathEscape(string(id))+"/allow"), body: a})
}

// ResolveFinding says that somebody took care of a finding.
func (s *Server) ResolveFinding(ctx context.Context, project memory.ProjectID, id memory.FindingID) (memory.Finding, error) {
	return s.finding(ctx, request{method: http.MethodDelete, path: projectPath(project, "findings/"+url.PathEscape(string(id)))})
}

// RevokeAllow ends an exception.
func (s *Server) RevokeAllow(ctx context.Context, project memory.ProjectID, id memory.AllowID) error {
	_, err := s.call(ctx, request{method: http.MethodDelete, path: projectPath(project, "allow-rules/"+url.PathEscape(string(id)))}, &wire.Done{})
	return err
}

func (s *Server) finding(ctx context.Context, r request) (memory.Finding, error) {
	var w wire.SecretFinding
	if _, err := s.call(ctx, r, &w); err != nil {
		return memory.Finding{}, err
	}
	return w.Domain()
}

// notTaken reports whether the server said no to what it was told, and will say
// so again: it is older, or the member does not write there.
func notTaken(err error) bool {
	if errors.Is(err, errForeign) {
		return false
	}
	switch memory.CodeOf(err) {
	case memory.CodeNotFound, memory.CodeForbidden, memory.CodeInvalid:
		return true
	default:
		return false
	}
}
