package acp

import (
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

const methodUpdate = "session/update"

// maxPiece is the maximum size in bytes of the text of one update.
const maxPiece = 1 << 20

// sessionUpdate decodes the params of a session/update notification (ACP Prompt Turn,
// Session Update). One notification may become several updates: one per content block,
// and an opaque one after a tool call with unreadable fields.
func (d *Decoder) sessionUpdate(params []byte) {
	var session string
	var update []byte
	for name, value := range scan.Fields(params) {
		switch string(name) {
		case "sessionId":
			session = d.intern(&d.sessionID, value)
		case "update":
			update = value
		}
	}
	if scan.Null(update) {
		update = params
	}
	u := updateScanner{Decoder: d, session: session, raw: update}
	kind, _ := scan.Text(scan.Member(update, "sessionUpdate"))
	switch kind {
	case "agent_message_chunk":
		u.chunk(transcript.UpdateText, kind)
	case "agent_thought_chunk":
		u.chunk(transcript.UpdateThought, kind)
	case "user_message_chunk":
		u.chunk(transcript.UpdateUser, kind)
	case "tool_call", "tool_call_update":
		u.tool(kind)
	case "plan":
		u.state(transcript.StatePlan, kind, '[', "entries")
	case "available_commands_update":
		u.state(transcript.StateCommands, kind, '[', "availableCommands")
	case "current_mode_update":
		u.state(transcript.StateMode, kind, '"', "currentModeId", "modeId")
	case "config_option_update":
		u.state(transcript.StateConfig, kind, '[', "configOptions")
	case "session_info_update":
		u.title(kind)
	case "usage_update":
		u.usage(kind)
	case "notice":
		u.notice(kind)
	default:
		u.opaque(kind)
	}
}

// updateScanner reads one update of one session.
type updateScanner struct {
	*Decoder
	session string
	raw     []byte // the update object
}

// add emits an update.
func (u *updateScanner) add(up transcript.Update) {
	in := u.next(KindUpdate)
	in.SessionID, in.Update = u.session, up
	u.emit(in)
}

// opaque emits the raw update.
func (u *updateScanner) opaque(kind string) {
	raw := scan.Clone(u.raw)
	if raw == nil {
		raw = jsontext.Value("null")
	}
	u.add(transcript.Update{Kind: transcript.UpdateOpaque, UnknownKind: kind, Value: raw})
}

// chunk reads {content, messageId?}. The content is a block; a bare string and a list of
// blocks are accepted, too.
func (u *updateScanner) chunk(k transcript.UpdateKind, kind string) {
	var content, id, meta []byte
	for name, value := range scan.Fields(u.raw) {
		switch string(name) {
		case "content":
			content = value
		case "messageId":
			id = value
		case "_meta":
			meta = value
		}
	}
	up := transcript.Update{Kind: k}
	if !scan.Null(id) {
		up.MessageID = u.intern(&u.messageID, id)
	}
	if !scan.Null(meta) {
		up.ParentToolCallID, up.Thread, up.Tokens = parentOf(meta), threadOf(meta), tokensIn(meta)
		up.Note = k == transcript.UpdateThought && string(scan.Member(meta, "weft/note")) == "true"
		if k == transcript.UpdateText && noticeIn(meta) {
			up.Notice, up.MessageID = true, cmp.Or(up.MessageID, u.ownID("notice"))
		}
		if b := boolean(scan.Member(meta, "qwenDiscreteMessage")); b != nil && *b { // a separate message
			up.Apart, up.MessageID = true, cmp.Or(up.MessageID, u.ownID("discrete"))
		}
	}
	if scan.Null(content) {
		u.opaque(kind)
		return
	}
	if content[0] != '[' {
		u.block(up, content, kind)
		return
	}
	empty := true
	for _, v := range scan.Elements(content) {
		empty = false
		u.block(up, v, kind)
	}
	if empty {
		u.opaque(kind)
	}
}

// ownID generates a message id for a separate message without one.
func (u *updateScanner) ownID(kind string) string {
	u.own++
	return kind + strconv.Itoa(u.own)
}

// noticeIn reports whether the agent marks a text as a notice, which isn't part of its answer. Claude does so by a kind
// in _meta if the client doesn't support notices.
func noticeIn(meta []byte) bool {
	kind, _ := scan.Text(scan.Member(scan.Member(meta, "claudeCode"), "kind"))
	return kind != ""
}

// notice reads {title, description?}, a message to the user that isn't part of the answer.
func (u *updateScanner) notice(kind string) {
	title, _ := scan.Text(scan.Member(u.raw, "title"))
	about, _ := scan.Text(scan.Member(u.raw, "description"))
	if title != "" && about != "" {
		title += ": "
	}
	if title += about; title == "" {
		u.opaque(kind)
		return
	}
	u.text(transcript.Update{Kind: transcript.UpdateText, Notice: true, MessageID: u.ownID(kind)}, title)
}

func (u *updateScanner) block(up transcript.Update, v []byte, kind string) {
	if s, ok := scan.Text(v); ok {
		u.text(up, s)
		return
	}
	c, ok := block(v)
	switch {
	case !ok:
		u.opaque(kind)
	case c.Type == "text":
		u.text(up, c.Text)
	default:
		up.Block = &c
		u.add(up)
	}
}

// text emits a text, a long one in several updates. Each is folded and stored before the next, which limits the memory
// for the copies of the text along the way.
func (u *updateScanner) text(up transcript.Update, s string) {
	for len(s) > maxPiece {
		n := maxPiece
		for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
		up.Text, s = s[:n], s[n:]
		u.add(up)
	}
	up.Text = s
	u.add(up)
}

// state reads an update whose value is the first member among names that begins with the byte first.
func (u *updateScanner) state(key transcript.StateKey, kind string, first byte, names ...string) {
	for _, name := range names {
		if v := scan.Member(u.raw, name); len(v) > 0 && v[0] == first {
			u.add(transcript.Update{Kind: transcript.UpdateState, Key: key, Value: scan.Clone(v)})
			return
		}
	}
	u.opaque(kind)
}

// title reads session_info_update: a title, or null to clear it. It ignores an update with only a
// date, which Weft keeps itself, or _meta.
func (u *updateScanner) title(kind string) {
	v := scan.Member(u.raw, "title")
	if len(v) == 0 && u.hasOnly("sessionUpdate", "updatedAt", "_meta") {
		u.add(transcript.Update{Kind: transcript.UpdateNothing})
		return
	}
	if len(v) == 0 || v[0] != '"' && v[0] != 'n' {
		u.opaque(kind)
		return
	}
	u.add(transcript.Update{Kind: transcript.UpdateState, Key: transcript.StateTitle, Value: scan.Clone(v)})
}

// hasOnly reports whether the update has no other members than these.
func (u *updateScanner) hasOnly(names ...string) bool {
	for name := range scan.Fields(u.raw) {
		if !slices.Contains(names, string(name)) {
			return false
		}
	}
	return true
}

// usage reads usage_update {used, size, cost?}. It keeps all members except the kind and _meta.
func (u *updateScanner) usage(kind string) {
	value := []byte{'{'}
	for name, v := range scan.Fields(u.raw) {
		if s := string(name); s == "sessionUpdate" || s == "_meta" {
			continue
		}
		if len(value) > 1 {
			value = append(value, ',')
		}
		value, _ = jsontext.AppendQuote(value, name)
		value = append(value, ':')
		value = append(value, v...)
	}
	if len(value) == 1 {
		u.opaque(kind)
		return
	}
	u.add(transcript.Update{Kind: transcript.UpdateState, Key: transcript.StateUsage, Value: append(value, '}')})
}
