package agents

import (
	"cmp"
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/agent/agentauth"
	"weft/backend/agent/failure"
	"weft/backend/api/service/secrets"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/settings/secret"
)

// TestAgent starts an agent, initializes it and returns its name, version and capabilities, or the error with the last
// lines of its stderr. For an agent with a model it also checks the key with the provider. It blocks for at most 60 s
// (3 min if the command may have to download the agent first), and until the agent has exited. CancelTest cancels it.
func (s *Agents) TestAgent(ctx context.Context, req TestAgentRequest) (AgentTest, error) {
	config, err := s.testConfig(ctx, req)
	if err != nil {
		return AgentTest{}, err
	}
	ctx, end := s.tests.Start(ctx)
	defer end()
	began := time.Now()
	var look acp.InitializeResult
	refused := s.models.try(ctx, config)
	if refused == nil {
		look, err = s.runs.Visits().Look(ctx, config)
	}
	test := AgentTest{DurationMs: time.Since(began).Milliseconds(), AuthMethods: []agentauth.Method{}, Failure: refused}
	if err != nil {
		f := failure.Of(err)
		if ctx.Err() != nil {
			f.Code, f.Message = "cancelled", "The test was canceled."
		}
		test.Failure = &f
	}
	test.OK = test.Failure == nil
	test.ProtocolVersion, test.Name, test.Version, test.Capabilities = look.ProtocolVersion, look.Name, look.Version, capabilitiesOf(look.Raw)
	if look.Title != "" {
		test.Name = look.Title
	}
	test.AuthMethods = agentauth.Methods(config, look.AuthMethods)
	if ctx.Err() == nil {
		s.noteTest(ctx, req, config, test)
	}
	return test, nil
}

func (s *Agents) testConfig(ctx context.Context, req TestAgentRequest) (agent.Config, error) {
	if req.Agent == nil {
		return s.registry.Get(req.AgentID)
	}
	a := req.Agent
	if a.Model != nil {
		if err := checkModel(a.Model); err != nil {
			return agent.Config{}, err
		}
	} else if a.Command == "" {
		return agent.Config{}, fault.New(fault.Invalid, "Enter the command that starts the agent.")
	}
	name := cmp.Or(a.Name, a.Command, "The model")
	form := a.SecretEnv
	if form == nil && a.ID != "" {
		form = secrets.Inputs(s.settings.Get().AgentSecrets[a.ID])
	}
	env, err := s.secrets.Fill(a.Env, form, secret.Reader(ctx, s.secrets.Read))
	config := agent.Config{ID: "test", Name: name, Command: a.Command, Args: a.Args, Env: env, Cwd: a.Cwd}
	if a.Model != nil {
		config = agent.WithModel(config, *a.Model)
	}
	return config, err
}

// capabilitiesOf returns the agent's capabilities as it sent them.
func capabilitiesOf(answer jsontext.Value) jsontext.Value {
	var said struct {
		Capabilities jsontext.Value `json:"agentCapabilities"`
	}
	if json.Unmarshal(answer, &said, command.Wire) != nil || said.Capabilities == nil {
		return jsontext.Value("{}")
	}
	return said.Capabilities
}
