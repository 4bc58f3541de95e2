package agents

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/agent"
	"weft/backend/base/clip"
	"weft/backend/settings"
	"weft/backend/space/agentnotes"
)

// Limits of a stored test result: the agent chooses its name, and a failure can quote the agent.
const (
	mostName    = 100
	mostFailure = 500
)

// tried is the last test of an agent from a form. The form may be saved next.
type tried struct {
	mu   sync.Mutex
	last agentnotes.Tested
}

// tested returns the result of the last test of an agent, or nil.
func (s *Agents) tested(c agent.Config) *LastTest {
	t := s.runs.Notes().Tested(s.work.Context(), c.ID)
	if t == nil {
		return nil
	}
	return &LastTest{At: t.At, OK: t.OK, Name: t.Name, Version: t.Version, Failure: t.Failure, Changed: t.Launch != launchOf(c)}
}

// noteTest stores the result of a test: with its agent, or until the tested form is saved.
func (s *Agents) noteTest(ctx context.Context, req TestAgentRequest, config agent.Config, test AgentTest) {
	done := agentnotes.Tested{At: time.Now().UnixMilli(), OK: test.OK, Name: clip.Line(test.Name, mostName), Version: clip.Line(test.Version, mostName)}
	if test.Failure != nil {
		done.Failure = clip.Text(test.Failure.Message, mostFailure)
	}
	if req.Agent == nil {
		done.Launch = launchOf(config)
		s.runs.Notes().NoteTest(ctx, config.ID, done)
		return
	}
	done.Launch = launchOf(formConfig(*req.Agent))
	s.tried.mu.Lock()
	defer s.tried.mu.Unlock()
	s.tried.last = done
}

// noteTried stores the last test from a form with the saved agent, if that agent is the one tested.
func (s *Agents) noteTried(ctx context.Context, saved SaveAgentRequest) {
	s.tried.mu.Lock()
	last := s.tried.last
	same := last.At != 0 && last.Launch == launchOf(formConfig(saved))
	if same {
		s.tried.last = agentnotes.Tested{}
	}
	s.tried.mu.Unlock()
	if same {
		s.runs.Notes().NoteTest(ctx, saved.ID, last)
	}
}

// formConfig returns what a form starts, without secrets.
func formConfig(a SaveAgentRequest) agent.Config {
	return agent.Config{Command: a.Command, Args: a.Args, Env: a.Env, Cwd: a.Cwd, Sandbox: a.Sandbox, Model: a.Model}
}

// launchOf returns a hash of what an agent starts. It ignores the agent's name and the values of secrets.
func launchOf(c agent.Config) string {
	what := struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
		Cwd     string            `json:"cwd"`
		Sandbox *settings.Sandbox `json:"sandbox"`
		Model   *settings.Model   `json:"model"`
	}{c.Command, append([]string{}, c.Args...), maps.Clone(c.Env), cmp.Or(c.Cwd, "space"), c.Sandbox, c.Model}
	if c.Model != nil {
		what.Command, what.Args = "", nil // derived from the model
	}
	if len(what.Env) == 0 {
		what.Env = nil
	}
	text, err := json.Marshal(what, json.Deterministic(true))
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
