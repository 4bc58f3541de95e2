package acp

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp/output"
	"weft/backend/base/fault"
	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
	"weft/backend/conversation/transcript/statusword"
)

// tool reads tool_call and tool_call_update, which differ only in their required fields.
// If a field can't be read, an opaque update follows that of the tool call.
func (u *updateScanner) tool(kind string) {
	patch, clean := toolPatch(u.raw)
	if patch == nil {
		u.opaque(kind)
		return
	}
	patch.Announced = kind == "tool_call"
	meta := scan.Member(u.raw, "_meta")
	patch.OutputDelta, patch.Exit = u.outputs.Report(u.session, patch, meta), output.Exit(meta)
	u.add(transcript.Update{Kind: transcript.UpdateTool, Tool: patch})
	if !clean {
		u.opaque(kind)
	}
}

// toolPatch reads a tool call or an update of one. Null and absent fields stay nil in the
// patch. p is nil without a toolCallId; clean is false if a field could not be read.
func toolPatch(v []byte) (p *transcript.ToolPatch, clean bool) {
	p, clean = &transcript.ToolPatch{}, true
	for name, value := range scan.Fields(v) {
		if scan.Null(value) {
			continue
		}
		ok := true
		switch string(name) {
		case "toolCallId":
			p.ID, ok = scan.Label(value)
		case "title":
			p.Title, ok = labelPtr(value)
		case "kind":
			p.Kind, ok = labelPtr(value)
			if ok && *p.Kind == transcript.KindDisplay { // not an ACP kind: Weft uses it for forms
				*p.Kind = "other"
			}
		case "name":
			p.Name, ok = labelPtr(value)
		case "status":
			var told *transcript.Status
			if told, ok = status(value); ok && p.Status == nil { // a status from _meta is more precise
				p.Status = told
			}
		case "rawInput":
			p.Input = scan.Clone(value)
		case "rawOutput":
			p.Output = scan.Clone(value)
		case "content":
			list := toolContent(value)
			p.Content = &list
		case "locations":
			if ok = value[0] == '['; ok {
				var list []transcript.Location
				list, ok = locations(value)
				p.Locations = &list
			}
		case "_meta":
			toolMeta(p, value)
		}
		clean = clean && ok
	}
	if p.ID == "" {
		return nil, false
	}
	return p, clean
}

func labelPtr(v []byte) (*string, bool) {
	s, ok := scan.Label(v)
	if !ok {
		return nil, false
	}
	return &s, true
}

// status reads a status. It also accepts common words that ACP doesn't define, and ignores an empty string.
// StatusWaiting becomes pending and StatusRejected becomes failed, because only Weft sets these two.
func status(v []byte) (*transcript.Status, bool) {
	word, ok := scan.Text(v)
	if !ok || word == "" {
		return nil, ok
	}
	s, ok := statusword.Status(word)
	switch s {
	case transcript.StatusWaiting:
		s = transcript.StatusPending
	case transcript.StatusRejected:
		s = transcript.StatusFailed
	default:
	}
	return &s, ok
}

// toolMeta reads a tool call's _meta: the tool's name and a sub-agent's parent call from
// Claude, details of the result from Weft's own agent.
func toolMeta(p *transcript.ToolPatch, meta []byte) {
	if id := parentOf(meta); id != "" {
		p.ParentID = &id
	}
	p.Thread = threadOf(meta)
	for name, value := range scan.Fields(meta) {
		switch string(name) {
		case "claudeCode", "codex":
			if s, _ := scan.Text(scan.Member(scan.Member(value, "toolResponse"), "status")); s == "async_launched" {
				background := fault.Text("Started in the background")
				p.Summary = &background
			}
			if s, ok := scan.Text(scan.Member(value, "toolName")); ok && p.Name == nil {
				p.Name = &s
			}
		case "toolName": // qwen
			if s, ok := scan.Text(value); ok && p.Name == nil {
				p.Name = &s
			}
		case "weft":
			weftMeta(p, value)
		case "weft/inputDelta":
			p.InputDelta, _ = scan.Text(value)
		}
	}
}

func weftMeta(p *transcript.ToolPatch, v []byte) {
	for name, value := range scan.Fields(v) {
		switch string(name) {
		case "toolName":
			if s, ok := scan.Text(value); ok {
				p.Name = &s
			}
		case "summary":
			if s, ok := scan.Text(value); ok {
				p.Summary = &s
			}
		case "resultCount":
			if n, ok := scan.Integer(value); ok {
				p.ResultCount = &n
			}
		case "durationMs":
			if n, ok := scan.Integer(value); ok {
				ms := int64(n)
				p.DurationMs = &ms
			}
		case "error":
			if s, ok := scan.Text(value); ok {
				p.Error = &s
			}
		case "retryable":
			p.Retryable = boolean(value)
		case "wasRetried":
			p.WasRetried = boolean(value)
		case "cancelled", "interrupted": // ACP only has "failed"
			if b := boolean(value); b != nil && *b {
				s := transcript.StatusCancelled
				p.Status = &s
			}
		case "rejected":
			if b := boolean(value); b != nil && *b {
				s := transcript.StatusRejected
				p.Status = &s
			}
		}
	}
}

func boolean(v []byte) *bool {
	switch string(v) {
	case "true", "false":
		b := v[0] == 't'
		return &b
	}
	return nil
}

// PermissionRequest has the params of session/request_permission (ACP Tool Calls,
// Requesting Permission).
type PermissionRequest struct {
	SessionID string
	Tool      *transcript.ToolPatch // nil if the request names no tool call
	Options   []transcript.PermissionOption
	Meta      jsontext.Value // raw _meta of the request
}

// DecodePermission reads the params of session/request_permission. It never fails: a request without a readable
// option can only be declined.
func DecodePermission(params jsontext.Value) PermissionRequest {
	var r PermissionRequest
	for name, value := range scan.Fields(params) {
		switch string(name) {
		case "sessionId":
			r.SessionID, _ = scan.Label(value)
		case "toolCall":
			r.Tool, _ = toolPatch(value)
		case "_meta":
			r.Meta = scan.Clone(value)
		case "options":
			for _, v := range scan.Elements(value) {
				if o, ok := permissionOption(v); ok && len(r.Options) < maxPieces {
					r.Options = append(r.Options, o)
				}
			}
		}
	}
	return r
}

func permissionOption(v []byte) (transcript.PermissionOption, bool) {
	var o transcript.PermissionOption
	ok := false
	for name, value := range scan.Fields(v) {
		switch string(name) {
		case "optionId":
			o.ID, ok = scan.Label(value)
		case "name":
			o.Name, _ = scan.Label(value)
		case "kind":
			o.Kind, _ = scan.Text(value)
		}
	}
	if o.Name == "" {
		o.Name = o.ID
	}
	return o, ok
}
