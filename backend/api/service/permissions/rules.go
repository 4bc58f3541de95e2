// Package permissions implements the commands about the user's permission rules and the history of decisions. Package
// permission decides with the rules.
//
// Changes of rules are stored one after the other, and are in force when their command returns.
package permissions

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"sync/atomic"

	"weft/backend/agent"
	"weft/backend/agent/failure"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/permission"
	"weft/backend/space/runs"
	"weft/backend/store"
	"weft/backend/store/permissions"
)

// PermissionRule is a permission rule with the names of its space and agent.
type PermissionRule struct {
	permissions.Rule
	Space     string `json:"space"`     // title of its space; "" without a space, or if it is gone
	AgentName string `json:"agentName"` // "" for any agent, or if the agent is gone
}

// Requests and results about permissions.
type (
	// RequestRef names an open permission request.
	RequestRef struct {
		SpaceID   string `json:"spaceId"`
		RequestID string `json:"requestId"`
	}
	// RuleSuggestion suggests rules for a request.
	RuleSuggestion struct {
		Kind     string   `json:"kind"`
		Tool     string   `json:"tool"`     // if Weft runs the tool; "" for the agent's own tools
		Commands []string `json:"commands"` // for each command of the line, its known form or its exact words
		Paths    []string `json:"paths"`    // patterns for the files
		Writes   []string `json:"writes"`   // patterns for the files that redirections write
		// Unclear is why rules about commands and files can't allow the request, "" if they can: syntax, long, outside,
		// raises, arguments (then no rule can), dynamic, form, setting, package, repository.
		Unclear string `json:"unclear" enum:",syntax,long,outside,raises,arguments,dynamic,form,setting,package,repository,moves"`
		Folder  string `json:"folder"`
		AgentID string `json:"agentId"`
	}
	// PermissionRulesRequest has rules to save or check, from the card of a request or (with empty ids) from the
	// settings.
	PermissionRulesRequest struct {
		Rules     []permissions.Rule `json:"rules"` // empty id: a new rule
		SpaceID   string             `json:"spaceId"`
		RequestID string             `json:"requestId"`
	}
	// RulesCheck is the effect of rules.
	RulesCheck struct {
		Covers bool `json:"covers"` // they decide the request itself
		Others int  `json:"others"` // further open requests that they decide, in all spaces
	}
	// SavedRules is the result of saving rules.
	SavedRules struct {
		Rules    []permissions.Rule `json:"rules"`
		Answered int                `json:"answered"` // open requests, in all spaces
		// Problem is why the card's request is still open, or "".
		Problem string `json:"problem"`
	}
	// RuleRef names a rule.
	RuleRef struct {
		RuleID string `json:"ruleId"`
	}
	// HistoryRequest selects decisions, newest first. Empty fields select all.
	HistoryRequest struct {
		Query   string `json:"query"` // words
		SpaceID string `json:"spaceId"`
		Outcome string `json:"outcome"`         // allowed, refused, unasked, cancelled, lost, answered
		Before  int64  `json:"before,omitzero"` // n of the last known decision; 0: from the newest
		Limit   int    `json:"limit,omitzero"`  // 1 to 500
	}
	// History is a page of decisions.
	History struct {
		Decisions []permissions.Decision `json:"decisions"`
		More      bool                   `json:"more"`
	}
)

// maxRules is the maximum number of rules.
const maxRules = 2000

// Options configures [New].
type Options struct {
	Store   *store.Store
	Agents  *agent.Registry
	Runs    *runs.Manager
	Changed func() // called after the rules have changed
}

// Rules holds the rules that runs use. It serializes changes.
type Rules struct {
	store    *store.Store
	agents   *agent.Registry
	runs     *runs.Manager
	changed  func()
	changing sync.Mutex
	now      atomic.Pointer[permission.Set]
}

// New returns empty Rules; call [Rules.Load].
func New(opt Options) *Rules {
	return &Rules{store: opt.Store, agents: opt.Agents, runs: opt.Runs, changed: opt.Changed}
}

// Set returns the current rules, or nil before they are loaded.
func (s *Rules) Set() *permission.Set { return s.now.Load() }

// Hold blocks changes of the rules until release is called.
func (s *Rules) Hold() (release func()) {
	s.changing.Lock()
	return s.changing.Unlock
}

// Load loads the stored rules.
func (s *Rules) Load(ctx context.Context) error {
	list, err := s.store.Rules.List(ctx)
	if err != nil {
		return err
	}
	s.now.Store(setOf(list))
	return nil
}

func setOf(list []permissions.Rule) *permission.Set {
	out := make([]permission.Rule, len(list))
	for i := range list {
		out[i] = ruleOf(&list[i])
	}
	return permission.NewSet(out)
}

func ruleOf(r *permissions.Rule) permission.Rule {
	return permission.Rule{
		ID: r.ID, Effect: permission.Effect(r.Effect), Scope: permission.Scope(r.Scope), SpaceID: r.SpaceID, Folder: r.Folder, AgentID: r.AgentID,
		Kind: r.Kind, Command: r.Command, Path: r.Path, Tool: r.Tool, Enabled: r.Enabled,
	}
}

// PermissionRules lists the rules, newest first.
func (s *Rules) PermissionRules(ctx context.Context, _ command.None) ([]PermissionRule, error) {
	list, err := s.store.Rules.List(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]PermissionRule, len(list))
	for i, r := range list {
		out[i] = PermissionRule{Rule: r}
		if r.SpaceID != "" {
			if sp, err := s.store.Spaces.Get(ctx, r.SpaceID); err == nil {
				out[i].Space = sp.Title
			}
		}
		if r.AgentID != "" {
			if c, err := s.agents.Get(r.AgentID); err == nil {
				out[i].AgentName = c.Name
			}
		}
	}
	return out, nil
}

// SuggestPermissionRules suggests rules for an open request.
func (s *Rules) SuggestPermissionRules(_ context.Context, req RequestRef) (RuleSuggestion, error) {
	sub, err := s.runs.Requests().Asked(req.SpaceID, req.RequestID)
	if err != nil {
		return RuleSuggestion{}, err
	}
	g := permission.Suggest(sub)
	return RuleSuggestion{Kind: g.Kind, Tool: g.Tool, Commands: g.Commands, Paths: g.Paths, Writes: g.Writes, Unclear: g.Unclear, Folder: sub.Folder, AgentID: sub.AgentID}, nil
}

// CheckPermissionRules returns what rules would do without saving them.
func (s *Rules) CheckPermissionRules(ctx context.Context, req PermissionRulesRequest) (RulesCheck, error) {
	cleaned, err := cleanRules(req.Rules)
	if err != nil {
		return RulesCheck{}, err
	}
	list, err := s.store.Rules.List(ctx)
	if err != nil {
		return RulesCheck{}, err
	}
	one, others := s.runs.Requests().Covered(setOf(append(cleaned, list...)), req.SpaceID, req.RequestID)
	return RulesCheck{Covers: one, Others: others}, nil
}

// cleanRules checks and normalizes rules.
func cleanRules(list []permissions.Rule) ([]permissions.Rule, error) {
	out := make([]permissions.Rule, 0, len(list))
	for _, r := range list {
		c, err := ruleOf(&r).Clean()
		if err != nil {
			return nil, err
		}
		r.SpaceID, r.Folder, r.Command, r.Path, r.Tool = c.SpaceID, c.Folder, c.Command, c.Path, c.Tool
		out = append(out, r)
	}
	if len(out) == 0 || len(out) > 64 {
		return nil, fault.New(fault.Invalid, "No rule to save.")
	}
	return out, nil
}

// SavePermissionRules saves rules, answers the request they were made for, and answers all other open requests that
// they decide, in every space.
func (s *Rules) SavePermissionRules(ctx context.Context, req PermissionRulesRequest) (SavedRules, error) {
	saved, err := s.putRules(ctx, req.Rules)
	if err != nil {
		return SavedRules{}, err
	}
	s.changed()
	out := SavedRules{Rules: saved, Answered: s.runs.Requests().Reconsider("")}
	if req.RequestID != "" {
		// The user has answered this request, even if the rule doesn't cover it.
		switch err := s.runs.Requests().AnswerAs(req.SpaceID, req.RequestID, permission.Effect(saved[0].Effect)); code(err) {
		case "":
			out.Answered++
		case "not_waiting":
		default:
			out.Problem = failure.Of(err).Message
		}
	}
	return out, nil
}

func code(err error) string {
	if err == nil {
		return ""
	}
	return failure.Of(err).Code
}

func (s *Rules) putRules(ctx context.Context, list []permissions.Rule) ([]permissions.Rule, error) {
	cleaned, err := cleanRules(list)
	if err != nil {
		return nil, err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	have, err := s.store.Rules.List(ctx)
	if err != nil {
		return nil, err
	}
	added := 0
	for i := range cleaned {
		r := &cleaned[i]
		same := func(o permissions.Rule) bool { return ruleOf(&o).Same(ruleOf(r)) }
		switch k := slices.IndexFunc(have, same); {
		case r.ID != "":
			if k := slices.IndexFunc(have, func(o permissions.Rule) bool { return o.ID == r.ID }); k >= 0 {
				r.CreatedAt = have[k].CreatedAt
			}
		case k >= 0: // a duplicate
			enabled := r.Enabled
			*r = have[k]
			r.Enabled = enabled
		default:
			r.ID, r.CreatedAt, r.Used, r.LastUsed = "rule_"+rand.Text()[:16], 0, 0, 0
			added++
		}
	}
	if len(have)+added > maxRules {
		return nil, fault.New(fault.Invalid, "There are 2000 rules already. Delete some in Settings → Permissions.")
	}
	if err := s.store.Rules.Put(ctx, cleaned...); err != nil {
		return nil, err
	}
	return cleaned, s.Load(ctx)
}

// RemovePermissionRule deletes a rule. Saving it again with its id restores it.
func (s *Rules) RemovePermissionRule(ctx context.Context, req RuleRef) (command.None, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if err := s.store.Rules.Remove(ctx, req.RuleID); err != nil {
		return command.None{}, err
	}
	if err := s.Load(ctx); err != nil {
		return command.None{}, err
	}
	s.changed()
	return command.None{}, nil
}

// PermissionHistory returns decisions, newest first.
func (s *Rules) PermissionHistory(ctx context.Context, req HistoryRequest) (History, error) {
	if req.Limit < 1 || req.Limit > 500 {
		req.Limit = 50
	}
	list, more, err := s.store.Decisions.List(ctx, req.filter())
	return History{Decisions: list, More: more}, err
}

func (r HistoryRequest) filter() permissions.Filter {
	return permissions.Filter{Query: r.Query, SpaceID: r.SpaceID, Outcome: r.Outcome, Before: r.Before, Limit: r.Limit}
}
