package store

import (
	"context"
	"maps"
	"slices"

	"weft/backend/transcript"
)

// Imported is a message that another program has kept, as the events that make it.
type Imported struct {
	ID string
	At int64 // unix ms
	transcript.Output
}

// Import is a conversation that another program has kept.
type Import struct {
	Space    Space
	Messages []Imported
	// Key is what the conversation is known by when it is imported again.
	Key  string
	Meta map[string]string // kept as SetMeta does
}

// ImportedAs answers the space that a conversation was imported as; ok is false if there is none any more.
func (s *Store) ImportedAs(ctx context.Context, key string) (sp Space, ok bool, err error) {
	id, ok, err := s.GetMeta(ctx, importKey(key))
	if err != nil || !ok {
		return Space{}, false, err
	}
	sp, err = s.Space(ctx, id)
	if CodeOf(err) == CodeNotFound {
		return Space{}, false, nil
	}
	return sp, err == nil, err
}

// ImportSpace makes a space of a conversation, whole or not at all. fresh is false where the conversation has been imported before: then
// nothing is done, and the space is that one.
//
// It is one transaction, during which other spaces wait.
func (s *Store) ImportSpace(ctx context.Context, im Import) (sp Space, fresh bool, err error) {
	s.complete(&im.Space)
	id := im.Space.ID
	err = s.change(ctx, "import the conversation", func(c *conn) error {
		var known string
		found, err := c.one("SELECT space.id FROM meta JOIN space ON space.id = meta.value WHERE meta.key = ? AND space.deleted_at = 0", []any{importKey(im.Key)}, &known)
		if err != nil {
			return err
		}
		if found {
			id = known
			return nil
		}
		fresh = true
		if err := insertSpace(c, im.Space); err != nil {
			return err
		}
		if err := s.w.importMessages(im.Space.ID, im.Messages); err != nil {
			return err
		}
		meta := maps.Clone(im.Meta)
		if meta == nil {
			meta = map[string]string{}
		}
		meta[importKey(im.Key)] = im.Space.ID
		for _, key := range slices.Sorted(maps.Keys(meta)) {
			if err := c.exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, meta[key]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Space{}, false, err
	}
	sp, err = s.Space(ctx, id)
	return sp, fresh, err
}

func importKey(key string) string { return "imported:" + key }

// importMessages writes the rows of messages. They never stand in the journal: nobody has seen the space yet.
func (w *writer) importMessages(spaceID string, messages []Imported) error {
	a := &activeSpace{id: spaceID}
	if _, err := w.c.one("SELECT sid, epoch FROM space WHERE id = ?", []any{spaceID}, &a.sid, &a.epoch); err != nil {
		return err
	}
	for i := range messages {
		m := &messages[i]
		st := &staged{Append: Append{SpaceID: spaceID, MessageID: m.ID, Blobs: m.Blobs, Superseded: m.Superseded}, space: a}
		if err := w.writeBlobs([]*request{{append: st}}); err != nil {
			return err
		}
		events := make([]transcript.Event, len(m.Bodies))
		for j, body := range m.Bodies {
			a.seq++
			events[j] = transcript.Event{Epoch: a.epoch, Seq: a.seq, At: m.At, Body: body}
		}
		if err := w.rows.fold(a.sid, events); err != nil {
			return err
		}
	}
	return nil
}
