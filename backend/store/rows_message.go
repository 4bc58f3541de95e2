package store

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// lenient: what agents send is not always clean JSON text.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// encode is v as JSON, NULL for a nil pointer.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v, lenient)
	if string(b) == "null" {
		return nil, err
	}
	return b, err
}

func (r *rows) startMessage(sid, at int64, b *transcript.MessageStart) error {
	m, err := r.message(sid, b.MessageID)
	if err != nil || m != nil {
		return err
	}
	author, err := encode(b.Author)
	if err != nil {
		return err
	}
	res, err := r.c.execResult(`INSERT INTO message (sid, ord, id, run_id, role, author, model, created_at)
		VALUES (?1, coalesce((SELECT max(ord) FROM message WHERE sid = ?1), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7)`,
		sid, b.MessageID, b.RunID, string(b.Role), author, b.Model, at)
	if err != nil {
		return err
	}
	mid, err := res.LastInsertId()
	if err != nil {
		return err
	}
	r.messages[messageKey{sid, b.MessageID}] = &messageRow{mid: mid}
	if b.RunID == "" {
		return nil
	}
	return r.c.exec("UPDATE run SET message_id = ? WHERE sid = ? AND id = ? AND message_id = ''", b.MessageID, sid, b.RunID)
}

func (r *rows) endMessage(sid, at int64, b *transcript.MessageEnd) error {
	return r.c.exec("UPDATE message SET ended_at = ?, stop_reason = ?, usage = coalesce(?, usage), model = iif(? = '', model, ?) WHERE sid = ? AND id = ?",
		at, b.StopReason, []byte(b.Usage), b.Model, b.Model, sid, b.MessageID)
}

func (r *rows) messageError(sid int64, b *transcript.Error) error {
	if b.MessageID == "" {
		return nil
	}
	failure, err := encode(b.Failure)
	if err != nil {
		return err
	}
	return r.c.exec("UPDATE message SET error = ? WHERE sid = ? AND id = ?", failure, sid, b.MessageID)
}

func (r *rows) textDelta(sid, at int64, b *transcript.TextDelta) error {
	m, err := r.message(sid, b.MessageID)
	if err != nil || m == nil {
		return err
	}
	row, fresh, err := r.segment(m, b.Segment, transcript.SegmentText)
	if err != nil || row == nil {
		return err
	}
	if fresh != nil {
		fresh.author, fresh.parent = b.Author, b.ParentToolCallID
	}
	r.add(textKey{place{m.mid, b.Segment, -1}, whatText}, b.Content, at, fresh != nil)
	return nil
}

func (r *rows) display(sid int64, b *transcript.Display) error {
	m, err := r.message(sid, b.MessageID)
	if err != nil || m == nil {
		return err
	}
	row, fresh, err := r.segment(m, b.Segment, transcript.SegmentDisplay)
	if err != nil || row == nil {
		return err
	}
	if fresh == nil {
		// The display is drawn anew: flush, so that its row is there.
		if err := r.flush(); err != nil {
			return err
		}
		display, err := encode(b.Display)
		if err != nil {
			return err
		}
		return r.c.exec("UPDATE segment SET author = ?, parent = ?, display = ? WHERE mid = ? AND idx = ?",
			b.Author, b.ParentToolCallID, display, m.mid, b.Segment)
	}
	fresh.author, fresh.parent, fresh.display = b.Author, b.ParentToolCallID, &b.Display
	return nil
}

func (r *rows) opaqueUpdate(sid, at int64, b *transcript.OpaqueUpdate) error {
	m, err := r.message(sid, b.MessageID)
	if err != nil || m == nil {
		return err
	}
	if m.opaque < 0 {
		if _, err := r.c.one("SELECT coalesce(max(n) + 1, 0) FROM opaque WHERE mid = ?", []any{m.mid}, &m.opaque); err != nil {
			return err
		}
	}
	ref, err := encode(b.Ref)
	if err != nil {
		return err
	}
	err = r.c.exec("INSERT INTO opaque (mid, n, kind, at, raw, ref) VALUES (?, ?, ?, ?, ?, ?)", m.mid, m.opaque, b.Kind, at, []byte(b.Raw), ref)
	m.opaque++
	return err
}

func (r *rows) state(sid int64, b *transcript.State) error {
	ref, err := encode(b.Ref)
	if err != nil {
		return err
	}
	return r.c.exec(`INSERT INTO state (sid, key, message_id, value, ref) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET message_id = excluded.message_id, value = excluded.value, ref = excluded.ref`,
		sid, string(b.Place()), b.MessageID, []byte(b.Value), ref)
}

func (r *rows) runCreated(sid, at int64, b *transcript.RunCreated) error {
	return r.c.exec(`INSERT INTO run (sid, id, agent_id, agent_name, member_id, model, prompt_id, started_at, home) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, sid, b.RunID, b.AgentID, b.AgentName, memberOrMain(b.MemberID), b.Model, b.PromptID, at, b.SpaceID)
}

func (r *rows) runCompleted(sid, at int64, b *transcript.RunCompleted) error {
	failure, err := encode(b.Error)
	if err != nil {
		return err
	}
	if err := r.c.exec("UPDATE run SET ended_at = ?, stop_reason = ?, usage = coalesce(?, usage), model = iif(? = '', model, ?), error = ? WHERE sid = ? AND id = ?",
		at, b.StopReason, []byte(b.Usage), b.Model, b.Model, failure, sid, b.RunID); err != nil {
		return err
	}
	if b.SpaceID != "" { // how it ended is the state of its own space; here it has left something to read
		return r.c.exec("UPDATE space SET run_ended_at = ? WHERE sid = ?", at, sid)
	}
	state := StateIdle
	if b.Error != nil {
		state = StateFailed
	}
	if b.StopReason == "cancelled" {
		return r.c.exec("UPDATE space SET last_state = ? WHERE sid = ?", state, sid)
	}
	return r.c.exec("UPDATE space SET last_state = ?, run_ended_at = ? WHERE sid = ?", state, at, sid)
}
