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

	"weft/backend/base/beside"
	"weft/backend/base/fault"
	"weft/backend/settings"
)

// Source is the origin of an agent in the list.
type Source string

// Sources.
const (
	SourceBuiltin Source = "builtin" // part of Weft
	SourceFound   Source = "found"   // a published agent that is installed on this machine
	SourceCustom  Source = "custom"  // the user's own entry
)

// Config is an agent of the list, ready to be shown and started.
type Config struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	// Secrets are further environment variables. Their values are references (see backend/settings/secret).
	Secrets     map[string]string `json:"secrets"`
	Cwd         string            `json:"cwd"`     // see settings.Agent.Cwd; never empty
	Process     string            `json:"process"` // see settings.Agent.Process; never empty
	Source      Source            `json:"source"`
	Installed   bool              `json:"installed"` // the command was found
	InstallHint string            `json:"installHint"`
	Description string            `json:"description"`
	Homepage    string            `json:"homepage"`
	// OlderArgs are tried if the agent rejects Args; nil if there are none.
	OlderArgs []string `json:"olderArgs"`
	// Model is set if it is Weft's own agent with that model. Command and Args are derived from it.
	Model *settings.Model `json:"model"`
	// Sandbox is set if it runs in a sandbox.
	Sandbox *settings.Sandbox `json:"sandbox"`
	// ModelProxy is the user's setting for the model proxy, or nil.
	ModelProxy *settings.ModelProxy `json:"modelProxy"`
}

// Dir returns the working directory for a space with that folder. It need not exist.
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

// Spec returns what to start for a space with that folder.
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

// Own reports whether it is Weft's own agent, which reads its keys from a pipe.
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

// override applies the user's entry to the known agent with that id.
func override(base Config, own settings.Agent) Config {
	c := base
	c.ID, c.Name = own.ID, cmp.Or(own.Name, base.Name, own.ID)
	c.Env, c.Cwd, c.Process = own.Env, cmp.Or(own.Cwd, "space"), cmp.Or(own.Process, base.Process, settings.ProcessShared)
	if own.Command != "" { // only the guide may omit it
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

// merge returns the list: the guide, the found agents in the catalog's order, then the user's own in their order. An
// own entry with the id of another agent replaces it; hidden found agents are skipped.
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

// Registry is the list of agents, kept up to date with the settings file. Its methods are safe for concurrent use.
// Create it with [NewRegistry].
type Registry struct {
	file  *settings.File
	paths *Paths

	rebuilding sync.Mutex // serializes rebuilds, so that the newest list comes last

	mu      sync.Mutex // guards the fields below
	found   []Found
	list    []Config
	first   string // id of the default agent at the last notification
	subs    map[int]func([]Config)
	nextSub int

	cancel func() // of the settings subscription
}

// NewRegistry makes the list only from the settings. Call [Registry.Rescan] after startup to find installed agents. If
// paths is nil, it uses [DefaultPaths]. Close it before the settings file.
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

// Rescan finds installed agents and updates the list. It blocks as long as [Discover]. If ctx ends, the list isn't
// changed.
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

// Refresh updates the list from the settings without rescanning the machine. Subscribers are called before it returns.
func (r *Registry) Refresh(ctx context.Context) { r.rebuild(ctx) }

// Find returns an error if command can't be started. It blocks and fails like [Paths.Look].
func (r *Registry) Find(ctx context.Context, command string) error {
	_, err := r.paths.Look(ctx, command)
	return err
}

// rebuild updates the list and calls the subscribers.
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

// Agents returns the list. The guide is always the first entry.
func (r *Registry) Agents() []Config {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Config, len(r.list))
	for i, c := range r.list {
		list[i] = c.clone()
	}
	return list
}

// Available returns the published agents that aren't in the list, including hidden ones, with their install hints.
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

// Get returns the agent with an id. Error: *Error with CodeUnknown.
func (r *Registry) Get(id string) (Config, error) {
	for _, c := range r.Agents() {
		if c.ID == id {
			return c, nil
		}
	}
	return Config{}, fault.New(CodeUnknown, "The agent {{id}} was removed. Choose another agent for this space, or add it again in Settings.", strconv.Quote(id))
}

// Default returns the agent for new spaces: the user's choice, or the guide if that doesn't exist.
func (r *Registry) Default() Config {
	if c, err := r.Get(r.file.Get().DefaultAgent); err == nil {
		return c
	}
	return r.Agents()[0]
}

// Subscribe calls fn with the list after every change of the list or the default agent, one call at a time. fn must
// not call Rescan, Refresh or Close.
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
