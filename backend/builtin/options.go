package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/builtin/tool"
	"weft/backend/llm"
)

// mode is a session's permission mode.
type mode string

// The modes.
const (
	modeAsk      mode = "ask"
	modeReadOnly mode = "read-only"
	modeAuto     mode = "auto"
)

var modes = []acp.SessionMode{
	{Id: acp.SessionModeId(modeAsk), Name: fault.Text("Ask"), Description: acp.Ptr(fault.Text("Asks before it changes files, runs commands or leaves this machine"))},
	{Id: acp.SessionModeId(modeReadOnly), Name: fault.Text("Read only"), Description: acp.Ptr(fault.Text("Reads only: doesn't change files or run commands"))},
	{Id: acp.SessionModeId(modeAuto), Name: fault.Text("Auto"), Description: acp.Ptr(fault.Text("Changes files and runs commands without asking"))},
}

func (m mode) valid() bool { return m == modeAsk || m == modeReadOnly || m == modeAuto }

// rule returns whether a call with an effect may run, must be asked about, or must not run.
func (m mode) rule(e tool.Effect) decision {
	switch {
	case e == tool.Reads:
		return mayRun
	case m == modeAuto:
		return mayRun
	case m == modeReadOnly && e != tool.Fetches:
		return mustNot
	}
	return mustAsk
}

type decision int

const (
	mayRun decision = iota
	mustAsk
	mustNot
)

// options are a session's options. They are stored whenever they change.
type options struct {
	Provider string `json:"provider"` // of the model
	Model    string `json:"model"`
	Mode     mode   `json:"mode"`
	Effort   string `json:"effort"` // see llm.Request.Effort
}

// options returns the options of a new session.
func (set settings) options() options {
	return options{Provider: set.provider.ID, Model: cmp.Or(set.model, set.provider.Model), Mode: set.mode}
}

// The ids of the options.
const (
	optionModel  = "model"
	optionMode   = "mode"
	optionEffort = "thinking"
)

var efforts = []acp.SessionConfigSelectOption{
	{Value: "default", Name: fault.Text("Default")},
	{Value: "none", Name: fault.Text("None")},
	{Value: "low", Name: fault.Text("Low")},
	{Value: "medium", Name: fault.Text("Medium")},
	{Value: "high", Name: fault.Text("High")},
}

// modes returns a session's mode state, for clients that don't support options.
func (o options) modes() *acp.SessionModeState {
	return &acp.SessionModeState{AvailableModes: modes, CurrentModeId: acp.SessionModeId(o.Mode)}
}

// selection holds a session's options and the models to choose from. session.mu protects it.
type selection struct {
	options options
	models  []llm.ModelInfo // empty until they are known
}

// learn sets the models to choose from. If none was chosen, it chooses the first.
func (sel *selection) learn(models []llm.ModelInfo) {
	sel.models = models
	if sel.options.Model == "" && len(models) > 0 {
		sel.options.Model = models[0].ID
	}
}

// context returns the size of a model's context in tokens: as its provider reports it, or else as Weft knows it.
func (sel *selection) context(provider, model string) int64 {
	for _, m := range sel.models {
		if m.ID == model && m.Context > 0 {
			return m.Context
		}
	}
	return llm.Context(provider, model)
}

// choices returns the options in the protocol's format. The models always include the chosen one.
func (sel *selection) choices(offline bool) []acp.SessionConfigOption {
	o := sel.options
	list := []acp.SessionConfigSelectOption{}
	for _, m := range modes {
		list = append(list, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(m.Id), Name: m.Name, Description: m.Description})
	}
	all := []acp.SessionConfigOption{choice(optionMode, fault.Text("Mode"), acp.SessionConfigOptionCategoryMode, string(o.Mode), list)}
	if offline {
		return all
	}
	models := []acp.SessionConfigSelectOption{}
	for _, m := range sel.models {
		models = append(models, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueId(m.ID), Name: cmp.Or(m.Name, m.ID)})
	}
	if !slices.ContainsFunc(models, func(m acp.SessionConfigSelectOption) bool { return string(m.Value) == o.Model }) {
		models = append([]acp.SessionConfigSelectOption{{Value: acp.SessionConfigValueId(o.Model), Name: cmp.Or(o.Model, fault.Text("Choose a model"))}}, models...)
	}
	return append(all,
		choice(optionModel, fault.Text("Model"), acp.SessionConfigOptionCategoryModel, o.Model, models),
		choice(optionEffort, fault.Text("Thinking"), acp.SessionConfigOptionCategoryThoughtLevel, cmp.Or(o.Effort, "default"), efforts))
}

func choice(id, name string, category acp.SessionConfigOptionCategory, value string, from []acp.SessionConfigSelectOption) acp.SessionConfigOption {
	ungrouped := acp.SessionConfigSelectOptionsUngrouped(from)
	return acp.SessionConfigOption{Select: &acp.SessionConfigOptionSelect{
		Id: acp.SessionConfigId(id), Name: name, Category: &category, Type: "select",
		CurrentValue: acp.SessionConfigValueId(value), Options: acp.SessionConfigSelectOptions{Ungrouped: &ungrouped},
	}}
}

func (a *agent) setMode(_ context.Context, p acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	s := a.sessions.get(p.SessionId)
	if s == nil {
		return acp.SetSessionModeResponse{}, unknownSession(p.SessionId)
	}
	m := mode(p.ModeId)
	if !m.valid() {
		return acp.SetSessionModeResponse{}, invalidParams(fmt.Sprintf("Unknown mode %q. Choose ask, read-only or auto.", p.ModeId))
	}
	err := s.choose(func(o *options) { o.Mode = m })
	if err == nil {
		err = s.updates.tell(acp.SessionUpdate{ConfigOptionUpdate: &acp.SessionConfigOptionUpdate{ConfigOptions: s.choices(a.brain.offline())}})
	}
	return acp.SetSessionModeResponse{}, err
}

// setOptionParams are the parameters of session/set_config_option. All options here have string values.
type setOptionParams struct {
	SessionID acp.SessionId `json:"sessionId"`
	ConfigID  string        `json:"configId"`
	Value     string        `json:"value"`
}

func (a *agent) setOption(_ context.Context, p setOptionParams) (acp.SetSessionConfigOptionResponse, error) {
	s := a.sessions.get(p.SessionID)
	var none acp.SetSessionConfigOptionResponse
	if s == nil {
		return none, unknownSession(p.SessionID)
	}
	var change func(*options)
	switch {
	case p.ConfigID == optionMode && mode(p.Value).valid():
		change = func(o *options) { o.Mode = mode(p.Value) }
	case p.ConfigID == optionModel && p.Value != "" && len(p.Value) < 200 && !a.brain.offline():
		change = func(o *options) { o.Model = p.Value }
	case p.ConfigID == optionEffort && slices.ContainsFunc(efforts, func(e acp.SessionConfigSelectOption) bool { return string(e.Value) == p.Value }):
		change = func(o *options) {
			if o.Effort = p.Value; p.Value == "default" {
				o.Effort = ""
			}
		}
	default:
		return none, invalidParams(fmt.Sprintf("The option %q can't be set to %q.", p.ConfigID, p.Value))
	}
	if err := s.choose(change); err != nil {
		return none, err
	}
	if p.ConfigID == optionMode {
		if err := s.updates.tell(acp.SessionUpdate{CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: acp.SessionModeId(p.Value)}}); err != nil {
			return none, err
		}
	}
	return acp.SetSessionConfigOptionResponse{ConfigOptions: s.choices(a.brain.offline())}, nil
}

// listTime is how long a provider may take to list its models.
const listTime = 20 * time.Second

// listModels asks the provider for its models in the background and sends them to the client. If that fails, the chosen
// model still works.
func (a *agent) listModels(s *session) {
	if a.brain.offline() {
		return
	}
	a.opening.Go(func() {
		ctx, cancel := context.WithTimeout(a.life, listTime)
		defer cancel()
		model, err := a.brain.get(ctx)
		if err != nil {
			return
		}
		known, err := model.Models(ctx)
		if err != nil {
			a.log.Info("models aren't known", "err", err)
			return
		}
		s.mu.Lock()
		s.selection.learn(known)
		s.mu.Unlock()
		if err := s.updates.tell(acp.SessionUpdate{ConfigOptionUpdate: &acp.SessionConfigOptionUpdate{ConfigOptions: s.choices(a.brain.offline())}}); err != nil {
			a.log.Info("options weren't sent", "err", err)
		}
	})
}
