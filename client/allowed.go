package client

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// excerpter is a scanner that can show a line without its secrets.
type excerpter interface {
	Excerpt(ctx context.Context, text string, f sanitize.Finding) (string, error)
}

// allowMark stands between the rules of a refusal and the exceptions that were
// in force then: with others the text may pass.
const allowMark = "+allow."

// maxReportedFindings is how many findings of one file are told.
const maxReportedFindings = 10

// allowed is what a run knows of the project's exceptions.
type allowed struct {
	exceptions memory.Exceptions
	asked      bool
	version    string                           // of the exceptions in force; "" if they are not known
	unheard    bool                             // the server could not be told of a finding, so none is told in this run
	requests   map[memory.Path][]memory.Finding // what the member asked to be allowed, before this run
	full       bool                             // it takes no more, and none is told again before text or rules are others
}

// scannerFor is the scanner for texts of a path, which passes over what the
// project allows there. The server judges by itself.
func (c *cycle) scannerFor(p memory.Path) (memory.Scanner, error) {
	s, err := c.scanner()
	if err != nil {
		return nil, err
	}
	return memory.Allowing(s, p, c.askExceptions), nil
}

// askExceptions asks once a run. If they cannot be had there are none: the text
// stays here, and the next run asks again.
func (c *cycle) askExceptions(ctx context.Context) (memory.Exceptions, error) {
	a := &c.allowed
	if a.asked {
		return a.exceptions, nil
	}
	a.asked = true
	c.report.Requests += 2
	x, err := c.server.Exceptions(ctx, c.link.Project)
	if ctx.Err() != nil {
		return memory.Exceptions{}, ctx.Err()
	}
	if err != nil && !notTaken(err) {
		a.unheard = true
		return memory.Exceptions{}, nil
	}
	c.keepExceptions(x)
	if err == nil {
		a.exceptions, a.version = x, versionOf(x.Rules)
	}
	return x, nil
}

// askAllowed looks whether the exceptions are others than those that a text was
// refused under, or that are kept for long. Most trees have no such text, and
// keep none, and ask nothing.
func (c *cycle) askAllowed(ctx context.Context) error {
	if c.options.Offline {
		return nil
	}
	if !c.options.DryRun && c.keepsOld() {
		if _, err := c.askExceptions(ctx); err != nil {
			return err
		}
	}
	waits := func(r refusal) bool { return strings.Contains(r.RuleSet, allowMark) }
	if !slices.ContainsFunc(slices.Collect(maps.Values(c.refused)), waits) {
		return nil
	}
	if !c.allowed.asked {
		c.report.Requests++
		rules, err := c.server.AllowRules(ctx, c.link.Project)
		if err == nil {
			c.allowed.version = versionOf(rules)
			c.keepRules(rules)
		}
		if ctx.Err() != nil {
			return ctx.Err() // what else cannot be had now is asked for in the next run
		}
	}
	return c.askRequests(ctx)
}

// versionOf tells sets of exceptions apart.
func versionOf(rules []memory.AllowRule) string {
	var ids []string
	for _, r := range rules {
		ids = append(ids, string(r.ID))
	}
	slices.Sort(ids)
	const digits = 8
	return memory.Sum([]byte(strings.Join(ids, "\n"))).String()[:digits]
}

// ruleSetFor is what a refusal holds for: the rules and, if a person could allow
// what was found, the exceptions.
func (c *cycle) ruleSetFor(ruleSet string, problem *memory.Error) string {
	soft := func(f sanitize.Finding) bool { return f.Severity == sanitize.SeveritySoft }
	if ruleSet == "" || problem.Code != memory.CodeSecretFound || !slices.ContainsFunc(problem.Findings, soft) {
		return ruleSet
	}
	return ruleSet + allowMark + cmp.Or(c.allowed.version, "unknown")
}

// knownRules are the rules that a refusal holds for, as the planner compares
// them with today's: not these if the exceptions are others by now.
func (c *cycle) knownRules(r refusal) string {
	rules, version, waits := strings.Cut(r.RuleSet, allowMark)
	if waits && c.allowed.version != "" && c.allowed.version != version {
		return ""
	}
	return rules
}

// tellFindings tells the server of the secrets in a text that stays here, and
// puts into the problem what can be done. It returns the rules that the refusal
// holds for: none if the server could not be told, so that the next run does.
func (c *cycle) tellFindings(ctx context.Context, p memory.Path, text string, problem *memory.Error) (string, error) {
	if problem.Code != memory.CodeSecretFound || problem.Field != "content" {
		return c.ruleSet, nil
	}
	var told []memory.Finding
	for _, f := range problem.Findings[:min(len(problem.Findings), maxReportedFindings)] {
		if f.Fingerprint.IsZero() || c.allowed.unheard || c.allowed.full {
			break
		}
		r := memory.FindingReport{Finding: f, Path: p.String(), RuleSet: c.ruleSet, Device: c.device}
		if e, ok := c.excerpts(); ok {
			excerpt, err := e.Excerpt(ctx, text, f)
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			if err == nil {
				r.Excerpt = excerpt
			}
		}
		c.report.Requests++
		kept, err := c.server.ReportFinding(ctx, c.link.Project, r)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err == nil:
			told = append(told, kept)
		case full(err):
			c.noRoom(err)
		case !notTaken(err):
			c.allowed.unheard = true
		}
	}
	problem.Hint = cmp.Or(nextStep(c.link, told), problem.Hint)
	if c.allowed.unheard {
		return "", nil
	}
	return c.ruleSet, nil
}

// full reports whether the server has as many findings of the member as it takes.
func full(err error) bool {
	return memory.CodeOf(err) == memory.CodeQuota && !errors.Is(err, errForeign)
}

// noRoom says once that what is found from now on is told to nobody.
func (c *cycle) noRoom(err error) {
	c.allowed.full = true
	e, _ := errors.AsType[*memory.Error](err)
	c.notice("%s: other files are refused without a finding, and nobody can be asked to allow what is in them; %s", e.Message, e.Hint)
}

func (c *cycle) excerpts() (excerpter, bool) {
	s, err := c.scanner()
	e, ok := s.(excerpter)
	return e, ok && err == nil
}
