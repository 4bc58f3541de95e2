package export

import (
	"bufio"
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"weft/backend/conversation/archive"
	"weft/backend/conversation/transcript"
	"weft/backend/store"
	"weft/backend/store/pages"
	"weft/backend/store/spaces"
)

// writeJSON writes a document as described in [archive]. The payloads come last.
func writeJSON(s *source, w *bufio.Writer) error {
	d := archive.NewWriter(w, archive.Head{Part: !s.e.Whole, SecretsHidden: s.result.SecretsHidden})
	names, err := s.names()
	if err != nil {
		return err
	}
	var list []pending
	known := map[string]bool{}
	for i := range s.e.parts {
		p := &s.e.parts[i]
		sp, more, err := s.space(p, names)
		if err != nil {
			return err
		}
		list = remember(list, known, more)
		d.Space(sp)
		if s.e.Whole {
			if err := s.st.Runs.Each(s.ctx, p.space.ID, func(k spaces.KeptRun) error {
				run := runOf(&k, names)
				d.Run(clean(s, &run))
				return d.Err()
			}); err != nil {
				return err
			}
		}
		for piece, err := range s.pieces(p) {
			if err != nil {
				return err
			}
			more, err := s.refs(&piece)
			if err != nil {
				return err
			}
			list = remember(list, known, more)
			switch piece.Kind {
			case pages.PieceMessage:
				m := *piece.Message
				m.RunID = runID(m.RunID)
				d.Message(&m)
			case pages.PieceSegment:
				d.Segment(piece.Segment)
			case pages.PieceItem:
				d.Item(piece.Item)
			case pages.PieceOpaque:
				d.Opaque(piece.Opaque)
			case pages.PieceEnd:
				d.EndMessage()
			}
			if err := d.Err(); err != nil {
				return err
			}
		}
		d.EndSpace()
	}
	for _, p := range list {
		r, err := s.payload(p)
		if err != nil {
			return err
		}
		if r != nil {
			d.Blob(p.ref, r)
		}
		if err := d.Err(); err != nil {
			return err
		}
	}
	return d.Close()
}

// remember adds the payloads that are not in the list yet.
func remember(list []pending, known map[string]bool, more []pending) []pending {
	for _, p := range more {
		if !known[p.ref.Hash] {
			known[p.ref.Hash] = true
			list = append(list, p)
		}
	}
	return list
}

// runID returns the original id of a run; see [store.RunMark].
func runID(id string) string {
	id, _, _ = strings.Cut(id, store.RunMark)
	return id
}

// names returns the original ids and folders of the exported spaces, by their ids.
func (s *source) names() (map[string]store.Source, error) {
	names := map[string]store.Source{}
	for i := range s.e.parts {
		src, err := s.st.Source(s.ctx, s.e.parts[i].space)
		if err != nil {
			return nil, err
		}
		names[s.e.parts[i].space.ID] = src
	}
	return names, nil
}

func named(names map[string]store.Source, id string) string {
	if src, ok := names[id]; ok {
		return src.ID
	}
	return id
}

// space returns the head of a part for the document.
func (s *source) space(p *part, names map[string]store.Source) (*archive.Space, []pending, error) {
	src := names[p.space.ID]
	out := &archive.Space{
		ID: src.ID, Title: p.space.Title, Folder: src.Folder, Archived: p.space.Archived, LastState: p.space.LastState, CreatedAt: p.space.CreatedAt,
		LastActivity: p.space.LastActivity, RunEndedAt: p.space.RunEndedAt, Permissions: p.space.Permissions, DefaultMember: p.space.DefaultMember,
		Members: []archive.Member{},
	}
	if p.space.Tree != "" {
		out.Origin = &archive.Origin{Tree: named(names, p.space.Tree), Space: named(names, p.space.Parent), Message: p.space.ParentMessage, Shared: p.space.Shared}
	}
	members, err := s.st.Members.All(s.ctx, p.space.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range members {
		out.Members = append(out.Members, archive.Member{
			ID: m.ID, Name: m.Name, AgentID: m.AgentID, AgentName: m.AgentName, Role: m.Role, Speaks: m.Speaks, Reads: m.Reads,
			JoinedAt: m.JoinedAt, JoinedOrd: m.JoinedOrd, LeftAt: m.LeftAt,
		})
	}
	list, err := s.state(p, out)
	if err != nil {
		return nil, nil, err
	}
	return clean(s, out), list, nil
}

// state adds the plans and the usage. The rest of the state belongs to a session of an agent.
func (s *source) state(p *part, out *archive.Space) (list []pending, err error) {
	if !s.e.Whole {
		return nil, nil
	}
	all, err := s.st.Pages.States(s.ctx, p.space.ID)
	if err != nil {
		return nil, err
	}
	for key, v := range all {
		name, _, _ := strings.Cut(string(key), "@")
		if name != string(transcript.StatePlan) && name != string(transcript.StateUsage) {
			continue
		}
		if v.Ref != nil {
			stored, err := s.ref(v.Ref)
			if err != nil {
				return nil, err
			}
			list = append(list, pending{ref: *v.Ref, stored: stored})
		}
		if out.State == nil {
			out.State = map[transcript.StateKey]archive.StateValue{}
		}
		out.State[key] = archive.StateValue{MessageID: v.MessageID, Value: v.Value, Ref: v.Ref}
	}
	return list, nil
}

func runOf(k *spaces.KeptRun, names map[string]store.Source) archive.Run {
	return archive.Run{
		ID: runID(k.ID), MessageID: k.MessageID, AgentID: k.AgentID, AgentName: k.AgentName, MemberID: k.MemberID, Model: k.Model, PromptID: k.PromptID,
		StartedAt: k.StartedAt, EndedAt: k.EndedAt, StopReason: k.StopReason, Usage: k.Usage, Error: k.Error, Home: named(names, k.Home),
	}
}

// The lines of an events file that aren't events.
type (
	eventsHead struct {
		Type          string `json:"type"` // export
		Format        string `json:"format"`
		Version       int    `json:"version"`
		Part          bool   `json:"part,omitzero"`
		SecretsHidden int64  `json:"secretsHidden"`
	}
	spaceLine struct {
		Type  string `json:"type"` // space
		Epoch int64  `json:"epoch"`
		archive.Space
	}
	blobLine struct {
		Type   string `json:"type"` // blob
		Offset int64  `json:"offset"`
		transcript.Ref
		Data string `json:"data"` // base64
	}
)

// EventsFormat and EventsVersion identify files of events.
const (
	EventsFormat  = "weft-events"
	EventsVersion = 1
)

// writeEvents writes the events that recreate the conversations, one per line. A payload comes before the first event
// that refers to it. The epoch of an event is the number of its space in the file.
func writeEvents(s *source, w *bufio.Writer) error {
	line := func(v any) error {
		raw, err := json.Marshal(v, lenient, json.Deterministic(true))
		if err != nil {
			return err
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
		return w.WriteByte('\n')
	}
	if err := line(eventsHead{"export", EventsFormat, EventsVersion, !s.e.Whole, s.result.SecretsHidden}); err != nil {
		return err
	}
	names, err := s.names()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for i := range s.e.parts {
		p := &s.e.parts[i]
		sp, refs, err := s.space(p, names)
		if err != nil {
			return err
		}
		state := sp.State
		sp.State = nil
		if err := line(spaceLine{"space", int64(i + 1), *sp}); err != nil {
			return err
		}
		e := &eventWriter{s: s, w: w, line: line, epoch: int64(i + 1), known: known}
		if err := s.tell(p, names, e); err != nil {
			return err
		}
		if err := e.blobs(refs); err != nil {
			return err
		}
		if err := e.events(stateEvents(sp.LastActivity, state)); err != nil {
			return err
		}
	}
	return nil
}

// eventWriter writes the events of a space.
type eventWriter struct {
	s     *source
	w     *bufio.Writer
	line  func(v any) error
	epoch int64
	seq   int64
	known map[string]bool // payloads already in the file
}

func (s *source) tell(p *part, names map[string]store.Source, e *eventWriter) error {
	runs, err := s.runs(p, names)
	if err != nil {
		return err
	}
	for piece, err := range s.pieces(p) {
		if err != nil {
			return err
		}
		refs, err := s.refs(&piece)
		if err != nil {
			return err
		}
		if err := e.blobs(refs); err != nil {
			return err
		}
		m := *piece.Message
		m.RunID = runID(m.RunID)
		var list []transcript.Event
		switch piece.Kind {
		case pages.PieceMessage:
			list = append(runs.created(m.RunID), archive.Begin(&m)...)
		case pages.PieceSegment:
			list = archive.Segment(&m, piece.Seg, piece.Segment)
		case pages.PieceItem:
			list = archive.Item(&m, piece.Seg, piece.Idx, piece.Item)
		case pages.PieceOpaque:
			list = archive.Opaque(&m, piece.Opaque)
		case pages.PieceEnd:
			list = append(archive.End(&m), runs.completed(m.RunID, m.ID)...)
		}
		if err := e.events(list); err != nil {
			return err
		}
	}
	return e.events(runs.rest())
}

// runList has the runs of a space whose events aren't written yet, in order.
type runList struct {
	order []*archive.Run
	byID  map[string]*archive.Run // runs that have begun but not ended
}

func (s *source) runs(p *part, names map[string]store.Source) (*runList, error) {
	l := &runList{byID: map[string]*archive.Run{}}
	if !s.e.Whole {
		return l, nil
	}
	err := s.st.Runs.Each(s.ctx, p.space.ID, func(k spaces.KeptRun) error {
		run := runOf(&k, names)
		l.order = append(l.order, clean(s, &run))
		return nil
	})
	return l, err
}

// created returns the start events of the runs up to and including the run id, before a message of that run.
func (l *runList) created(id string) (list []transcript.Event) {
	if id == "" {
		return nil
	}
	last := slices.IndexFunc(l.order, func(r *archive.Run) bool { return r.ID == id })
	for _, r := range l.order[:last+1] {
		l.byID[r.ID] = r
		list = append(list, runEvents(r)[0])
	}
	l.order = l.order[last+1:]
	return list
}

// completed returns the end event of a run, if messageID is its message.
func (l *runList) completed(id, messageID string) []transcript.Event {
	r := l.byID[id]
	if r == nil || r.MessageID != messageID {
		return nil
	}
	delete(l.byID, id)
	return runEvents(r)[1:]
}

// rest returns the events that belong to no message.
func (l *runList) rest() (list []transcript.Event) {
	for _, id := range slices.Sorted(maps.Keys(l.byID)) {
		list = append(list, runEvents(l.byID[id])[1:]...)
	}
	for _, r := range l.order {
		list = append(list, runEvents(r)...)
	}
	return list
}

func runEvents(r *archive.Run) []transcript.Event {
	list := []transcript.Event{{At: r.StartedAt, Body: &transcript.RunCreated{
		RunID: r.ID, AgentID: r.AgentID, AgentName: r.AgentName, MemberID: transcript.MemberField(r.MemberID), Model: r.Model, PromptID: r.PromptID, SpaceID: r.Home,
	}}}
	if r.EndedAt != 0 {
		list = append(list, transcript.Event{At: r.EndedAt, Body: &transcript.RunCompleted{RunID: r.ID, StopReason: r.StopReason, Usage: r.Usage, Model: r.Model, Error: r.Error, SpaceID: r.Home}})
	}
	return list
}

func (e *eventWriter) events(list []transcript.Event) error {
	for i := range list {
		e.seq++
		list[i].Epoch, list[i].Seq = e.epoch, e.seq
		raw, err := list[i].JSON()
		if err != nil {
			return err
		}
		if _, err := e.w.Write(raw); err != nil {
			return err
		}
		if err := e.w.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

func stateEvents(at int64, state map[transcript.StateKey]archive.StateValue) (list []transcript.Event) {
	for _, key := range slices.Sorted(maps.Keys(state)) {
		v := state[key]
		name, member, _ := strings.Cut(string(key), "@")
		list = append(list, transcript.Event{At: at, Body: &transcript.State{Key: transcript.StateKey(name), MemberID: member, MessageID: v.MessageID, Value: v.Value, Ref: v.Ref}})
	}
	return list
}

func (e *eventWriter) blobs(list []pending) error {
	for _, p := range list {
		if err := e.blob(p); err != nil {
			return err
		}
	}
	return nil
}

// blob writes a payload that isn't in the file yet, in lines of limited size.
func (e *eventWriter) blob(p pending) error {
	if e.known[p.ref.Hash] {
		return nil
	}
	e.known[p.ref.Hash] = true
	r, err := e.s.payload(p)
	if err != nil || r == nil {
		return err
	}
	if p.ref.Size == 0 {
		return e.line(blobLine{Type: "blob", Ref: p.ref})
	}
	return archive.Chunks(r, func(offset int64, data []byte) error {
		return e.line(blobLine{"blob", offset, p.ref, base64.StdEncoding.EncodeToString(data)})
	})
}
