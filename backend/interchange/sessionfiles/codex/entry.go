package codex

import (
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
)

// entry writes an entry.
func (r *reader) entry(key, kind string, p sessionfiles.Object) error {
	switch kind {
	case "event_msg":
		return r.event(key, p)
	case "compacted":
		return r.compacted(key, p.Text("message"))
	}
	switch what := string(sessionfiles.Quoted(p["type"])); what {
	case "message":
		return r.message(key, p)
	case "reasoning":
		if err := r.turn(key); err != nil {
			return err
		}
		for _, list := range [][]byte{p["summary"], p["content"]} {
			for _, one := range scan.Elements(list) {
				r.w.Thought(sessionfiles.Text(scan.Member(one, "text")))
			}
		}
	case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call":
		if err := r.turn(key); err != nil {
			return err
		}
		r.call(what, p)
	case "web_search_call", "image_generation_call":
		if err := r.turn(key); err != nil {
			return err
		}
		r.hosted(key, what, p)
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		return r.output(p)
	case "compaction", "context_compaction":
		return r.compacted(key, "")
	}
	return nil
}

// turn begins a message of the agent, unless it is that of a sub-agent.
func (r *reader) turn(key string) error {
	if r.nested {
		return nil
	}
	return r.w.Turn(key, r.model)
}

func (r *reader) compacted(key, summary string) error {
	if r.nested {
		return nil
	}
	if err := r.w.Turn(key, ""); err != nil {
		return err
	}
	r.w.Says(sessionfiles.Compacted)
	r.w.Thought(summary)
	return nil
}

// event writes what Codex has noted besides the items of the conversation.
func (r *reader) event(key string, p sessionfiles.Object) error {
	switch string(sessionfiles.Quoted(p["type"])) {
	case "turn_aborted":
		if !r.nested {
			r.w.Stop("cancelled")
		}
	case "error":
		if s := p.Text("message"); s != "" && !r.nested {
			if err := r.w.Turn(key, ""); err != nil {
				return err
			}
			r.w.Remark(s)
		}
	case "patch_apply_begin", "patch_apply_end":
		r.changed(p.Text("call_id"), p["changes"], "")
	case "item_completed":
		item := sessionfiles.Members(p["item"])
		r.changed(item.Text("id"), item["changes"], item.Text("status"))
	}
	return nil
}

// changed writes the diffs of a call.
func (r *reader) changed(id string, changes []byte, status string) {
	if !r.w.HasCall(id) {
		return
	}
	p := transcript.ToolPatch{ID: id}
	var list []transcript.Content
	for name, change := range scan.Fields(changes) {
		path := sessionfiles.Absolute(string(name), r.meta.Folder)
		c := sessionfiles.Members(change)
		switch kind := c.Text("type"); {
		case kind == "add", c["add"] != nil:
			list = append(list, transcript.Content{Type: "diff", Path: path, NewFile: true, NewText: inner(c, "add").Text("content")})
		case kind == "delete", c["delete"] != nil:
			list = append(list, transcript.Content{Type: "diff", Path: path, OldText: inner(c, "delete").Text("content")})
		default:
			diff := inner(c, "update").Text("unified_diff")
			for _, d := range sessionfiles.Diffs("--- a\n+++ b\n"+diff, "") {
				d.Path, d.NewFile = path, false
				list = append(list, d)
			}
		}
	}
	if len(list) > 0 {
		p.Content = &list
		r.patchs[id] = true
	}
	if status == "declined" {
		rejected := transcript.StatusRejected
		p.Status = &rejected
	}
	r.w.Call(p)
}

// inner returns what older versions keep one level deeper.
func inner(o sessionfiles.Object, name string) sessionfiles.Object {
	if deep := sessionfiles.Members(o[name]); deep != nil {
		return deep
	}
	return o
}

// piece is one piece of a prompt.
type piece struct {
	text    string
	picture *transcript.Content
}

// said returns what the user has said in a message: without what Codex has put into it.
func said(content []byte) (list []piece) {
	for _, part := range scan.Elements(content) {
		p := sessionfiles.Members(part)
		switch string(sessionfiles.Quoted(p["type"])) {
		case "input_text", "text":
			if s := p.Text("text"); !foreign(s) {
				list = append(list, piece{text: s})
			}
		case "input_image":
			if mime, data, ok := sessionfiles.DataURL(p.Text("image_url")); ok {
				if c, ok := sessionfiles.Picture(mime, data); ok {
					list = append(list, piece{picture: &c})
				}
			}
		}
	}
	return list
}

// foreign reports whether Codex has put a text into a prompt: such texts are in tags.
func foreign(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasPrefix(s, "# AGENTS.md instructions") {
		return true
	}
	rest, ok := strings.CutPrefix(s, "<")
	if !ok {
		return false
	}
	end := strings.IndexAny(rest, "> \n")
	if end <= 0 {
		return false
	}
	for _, c := range rest[:end] {
		if (c < 'a' || c > 'z') && c != '_' && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return strings.HasSuffix(s, "</"+rest[:end]+">")
}

// message writes a message of the user or of the model.
func (r *reader) message(key string, p sessionfiles.Object) error {
	switch string(sessionfiles.Quoted(p["role"])) {
	case "assistant":
		if err := r.turn(key); err != nil {
			return err
		}
		for _, part := range scan.Elements(p["content"]) {
			r.w.Text(sessionfiles.Text(scan.Member(part, "text")))
		}
	case "user":
		if r.nested {
			return nil
		}
		r.notified(p["content"])
		list := said(p["content"])
		if len(list) == 0 {
			return nil
		}
		if err := r.w.Prompt(key); err != nil {
			return err
		}
		for _, one := range list {
			if one.picture != nil {
				r.w.Block(*one.picture)
			} else {
				r.w.Text(one.text)
			}
		}
	}
	return nil
}

// notified takes what a sub-agent has come to, which is told when it is done.
func (r *reader) notified(content []byte) {
	for _, part := range scan.Elements(content) {
		note := sessionfiles.Inner(sessionfiles.Text(scan.Member(part, "text")), "subagent_notification")
		if note == "" || !scan.Valid([]byte(strings.TrimSpace(note))) {
			continue
		}
		o := sessionfiles.Members([]byte(strings.TrimSpace(note)))
		id := r.agents[o.Text("agent_path", "agent_id")]
		if s := sessionfiles.Members(o["status"]).Text("completed"); s != "" && r.w.HasCall(id) {
			r.w.Call(transcript.ToolPatch{ID: id, Content: &[]transcript.Content{sessionfiles.Said(s)}})
		}
	}
}

// quoted returns a text as JSON.
func quoted(s string) []byte {
	b, err := json.Marshal(s, scan.Lenient)
	if err != nil {
		return []byte(`""`)
	}
	return b
}
