package store

import (
	"context"
	"strings"

	"weft/backend/clip"
)

// MaxDecisions is how many permission decisions are kept. The oldest go.
const MaxDecisions = 100_000

// Decision is what became of one permission request.
type Decision struct {
	N         int64  `json:"n"`  // counts up
	At        int64  `json:"at"` // unix ms
	SpaceID   string `json:"spaceId"`
	Space     string `json:"space"` // the space's title, "" if it is gone
	AgentID   string `json:"agentId"`
	AgentName string `json:"agentName"`
	Kind      string `json:"kind"`
	Title     string `json:"title"`
	About     string `json:"about"`                                                                  // the command line, or the files, one a line
	Outcome   string `json:"outcome" enum:"allowed,refused,unasked,cancelled,lost,answered"`         // allowed, refused, cancelled, lost
	Option    string `json:"option"`                                                                 // name of the agent's option that was chosen
	By        string `json:"by" enum:"person,rule,mode,agentMode,answered,own,agent,cancelled,lost"` // person, rule, mode, agentMode, answered, own, agent, cancelled, lost
	RuleID    string `json:"ruleId"`
	Rule      string `json:"rule"` // what the rule was about, as it was then
}

// What a decision keeps of long texts, in bytes.
const (
	maxDecisionTitle = 512
	maxDecisionAbout = 4 << 10
)

// writeDecisions is the part of a commit that notes decisions and which rules were used.
func (w *writer) writeDecisions(list []Decision) error {
	for i := range list {
		d := &list[i]
		title, about := shortened(d.Title, maxDecisionTitle), shortened(d.About, maxDecisionAbout)
		words := strings.ToLower(strings.Join([]string{title, about, d.AgentName, d.Kind, d.Option, d.Rule}, "\n"))
		err := w.c.exec(`INSERT INTO permission_decision (at, space_id, agent_id, agent_name, kind, title, about, outcome, option, decider, rule_id, rule, words)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			d.At, d.SpaceID, d.AgentID, d.AgentName, d.Kind, title, about, d.Outcome, shortened(d.Option, maxDecisionTitle), d.By, d.RuleID, d.Rule, words)
		if err != nil {
			return err
		}
		if d.RuleID != "" {
			if err := w.c.exec("UPDATE permission_rule SET used = used + 1, last_used = ? WHERE id = ?", d.At, d.RuleID); err != nil {
				return err
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return w.c.exec("DELETE FROM permission_decision WHERE n <= (SELECT max(n) FROM permission_decision) - ?", w.s.maxDecisions())
}

func (s *Store) maxDecisions() int64 {
	if s.opt.MaxDecisions > 0 {
		return s.opt.MaxDecisions
	}
	return MaxDecisions
}

// shortened makes text of s that SQLite can search, at most n bytes of it.
func shortened(s string, n int) string { return clip.Text(strings.ReplaceAll(s, "\x00", "\u2400"), n) }

// AddDecision notes a decision that belongs to no event.
func (s *Store) AddDecision(ctx context.Context, d Decision) error {
	return s.change(ctx, "note what was decided", func(*conn) error { return s.w.writeDecisions([]Decision{d}) })
}

// DecisionFilter selects decisions; empty fields select all.
type DecisionFilter struct {
	Query   string // words, in any order and case
	SpaceID string
	Outcome string
	By      string
	Before  int64 // N below this one; 0: from the newest
	Limit   int
}

// Decisions lists decisions, newest first. more tells whether older ones follow.
func (s *Store) Decisions(ctx context.Context, f DecisionFilter) (list []Decision, more bool, err error) {
	list = []Decision{}
	err = s.EachDecision(ctx, f, func(d Decision) error {
		if len(list) == f.Limit {
			more = true
			return errEnough
		}
		list = append(list, d)
		return nil
	})
	return list, more, err
}

// errEnough ends EachDecision without an error.
var errEnough = &Error{Code: "enough"}

// EachDecision calls do with every selected decision, newest first, until it fails. It reads in pieces, so that no connection is
// held while do is slow.
func (s *Store) EachDecision(ctx context.Context, f DecisionFilter, do func(Decision) error) error {
	words := strings.Fields(strings.ToLower(f.Query))
	for before := f.Before; ; {
		page, scanned, last, err := s.decisionPage(f, words, before)
		if err != nil {
			return wrap(err, "read what was decided")
		}
		for _, d := range page {
			if err := do(d); err != nil {
				if err == errEnough { //nolint:errorlint // a mark
					return nil
				}
				return err
			}
		}
		if scanned < decisionPage {
			return nil
		}
		if ctx.Err() != nil {
			return &Error{Code: CodeCancelled, Message: "It was given up.", Err: ctx.Err()}
		}
		before = last
	}
}

// decisionPage is how many rows are looked at in one go.
const decisionPage = 2000

func (s *Store) decisionPage(f DecisionFilter, words []string, before int64) (page []Decision, scanned int, last int64, err error) {
	if before <= 0 {
		before = 1 << 62
	}
	where, args := "d.n < ?", []any{before}
	if f.SpaceID != "" {
		where, args = where+" AND d.space_id = ?", append(args, f.SpaceID)
	}
	err = s.read(func(c *conn) error {
		return c.each(`SELECT d.n, d.at, d.space_id, coalesce(s.title, ''), d.agent_id, d.agent_name, d.kind, d.title, d.about, d.outcome, d.option, d.decider, d.rule_id, d.rule, d.words
			FROM permission_decision d LEFT JOIN space s ON s.id = d.space_id AND s.deleted_at = 0
			WHERE `+where+` ORDER BY d.n DESC LIMIT ?`, append(args, decisionPage), func(scan func(...any) error) (bool, error) {
			var d Decision
			var text string
			err := scan(&d.N, &d.At, &d.SpaceID, &d.Space, &d.AgentID, &d.AgentName, &d.Kind, &d.Title, &d.About, &d.Outcome, &d.Option, &d.By, &d.RuleID, &d.Rule, &text)
			scanned, last = scanned+1, d.N
			if err == nil && (f.Outcome == "" || f.Outcome == d.Outcome) && (f.By == "" || f.By == d.By) && hasAll(text, words) {
				page = append(page, d)
			}
			// The first page of a list does not have to look at more than it shows.
			return f.Limit <= 0 || len(page) <= f.Limit, err
		})
	})
	return page, scanned, last, err
}
