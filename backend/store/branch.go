package store

import (
	"context"
	"strconv"

	"weft/backend/base/lazyregexp"

	"weft/backend/store/blobs"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// Branch selects what [Store.BranchSpace] copies.
type Branch struct {
	SpaceID   string
	MessageID string // the last message to copy, "": the last one of the space
	Before    bool   // copy only the messages before MessageID
}

// copied lists the tables that hold message content, with their columns except mid.
var copied = []struct{ table, columns string }{
	{"segment", "idx, type, author, parent, text, display"},
	{"text_part", "seg, pos, text"},
	{"item", "seg, idx, kind, status, head, parent, started_at, ended_at, text"},
	{"call_body", "seg, item, body"},
	{"item_part", "seg, item, what, pos, at, text"},
	{"group_count", "seg, what, name, n"},
	{"live_terminal", "seg, item, id"},
	{"opaque", "n, kind, at, raw, ref"},
}

// BranchSpace creates a space with a copy of another space's messages up to a position, with the same ids. It inherits
// the folder, members, tags, permissions and options, and the file changes that need review. Blobs are shared. A
// message in progress is copied without an end, so the caller must append one (see [pages.Unfinished.Messages]). Runs
// are not copied, so that their usage is not counted twice.
//
// It runs in one transaction, which blocks other writes for about 0.05 s per ten thousand segments. Error codes:
// not_found (no such space or message).
func (s *Store) BranchSpace(ctx context.Context, b Branch) (spaces.Space, error) {
	id, committed := spaces.NewID(), func() {}
	err := s.db.ChangeThen(ctx, "branch the conversation", func(c *db.Conn) (err error) {
		br := brancher{c: c, now: s.db.Now()}
		if br.from, committed, err = s.Events.FoldPending(c, b.SpaceID); err != nil {
			return err
		}
		if err := br.branch(b, id); err != nil {
			return err
		}
		return s.indexLater(c, id)
	}, func() { committed() })
	if err != nil {
		return spaces.Space{}, err
	}
	return s.Spaces.Get(ctx, id)
}

// indexLater schedules all messages of a new space for indexing in the background. Code that adds messages other than
// by events must call it in the transaction that shows the space.
func (s *Store) indexLater(c *db.Conn, spaceID string) error {
	var lo, hi int64
	_, err := c.One("SELECT coalesce(min(mid), 1), coalesce(max(mid), 0) FROM message WHERE sid = (SELECT sid FROM space WHERE id = ?)", []any{spaceID}, &lo, &hi)
	if err != nil {
		return err
	}
	return s.Search.AddRange(c, lo, hi)
}

// brancher copies a space within one transaction.
type brancher struct {
	c        *db.Conn
	from, to int64 // their sids
	last     int64 // position of the last copied message
	whole    bool  // last is the end of the space
	now      int64
}

func (b *brancher) branch(req Branch, id string) error {
	var deleted int64
	found, err := b.c.One("SELECT deleted_at FROM space WHERE sid = ?", []any{b.from}, &deleted)
	if err == nil && (!found || deleted > 0) {
		err = spaces.NotFound(req.SpaceID)
	}
	if err != nil {
		return err
	}
	if err := b.findEnd(req); err != nil {
		return err
	}
	return b.copy(id)
}

// copy creates the branch.
func (b *brancher) copy(id string) (err error) {
	b.to, err = b.c.Insert(`INSERT INTO space (id, title, folder, agent_id, agent_name, created_at, last_activity, permission_mode, default_member, epoch, project, tree, origin, origin_message, origin_ord)
		SELECT ?1, title, folder, agent_id, agent_name, ?2, ?2, permission_mode, default_member, ?3, project, iif(tree = '', id, tree), id,
		coalesce((SELECT id FROM message m WHERE m.sid = space.sid AND m.ord = ?4), ''), ?4 FROM space WHERE sid = ?5`,
		id, b.now, spaces.NewEpoch(), b.last, b.from)
	if err != nil {
		return err
	}
	for _, step := range []func() error{b.members, b.tags, b.messages, b.state, b.blobs, b.review} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// findEnd sets the position of the last message to copy.
func (b *brancher) findEnd(req Branch) error {
	var end int64
	if _, err := b.c.One("SELECT coalesce(max(ord), 0) FROM message WHERE sid = ?", []any{b.from}, &end); err != nil {
		return err
	}
	b.last = end
	if req.MessageID != "" {
		found, err := b.c.One("SELECT ord FROM message WHERE sid = ? AND id = ?", []any{b.from, req.MessageID}, &b.last)
		if err != nil {
			return err
		}
		if !found {
			return db.Fail(db.CodeNotFound, "Message {{messageID}} wasn't found in this conversation.", strconv.Quote(req.MessageID))
		}
		if req.Before {
			b.last--
		}
	}
	b.whole = b.last == end
	return nil
}

func (b *brancher) members() error { return spaces.CopyMembers(b.c, b.from, b.to) }

func (b *brancher) tags() error { return spaces.CopyTags(b.c, b.from, b.to) }

func (b *brancher) messages() error {
	const columns = "ord, id, run_id, role, author, model, created_at, ended_at, stop_reason, usage, error"
	err := b.c.Exec("INSERT INTO message (sid, "+columns+") SELECT ?2, "+columns+" FROM message WHERE sid = ?1 AND ord <= ?3 ORDER BY ord", b.from, b.to, b.last)
	for _, t := range copied {
		if err != nil {
			return err
		}
		// In key order, so that the new rows are adjacent in the file.
		err = b.c.Exec("INSERT INTO "+t.table+" (mid, "+t.columns+") SELECT b_mid, "+t.columns+
			` FROM (SELECT o.mid AS a_mid, n.mid AS b_mid FROM message o JOIN message n ON n.sid = ?2 AND n.ord = o.ord WHERE o.sid = ?1 AND o.ord <= ?3 ORDER BY o.ord)
			CROSS JOIN `+t.table+" x ON x.mid = a_mid", b.from, b.to, b.last)
	}
	return err
}

// state copies the session's options, and the plan and usage if all messages are copied.
func (b *brancher) state() error {
	err := b.c.Exec(`INSERT INTO state (sid, key, message_id, value, ref) SELECT ?2, key, '', value, ref FROM state
		WHERE sid = ?1 AND (substr(key, 1, instr(key || '@', '@') - 1) IN ('session', 'config', 'mode', 'commands')
		OR ?3 AND substr(key, 1, instr(key || '@', '@') - 1) IN ('plan', 'usage'))`, b.from, b.to, b.whole)
	if err != nil {
		return err
	}
	return b.c.Exec(`INSERT INTO blob_use (bid, sid, message_id, n) SELECT b.bid, ?1, '', count(*) FROM state s
		JOIN blob b ON b.hash = CAST(s.ref AS TEXT) ->> 'hash' WHERE s.sid = ?1 AND s.ref IS NOT NULL GROUP BY b.bid`, b.to)
}

// blobs adds the references of the copied messages to blobs. A late update's blobs are counted for the message that was
// in progress at the time. If that message is not copied, the references are found by searching the copies.
func (b *brancher) blobs() error {
	err := b.c.Exec(`INSERT INTO blob_use (bid, sid, message_id, n) SELECT u.bid, ?2, u.message_id, u.n FROM message m
		CROSS JOIN blob_use u ON u.sid = ?1 AND u.message_id = m.id WHERE m.sid = ?2`, b.from, b.to)
	if err != nil {
		return err
	}
	doubtful, err := db.List[string](b.c, `SELECT DISTINCT b.hash FROM blob_use u JOIN blob b USING (bid) WHERE u.sid = ?1
		AND u.bid NOT IN (SELECT bid FROM blob_use WHERE sid = ?2) AND u.message_id <> ?3`, b.from, b.to, blobs.UploadUse)
	if err != nil || len(doubtful) == 0 {
		return err
	}
	wanted := map[string]bool{}
	for _, hash := range doubtful {
		wanted[hash] = true
	}
	for _, q := range []string{
		"SELECT x.head FROM message m CROSS JOIN item x USING (mid) WHERE m.sid = ? AND x.head IS NOT NULL",
		"SELECT x.body FROM message m CROSS JOIN call_body x USING (mid) WHERE m.sid = ?",
		"SELECT x.display FROM message m CROSS JOIN segment x USING (mid) WHERE m.sid = ? AND x.display IS NOT NULL",
		"SELECT x.ref FROM message m CROSS JOIN opaque x USING (mid) WHERE m.sid = ? AND x.ref IS NOT NULL",
	} {
		if err := b.refs(q, []any{b.to}, wanted); err != nil {
			return err
		}
	}
	return nil
}

var refPattern = lazyregexp.New(`"hash":"([0-9a-f]{64})"`)

// maxNested is the maximum size of a list that is searched for references, in bytes. Most lists of a call's content are
// small.
const maxNested = 32 << 20

// refs counts the references to wanted blobs in the values of a query, and in the blobs to which they refer.
func (b *brancher) refs(query string, args []any, wanted map[string]bool) error {
	var found []string
	err := b.c.Each(query, args, func(scan db.Scan) (bool, error) {
		var text []byte
		if err := scan(&text); err != nil {
			return false, err
		}
		for _, m := range refPattern.FindAllSubmatch(text, -1) {
			if hash := string(m[1]); wanted[hash] {
				delete(wanted, hash)
				found = append(found, hash)
			}
		}
		return len(wanted) > 0, nil
	})
	for _, hash := range found {
		if err != nil {
			return err
		}
		if err = b.c.Exec("INSERT INTO blob_use (bid, sid, message_id, n) SELECT bid, ?, '', 1 FROM blob WHERE hash = ? ON CONFLICT DO UPDATE SET n = n + 1", b.to, hash); err == nil {
			// Join the chunks of a list, because a reference may span two of them.
			err = b.refs("SELECT group_concat(CAST(data AS TEXT), '') FROM (SELECT c.data FROM blob b JOIN blob_chunk c USING (bid) WHERE b.hash = ? AND b.size <= ? AND b.mime = 'application/json' ORDER BY c.n) HAVING count(*) > 0",
				[]any{hash, maxNested}, wanted)
		}
	}
	return err
}

// review copies the files that need review, accepted uncommitted changes, and ended turns, because the branch works in
// the same folder.
func (b *brancher) review() error {
	err := b.c.Exec(`INSERT INTO review_file (sid, path, made, base, agent, added, removed, at)
		SELECT ?2, path, made, base, agent, added, removed, at FROM review_file WHERE sid = ?1 ORDER BY fid`, b.from, b.to)
	if err != nil {
		return err
	}
	err = b.c.Exec(`INSERT INTO review_accepted (sid, path, before, after, at)
		SELECT ?2, path, before, after, at FROM review_accepted WHERE sid = ?1 ORDER BY aid`, b.from, b.to)
	if err != nil {
		return err
	}
	turns, err := db.List[int64](b.c, "SELECT tid FROM review_turn WHERE sid = ? AND ended_at > 0 ORDER BY tid", b.from)
	for _, tid := range turns {
		if err != nil {
			return err
		}
		err = b.c.Exec(`INSERT INTO review_turn (sid, what, run_id, prompt_id, started_at, ended_at, late)
			SELECT ?, what, run_id, prompt_id, started_at, ended_at, late FROM review_turn WHERE tid = ?`, b.to, tid)
		if err == nil {
			err = b.c.Exec(`INSERT INTO review_touch (tid, path, made, before, after, was)
				SELECT (SELECT max(tid) FROM review_turn), path, made, before, after, was FROM review_touch WHERE tid = ? AND plan IS NULL`, tid)
		}
	}
	return err
}
