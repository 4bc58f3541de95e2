package agent

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"weft/backend/beside"
	"weft/backend/fault"
	"weft/backend/settings"
)

// Source says where an agent in the list comes from.
type Source string

// The sources.
const (
	SourceBuiltin Source = "builtin" // part of Weft
	SourceFound   Source = "found"   // a published agent that is installed here
	SourceCustom  Source = "custom"  // the user's own entry
)

// Config is one agent of the list, ready to be shown and started.
type Config struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	// Secrets are more environment variables, whose values are references (see backend/secret).
	Secrets     map[string]string `json:"secrets"`
	Cwd         string            `json:"cwd"`     // see settings.Agent.Cwd; never empty
	Process     string            `json:"process"` // see settings.Agent.Process; never empty
	Source      Source            `json:"source"`
	Installed   bool              `json:"installed"` // the command was found
	InstallHint string            `json:"installHint"`
	Description string            `json:"description"`
	Homepage    string            `json:"homepage"`
	// OlderArgs are tried if the agent does not know Args; nil if there are none.
	OlderArgs []string `json:"olderArgs"`
	// Model is set where it is Weft's own agent with that model; Command and Args follow from it.
	Model *settings.Model `json:"model"`
	// Sandbox is set where it runs in one.
	Sandbox *settings.Sandbox `json:"sandbox"`
	// ModelProxy is what the user has decided about Weft reading along what its model writes; nil: nothing.
	ModelProxy *settings.ModelProxy `json:"modelProxy"`
}

// Dir gives the working directory for a space in that folder. It need not exist.
func (c Config) Dir(space string) string {
	switch c.Cwd {
	case "", "space":
		return space
	case "home":
		if home, err := os.UserHomeDir(); err == nil {
			return home
		}
		return space
	}
	return c.Cwd
}

// Spec gives what to start for a space in that folder.
func (c Config) Spec(space, pidDir string) Spec {
	spec := Spec{
		Name: c.Name, Command: c.Command, Args: c.Args, Env: c.Env, Dir: c.Dir(space),
		PidDir: pidDir, InstallHint: c.InstallHint, Keys: !c.Own(),
	}
	if c.Own() {
		spec.Paths = appPaths() // a first start must not wait for the login shell
	}
	return spec
}

// Own reports whether it is Weft's own agent, which takes its keys from a pipe.
func (c Config) Own() bool { return c.Source == SourceBuiltin || c.Model != nil }

func (c Config) clone() Config {
	c.Args = append([]string{}, c.Args...)
	c.OlderArgs = slices.Clone(c.OlderArgs)
	c.Env, c.Secrets = maps.Clone(c.Env), maps.Clone(c.Secrets)
	c.Model, c.Sandbox, c.ModelProxy = c.Model.Clone(), c.Sandbox.Clone(), c.ModelProxy.Clone()
	return c
}

func guide() Config {
	path, args, err := beside.Agent()
	return Config{
		ID: settings.GuideID, Name: "Guide", Command: path, Args: args, Cwd: "space", Process: settings.ProcessShared,
		Source: SourceBuiltin, Installed: err == nil,
		Description: "Built in, works offline. It reads, searches and edits by fixed rules; it isn't a language model.",
	}
}

func fromEntry(e Entry, path string) Config {
	return Config{
		ID: e.ID, Name: e.Name, Command: cmp.Or(path, e.Command), Args: e.Args, Env: e.Env, Cwd: "space", Process: cmp.Or(e.Process, settings.ProcessShared),
		Source: SourceFound, Installed: path != "", InstallHint: e.InstallHint(),
		Description: e.Description, Homepage: e.Homepage, OlderArgs: e.OlderArgs,
	}
}

// override lays the user's entry over what is known of an agent with that id.
func override(base Config, own settings.Agent) Config {
	c := base
	c.ID, c.Name = own.ID, cmp.Or(own.Name, base.Name, own.ID)
	c.Env, c.Cwd, c.Process = own.Env, cmp.Or(own.Cwd, "space"), cmp.Or(own.Process, base.Process, settings.ProcessShared)
	if own.Command != "" { // only the guide may leave it out
		c.Command, c.Args, c.OlderArgs = own.Command, own.Args, nil
	}
	if c.Source != SourceBuiltin {
		c.Source = SourceCustom
	}
	c.Sandbox, c.ModelProxy = own.Sandbox, own.ModelProxy
	if own.Model != nil {
		c = WithModel(c, *own.Model)
	}
	return c
}

// merge makes the list: the guide, the found agents in the catalog's order, then
// the user's own in theirs. An own entry with the id of another agent takes its
// place; a hidden found agent is left out.
func merge(s settings.Settings, found []Found) []Config {
	list := []Config{guide()}
	for _, f := range found {
		if !slices.Contains(s.HiddenAgents, f.Entry.ID) {
			list = append(list, fromEntry(f.Entry, f.Path))
		}
	}
	for _, own := range s.Agents {
		i := slices.IndexFunc(list, func(c Config) bool { return c.ID == own.ID })
		if i >= 0 {
			list[i] = override(list[i], own)
			continue
		}
		var base Config
		if e := slices.IndexFunc(readCatalog(), func(e Entry) bool { return e.ID == own.ID }); e >= 0 {
			base = fromEntry(readCatalog()[e], "")
		}
		list = append(list, override(base, own))
	}
	for i := range list {
		list[i].Secrets = s.AgentSecrets[list[i].ID]
	}
	return list
}

// Registry is the list of agents, kept up to date with the settings file. All
// methods may be called from any goroutine. Make it with [NewRegistry].
type Registry struct {
	file  *settings.File
	paths *Paths

	rebuilding sync.Mutex // one rebuild at a time, so that the newest comes last

	mu      sync.Mutex // guards what follows
	found   []Found
	list    []Config
	first   string // id of the default agent as last told
	subs    map[int]func([]Config)
	nextSub int

	cancel func() // of the settings subscription
}

// NewRegistry makes the list from the settings alone and does not look at the
// machine: call [Registry.Rescan] for that, off the start-up path. With paths nil it
// looks in [DefaultPaths]. Close it before the settings file.
func NewRegistry(file *settings.File, paths *Paths) *Registry {
	if paths == nil {
		paths = DefaultPaths()
	}
	r := &Registry{file: file, paths: paths, subs: map[int]func([]Config){}}
	now := file.Get()
	r.list, r.first = merge(now, nil), now.DefaultAgent
	r.cancel = file.Subscribe(func(settings.Settings, *settings.Problem) { r.Refresh(context.Background()) })
	return r
}

// Close stops following the settings.
func (r *Registry) Close() { r.cancel() }

// Rescan looks for installed agents and updates the list. It blocks for as long
// as [Discover] does. When ctx ends the list stays as it was.
func (r *Registry) Rescan(ctx context.Context) error {
	found := Discover(ctx, r.paths)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("look for agents: %w", err)
	}
	r.mu.Lock()
	r.found = found
	r.mu.Unlock()
	r.rebuild(ctx)
	return nil
}

// Refresh brings the list up to date with the settings at once, without looking at the
// machine again. Subscribers are told before it returns.
func (r *Registry) Refresh(ctx context.Context) { r.rebuild(ctx) }

// Find reports why a command names no program that can be started. It may block like [Paths.Look], and has its errors.
func (r *Registry) Find(ctx context.Context, command string) error {
	_, err := r.paths.Look(ctx, command)
	return err
}

// rebuild makes the list again and tells everyone.
func (r *Registry) rebuild(ctx context.Context) {
	r.rebuilding.Lock()
	defer r.rebuilding.Unlock()
	r.mu.Lock()
	found := r.found
	r.mu.Unlock()
	now := r.file.Get()
	list := merge(now, found)
	for i, c := range list {
		if c.Source == SourceCustom && c.Model == nil {
			_, err := r.paths.Look(ctx, c.Command)
			list[i].Installed = err == nil
		}
	}
	r.mu.Lock()
	same := now.DefaultAgent == r.first && reflect.DeepEqual(list, r.list)
	r.list, r.first = list, now.DefaultAgent
	subs := make([]func([]Config), 0, len(r.subs))
	for _, id := range slices.Sorted(maps.Keys(r.subs)) {
		subs = append(subs, r.subs[id])
	}
	r.mu.Unlock()
	if same {
		return
	}
	for _, fn := range subs {
		fn(r.Agents())
	}
}

// Agents gives the list, never empty: the guide is always there, and first.
func (r *Registry) Agents() []Config {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Config, len(r.list))
	for i, c := range r.list {
		list[i] = c.clone()
	}
	return list
}

// Available gives the published agents that are not in the list, with how to
// install them; also hidden ones.
func (r *Registry) Available() []Config {
	var out []Config
	listed := r.Agents()
	r.mu.Lock()
	found := r.found
	r.mu.Unlock()
	for _, e := range readCatalog() {
		if slices.ContainsFunc(listed, func(c Config) bool { return c.ID == e.ID }) {
			continue
		}
		var path string
		if i := slices.IndexFunc(found, func(f Found) bool { return f.Entry.ID == e.ID }); i >= 0 {
			path = found[i].Path
		}
		out = append(out, fromEntry(e, path).clone())
	}
	return out
}

// Get gives the agent with that id. Error: *Error with CodeUnknown.
func (r *Registry) Get(id string) (Config, error) {
	for _, c := range r.Agents() {
		if c.ID == id {
			return c, nil
		}
	}
	return Config{}, fault.New(CodeUnknown, "The agent {{id}} was removed. Choose another agent for this space, or add it again in Settings.", strconv.Quote(id))
}

// Default gives the agent that a new space starts with: the user's choice, or
// the guide if that is not there.
func (r *Registry) Default() Config {
	if c, err := r.Get(r.file.Get().DefaultAgent); err == nil {
		return c
	}
	return r.Agents()[0]
}

// Subscribe has fn called with the list after every change of it or of the default
// agent, one call at a time. fn must not call Rescan, Refresh or Close.
func (r *Registry) Subscribe(fn func([]Config)) (cancel func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := r.nextSub
	r.nextSub++
	r.subs[id] = fn
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.subs, id)
	}
}
