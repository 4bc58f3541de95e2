// Package rules has the commands about the user's permission rules, and the history of what was decided.
package rules

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"sync/atomic"

	"weft/backend/agent"
	"weft/backend/command"
	"weft/backend/failure"
	"weft/backend/fault"
	"weft/backend/permission"
	"weft/backend/runs"
	"weft/backend/store"
	"weft/backend/store/permissions"
)

// PermissionRule is a rule of the user, with the names of what it holds for.
type PermissionRule struct {
	permissions.Rule
	Space     string `json:"space"`     // title of its space, "" if it has none or the space is gone
	AgentName string `json:"agentName"` // "" if it is for any agent, or the agent is gone
}

// The requests and returns about permissions.
type (
	// RequestRef names an open permission request.
	RequestRef struct {
		SpaceID   string `json:"spaceId"`
		RequestID string `json:"requestId"`
	}
	// RuleSuggestion is what a rule for a request could say.
	RuleSuggestion struct {
		Kind     string   `json:"kind"`
		Tool     string   `json:"tool"`     // that Weft runs for the agent, "" if it is the agent's own
		Commands []string `json:"commands"` // for each command of the line, its known form or all of its words
		Paths    []string `json:"paths"`    // patterns for the files
		Writes   []string `json:"writes"`   // patterns for the files that its redirections write
		// Unclear is why rules about commands and files cannot allow it, "" if they can: syntax, long, outside, raises, arguments
		// (then no rule can), dynamic, form, setting, package, repository.
		Unclear string `json:"unclear" enum:",syntax,long,outside,raises,arguments,dynamic,form,setting,package,repository,moves"`
		Folder  string `json:"folder"`
		AgentID string `json:"agentId"`
	}
	// PermissionRulesRequest is rules to save or to try, from the card of a request or (with empty ids)
	// from the settings.
	PermissionRulesRequest struct {
		Rules     []permissions.Rule `json:"rules"` // an empty id: a new one
		SpaceID   string             `json:"spaceId"`
		RequestID string             `json:"requestId"`
	}
	// RulesCheck tells what rules would answer.
	RulesCheck struct {
		Covers bool `json:"covers"` // the request itself
		Others int  `json:"others"` // more open requests, in all spaces
	}
	// SavedRules is what was saved and answered.
	SavedRules struct {
		Rules    []permissions.Rule `json:"rules"`
		Answered int                `json:"answered"` // open requests, in all spaces
		// Problem is why the request of the card is still open, "" if it is not.
		Problem string `json:"problem"`
	}
	// RuleRef names a rule.
	RuleRef struct {
		RuleID string `json:"ruleId"`
	}
	// HistoryRequest asks for decisions, newest first; empty fields select all.
	HistoryRequest struct {
		Query   string `json:"query"` // words
		SpaceID string `json:"spaceId"`
		Outcome string `json:"outcome"`         // allowed, refused, unasked, cancelled, lost, answered
		Before  int64  `json:"before,omitzero"` // n of the last one that is known; 0: from the newest
		Limit   int    `json:"limit,omitzero"`  // 1 to 500
	}
	// History is a page of decisions.
	History struct {
		Decisions []permissions.Decision `json:"decisions"`
		More      bool                   `json:"more"`
	}
)

// maxRules is how many rules there may be.
const maxRules = 2000

// Options is what rules are made with.
type Options struct {
	Store   *store.Store
	Agents  *agent.Registry
	Runs    *runs.Manager
	Changed func() // called after the rules have changed
}

// Rules holds the set that runs decide by. Changes happen one after the other.
type Rules struct {
	store    *store.Store
	agents   *agent.Registry
	runs     *runs.Manager
	changed  func()
	changing sync.Mutex
	now      atomic.Pointer[permission.Set]
}

// New makes rules that know nothing yet: see [Rules.Load].
func New(opt Options) *Rules {
	return &Rules{store: opt.Store, agents: opt.Agents, runs: opt.Runs, changed: opt.Changed}
}

// Set returns the rules as they are now, or nil before they are loaded.
func (s *Rules) Set() *permission.Set { return s.now.Load() }

// Hold keeps the rules from changing until release is called.
func (s *Rules) Hold() (release func()) {
	s.changing.Lock()
	return s.changing.Unlock
}

// Load makes the set of what is stored.
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

// SuggestPermissionRules returns what rules for an open request could say.
func (s *Rules) SuggestPermissionRules(_ context.Context, req RequestRef) (RuleSuggestion, error) {
	sub, err := s.runs.Requests().Asked(req.SpaceID, req.RequestID)
	if err != nil {
		return RuleSuggestion{}, err
	}
	g := permission.Suggest(sub)
	return RuleSuggestion{Kind: g.Kind, Tool: g.Tool, Commands: g.Commands, Paths: g.Paths, Writes: g.Writes, Unclear: g.Unclear, Folder: sub.Folder, AgentID: sub.AgentID}, nil
}

// CheckPermissionRules returns what rules would do if they were saved.
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

// cleanRules checks rules and puts them into the form in which they are kept.
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

// SavePermissionRules stores rules, answers the request that they were made for, and every other open request, in
// every space, that they decide.
func (s *Rules) SavePermissionRules(ctx context.Context, req PermissionRulesRequest) (SavedRules, error) {
	saved, err := s.putRules(ctx, req.Rules)
	if err != nil {
		return SavedRules{}, err
	}
	s.changed()
	out := SavedRules{Rules: saved, Answered: s.runs.Requests().Reconsider("")}
	if req.RequestID != "" {
		// The user has answered this one, also where the rule does not go as far as to cover it.
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
		case k >= 0: // said before
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

// RemovePermissionRule deletes a rule. Saving it again, with its id, brings it back.
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

// PermissionHistory returns what was decided.
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
