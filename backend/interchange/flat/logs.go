package flat

import (
	"cmp"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// beside are the types of entries in session files that aren't messages.
var beside = map[string]bool{
	"summary": true, "file-history-snapshot": true, "queue-operation": true, "progress": true, "system": true, "last-prompt": true, "custom-title": true, // Claude Code
	"event_msg": true, "turn_context": true, "compacted": true, "ghost_snapshot": true, "web_search_call": true, // Codex
}

// logged returns the message or header in an entry of a session file, or n itself. skip is true for other entries.
func logged(n node, o object) (inner node, skip bool) {
	kind := o.text("type")
	payload := o["payload"].object()
	switch {
	case o.truth("isSidechain", "isMeta"):
		return n, true
	case kind == "session_meta" && payload != nil:
		return made(n.line, map[string]node{"cwd": payload["cwd"], "time": o["timestamp"], "title": {raw: jsontext.Value(`""`)}}), false
	case kind == "response_item" && payload != nil:
		kind = payload.text("type")
		if beside[kind] {
			return n, true
		}
		return item(n.line, kind, payload, o["timestamp"]), false
	}
	return n, beside[kind] && !o.has("role") && !o["message"].object().has("role")
}

// item converts an item of OpenAI's Responses API to a message.
func item(line int, kind string, o object, at node) node {
	m := map[string]node{"time": at}
	switch kind {
	case "function_call", "custom_tool_call":
		m["role"], m["tool_calls"] = word("assistant"), list(made(line, o))
	case "function_call_output", "custom_tool_call_output":
		m["role"], m["call_id"], m["output"] = word("tool"), o["call_id"], o["output"]
	case "reasoning":
		m["role"], m["thinking"], m["content"] = word("assistant"), o["summary"], word("")
	default:
		for name, v := range o {
			m[name] = v
		}
	}
	return made(line, m)
}

// tree returns the messages of a conversation that ChatGPT exported as a tree: those on the path to the current one.
func tree(mapping object, current string) []node {
	parent := func(id string) string { return mapping[id].object().text("parent") }
	if !mapping[current].there() {
		current = deepest(mapping, parent)
	}
	var path []node
	seen := map[string]bool{}
	for id := current; id != "" && !seen[id]; id = parent(id) {
		seen[id] = true
		if m := mapping[id].object()["message"]; m.object() != nil {
			path = append(path, m)
		}
	}
	out, asked := make([]node, 0, len(path)), map[string]bool{}
	for i := len(path) - 1; i >= 0; i-- {
		o := path[i].object()
		if o["metadata"].object().truth("is_visually_hidden_from_conversation") {
			continue
		}
		out = append(out, exported(path[i], o, asked)...)
	}
	return out
}

// exported converts a message of ChatGPT to the common format: a message to a tool becomes a call, and a message from a
// tool its result. asked has the tools that haven't answered yet.
func exported(n node, o object, asked map[string]bool) []node {
	author, to := o["author"].object(), o.text("recipient")
	content := o["content"].object()
	said := content.first("parts", "text")
	switch {
	case author.text("role") == "assistant" && to != "" && to != "all":
		asked[to] = true
		return []node{calling(n.line, to, said, o["create_time"])}
	case author.text("role") == "tool":
		name := cmp.Or(author.text("name"), "tool")
		out := []node{made(n.line, map[string]node{"role": word("tool"), "time": o["create_time"], "tool_call_id": word(name), "output": plainText(said)})}
		if !asked[name] { // no message contains the call
			out = []node{calling(n.line, name, node{}, o["create_time"]), out[0]}
		}
		delete(asked, name)
		return out
	}
	return []node{n}
}

// calling returns a message that calls a tool. ChatGPT's calls have no ids, so the name identifies the open call.
func calling(line int, name string, arguments, at node) node {
	call := made(line, map[string]node{"id": word(name), "name": word(name), "arguments": arguments})
	return made(line, map[string]node{"role": word("assistant"), "time": at, "tool_calls": list(call)})
}

// plainText returns the only text of a list, or n itself.
func plainText(n node) node {
	if all := n.list(); len(all) == 1 && all[0].kind() == '"' {
		return all[0]
	}
	return n
}

// deepest returns the id of the message with the longest path to its root, or the last id of several.
func deepest(mapping object, parent func(string) string) string {
	depth := make(map[string]int, len(mapping))
	best := ""
	for id := range mapping {
		var way []string
		for at := id; at != "" && depth[at] == 0; at = parent(at) {
			depth[at] = -1 // in progress; ends cycles
			way = append(way, at)
		}
		for i := len(way) - 1; i >= 0; i-- {
			depth[way[i]] = max(depth[parent(way[i])], 0) + 1
		}
		if best == "" || depth[id] > depth[best] || depth[id] == depth[best] && id > best {
			best = id
		}
	}
	return best
}

// made returns an object with the given members.
func made(line int, members map[string]node) node {
	o := make(map[string]jsontext.Value, len(members))
	for name, v := range members {
		if v.there() {
			o[name] = v.raw
		}
	}
	raw, err := json.Marshal(o, lenient, json.Deterministic(true))
	if err != nil { // never: the values were validated
		raw = []byte("{}")
	}
	return node{raw, line}
}

// with returns a copy of an object with an additional member.
func with(o object, name string, value node) object {
	o = maps.Clone(o)
	o[name] = value
	return o
}

func list(n node) node { return node{append(append(jsontext.Value("["), n.raw...), ']'), n.line} }

func word(s string) node {
	raw, err := json.Marshal(s, lenient)
	if err != nil { // never: invalid UTF-8 is allowed
		raw = []byte(`""`)
	}
	return node{raw: raw}
}
