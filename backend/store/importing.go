package store

import (
	"context"
	"maps"
	"slices"

	"weft/backend/conversation/transcript"
	"weft/backend/store/blobs"
	"weft/backend/store/db"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
)

// Importing stores conversations from other programs in pieces, many pieces per transaction. A space is hidden until
// its [ImportEnd] is stored. If the program is killed before that, the next start deletes the space.
//
// Only one goroutine may use it. After an error, only [Importing.Abandon] may be called.
type Importing struct {
	store *Store
	open  map[string]*importedSpace // spaces being imported, by id
}

// importedSpace is the current position in the rows of a space being imported.
type importedSpace struct{ sid, epoch, seq int64 }

// Importing returns a new import.
func (s *Store) Importing() *Importing {
	return &Importing{store: s, open: map[string]*importedSpace{}}
}

// ImportStep is an [ImportBegin], an [ImportPiece], an [ImportEnd] or an [ImportedFile].
type ImportStep interface{ importStep() }

type (
	// ImportBegin creates a hidden space.
	ImportBegin struct {
		Space spaces.Space
		From  Branch // if it has a SpaceID: branches from that space; without a MessageID it shares no messages
	}
	// ImportPiece adds to a message of a hidden space.
	ImportPiece struct {
		SpaceID string
		Imported
	}
	// ImportEnd shows a space, or updates one that is already shown.
	ImportEnd struct {
		SpaceID string
		Title   string // "": unchanged
		Record  ImportRecord
		Session spaces.Session    // if it has a SessionID: the agent's session that continues the space; it is removed from other spaces
		Meta    map[string]string // values to store in [Store.Meta] with it
	}
	// ImportedFile records how much of a file was read.
	ImportedFile struct {
		Program, Path, Session string
		Size, Changed          int64
	}
)

func (ImportBegin) importStep()  {}
func (ImportPiece) importStep()  {}
func (ImportEnd) importStep()    {}
func (ImportedFile) importStep() {}

// ImportRecord describes an imported space.
type ImportRecord struct {
	Program, Session, Path string
	Entries                int
	Sum                    uint64
}

// ImportedSpace is a space that was imported.
type ImportedSpace struct {
	ImportRecord
	SpaceID  string
	Deleted  bool
	Messages int64 // number of messages at the import
	Now      int64 // current number of messages
}

// Store stores steps in order in one transaction, which blocks other writes. It does not retain the blobs of pieces.
func (im *Importing) Store(ctx context.Context, steps []ImportStep) error {
	var committed []func()
	return im.store.db.ChangeThen(ctx, "import the conversations", func(c *db.Conn) error {
		committed = committed[:0]
		for i := 0; i < len(steps); {
			var err error
			switch step := steps[i].(type) {
			case ImportBegin:
				var done func()
				if done, err = im.begin(c, step); done != nil {
					committed = append(committed, done)
				}
			case ImportPiece:
				n := i + 1
				for n < len(steps) {
					next, ok := steps[n].(ImportPiece)
					if !ok || next.SpaceID != step.SpaceID {
						break
					}
					n++
				}
				err = im.pieces(c, step.SpaceID, steps[i:n])
				i = n - 1
			case ImportEnd:
				err = im.end(c, step)
			case ImportedFile:
				err = c.Exec(`INSERT INTO imported_file (program, path, session, size, changed) VALUES (?, ?, ?, ?, ?)
					ON CONFLICT DO UPDATE SET session = excluded.session, size = excluded.size, changed = excluded.changed`,
					step.Program, step.Path, step.Session, step.Size, step.Changed)
			}
			if err != nil {
				return err
			}
			i++
		}
		return nil
	}, func() {
		for _, done := range committed {
			done()
		}
	})
}

// hidden marks a space being imported, like one being purged but without a purge in progress.
const hidden = "UPDATE space SET purging = 2, deleted_at = 1, imported_from = ?, created_at = ?, last_activity = ?, title = ? WHERE sid = ?"

func (im *Importing) begin(c *db.Conn, step ImportBegin) (committed func(), err error) {
	sp := spaces.Complete(step.Space, im.store.db.Now())
	at := &importedSpace{}
	if step.From.SpaceID == "" {
		if err := spaces.Insert(c, sp); err != nil {
			return nil, err
		}
		if _, err := c.One("SELECT sid, epoch FROM space WHERE id = ?", []any{sp.ID}, &at.sid, &at.epoch); err != nil {
			return nil, err
		}
	} else {
		br := brancher{c: c, now: im.store.db.Now()}
		if from := im.open[step.From.SpaceID]; from != nil {
			br.from = from.sid
		} else if br.from, committed, err = im.store.Events.FoldPending(c, step.From.SpaceID); err != nil {
			return nil, err
		}
		if step.From.MessageID != "" {
			if err := br.findEnd(step.From); err != nil {
				return nil, err
			}
		}
		if err := br.copy(sp.ID); err != nil {
			return nil, err
		}
		at.sid = br.to
		if _, err := c.One("SELECT epoch FROM space WHERE sid = ?", []any{at.sid}, &at.epoch); err != nil {
			return nil, err
		}
	}
	im.open[sp.ID] = at
	return committed, c.Exec(hidden, sp.ImportedFrom, sp.CreatedAt, sp.LastActivity, sp.Title, at.sid)
}

// pieces writes the rows of pieces. Their events skip the journal, because no client has seen the space yet.
func (im *Importing) pieces(c *db.Conn, spaceID string, steps []ImportStep) error {
	at := im.open[spaceID]
	if at == nil {
		return spaces.NotFound(spaceID)
	}
	var events []transcript.Event
	change := blobs.Change{Space: at.sid}
	apply := func() error {
		if len(change.Added)+len(change.Dropped) == 0 {
			return nil
		}
		err := blobs.Apply(c, change)
		change.Added, change.Dropped = nil, nil
		return err
	}
	for _, step := range steps {
		p, ok := step.(ImportPiece)
		if !ok {
			continue
		}
		if p.ID != change.MessageID {
			if err := apply(); err != nil {
				return err
			}
			change.MessageID = p.ID
		}
		change.Added, change.Dropped = append(change.Added, p.Blobs...), append(change.Dropped, p.Superseded...)
		for _, body := range p.Bodies {
			at.seq++
			events = append(events, transcript.Event{Epoch: at.epoch, Seq: at.seq, At: p.At, Body: body})
		}
	}
	if err := apply(); err != nil {
		return err
	}
	return im.store.Events.Fold().Add(at.sid, events)
}

func (im *Importing) end(c *db.Conn, step ImportEnd) error {
	var sid int64
	at := im.open[step.SpaceID]
	if at != nil {
		sid = at.sid
		if err := c.Exec("UPDATE space SET purging = 0, deleted_at = 0 WHERE sid = ?", sid); err != nil {
			return err
		}
		if err := im.store.indexLater(c, step.SpaceID); err != nil {
			return err
		}
		delete(im.open, step.SpaceID)
	} else if found, err := c.One("SELECT sid FROM space WHERE id = ? AND purging = 0", []any{step.SpaceID}, &sid); err != nil || !found {
		return err
	}
	if step.Title != "" {
		if err := c.Exec("UPDATE space SET title = ? WHERE sid = ?", step.Title, sid); err != nil {
			return err
		}
	}
	r := step.Record
	err := c.Exec(`INSERT INTO imported (sid, program, session, path, entries, sum, ord)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT coalesce(max(ord), 0) FROM message WHERE sid = ?1))
		ON CONFLICT DO UPDATE SET session = excluded.session, path = excluded.path, entries = excluded.entries, sum = excluded.sum, ord = excluded.ord`,
		sid, r.Program, r.Session, r.Path, r.Entries, int64(r.Sum))
	if se := step.Session; err == nil && se.SessionID != "" {
		// The agent's session now continues this path, not an earlier one.
		err = c.Exec("DELETE FROM session WHERE acp_id = ? AND agent_id = ? AND sid IN (SELECT sid FROM imported WHERE program = ? AND session = ?)", se.SessionID, se.AgentID, r.Program, r.Session)
		if err == nil {
			err = c.Exec("INSERT INTO session (sid, agent_id, member_id, acp_id, cwd, created_at) VALUES (?, ?, ?, ?, ?, ?)",
				sid, se.AgentID, transcript.MainMember, se.SessionID, se.Cwd, im.store.db.Now())
		}
	}
	for _, key := range slices.Sorted(maps.Keys(step.Meta)) {
		if err == nil {
			err = db.PutMeta(c, key, step.Meta[key])
		}
	}
	return err
}

// dropImports marks the spaces of an interrupted import for deletion.
func dropImports(c *db.Conn) error {
	return c.Exec("UPDATE space SET purging = 1 WHERE purging = 2")
}

// Abandon deletes the spaces whose import has not ended.
func (im *Importing) Abandon(ctx context.Context) error {
	for id, at := range im.open {
		if err := im.store.purge(ctx, at.sid); err != nil {
			return err
		}
		delete(im.open, id)
	}
	return nil
}

// AppendImported appends a piece to a visible space, as its next events.
func (s *Store) AppendImported(ctx context.Context, p ImportPiece) error {
	_, err := s.Events.Append(ctx, events.Append{SpaceID: p.SpaceID, At: p.At, Bodies: p.Bodies, Blobs: p.Blobs, Superseded: p.Superseded, MessageID: p.ID})
	return err
}

// ImportedFiles returns the records of a program's files, by path.
func (s *Store) ImportedFiles(ctx context.Context, program string) (map[string]ImportedFile, error) {
	files := map[string]ImportedFile{}
	err := s.db.Read(ctx, "read what was imported", func(c *db.Conn) error {
		return c.Each("SELECT path, session, size, changed FROM imported_file WHERE program = ?", []any{program}, func(scan db.Scan) (bool, error) {
			f := ImportedFile{Program: program}
			err := scan(&f.Path, &f.Session, &f.Size, &f.Changed)
			files[f.Path] = f
			return true, err
		})
	})
	return files, err
}

// ImportedSpaces returns the spaces made from a conversation, in order of creation.
func (s *Store) ImportedSpaces(ctx context.Context, program, session string) (list []ImportedSpace, err error) {
	err = s.db.Read(ctx, "read what was imported", func(c *db.Conn) error {
		return c.Each(`SELECT space.id, space.deleted_at > 0, path, entries, sum, ord, (SELECT coalesce(max(m.ord), 0) FROM message m WHERE m.sid = space.sid)
			FROM imported JOIN space USING (sid) WHERE program = ? AND session = ? AND purging = 0 ORDER BY sid`, []any{program, session}, func(scan db.Scan) (bool, error) {
			sp := ImportedSpace{ImportRecord: ImportRecord{Program: program, Session: session}}
			var sum int64
			err := scan(&sp.SpaceID, &sp.Deleted, &sp.Path, &sp.Entries, &sum, &sp.Messages, &sp.Now)
			sp.Sum = uint64(sum)
			list = append(list, sp)
			return true, err
		})
	})
	return list, err
}

// ImportedSessions returns the ids of a program's imported conversations. The value is false if all spaces of a
// conversation are deleted.
func (s *Store) ImportedSessions(ctx context.Context, program string) (map[string]bool, error) {
	sessions := map[string]bool{}
	err := s.db.Read(ctx, "read what was imported", func(c *db.Conn) error {
		return c.Each("SELECT session, max(deleted_at = 0) FROM imported JOIN space USING (sid) WHERE program = ? AND purging = 0 GROUP BY 1", []any{program}, func(scan db.Scan) (bool, error) {
			var id string
			var there bool
			err := scan(&id, &there)
			sessions[id] = there
			return true, err
		})
	})
	return sessions, err
}
