package settings

import (
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/fault"
)

// decode reads and checks the settings in a file's text, and fills in defaults for missing fields. Unknown fields are
// ignored. The returned problem is the first one in the file.
func decode(data []byte) (Settings, *node, *Problem) {
	root, problem := parse(data)
	if problem != nil {
		return Settings{}, nil, problem
	}
	d := &decoder{data: data}
	s := Default()
	s.Schema = ""
	if root.kind != kindObject {
		d.fail(root, "The settings must be an object: { … }.")
	} else {
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

// decoder keeps the problem that comes first in the file.
type decoder struct {
	data    []byte
	first   int
	problem *Problem
}

func (d *decoder) fail(n *node, template fault.Template, values ...any) {
	offset := 0
	if n != nil {
		offset = n.offset
	}
	if d.problem == nil || offset < d.first {
		d.first, d.problem = offset, problemAt(d.data, offset, fault.Say(template, values...))
	}
}

// field describes a value in messages: the value of a key, or an entry of the key's list. It is named only by the key,
// in every language; line and column tell which value it is.
type field struct {
	key   string
	entry bool
}

func (d *decoder) object(n *node, what field) bool {
	switch {
	case n == nil:
		return false
	case n.kind == kindObject:
		return true
	case what.entry:
		d.fail(n, "Each entry of “{{key}}” must be an object: { … }.", what.key)
	default:
		d.fail(n, "“{{key}}” must be an object: { … }.", what.key)
	}
	return false
}

func (d *decoder) array(n *node, key string) bool {
	if n == nil {
		return false
	}
	if n.kind != kindArray {
		d.fail(n, "“{{key}}” must be a list: [ … ].", key)
		return false
	}
	return true
}

func (d *decoder) text(n *node, key string, into *string) { d.textOf(n, field{key: key}, into) }

func (d *decoder) textOf(n *node, what field, into *string) {
	switch {
	case n == nil:
	case n.kind == kindString:
		*into = n.str()
	case what.entry:
		d.fail(n, "Each entry of “{{key}}” must be a text in quotes.", what.key)
	default:
		d.fail(n, "“{{key}}” must be a text in quotes.", what.key)
	}
}

func (d *decoder) texts(n *node, key string, into *[]string) {
	if !d.array(n, key) {
		return
	}
	list := make([]string, len(n.items))
	for i, item := range n.items {
		d.textOf(item, field{key, true}, &list[i])
	}
	*into = list
}

func (d *decoder) agents(n *node, into *[]Agent) {
	if !d.array(n, "agents") {
		return
	}
	for _, item := range n.items {
		a := Agent{Args: []string{}}
		if d.object(item, field{"agents", true}) {
			d.text(item.get("id"), "id", &a.ID)
			d.text(item.get("name"), "name", &a.Name)
			d.text(item.get("command"), "command", &a.Command)
			d.text(item.get("cwd"), "cwd", &a.Cwd)
			d.text(item.get("process"), "process", &a.Process)
			d.texts(item.get("args"), "args", &a.Args)
			d.dict(item.get("env"), "env", &a.Env)
			if box := item.get("sandbox"); d.object(box, field{key: "sandbox"}) {
				a.Sandbox = &Sandbox{}
				d.text(box.get("network"), "network", &a.Sandbox.Network)
				d.texts(box.get("writable"), "writable", &a.Sandbox.Writable)
			}
			if proxy := item.get("modelProxy"); d.object(proxy, field{key: "modelProxy"}) {
				a.ModelProxy = &ModelProxy{}
				d.flag(proxy.get("off"), "off", &a.ModelProxy.Off)
				d.texts(proxy.get("variables"), "variables", &a.ModelProxy.Variables)
			}
			if from := item.get("registry"); d.object(from, field{key: "registry"}) {
				a.Registry = &FromRegistry{}
				d.text(from.get("id"), "id", &a.Registry.ID)
				d.text(from.get("version"), "version", &a.Registry.Version)
			}
			if model := item.get("model"); d.object(model, field{key: "model"}) {
				a.Model = &Model{}
				d.text(model.get("provider"), "provider", &a.Model.Provider)
				d.text(model.get("model"), "model", &a.Model.Model)
				d.text(model.get("baseUrl"), "baseUrl", &a.Model.BaseURL)
				d.text(model.get("api"), "api", &a.Model.API)
			}
		}
		*into = append(*into, a)
	}
}

// dict reads an object whose values are texts.
func (d *decoder) dict(n *node, key string, into *map[string]string) {
	if !d.object(n, field{key: key}) {
		return
	}
	*into = make(map[string]string, len(n.members))
	for _, m := range n.members {
		var v string
		d.text(m.value, m.key, &v)
		(*into)[m.key] = v
	}
}

// flag reads true or false.
func (d *decoder) flag(n *node, key string, into *bool) {
	switch {
	case n == nil:
	case string(n.raw) == "true":
		*into = true
	case string(n.raw) == "false":
		*into = false
	default:
		d.fail(n, "“{{key}}” must be true or false.", key)
	}
}

// agentSecrets reads an object of objects whose values are texts.
func (d *decoder) agentSecrets(n *node, into *map[string]map[string]string) {
	if !d.object(n, field{key: "agentSecrets"}) {
		return
	}
	*into = make(map[string]map[string]string, len(n.members))
	for _, m := range n.members {
		var one map[string]string
		d.dict(m.value, m.key, &one)
		(*into)[m.key] = one
	}
}

const unreadableVariable fault.Template = "The agent {{id}} has an environment variable with the name {{name}}, which no program can read."

func validVariable(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00\r\n") }

// checkRegistry checks only the form of the source. Package registry decides whether it may be used.
func (d *decoder) checkRegistry(source string, n *node) {
	if source == "" || source == "shipped" {
		return
	}
	if u, err := url.Parse(source); err != nil || !slices.Contains([]string{"https", "http", "file"}, u.Scheme) {
		d.fail(n, `“registry” is {{source}}; it must be "shipped", or an address that begins with https:// or file://.`, strconv.Quote(source))
	}
}

func (d *decoder) appearance(n *node, into *Appearance) {
	if !d.object(n, field{key: "appearance"}) {
		return
	}
	d.text(n.get("theme"), "theme", &into.Theme)
	d.text(n.get("density"), "density", &into.Density)
	d.text(n.get("thoughts"), "thoughts", &into.Thoughts)
	d.text(n.get("language"), "language", &into.Language)
	if scale := n.get("textScale"); scale != nil {
		v, err := strconv.Atoi(string(scale.raw))
		if err != nil {
			d.fail(scale, "“textScale” must be a whole number of percent.")
			return
		}
		into.TextScale = v
	}
}

// check finds values that are well-formed but invalid. root may be nil for settings that don't come from a file; the
// problem then has no position.
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
		id := strconv.Quote(a.ID)
		switch {
		case strings.TrimSpace(a.ID) == "":
			d.fail(at("id"), "This agent needs an id, a short name that no other agent has.")
		case seen[a.ID]:
			d.fail(at("id"), "Two agents have the id {{id}}. Give one of them another id.", id)
		case a.Model != nil && (a.Command != "" || len(a.Args) > 0):
			d.fail(at("command"), "The agent {{id}} has both a model and a command; it can have only one of them.", id)
		case strings.TrimSpace(a.Command) == "" && a.Model == nil && a.ID != GuideID:
			d.fail(at("command"), "The agent {{id}} needs a command, the program that is started, or a model.", id)
		case a.Cwd != "" && a.Cwd != "space" && a.Cwd != "home" && !filepath.IsAbs(a.Cwd):
			d.fail(at("cwd"), `The agent {{id}} runs in {{cwd}}: cwd must be "space", "home" or an absolute path.`, id, strconv.Quote(a.Cwd))
		case !slices.Contains(processes, a.Process):
			d.fail(at("process"), `The agent {{id}} has the process {{process}}; it must be "shared" or "perSpace".`, id, strconv.Quote(a.Process))
		}
		if a.Sandbox != nil {
			if wrong := a.Sandbox.Wrong(); wrong != "" {
				d.fail(at("sandbox"), "The sandbox of the agent {{id}} is wrong: {{wrong}}.", id, wrong)
			}
		}
		if a.ModelProxy != nil {
			if wrong := a.ModelProxy.Wrong(); wrong != "" {
				d.fail(at("modelProxy"), "The model proxy of the agent {{id}} is wrong: {{wrong}}.", id, wrong)
			}
		}
		seen[a.ID] = true
		if a.Model != nil {
			if wrong := a.Model.Wrong(); wrong != "" {
				d.fail(at("model"), "The model of the agent {{id}} {{wrong}}", id, wrong)
			}
		}
		for key := range a.Env {
			if !validVariable(key) {
				d.fail(at("env"), unreadableVariable, id, strconv.Quote(key))
			}
		}
	}
	d.checkServers(s.MCPServers, root.get("mcpServers"))
	for id, list := range s.AgentSecrets {
		for key := range list {
			if !validVariable(key) {
				d.fail(root.get("agentSecrets"), unreadableVariable, strconv.Quote(id), strconv.Quote(key))
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
		d.fail(look.get("textScale"), "“textScale” is {{n}}; it must be between {{min}} and {{max}} percent.", v, minTextScale, maxTextScale)
	}
}

func (d *decoder) oneOf(n *node, key, value string, allowed []string) {
	if !slices.Contains(allowed, value) {
		d.fail(n, "“{{key}}” is {{value}}; it must be one of {{values}}.", key, strconv.Quote(value), oneAfterAnother(allowed))
	}
}

// oneAfterAnother lists the allowed values, except "", which means that the key is missing.
func oneAfterAnother(values []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" }), ", ")
}
