package store

import (
	"context"
	"maps"
	"slices"

	"weft/backend/conversation/transcript"
	"weft/backend/store/blobs"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// Imported is a message from another program, as events.
type Imported struct {
	ID string
	At int64 // unix ms
	transcript.Output
}

// Import is a conversation from another program.
type Import struct {
	Space    spaces.Space
	Messages []Imported
	Key      string            // identifies the conversation in later imports
	Meta     map[string]string // values to store in [Store.Meta] with it
}

// ImportedAs returns the space made from a conversation. ok is false if there is none, or if it was deleted.
func (s *Store) ImportedAs(ctx context.Context, key string) (sp spaces.Space, ok bool, err error) {
	id, ok, err := s.Meta.Get(ctx, importKey(key))
	if err != nil || !ok {
		return spaces.Space{}, false, err
	}
	sp, err = s.Spaces.Get(ctx, id)
	if CodeOf(err) == CodeNotFound {
		return spaces.Space{}, false, nil
	}
	return sp, err == nil, err
}

// ImportSpace creates a space from a conversation: all of it or nothing. If the conversation was imported before,
// ImportSpace returns its space and fresh is false.
//
// It runs in one transaction, which blocks other writes.
func (s *Store) ImportSpace(ctx context.Context, im Import) (sp spaces.Space, fresh bool, err error) {
	im.Space.MadeBy = spaces.MadeByImport
	im.Space = spaces.Complete(im.Space, s.db.Now())
	id := im.Space.ID
	err = s.db.Change(ctx, "import the conversation", func(c *db.Conn) error {
		var known string
		found, err := c.One("SELECT space.id FROM meta JOIN space ON space.id = meta.value WHERE meta.key = ? AND space.deleted_at = 0", []any{importKey(im.Key)}, &known)
		if err != nil {
			return err
		}
		if found {
			id = known
			return nil
		}
		fresh = true
		if err := spaces.Insert(c, im.Space); err != nil {
			return err
		}
		if err := s.importMessages(c, im.Space.ID, im.Messages); err != nil {
			return err
		}
		if err := s.indexLater(c, im.Space.ID); err != nil {
			return err
		}
		meta := maps.Clone(im.Meta)
		if meta == nil {
			meta = map[string]string{}
		}
		meta[importKey(im.Key)] = im.Space.ID
		for _, key := range slices.Sorted(maps.Keys(meta)) {
			if err := db.PutMeta(c, key, meta[key]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return spaces.Space{}, false, err
	}
	sp, err = s.Spaces.Get(ctx, id)
	return sp, fresh, err
}

func importKey(key string) string { return "imported:" + key }

// importMessages writes the rows of messages. Their events skip the journal, because no client has seen the space yet.
func (s *Store) importMessages(c *db.Conn, spaceID string, messages []Imported) error {
	var sid, epoch, seq int64
	if _, err := c.One("SELECT sid, epoch FROM space WHERE id = ?", []any{spaceID}, &sid, &epoch); err != nil {
		return err
	}
	for i := range messages {
		m := &messages[i]
		err := blobs.Apply(c, blobs.Change{Space: sid, MessageID: m.ID, Added: m.Blobs, Dropped: m.Superseded})
		if err != nil {
			return err
		}
		events := make([]transcript.Event, len(m.Bodies))
		for j, body := range m.Bodies {
			seq++
			events[j] = transcript.Event{Epoch: epoch, Seq: seq, At: m.At, Body: body}
		}
		if err := s.Events.Fold().Add(sid, events); err != nil {
			return err
		}
	}
	return nil
}
