package runs

import (
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"

	"weft/backend/acp"
	"weft/backend/terminal"
)

// Auth is a way to sign in that the agent offers.
type Auth struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitzero"`
	Type        string   `json:"type"`                // agent: it does so by itself; terminal; env_var
	Command     string   `json:"command,omitzero"`    // terminal: the command line that the person runs
	Variables   []string `json:"variables,omitempty"` // env_var: what the agent's environment has to have
}

// maxAuth is how many ways to sign in are offered.
const maxAuth = 20

// authOf reads the ways to sign in that the agent has told.
func (l *link) authOf() []Auth {
	list := []Auth{}
	for _, m := range l.caps.AuthMethods[:min(len(l.caps.AuthMethods), maxAuth)] {
		a := Auth{ID: m.ID, Name: m.Name, Description: m.Description, Type: m.Type}
		var more struct {
			Args []string `json:"args"`
			Vars []struct {
				Name string `json:"name"`
			} `json:"vars"`
			VarName string `json:"varName"`
		}
		_ = json.Unmarshal(m.Raw, &more) // what is of another shape is not there
		switch m.Type {
		case "terminal":
			a.Command = terminal.Spec{Command: l.config.Command, Args: slices.Concat(l.config.Args, more.Args)}.Line()
		case "env_var":
			for _, v := range more.Vars {
				a.Variables = append(a.Variables, v.Name)
			}
			if more.VarName != "" {
				a.Variables = append(a.Variables, more.VarName)
			}
		default:
			a.Type = "agent"
		}
		list = append(list, a)
	}
	return list
}

// wantsSignIn tells the person that the agent wants a sign-in, if that is what err says.
func (l *link) wantsSignIn(err error) {
	if !errors.Is(err, acp.ErrAuthRequired) {
		return
	}
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.s.tellOffer(l, true)
	l.s.flush()
}

// SignIn signs in with one of the ways that the agent offers for itself, starting it if need be, and leaves a
// session open. It blocks for as long as the person takes; ctx calls it off. Errors: busy while a turn is in
// progress, not_found where the agent has no such way, those of the agent and of starting it.
func (m *Manager) SignIn(ctx context.Context, spaceID, methodID string) error {
	s, err := m.session(ctx, spaceID)
	if err != nil {
		return err
	}
	s.mu.Lock()
	busy := s.run != nil || s.loading || s.gone
	s.mu.Unlock()
	if busy {
		return &Error{Code: "busy", Message: "The agent is still working. Stop it first."}
	}
	s.abandon()
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l != nil {
		s.mu.Lock()
		l.starting = true
		s.mu.Unlock()
		err := l.signIn(ctx, methodID)
		s.mu.Lock()
		l.started()
		s.mu.Unlock()
		return err
	}
	_, err = s.connect(ctx, func(l *link, ctx context.Context) error {
		if err := l.initialize(ctx); err != nil {
			return err
		}
		if err := l.signIn(ctx, methodID); err != nil {
			return err
		}
		return l.openSession(ctx)
	})
	s.mu.Lock()
	s.idle.Reset(idleAfter)
	s.mu.Unlock()
	return err
}

func (l *link) signIn(ctx context.Context, methodID string) error {
	if !slices.ContainsFunc(l.caps.AuthMethods, func(m acp.AuthMethod) bool { return m.ID == methodID }) {
		return &Error{Code: "not_found", Message: l.config.Name + " does not offer this way to sign in any more."}
	}
	err := l.conn.Authenticate(ctx, methodID)
	var refused *acp.RPCError
	if errors.As(err, &refused) {
		return &Error{Code: "refused", Message: l.config.Name + " did not sign you in: " + closed(refused.Message), Err: err}
	}
	if err == nil {
		l.s.mu.Lock()
		l.s.tellOffer(l, false)
		l.s.flush()
		l.s.mu.Unlock()
	}
	return err
}
