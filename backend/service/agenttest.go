package service

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/command"
	"weft/backend/runs"
)

// testRuns are the agents that are being launched for a look, so that they can be
// called off.
type testRuns struct {
	mu     sync.Mutex
	next   int
	cancel map[int]context.CancelFunc
	done   sync.WaitGroup
}

func (t *testRuns) start(parent context.Context) (context.Context, func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ctx, cancel := context.WithCancel(parent)
	if t.cancel == nil {
		t.cancel = map[int]context.CancelFunc{}
	}
	t.next++
	id := t.next
	t.cancel[id] = cancel
	t.done.Add(1)
	return ctx, func() {
		cancel()
		t.mu.Lock()
		delete(t.cancel, id)
		t.mu.Unlock()
		t.done.Done()
	}
}

func (t *testRuns) stopAll() {
	t.mu.Lock()
	all := maps.Clone(t.cancel)
	t.mu.Unlock()
	for _, cancel := range all {
		cancel()
	}
	t.done.Wait()
}

// TestAgent launches an agent, initializes it and tells what it said about itself, or what
// went wrong with the last lines of its stderr. Of an agent that is a model, its provider is asked as well. It blocks for 15 s at most (3 min where the command may
// have to download the agent first), and until the agent has ended again. CancelTest calls it off.
func (s *Service) TestAgent(ctx context.Context, req TestAgentRequest) (AgentTest, error) {
	config, err := s.testConfig(ctx, req)
	if err != nil {
		return AgentTest{}, err
	}
	ctx, end := s.tests.start(ctx)
	defer end()
	began := time.Now()
	var look acp.InitializeResult
	refused := s.tryModel(ctx, config)
	if refused == nil {
		look, err = s.runs.Look(ctx, config)
	}
	test := AgentTest{DurationMs: time.Since(began).Milliseconds(), AuthMethods: []runs.Auth{}, Failure: refused}
	if err != nil {
		failure := runs.Failure(err)
		if ctx.Err() != nil {
			failure.Code, failure.Message = "cancelled", "The test was called off."
		}
		test.Failure = &failure
	}
	test.OK = test.Failure == nil
	test.ProtocolVersion, test.Name, test.Version, test.Capabilities = look.ProtocolVersion, look.Name, look.Version, capabilitiesOf(look.Raw)
	if look.Title != "" {
		test.Name = look.Title
	}
	test.AuthMethods = runs.AuthMethods(config, look.AuthMethods)
	return test, nil
}

func (s *Service) testConfig(ctx context.Context, req TestAgentRequest) (agent.Config, error) {
	if req.Agent == nil {
		return s.agents.Get(req.AgentID)
	}
	a := req.Agent
	if a.Model != nil {
		if err := checkModel(a.Model); err != nil {
			return agent.Config{}, err
		}
	} else if a.Command == "" {
		return agent.Config{}, invalid("Give the command that starts the agent.")
	}
	name := cmp.Or(a.Name, a.Command, "The model")
	form := a.SecretEnv
	if form == nil && a.ID != "" {
		form = inputs(s.settings.Get().AgentSecrets[a.ID])
	}
	env, err := s.fill(a.Env, form, runs.Reader(ctx, s.readSecret))
	config := agent.Config{ID: "test", Name: name, Command: a.Command, Args: a.Args, Env: env, Cwd: a.Cwd}
	if a.Model != nil {
		config = agent.WithModel(config, *a.Model)
	}
	return config, err
}

// CancelTest calls off all tests that are running.
func (s *Service) CancelTest(context.Context, none) (none, error) {
	s.tests.stopAll()
	return none{}, nil
}

// capabilitiesOf is what an agent said it can do, as it said it.
func capabilitiesOf(answer jsontext.Value) jsontext.Value {
	var said struct {
		Capabilities jsontext.Value `json:"agentCapabilities"`
	}
	if json.Unmarshal(answer, &said, command.Wire) != nil || said.Capabilities == nil {
		return jsontext.Value("{}")
	}
	return said.Capabilities
}
