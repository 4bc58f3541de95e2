package agents

import (
	"context"
	"errors"
	"strings"

	"weft/backend/agent"
	"weft/backend/agent/failure"
	"weft/backend/api/service/jobs"
	"weft/backend/api/service/secrets"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/llm"
	"weft/backend/llm/provider"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

// ModelProvider is a company or server with models that are used without an agent CLI. Most need a key.
type ModelProvider struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	BaseURL  string   `json:"baseUrl"`
	KeyEnv   string   `json:"keyEnv"`  // environment variable with its key
	KeyPage  string   `json:"keyPage"` // page where a user gets a key, or ""
	Model    string   `json:"model"`   // the default; "" if it depends on what is installed
	Local    bool     `json:"local"`   // it usually runs on this machine
	NeedsKey bool     `json:"needsKey"`
	APIs     []string `json:"apis"`   // choices, the default first
	EnvKey   bool     `json:"envKey"` // Weft's own environment has the key
}

// ListModelsRequest lists a provider's models with the key of a form or, if that is null, of the agent.
type ListModelsRequest struct {
	AgentID   string                         `json:"agentId"`
	Model     settings.Model                 `json:"model"`
	SecretEnv map[string]secrets.SecretInput `json:"secretEnv,omitzero"`
}

// ModelList is a provider's response. Models is empty if the provider can't list them or has none.
type ModelList struct {
	Models  []ModelInfo         `json:"models"`
	Failure *transcript.Failure `json:"failure"`
}

// ModelInfo is a model.
type ModelInfo struct {
	ID      string `json:"id"`
	Name    string `json:"name"`    // display name; may be empty
	Context int64  `json:"context"` // context size in tokens, 0 if unknown
}

// Models lists the models of providers.
type Models struct {
	settings *settings.File
	secrets  *secrets.Keeper
	tests    *jobs.Tests
}

// NewModels returns models that use the keys in the settings.
func NewModels(file *settings.File, keys *secrets.Keeper, running *jobs.Tests) *Models {
	return &Models{settings: file, secrets: keys, tests: running}
}

// ModelProviders returns the providers of models, in display order.
func (s *Models) ModelProviders(context.Context, command.None) ([]ModelProvider, error) {
	list := []ModelProvider{}
	for _, p := range provider.All() {
		if p.ID == provider.Guide {
			continue // already an agent
		}
		list = append(list, ModelProvider{
			ID: p.ID, Name: p.Name, BaseURL: p.BaseURL, KeyEnv: p.KeyEnv, KeyPage: p.KeyPage, Model: p.Model, Local: p.Local, NeedsKey: p.NeedsKey,
			APIs: append([]string{}, p.APIs...), EnvKey: secret.Getenv(p.KeyEnv) != "",
		})
	}
	return list, nil
}

// ListModels lists a provider's models. It blocks for at most 20 s; CancelTest cancels it. An error of the provider is
// in the result's Failure.
func (s *Models) ListModels(ctx context.Context, req ListModelsRequest) (ModelList, error) {
	if err := checkModel(&req.Model); err != nil {
		return ModelList{}, err
	}
	ctx, end := s.tests.Start(ctx)
	defer end()
	if req.SecretEnv == nil && req.AgentID != "" {
		req.SecretEnv = secrets.Inputs(s.settings.Get().AgentSecrets[req.AgentID])
	}
	env, err := s.secrets.Fill(nil, req.SecretEnv, secret.Reader(ctx, s.secrets.Read))
	if err != nil {
		return ModelList{}, err
	}
	list, err := s.models(ctx, req.Model, env)
	out := ModelList{Models: list}
	if err != nil {
		failure := s.modelFailure(ctx, err)
		out.Failure = &failure
	}
	return out, nil
}

// models lists the models with the key in env. For the provider's own address it also uses the key in Weft's
// environment.
func (s *Models) models(ctx context.Context, m settings.Model, env map[string]string) ([]ModelInfo, error) {
	p, _ := provider.ByID(m.Provider)
	key := env[p.KeyEnv]
	if key == "" && p.KeyEnv != "" && !p.Compatible(m.BaseURL) {
		key = secret.Getenv(p.KeyEnv)
	}
	found, err := askForModels(ctx, llm.Listing{Provider: m.Provider, Key: key, BaseURL: m.BaseURL, API: m.API})
	list := []ModelInfo{}
	for _, one := range found[:min(len(found), llm.ListMost)] {
		list = append(list, ModelInfo{one.ID, one.Name, one.Context})
	}
	return list, err
}

func (s *Models) modelFailure(ctx context.Context, err error) transcript.Failure {
	var failed *llm.Error
	why := fault.New("model", "Couldn't load the models: {{reason}}.", strings.TrimSuffix(err.Error(), "."))
	switch {
	case ctx.Err() != nil:
		why = fault.New("cancelled", "The test was canceled.")
	case errors.Is(err, llm.ErrSilent):
		why = fault.New(string(llm.CodeServer), "No answer for 15 seconds. Check the base URL and the network.")
	case errors.As(err, &failed):
		why = fault.Told(string(failed.Code), failed.Message, failed.Said)
	}
	return failure.Hide(transcript.Failure{Code: why.Code, Message: why.Message, Said: why.Said()}, s.secrets.Redactor().Text)
}

// try checks, in a test of an agent with a model, whether the provider accepts the key. Without a key it does nothing;
// the agent then offers a sign-in method.
func (s *Models) try(ctx context.Context, config agent.Config) *transcript.Failure {
	if config.Model == nil || config.Model.Provider == provider.Guide {
		return nil
	}
	p, _ := provider.ByID(config.Model.Provider)
	env, err := s.secrets.Fill(config.Env, secrets.Inputs(config.Secrets), secret.Reader(ctx, s.secrets.Read))
	if err == nil {
		if env[p.KeyEnv] == "" && p.WantsKey(config.Model.BaseURL) && secret.Getenv(p.KeyEnv) == "" {
			return nil
		}
		_, err = s.models(ctx, *config.Model, env)
	}
	if err == nil {
		return nil
	}
	failure := s.modelFailure(ctx, err)
	return &failure
}

// checkModel normalizes a model of a form and returns an error if it is invalid.
func checkModel(m *settings.Model) error {
	m.Model, m.BaseURL = strings.TrimSpace(m.Model), strings.TrimSpace(m.BaseURL)
	if wrong := m.Wrong(); wrong != "" {
		return fault.New(fault.Invalid, "The model {{wrong}}", wrong)
	}
	return nil
}
