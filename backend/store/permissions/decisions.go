package permissions

import (
	"context"
	"errors"
	"slices"
	"strings"

	"weft/backend/base/clip"
	"weft/backend/store/db"
)

// MaxDecisions is the number of decisions kept. The oldest are deleted.
const MaxDecisions = 100_000

// Decisions is the history of permission decisions.
type Decisions struct{ db *db.DB }

// NewDecisions returns the decisions in d.
func NewDecisions(d *db.DB) *Decisions { return &Decisions{d} }

// Decision is the outcome of one permission request.
type Decision struct {
	N         int64  `json:"n"`  // counts up
	At        int64  `json:"at"` // unix ms
	SpaceID   string `json:"spaceId"`
	Space     string `json:"space"` // the title of the space, "" if it is deleted
	AgentID   string `json:"agentId"`
	AgentName string `json:"agentName"`
	Kind      string `json:"kind"`
	Title     string `json:"title"`
	About     string `json:"about"` // the command line, or the files, one per line
	Outcome   string `json:"outcome" enum:"allowed,refused,unasked,cancelled,lost,answered"`
	Option    string `json:"option"` // name of the agent's option that was chosen
	By        string `json:"by" enum:"person,rule,mode,agentMode,answered,own,agent,cancelled,lost"`
	RuleID    string `json:"ruleId"`
	Rule      string `json:"rule"` // what the rule was about at that time
}

// The maximum sizes of texts, in bytes.
const (
	maxTitle = 512
	maxAbout = 4 << 10
)

// Record stores decisions and counts the use of their rules, within a transaction. keep is the number of decisions to
// keep; 0 means [MaxDecisions].
func Record(c *db.Conn, list []Decision, keep int64) error {
	if len(list) == 0 {
		return nil
	}
	for i := range list {
		d := &list[i]
		title, about := shorten(d.Title, maxTitle), shorten(d.About, maxAbout)
		words := strings.ToLower(strings.Join([]string{title, about, d.AgentName, d.Kind, d.Option, d.Rule}, "\n"))
		err := c.Exec(`INSERT INTO permission_decision (at, space_id, agent_id, agent_name, kind, title, about, outcome, option, decider, rule_id, rule, words)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			d.At, d.SpaceID, d.AgentID, d.AgentName, d.Kind, title, about, d.Outcome, shorten(d.Option, maxTitle), d.By, d.RuleID, d.Rule, words)
		if err != nil {
			return err
		}
		if d.RuleID != "" {
			if err := c.Exec("UPDATE permission_rule SET used = used + 1, last_used = ? WHERE id = ?", d.At, d.RuleID); err != nil {
				return err
			}
		}
	}
	if keep <= 0 {
		keep = MaxDecisions
	}
	return c.Exec("DELETE FROM permission_decision WHERE n <= (SELECT max(n) FROM permission_decision) - ?", keep)
}

// shorten returns at most n bytes of s, as text that SQLite can search.
func shorten(s string, n int) string { return clip.Text(strings.ReplaceAll(s, "\x00", "\u2400"), n) }

// Filter selects decisions. Empty fields select all.
type Filter struct {
	Query   string // words, in any order and case
	SpaceID string
	Outcome string
	By      string
	Before  int64 // N below this one; 0: from the newest
	Limit   int
}

// List returns decisions, newest first. more reports whether there are older ones.
func (d *Decisions) List(ctx context.Context, f Filter) (list []Decision, more bool, err error) {
	list = []Decision{}
	err = d.Each(ctx, f, func(one Decision) error {
		if len(list) == f.Limit {
			more = true
			return errEnough
		}
		list = append(list, one)
		return nil
	})
	return list, more, err
}

// errEnough ends Each without an error.
var errEnough = errors.New("enough")

// Each calls do for each selected decision, newest first, until do returns an error. It reads in pages, so it doesn't
// hold a connection while do is slow.
func (d *Decisions) Each(ctx context.Context, f Filter, do func(Decision) error) error {
	words := strings.Fields(strings.ToLower(f.Query))
	for before := f.Before; ; {
		page, scanned, last, err := d.page(ctx, f, words, before)
		if err != nil {
			return err
		}
		for _, one := range page {
			if err := do(one); err != nil {
				if errors.Is(err, errEnough) {
					return nil
				}
				return err
			}
		}
		if scanned < pageRows {
			return nil
		}
		if ctx.Err() != nil {
			return db.Canceled(ctx.Err())
		}
		before = last
	}
}

// pageRows is the number of rows searched at a time.
const pageRows = 2000

func (d *Decisions) page(ctx context.Context, f Filter, words []string, before int64) (page []Decision, scanned int, last int64, err error) {
	if before <= 0 {
		before = 1 << 62
	}
	where, args := "d.n < ?", []any{before}
	if f.SpaceID != "" {
		where, args = where+" AND d.space_id = ?", append(args, f.SpaceID)
	}
	err = d.db.Read(ctx, "read the permission history", func(c *db.Conn) error {
		return c.Each(`SELECT d.n, d.at, d.space_id, coalesce(s.title, ''), d.agent_id, d.agent_name, d.kind, d.title, d.about, d.outcome, d.option, d.decider, d.rule_id, d.rule, d.words
			FROM permission_decision d LEFT JOIN space s ON s.id = d.space_id AND s.deleted_at = 0
			WHERE `+where+` ORDER BY d.n DESC LIMIT ?`, append(args, pageRows), func(scan db.Scan) (bool, error) {
			var d Decision
			var text string
			err := scan(&d.N, &d.At, &d.SpaceID, &d.Space, &d.AgentID, &d.AgentName, &d.Kind, &d.Title, &d.About, &d.Outcome, &d.Option, &d.By, &d.RuleID, &d.Rule, &text)
			scanned, last = scanned+1, d.N
			missing := slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
			if err == nil && !missing && (f.Outcome == "" || f.Outcome == d.Outcome) && (f.By == "" || f.By == d.By) {
				page = append(page, d)
			}
			// The first page of a list needs no more rows than it shows.
			return f.Limit <= 0 || len(page) <= f.Limit, err
		})
	})
	return page, scanned, last, err
}
