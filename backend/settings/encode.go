package settings

import (
	"bytes"
	"encoding/json"
)

// The fields that this version owns. Every other field belongs to the person or
// to another version and survives a write.
var (
	rootFields       = []string{"$schema", "defaultAgent", "agents", "hiddenAgents", "appearance"}
	agentFields      = []string{"id", "name", "command", "args", "env", "cwd"}
	appearanceFields = []string{"theme", "density", "textScale", "thoughts"}
)

// encode writes s in the form of old: same order of fields, unknown fields kept,
// at the root, in the appearance and in each agent that is still there (found by
// its id). old may be nil.
func encode(s Settings, old *node) []byte {
	root, problem := parse(marshal(s.clone()))
	if problem != nil {
		panic(problem) // our own output
	}
	if old != nil {
		agents := root.get("agents")
		for i, a := range agents.items {
			agents.items[i] = merge(agentByID(old.get("agents"), a.get("id").str()), a, agentFields)
		}
		root.set("appearance", merge(old.get("appearance"), root.get("appearance"), appearanceFields))
		root = merge(old, root, rootFields)
	}
	var compact, out bytes.Buffer
	root.encode(&compact)
	if err := json.Indent(&out, compact.Bytes(), "", "  "); err != nil {
		panic(err) // as above
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// merge takes the owned fields from fresh and everything else from old.
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

func agentByID(list *node, id string) *node {
	if list == nil {
		return nil
	}
	for _, item := range list.items {
		if item.get("id").str() == id {
			return item
		}
	}
	return nil
}
