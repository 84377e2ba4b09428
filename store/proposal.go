package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

type proposalRow struct {
	ProjectID    string
	ProposalID   string
	State        string
	Op           string
	Path         string
	PreviousPath string
	EntryID      string
	Creates      bool
	BaseRev      int64
	BaseSHA256   []byte
	Kind         string
	Name         string
	Description  string
	Content      []byte
	SHA256       []byte
	Size         int
	Author       string
	AuthorName   string
	DeviceID     string
	Agent        string
	AgentVersion string
	AgentSession string
	AgentModel   string
	Note         string
	RuleSet      string
	Risks        []storedRisk
	At           time.Time
	DecidedBy    *string
	DeciderName  *string
	DecidedAt    *time.Time
	Reason       string
	DecisionNote string
	PublishedRev *int64
	Successor    *string
	Purged       bool
}

func (r proposalRow) proposal() memory.Proposal {
	p := memory.Proposal{
		ID: memory.ProposalID(r.ProposalID), Project: memory.ProjectID(r.ProjectID), State: memory.ProposalState(r.State),
		Action: memory.Action(r.Op), Path: memory.StoredPath(r.Path), Previous: memory.StoredPath(r.PreviousPath),
		EntryID: memory.EntryID(r.EntryID), Creates: r.Creates, BaseRev: r.BaseRev, BaseSum: hash(r.BaseSHA256),
		Content: r.Content, Sum: memory.Hash(r.SHA256), Size: r.Size,
		Kind: memory.Kind(r.Kind), Name: r.Name, Description: r.Description,
		Author: memory.Author{Member: memory.MemberID(r.Author), Name: r.AuthorName}, Device: memory.DeviceID(r.DeviceID),
		Agent: memory.Agent{Name: r.Agent, Version: r.AgentVersion, Session: r.AgentSession, Model: r.AgentModel},
		Note:  r.Note, RuleSet: r.RuleSet, Risks: risksOf(r.Risks), At: r.At.UTC(), Successor: memory.ProposalID(value(r.Successor)), Purged: r.Purged,
	}
	if r.DecidedBy != nil {
		p.Decision = &memory.ReviewDecision{
			By: memory.Author{Member: memory.MemberID(*r.DecidedBy), Name: value(r.DeciderName)}, At: value(r.DecidedAt).UTC(),
			Reason: memory.Reason(r.Reason), Note: r.DecisionNote, Rev: value(r.PublishedRev),
		}
	}
	return p
}

// Proposals returns a page of proposals without contents, newest first. Each of
// the three ways to ask has an index of its own; of the branches that were not
// asked for, nothing is read.
func (s *Store) Proposals(ctx context.Context, project memory.ProjectID, q memory.ProposalQuery) ([]memory.Proposal, error) {
	found, err := list(ctx, s.pool, proposalRow.proposal, `
		with page as (
			(
				select proposal_id, at
				from proposals
				where @state = 'pending' and project_id = @project and state = 'pending'
					and (@author = '' or author = @author) and (@after_id = '' or (at, proposal_id) < (@after_at, @after_id))
				order by at desc, proposal_id desc
				limit @limit
			) union all (
				select proposal_id, at
				from proposals
				where @state <> 'pending' and @author = '' and project_id = @project
					and (@state = '' or state = @state) and (@after_id = '' or (at, proposal_id) < (@after_at, @after_id))
				order by at desc, proposal_id desc
				limit @limit
			) union all (
				select proposal_id, at
				from proposals
				where @state <> 'pending' and @author <> '' and project_id = @project and author = @author
					and (@state = '' or state = @state) and (@after_id = '' or (at, proposal_id) < (@after_at, @after_id))
				order by at desc, proposal_id desc
				limit @limit
			)
		)
		select p.project_id, p.proposal_id, p.state, p.op, p.path, p.previous_path, p.entry_id, p.creates, p.base_rev, p.base_sha256,
			p.kind, p.name, p.description, null::bytea as content, p.sha256, p.size, p.author, m.name as author_name,
			p.device_id, p.agent, p.agent_version, p.agent_session, p.agent_model, p.note, p.rule_set, p.risks, p.at,
			p.decided_by, d.name as decider_name, p.decided_at, p.reason, p.decision_note, p.published_rev, p.successor, p.purged
		from page,
			lateral (
				select project_id, proposal_id, state, op, path, previous_path, entry_id, creates, base_rev, base_sha256,
					kind, name, description, sha256, size, author, device_id, agent, agent_version, agent_session, agent_model,
					note, rule_set, risks, at, decided_by, decided_at, reason, decision_note, published_rev, successor, purged
				from proposals
				where project_id = @project and proposal_id = page.proposal_id
				offset 0
			) as p
		join members m on m.member_id = p.author
		left join members d on d.member_id = p.decided_by
		order by p.at desc, p.proposal_id desc`,
		pgx.StrictNamedArgs{
			"project": project, "state": q.State, "author": q.Author, "after_at": q.After.At, "after_id": q.After.ID, "limit": q.Limit,
		})
	return found, s.fault(ctx, "read proposals", err)
}

// Proposal returns one proposal with its content.
func (s *Store) Proposal(ctx context.Context, project memory.ProjectID, id memory.ProposalID) (memory.Proposal, error) {
	found, err := one(ctx, s.pool, "proposal", proposalRow.proposal, `
		select p.project_id, p.proposal_id, p.state, p.op, p.path, p.previous_path, p.entry_id, p.creates, p.base_rev, p.base_sha256,
			p.kind, p.name, p.description, p.content, p.sha256, p.size, p.author, m.name as author_name,
			p.device_id, p.agent, p.agent_version, p.agent_session, p.agent_model, p.note, p.rule_set, p.risks, p.at,
			p.decided_by, d.name as decider_name, p.decided_at, p.reason, p.decision_note, p.published_rev, p.successor, p.purged
		from proposals p
		join members m on m.member_id = p.author
		left join members d on d.member_id = p.decided_by
		where p.project_id = @project and p.proposal_id = @proposal`,
		pgx.StrictNamedArgs{"project": project, "proposal": id})
	return found, s.fault(ctx, "read proposal", err)
}
