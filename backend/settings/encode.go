package settings

import (
	"bytes"
	"encoding/json"
	"slices"
)

// The fields that this version knows. All other fields belong to the user or to another version, and survive a write.
var (
	rootFields       = []string{"$schema", "defaultAgent", "agents", "hiddenAgents", "mcpServers", "registry", "agentSecrets", "secretStore", "memberPresets", "mentions", "recall", "backups", "updates", "whenClosed", "toolCalls", "editor", "appearance"}
	agentFields      = []string{"id", "name", "command", "args", "env", "cwd", "process", "registry", "model", "sandbox", "modelProxy"}
	modelFields      = []string{"provider", "model", "baseUrl", "api"}
	serverFields     = []string{"name", "type", "command", "args", "env", "url", "headers", "secretEnv", "secretHeaders", "disabled", "via", "tools"}
	toolFields       = []string{"off", "display", "visibility"}
	toolCallsFields  = []string{"spaceTools", "rules"}
	callRuleFields   = []string{"agent", "server", "tool", "visibility"}
	editorFields     = []string{"use", "command"}
	appearanceFields = []string{"theme", "density", "textScale", "thoughts", "language"}
)

// encode encodes s in the form of old: fields keep their order, and unknown fields are kept at the root, in the
// appearance, in each agent that still exists (by id) and in each MCP server (by name). old may be nil.
func encode(s Settings, old *node) []byte {
	root, problem := parse(marshal(s.clone()))
	if problem != nil {
		panic(problem) // our own output
	}
	if old != nil {
		agents := root.get("agents")
		for i, a := range agents.items {
			before := entryBy(old.get("agents"), "id", a.get("id").str())
			if model := a.get("model"); model != nil && before != nil {
				a.set("model", merge(before.get("model"), model, modelFields))
			}
			agents.items[i] = merge(before, a, agentFields)
		}
		if servers := root.get("mcpServers"); servers != nil {
			for i, m := range servers.items {
				before := entryBy(old.get("mcpServers"), "name", m.get("name").str())
				if tools := m.get("tools"); tools != nil {
					for _, one := range tools.members {
						tools.set(one.key, merge(before.get("tools").get(one.key), one.value, toolFields))
					}
				}
				servers.items[i] = merge(before, m, serverFields)
			}
		}
		mergeToolCalls(old, root)
		mergeEditor(old, root)
		root.set("appearance", merge(old.get("appearance"), root.get("appearance"), appearanceFields))
		root = merge(old, root, rootFields)
	}
	return root.indented()
}

// indented encodes the tree in the form of the settings file.
func (n *node) indented() []byte {
	var compact, out bytes.Buffer
	n.encode(&compact)
	if err := json.Indent(&out, compact.Bytes(), "", "  "); err != nil {
		panic(err) // as above
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// mergeEditor keeps the unknown fields of the editor.
func mergeEditor(old, root *node) {
	before, now := old.get("editor"), root.get("editor")
	if now == nil {
		now = &node{kind: kindObject}
	}
	if all := merge(before, now, editorFields); len(all.members) > 0 {
		root.set("editor", all)
	}
}

// mergeToolCalls keeps the unknown fields of toolCalls, and of each rule that still exists for the same calls.
func mergeToolCalls(old, root *node) {
	before, now := old.get("toolCalls"), root.get("toolCalls")
	if now == nil {
		if before == nil || len(merge(before, &node{kind: kindObject}, toolCallsFields).members) == 0 {
			return
		}
		now = &node{kind: kindObject}
	}
	if rules := now.get("rules"); rules != nil {
		for i, r := range rules.items {
			for _, was := range before.get("rules").list() {
				if sameRule(was, r) {
					rules.items[i] = merge(was, r, callRuleFields)
				}
			}
		}
	}
	root.set("toolCalls", merge(before, now, toolCallsFields))
}

func sameRule(a, b *node) bool {
	return !slices.ContainsFunc(callRuleFields[:3], func(key string) bool { return a.get(key).str() != b.get(key).str() })
}

// merge returns the owned fields of fresh, and all other fields of old.
func merge(old, fresh *node, owned []string) *node {
	if old == nil || old.kind != kindObject {
		return fresh
	}
	out := &node{kind: kindObject, members: append([]member(nil), old.members...)}
	for _, key := range owned {
		if v := fresh.get(key); v != nil {
			out.set(key, v)
		} else {
			out.remove(key)
		}
	}
	return out
}

func entryBy(list *node, key, value string) *node {
	if list == nil {
		return nil
	}
	for _, item := range list.items {
		if item.get(key).str() == value {
			return item
		}
	}
	return nil
}
