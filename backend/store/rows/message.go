package rows

import (
	"cmp"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

func (f *Fold) startMessage(sid, at int64, b *transcript.MessageStart) error {
	m, err := f.message(sid, b.MessageID)
	if err != nil || m != nil {
		return err
	}
	author, err := db.Encode(b.Author)
	if err != nil {
		return err
	}
	res, err := f.conn.ExecResult(`INSERT INTO message (sid, ord, id, run_id, role, author, model, created_at)
		VALUES (?1, coalesce((SELECT max(ord) FROM message WHERE sid = ?1), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7)`,
		sid, b.MessageID, b.RunID, string(b.Role), author, b.Model, at)
	if err != nil {
		return err
	}
	mid, err := res.LastInsertId()
	if err != nil {
		return err
	}
	f.messages[messageKey{sid, b.MessageID}] = &messageRow{Mid: mid}
	if b.RunID == "" {
		return nil
	}
	return f.conn.Exec("UPDATE run SET message_id = ? WHERE sid = ? AND id = ? AND message_id = ''", b.MessageID, sid, b.RunID)
}

func (f *Fold) endMessage(sid, at int64, b *transcript.MessageEnd) error {
	if m, err := f.message(sid, b.MessageID); err != nil {
		return err
	} else if m != nil {
		f.touched.message(m.Mid)
	}
	return f.conn.Exec("UPDATE message SET ended_at = ?, stop_reason = ?, usage = coalesce(?, usage), model = iif(? = '', model, ?) WHERE sid = ? AND id = ?",
		at, b.StopReason, []byte(b.Usage), b.Model, b.Model, sid, b.MessageID)
}

func (f *Fold) messageError(sid int64, b *transcript.Error) error {
	if b.MessageID == "" {
		return nil
	}
	if m, err := f.message(sid, b.MessageID); err != nil {
		return err
	} else if m != nil {
		f.touched.unit(Location{m.Mid, -1, -1}, false)
	}
	failure, err := db.Encode(b.Failure)
	if err != nil {
		return err
	}
	return f.conn.Exec("UPDATE message SET error = ? WHERE sid = ? AND id = ?", failure, sid, b.MessageID)
}

func (f *Fold) textDelta(sid, at int64, b *transcript.TextDelta) error {
	m, err := f.message(sid, b.MessageID)
	if err != nil || m == nil {
		return err
	}
	row, fresh, err := f.segment(m, b.Segment, transcript.SegmentText)
	if err != nil || row == nil {
		return err
	}
	if fresh != nil {
		fresh.author, fresh.parent = b.Author, b.ParentToolCallID
	}
	f.add(TextKey{Location{m.Mid, b.Segment, -1}, Text}, b.Content, at, fresh != nil)
	return nil
}

func (f *Fold) display(sid int64, b *transcript.Display) error {
	m, err := f.message(sid, b.MessageID)
	if err != nil || m == nil {
		return err
	}
	row, fresh, err := f.segment(m, b.Segment, transcript.SegmentDisplay)
	if err != nil || row == nil {
		return err
	}
	if fresh == nil {
		// The display changes, so its row must be written first.
		if err := f.write(); err != nil {
			return err
		}
		f.touched.unit(Location{m.Mid, b.Segment, -1}, false)
		display, err := db.Encode(b.Display)
		if err != nil {
			return err
		}
		return f.conn.Exec("UPDATE segment SET author = ?, parent = ?, display = ? WHERE mid = ? AND idx = ?",
			b.Author, b.ParentToolCallID, display, m.Mid, b.Segment)
	}
	fresh.author, fresh.parent, fresh.display = b.Author, b.ParentToolCallID, &b.Display
	return nil
}

func (f *Fold) opaqueUpdate(sid, at int64, b *transcript.OpaqueUpdate) error {
	m, err := f.message(sid, b.MessageID)
	if err != nil || m == nil {
		return err
	}
	if m.opaque < 0 {
		if _, err := f.conn.One("SELECT coalesce(max(n) + 1, 0) FROM opaque WHERE mid = ?", []any{m.Mid}, &m.opaque); err != nil {
			return err
		}
	}
	ref, err := db.Encode(b.Ref)
	if err != nil {
		return err
	}
	err = f.conn.Exec("INSERT INTO opaque (mid, n, kind, at, raw, ref) VALUES (?, ?, ?, ?, ?, ?)", m.Mid, m.opaque, b.Kind, at, []byte(b.Raw), ref)
	m.opaque++
	return err
}

func (f *Fold) state(sid int64, b *transcript.State) error {
	ref, err := db.Encode(b.Ref)
	if err != nil {
		return err
	}
	return f.conn.Exec(`INSERT INTO state (sid, key, message_id, value, ref) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET message_id = excluded.message_id, value = excluded.value, ref = excluded.ref`,
		sid, string(b.Place()), b.MessageID, []byte(b.Value), ref)
}

func (f *Fold) runCreated(sid, at int64, b *transcript.RunCreated) error {
	return f.conn.Exec(`INSERT INTO run (sid, id, agent_id, agent_name, member_id, model, prompt_id, started_at, home) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, sid, b.RunID, b.AgentID, b.AgentName, cmp.Or(b.MemberID, transcript.MainMember), b.Model, b.PromptID, at, b.SpaceID)
}

func (f *Fold) runCompleted(sid, at int64, b *transcript.RunCompleted) error {
	failure, err := db.Encode(b.Error)
	if err != nil {
		return err
	}
	if err := f.conn.Exec("UPDATE run SET ended_at = ?, stop_reason = ?, usage = coalesce(?, usage), model = iif(? = '', model, ?), error = ? WHERE sid = ? AND id = ?",
		at, b.StopReason, []byte(b.Usage), b.Model, b.Model, failure, sid, b.RunID); err != nil {
		return err
	}
	if b.SpaceID != "" { // a guest: its outcome changes the state of its own space, but this one has something unread
		return f.conn.Exec("UPDATE space SET run_ended_at = ? WHERE sid = ?", at, sid)
	}
	state := spaces.StateIdle
	if b.Error != nil {
		state = spaces.StateFailed
	}
	if b.StopReason == "cancelled" {
		return f.conn.Exec("UPDATE space SET last_state = ? WHERE sid = ?", state, sid)
	}
	return f.conn.Exec("UPDATE space SET last_state = ?, run_ended_at = ? WHERE sid = ?", state, at, sid)
}
