package settings

import (
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// decode reads the settings out of a file's text, checks them, and fills in the
// defaults for what is not said. Unknown fields are left alone. The problem
// returned is the first one in the file.
func decode(data []byte) (Settings, *node, *Problem) {
	root, problem := parse(data)
	if problem != nil {
		return Settings{}, nil, problem
	}
	d := &decoder{data: data}
	s := Default()
	s.Schema = ""
	if d.object(root, "The settings") {
		d.text(root.get("$schema"), "$schema", &s.Schema)
		d.text(root.get("defaultAgent"), "defaultAgent", &s.DefaultAgent)
		d.agents(root.get("agents"), &s.Agents)
		d.texts(root.get("hiddenAgents"), "hiddenAgents", &s.HiddenAgents)
		d.servers(root.get("mcpServers"), &s.MCPServers)
		d.agentSecrets(root.get("agentSecrets"), &s.AgentSecrets)
		d.text(root.get("secretStore"), "secretStore", &s.SecretStore)
		d.text(root.get("recall"), "recall", &s.Recall)
		d.text(root.get("backups"), "backups", &s.Backups)
		d.text(root.get("updates"), "updates", &s.Updates)
		d.text(root.get("whenClosed"), "whenClosed", &s.WhenClosed)
		d.text(root.get("registry"), "registry", &s.Registry)
		d.presets(root.get("memberPresets"), &s.MemberPresets)
		d.mentions(root.get("mentions"), &s.Mentions)
		d.toolCalls(root.get("toolCalls"), &s.ToolCalls)
		d.editor(root.get("editor"), &s.Editor)
		d.appearance(root.get("appearance"), &s.Appearance)
	}
	if d.problem == nil {
		d.check(s, root)
	}
	if d.problem != nil {
		return Settings{}, nil, d.problem
	}
	return s, root, nil
}

// decoder keeps the problem that is first in the file.
type decoder struct {
	data    []byte
	first   int
	problem *Problem
}

func (d *decoder) fail(n *node, format string, args ...any) {
	offset := 0
	if n != nil {
		offset = n.offset
	}
	if d.problem == nil || offset < d.first {
		d.first, d.problem = offset, problemAt(d.data, offset, format, args...)
	}
}

func (d *decoder) object(n *node, what string) bool {
	if n == nil {
		return false
	}
	if n.kind != kindObject {
		d.fail(n, "%s must be an object: { … }.", what)
		return false
	}
	return true
}

func (d *decoder) array(n *node, what string) bool {
	if n == nil {
		return false
	}
	if n.kind != kindArray {
		d.fail(n, "%s must be a list: [ … ].", what)
		return false
	}
	return true
}

func (d *decoder) text(n *node, what string, into *string) {
	if n == nil {
		return
	}
	if n.kind != kindString {
		d.fail(n, "%s must be a text in quotes.", what)
		return
	}
	*into = n.str()
}

func (d *decoder) texts(n *node, what string, into *[]string) {
	if !d.array(n, what) {
		return
	}
	list := make([]string, len(n.items))
	for i, item := range n.items {
		d.text(item, "Each entry of "+what, &list[i])
	}
	*into = list
}

func (d *decoder) agents(n *node, into *[]Agent) {
	if !d.array(n, "agents") {
		return
	}
	for _, item := range n.items {
		a := Agent{Args: []string{}}
		if d.object(item, "Each agent") {
			d.text(item.get("id"), "An agent's id", &a.ID)
			d.text(item.get("name"), "An agent's name", &a.Name)
			d.text(item.get("command"), "An agent's command", &a.Command)
			d.text(item.get("cwd"), "An agent's cwd", &a.Cwd)
			d.text(item.get("process"), "An agent's process", &a.Process)
			d.texts(item.get("args"), "args", &a.Args)
			d.dict(item.get("env"), "An agent's env", "The environment variable ", &a.Env)
			if box := item.get("sandbox"); d.object(box, "An agent's sandbox") {
				a.Sandbox = &Sandbox{}
				d.text(box.get("network"), "The network of a sandbox", &a.Sandbox.Network)
				d.texts(box.get("writable"), "writable", &a.Sandbox.Writable)
			}
			if proxy := item.get("modelProxy"); d.object(proxy, "An agent's modelProxy") {
				a.ModelProxy = &ModelProxy{}
				d.texts(proxy.get("variables"), "variables", &a.ModelProxy.Variables)
			}
			if from := item.get("registry"); d.object(from, "An agent's registry") {
				a.Registry = &FromRegistry{}
				d.text(from.get("id"), "The id in the registry", &a.Registry.ID)
				d.text(from.get("version"), "The version in the registry", &a.Registry.Version)
			}
			if model := item.get("model"); d.object(model, "An agent's model") {
				a.Model = &Model{}
				d.text(model.get("provider"), "A model's provider", &a.Model.Provider)
				d.text(model.get("model"), "The name of a model", &a.Model.Model)
				d.text(model.get("baseUrl"), "A model's baseUrl", &a.Model.BaseURL)
				d.text(model.get("api"), "A model's api", &a.Model.API)
			}
		}
		*into = append(*into, a)
	}
}

// dict reads an object whose values are texts.
func (d *decoder) dict(n *node, what, each string, into *map[string]string) {
	if !d.object(n, what) {
		return
	}
	*into = make(map[string]string, len(n.members))
	for _, m := range n.members {
		var v string
		d.text(m.value, each+m.key, &v)
		(*into)[m.key] = v
	}
}

// flag reads true or false.
func (d *decoder) flag(n *node, what string, into *bool) {
	switch {
	case n == nil:
	case string(n.raw) == "true":
		*into = true
	case string(n.raw) == "false":
		*into = false
	default:
		d.fail(n, "%s must be true or false.", what)
	}
}

// agentSecrets reads an object of objects whose values are texts.
func (d *decoder) agentSecrets(n *node, into *map[string]map[string]string) {
	if !d.object(n, "agentSecrets") {
		return
	}
	*into = make(map[string]map[string]string, len(n.members))
	for _, m := range n.members {
		var one map[string]string
		d.dict(m.value, "The secrets of the agent "+m.key, "The environment variable ", &one)
		(*into)[m.key] = one
	}
}

func validVariable(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00\r\n") }

// checkRegistry looks at the form only; whether the source may be asked is the registry's to say.
func (d *decoder) checkRegistry(source string, n *node) {
	if source == "" || source == "shipped" {
		return
	}
	if u, err := url.Parse(source); err != nil || !slices.Contains([]string{"https", "http", "file"}, u.Scheme) {
		d.fail(n, `registry is %q; it must be "shipped", or an address that begins with https:// or file://.`, source)
	}
}

func (d *decoder) appearance(n *node, into *Appearance) {
	if !d.object(n, "appearance") {
		return
	}
	d.text(n.get("theme"), "theme", &into.Theme)
	d.text(n.get("density"), "density", &into.Density)
	d.text(n.get("thoughts"), "thoughts", &into.Thoughts)
	d.text(n.get("language"), "language", &into.Language)
	if scale := n.get("textScale"); scale != nil {
		v, err := strconv.Atoi(string(scale.raw))
		if err != nil {
			d.fail(scale, "textScale must be a whole number of percent.")
			return
		}
		into.TextScale = v
	}
}

// check finds what is well-formed but cannot be. root may be nil, for settings
// that never was in a file; the problem then has no place.
func (d *decoder) check(s Settings, root *node) {
	seen := map[string]bool{}
	for i, a := range s.Agents {
		var n *node
		if list := root.get("agents"); list != nil && i < len(list.items) {
			n = list.items[i]
		}
		at := func(key string) *node {
			if v := n.get(key); v != nil {
				return v
			}
			return n
		}
		switch {
		case strings.TrimSpace(a.ID) == "":
			d.fail(at("id"), "This agent needs an id, a short name that no other agent has.")
		case seen[a.ID]:
			d.fail(at("id"), "Two agents have the id %q. Give one of them another id.", a.ID)
		case a.Model != nil && (a.Command != "" || len(a.Args) > 0):
			d.fail(at("command"), "The agent %q has both a model and a command; it can have only one of them.", a.ID)
		case strings.TrimSpace(a.Command) == "" && a.Model == nil && a.ID != GuideID:
			d.fail(at("command"), "The agent %q needs a command, the program that is started, or a model.", a.ID)
		case a.Cwd != "" && a.Cwd != "space" && a.Cwd != "home" && !filepath.IsAbs(a.Cwd):
			d.fail(at("cwd"), `The agent %q runs in %q: cwd must be "space", "home" or an absolute path.`, a.ID, a.Cwd)
		case !slices.Contains(processes, a.Process):
			d.fail(at("process"), `The agent %q has the process %q; it must be "shared" or "perSpace".`, a.ID, a.Process)
		}
		if a.Sandbox != nil {
			if wrong := a.Sandbox.Wrong(); wrong != "" {
				d.fail(at("sandbox"), "The sandbox of the agent %q is wrong: %s.", a.ID, wrong)
			}
		}
		if a.ModelProxy != nil {
			if wrong := a.ModelProxy.Wrong(); wrong != "" {
				d.fail(at("modelProxy"), "The model proxy of the agent %q is wrong: %s.", a.ID, wrong)
			}
		}
		seen[a.ID] = true
		if a.Model != nil {
			if wrong := a.Model.Wrong(); wrong != "" {
				d.fail(at("model"), "The model of the agent %q %s", a.ID, wrong)
			}
		}
		for key := range a.Env {
			if !validVariable(key) {
				d.fail(at("env"), "The agent %q has an environment variable with the name %q, which no program can read.", a.ID, key)
			}
		}
	}
	d.checkServers(s.MCPServers, root.get("mcpServers"))
	for id, list := range s.AgentSecrets {
		for key := range list {
			if !validVariable(key) {
				d.fail(root.get("agentSecrets"), "The agent %q has an environment variable with the name %q, which no program can read.", id, key)
			}
		}
	}
	d.checkPresets(s.MemberPresets, root.get("memberPresets"))
	d.checkToolCalls(s.ToolCalls, root.get("toolCalls"))
	d.oneOf(root.get("secretStore"), "secretStore", s.SecretStore, stores)
	d.oneOf(root.get("recall"), "recall", s.Recall, recalls)
	d.oneOf(root.get("backups"), "backups", s.Backups, backups)
	d.oneOf(root.get("updates"), "updates", s.Updates, updates)
	d.oneOf(root.get("whenClosed"), "whenClosed", s.WhenClosed, closings)
	d.checkRegistry(s.Registry, root.get("registry"))
	d.checkEditor(s.Editor, root.get("editor"))
	look := root.get("appearance")
	d.oneOf(look.get("theme"), "theme", s.Appearance.Theme, themes)
	d.oneOf(look.get("density"), "density", s.Appearance.Density, densities)
	d.oneOf(look.get("thoughts"), "thoughts", s.Appearance.Thoughts, thoughts)
	d.oneOf(look.get("language"), "language", s.Appearance.Language, languages)
	if v := s.Appearance.TextScale; v < minTextScale || v > maxTextScale {
		d.fail(look.get("textScale"), "textScale is %d; it must be between %d and %d percent.", v, minTextScale, maxTextScale)
	}
}

func (d *decoder) oneOf(n *node, what, value string, allowed []string) {
	if !slices.Contains(allowed, value) {
		d.fail(n, "%s is %q; it must be one of %s.", what, value, strings.Join(allowed, ", "))
	}
}
