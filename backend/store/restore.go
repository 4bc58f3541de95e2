package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"

	"github.com/go-json-experiment/json"

	"weft/backend/conversation/archive"
	"weft/backend/conversation/transcript"
	"weft/backend/store/blobs"
	"weft/backend/store/db"
	"weft/backend/store/spaces"
)

// Restore is a document for [Store.Restore].
type Restore struct {
	Key    string // identifies the document in later imports
	Head   archive.Head
	Spaces []archive.Space // all spaces of the document
	// Read reads the document into a sink. The document was checked before.
	Read func(archive.Sink) error
	// Place returns the folder for a space with this id, and values to store in [Store.Meta] with it.
	Place func(sp *archive.Space, id string) (folder string, meta map[string]string, err error)
}

// Restored is the result of [Store.Restore].
type Restored struct {
	IDs     []string // of the new spaces, in document order
	Fresh   bool     // false if it was imported before: then IDs has only the first space
	Missing int      // number of payloads that the document refers to but doesn't contain
}

// Source has the original ids and folder of a space that was imported from a document. With them, an export of the
// space is identical to that document.
type Source struct {
	ID            string `json:"id"`
	Folder        string `json:"folder"`
	FolderHere    string `json:"folderHere"` // the folder of the imported space
	SecretsHidden int64  `json:"secretsHidden,omitzero"`
}

func sourceKey(spaceID string) string { return "archive:" + spaceID }

// Source returns the original ids and folder of an imported space, or the current ones of any other space.
func (s *Store) Source(ctx context.Context, sp spaces.Space) (Source, error) {
	src := Source{ID: sp.ID, Folder: sp.Folder}
	text, ok, err := s.Meta.Get(ctx, sourceKey(sp.ID))
	if err != nil || !ok {
		return src, err
	}
	var kept Source
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return src, fmt.Errorf("read what is noted about the conversation: %w", err)
	}
	if kept.FolderHere != sp.Folder { // the user has chosen another one
		kept.Folder = sp.Folder
	}
	return kept, nil
}

// RunMark separates a run's id from the suffix that makes it unique in a database that has the run twice.
const RunMark = "~"

// Restore creates the spaces of a document: all or none. A space keeps its id unless that is taken or invalid. If the
// document was imported before, Restore returns the first of its spaces.
//
// It runs in one transaction, which blocks other writes.
func (s *Store) Restore(ctx context.Context, re Restore) (out Restored, err error) {
	err = s.db.Change(ctx, "import the conversation", func(c *db.Conn) error {
		out = Restored{}
		var known string
		found, err := c.One("SELECT space.id FROM meta JOIN space ON space.id = meta.value WHERE meta.key = ? AND space.deleted_at = 0", []any{importKey(re.Key)}, &known)
		if err != nil {
			return err
		}
		if found {
			out.IDs = []string{known}
			return nil
		}
		r := &restorer{ctx: ctx, s: s, c: c, re: &re, blobs: blobs.Restore(c)}
		if err := r.name(); err != nil {
			return err
		}
		if err := re.Read(r); err != nil {
			return err
		}
		if out.Missing, err = r.blobs.End(); err != nil {
			return err
		}
		for _, id := range r.ids {
			if err := s.indexLater(c, id); err != nil {
				return err
			}
		}
		out.IDs, out.Fresh = r.ids, true
		return db.PutMeta(c, importKey(re.Key), r.ids[0])
	})
	return out, err
}

// restorer writes a document within one transaction.
type restorer struct {
	ctx   context.Context //nolint:containedctx // archive.Sink has no context parameter
	s     *Store
	c     *db.Conn
	re    *Restore
	blobs *blobs.Restoring

	ids  []string          // of the spaces, in order
	here map[string]string // ids in the database by ids in the document
	mark string            // suffix for ids of runs
	sids []int64           // of the spaces made so far

	sid     int64
	message *transcript.Message
	segment int
	batch   batch
}

// batch has the events of a space that aren't folded yet.
type batch struct {
	epoch, seq int64
	events     []transcript.Event
	size       int // approximate
}

func (b *batch) add(list []transcript.Event) {
	for _, e := range list {
		b.seq++
		e.Epoch, e.Seq = b.epoch, b.seq
		b.size += 512
		if d, ok := e.Body.(*transcript.TextDelta); ok {
			b.size += len(d.Content)
		}
		b.events = append(b.events, e)
	}
}

var spaceID = lazyregexp.New(`^[0-9a-f]{16}$`)

// name chooses the ids of the spaces.
func (r *restorer) name() error {
	r.here = map[string]string{}
	taken := false
	for i := range r.re.Spaces {
		id := r.re.Spaces[i].ID
		there, err := r.c.One("SELECT 1 FROM space WHERE id = ?", []any{id}, new(int))
		if err != nil {
			return err
		}
		taken = taken || there
		if there || !spaceID.MatchString(id) || r.here[id] != "" {
			id = spaces.NewID()
		}
		r.ids = append(r.ids, id)
		if old := r.re.Spaces[i].ID; r.here[old] == "" {
			r.here[old] = id
		}
	}
	if taken {
		r.mark = RunMark + r.ids[0]
	}
	return nil
}

func (r *restorer) idHere(id string) string {
	if here := r.here[id]; here != "" {
		return here
	}
	return id
}

func (r *restorer) run(id string) string {
	if id == "" {
		return ""
	}
	id, _, _ = strings.Cut(id, RunMark)
	return id + r.mark
}

// Head implements [archive.Sink].
func (r *restorer) Head(*archive.Head) error { return r.ctx.Err() }

// Space implements [archive.Sink].
func (r *restorer) Space(sp *archive.Space) error {
	id := r.ids[len(r.sids)]
	folder, meta, err := r.re.Place(sp, id)
	if err != nil {
		return err
	}
	row := spaces.Space{
		ID: id, Title: sp.Title, Folder: folder, Archived: sp.Archived, LastState: sp.LastState, CreatedAt: sp.CreatedAt, LastActivity: sp.LastActivity,
		RunEndedAt: sp.RunEndedAt, Permissions: sp.Permissions, DefaultMember: sp.DefaultMember,
	}
	if o := sp.Origin; o != nil {
		row.Origin = spaces.Origin{Tree: r.idHere(o.Tree), Parent: r.idHere(o.Space), ParentMessage: o.Message, Shared: o.Shared}
	}
	members := make([]spaces.KeptMember, len(sp.Members))
	for i, m := range sp.Members {
		members[i] = spaces.KeptMember{Member: spaces.Member{
			SpaceID: id, ID: m.ID, Name: m.Name, AgentID: m.AgentID, AgentName: m.AgentName, Role: m.Role, Speaks: m.Speaks, Reads: m.Reads,
			JoinedAt: m.JoinedAt, JoinedOrd: m.JoinedOrd,
		}, LeftAt: m.LeftAt}
		if m.ID == sp.DefaultMember {
			row.AgentID, row.AgentName = m.AgentID, m.AgentName
		}
	}
	if r.sid, err = spaces.InsertKept(r.c, row, members); err != nil {
		return err
	}
	r.sids = append(r.sids, r.sid)
	r.batch = batch{}
	if _, err := r.c.One("SELECT epoch FROM space WHERE sid = ?", []any{r.sid}, &r.batch.epoch); err != nil {
		return err
	}
	if src := (Source{ID: sp.ID, Folder: sp.Folder, FolderHere: folder, SecretsHidden: r.re.Head.SecretsHidden}); src.ID != id || src.Folder != folder || src.SecretsHidden > 0 {
		text, err := json.Marshal(src)
		if err != nil {
			return err
		}
		if err := db.PutMeta(r.c, sourceKey(id), string(text)); err != nil {
			return err
		}
	}
	for key, value := range meta {
		if err := db.PutMeta(r.c, key, value); err != nil {
			return err
		}
	}
	return r.state(sp)
}

func (r *restorer) state(sp *archive.Space) error {
	for key, v := range sp.State {
		name, _, _ := strings.Cut(string(key), "@")
		if name != string(transcript.StatePlan) && name != string(transcript.StateUsage) {
			continue
		}
		var b archive.Bounds
		b.State(&v)
		if err := r.take(b.Blobs); err != nil {
			return err
		}
		if v.Ref != nil {
			if err := r.blobs.Use(r.sid, "", *v.Ref); err != nil {
				return err
			}
		}
		ref, err := db.Encode(v.Ref)
		if err != nil {
			return err
		}
		if err := r.c.Exec("INSERT INTO state (sid, key, message_id, value, ref) VALUES (?, ?, ?, ?, ?)", r.sid, string(key), v.MessageID, []byte(v.Value), ref); err != nil {
			return err
		}
	}
	return nil
}

// take stores payloads that the document contains inline but that are too large for an event. The rows that refer to
// them add the references.
func (r *restorer) take(list []transcript.Blob) error {
	for _, b := range list {
		if err := r.blobs.Add(nil, b.Ref, bytes.NewReader(b.Data)); err != nil {
			return err
		}
	}
	return nil
}

// Run implements [archive.Sink].
func (r *restorer) Run(run *archive.Run) error {
	new(archive.Bounds).Run(run)
	return spaces.InsertKeptRun(r.c, r.sid, &spaces.KeptRun{Home: r.idHere(run.Home), Run: spaces.Run{
		ID: r.run(run.ID), MessageID: run.MessageID, AgentID: run.AgentID, AgentName: run.AgentName, MemberID: run.MemberID, Model: run.Model, PromptID: run.PromptID,
		StartedAt: run.StartedAt, EndedAt: run.EndedAt, StopReason: run.StopReason, Usage: run.Usage, Error: run.Error,
	}})
}

// Message implements [archive.Sink].
func (r *restorer) Message(m *transcript.Message) error {
	new(archive.Bounds).Message(m)
	m.RunID = r.run(m.RunID)
	r.message = m
	return r.fold(archive.Begin(m), nil, nil)
}

// Segment implements [archive.Sink].
func (r *restorer) Segment(n int, s *transcript.Segment) error {
	var b archive.Bounds
	b.Segment(s)
	r.segment = n
	return r.fold(archive.Segment(r.message, n, s), b.Blobs, archive.Refs(s))
}

// Item implements [archive.Sink].
func (r *restorer) Item(n int, it *transcript.Item) error {
	var b archive.Bounds
	b.Item(it)
	var refs []*transcript.Ref
	if it.Call != nil {
		refs = archive.CallRefs(it.Call)
	}
	return r.fold(archive.Item(r.message, r.segment, n, it), b.Blobs, refs)
}

// Opaque implements [archive.Sink].
func (r *restorer) Opaque(o *transcript.Opaque) error {
	var b archive.Bounds
	b.Opaque(o)
	var refs []*transcript.Ref
	if o.Ref != nil {
		refs = []*transcript.Ref{o.Ref}
	}
	return r.fold(archive.Opaque(r.message, o), b.Blobs, refs)
}

// EndMessage implements [archive.Sink].
func (r *restorer) EndMessage() error { return r.fold(archive.End(r.message), nil, nil) }

// EndSpace implements [archive.Sink].
func (r *restorer) EndSpace() error { return r.flush() }

// Blob implements [archive.Sink].
func (r *restorer) Blob(ref transcript.Ref, from io.Reader) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return r.blobs.Add(r.sids, ref, from)
}

// maxFold is the approximate size of a batch, in bytes.
const maxFold = 1 << 20

// fold adds the events of a piece to the batch, and folds the batch once it is large enough.
func (r *restorer) fold(list []transcript.Event, made []transcript.Blob, refs []*transcript.Ref) error {
	for _, ref := range refs {
		if err := r.blobs.Use(r.sid, r.message.ID, *ref); err != nil {
			return err
		}
	}
	if err := r.take(made); err != nil {
		return err
	}
	r.batch.add(list)
	if len(r.batch.events) < 1000 && r.batch.size < maxFold {
		return nil
	}
	return r.flush()
}

func (r *restorer) flush() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if len(r.batch.events) == 0 {
		return nil
	}
	err := r.s.Events.Fold().Add(r.sid, r.batch.events)
	r.batch.events, r.batch.size = slices.Delete(r.batch.events, 0, len(r.batch.events)), 0
	return err
}
