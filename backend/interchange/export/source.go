package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/archive"
	"weft/backend/conversation/transcript"
	"weft/backend/settings/secret"
	"weft/backend/store"
	"weft/backend/store/db"
	"weft/backend/store/pages"
	"weft/backend/store/spaces"
)

var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// source reads the exported data, without known secrets.
type source struct {
	ctx    context.Context //nolint:containedctx // one export
	e      *Export
	st     *store.Store
	hide   *secret.Redactor // nil if it knows no secrets
	result Result
	done   int64
	told   int64

	counting bool                    // the first pass, which only counts
	changed  map[string]*changedBlob // by stored hash; nil: checked, and without secrets
	was      map[string]string       // the stored hashes of changed payloads, by their new hashes
}

// changedBlob is a payload with its secrets removed.
type changedBlob struct{ ref transcript.Ref }

// begin counts the secrets, so that the start of a file can say how many were replaced.
func (s *source) begin() error {
	var before int64
	for i := range s.e.parts {
		src, err := s.st.Source(s.ctx, s.e.parts[i].space)
		if err != nil {
			return err
		}
		before = max(before, src.SecretsHidden)
	}
	if !s.hide.Any() {
		s.hide = nil
		s.result.SecretsHidden = before
		return nil
	}
	s.counting = true
	err := s.all(func(pages.Piece) error { return nil })
	s.counting = false
	hidden := s.result.SecretsHidden + before
	s.result = Result{SecretsHidden: hidden}
	s.done, s.told = 0, 0
	return err
}

// all calls f with the pieces of all parts. It also reads the payloads, to count their secrets.
func (s *source) all(f func(pages.Piece) error) error {
	names, err := s.names()
	if err != nil {
		return err
	}
	for i := range s.e.parts {
		p := &s.e.parts[i]
		s.text(&p.space.Title)
		if err := s.around(p, names); err != nil {
			return err
		}
		for piece, err := range s.pieces(p) {
			if err != nil {
				return err
			}
			if _, err := s.refs(&piece); err != nil {
				return err
			}
			if err := f(piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// around removes the secrets from a file's data about a space, or only counts them if they are removed during writing.
func (s *source) around(p *part, names map[string]store.Source) error {
	if s.e.req.Format == Markdown || s.e.req.Format == HTML {
		s.text(&p.space.Folder)
		for i := range p.space.Members {
			s.text(&p.space.Members[i].Name)
		}
		return nil
	}
	if _, _, err := s.space(p, names); err != nil || !s.e.Whole {
		return err
	}
	return s.st.Runs.Each(s.ctx, p.space.ID, func(k spaces.KeptRun) error {
		run := runOf(&k, names)
		clean(s, &run)
		return nil
	})
}

func callOf(p *pages.Piece) *transcript.ToolCall {
	if p.Kind != pages.PieceItem {
		return nil
	}
	return p.Item.Call
}

// refsOf returns the references of a piece to payloads.
func refsOf(p *pages.Piece) []*transcript.Ref {
	switch p.Kind {
	case pages.PieceSegment:
		return archive.Refs(p.Segment)
	case pages.PieceItem:
		if p.Item.Call != nil {
			return archive.CallRefs(p.Item.Call)
		}
	case pages.PieceOpaque:
		if p.Opaque.Ref != nil {
			return []*transcript.Ref{p.Opaque.Ref}
		}
	case pages.PieceMessage, pages.PieceEnd:
	}
	return nil
}

// refs replaces the references of a piece with those of the export, and returns their payloads in order.
func (s *source) refs(p *pages.Piece) (list []pending, err error) {
	var lists *transcript.Ref
	if c := callOf(p); c != nil && c.ContentRef != nil {
		stored := c.ContentRef.Hash
		n, err := s.nested(c.ContentRef)
		if err != nil {
			return nil, err
		}
		if n != nil {
			lists = c.ContentRef
			list = append(append(list, n.refs...), pending{ref: *lists, stored: stored, list: true})
		}
	}
	for _, r := range refsOf(p) {
		if r == lists {
			continue
		}
		stored, err := s.ref(r)
		if err != nil {
			return nil, err
		}
		list = append(list, pending{ref: *r, stored: stored})
	}
	return list, nil
}

// pieces returns the pieces of a part: without thoughts if they are left out, and without secrets.
func (s *source) pieces(p *part) iter.Seq2[pages.Piece, error] {
	return func(yield func(pages.Piece, error) bool) {
		for _, span := range p.spans {
			if span.Last < span.First {
				continue
			}
			list := s.st.Pages.Pieces(s.ctx, p.space.ID, span.First, span.Last)
			if s.e.req.NoThoughts {
				list = withoutThoughts(list)
			}
			var head *transcript.Message // without secrets; all pieces of a message share it
			for piece, err := range list {
				if err == nil {
					err = s.ctx.Err()
				}
				if err != nil {
					yield(piece, err)
					return
				}
				switch piece.Kind {
				case pages.PieceMessage:
					s.result.Messages++
					head = clean(s, piece.Message)
				case pages.PieceSegment:
					s.result.Segments++
					s.progress()
					piece.Segment = clean(s, piece.Segment)
				case pages.PieceItem:
					piece.Item = clean(s, piece.Item)
				case pages.PieceOpaque:
					piece.Opaque = clean(s, piece.Opaque)
				case pages.PieceEnd:
				}
				piece.Message = head
				if !yield(piece, nil) {
					return
				}
			}
		}
	}
}

func (s *source) progress() {
	s.done++
	if s.e.opt.Report != nil && !s.counting && s.done-s.told >= 256 {
		s.told = s.done
		s.e.opt.Report(min(s.done, s.e.total), s.e.total)
	}
}

// clean returns v without secrets, or v itself if it has none.
func clean[T any](s *source, v *T) *T {
	if s.hide == nil {
		return v
	}
	raw, err := json.Marshal(v, lenient)
	if err != nil {
		return v
	}
	out := s.hide.PrintedJSON(raw)
	if len(out) == len(raw) && &out[0] == &raw[0] {
		return v
	}
	fresh := new(T)
	if json.Unmarshal(out, fresh, lenient) != nil {
		return new(T)
	}
	s.count(raw, out)
	return fresh
}

// text removes secrets from a text.
func (s *source) text(t *string) {
	if s.hide == nil {
		return
	}
	if out := s.hide.PrintedText(*t); out != *t {
		s.count([]byte(*t), []byte(out))
		*t = out
	}
}

// count counts the replaced secrets, in the first pass.
func (s *source) count(before, after []byte) {
	if s.counting {
		s.result.SecretsHidden += int64(bytes.Count(after, hidden) - bytes.Count(before, hidden))
	}
}

var hidden = []byte(secret.Hidden)

// withoutThoughts leaves out thoughts, and groups that have nothing else, and renumbers the rest.
func withoutThoughts(list iter.Seq2[pages.Piece, error]) iter.Seq2[pages.Piece, error] {
	return func(yield func(pages.Piece, error) bool) {
		seg, idx := 0, 0
		var group *pages.Piece // not passed on yet
		for p, err := range list {
			if err != nil {
				yield(p, err)
				return
			}
			switch p.Kind {
			case pages.PieceMessage:
				seg, group = 0, nil
			case pages.PieceSegment:
				group, idx = nil, 0
				if p.Segment.Type == transcript.SegmentToolGroup {
					kept := p
					group = &kept
					continue
				}
				p.Seg = seg
				seg++
			case pages.PieceItem:
				if p.Item.Call == nil {
					continue
				}
				if group != nil {
					group.Seg = seg
					seg++
					if !yield(*group, nil) {
						return
					}
					group = nil
				}
				p.Seg, p.Idx = seg-1, idx
				idx++
			case pages.PieceOpaque, pages.PieceEnd:
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

// maxList is the maximum size of a content list to read, in bytes.
const maxList = 32 << 20

// maxJSON is the maximum size of a JSON payload that is still JSON after its secrets are removed. A larger one is
// treated as text.
const maxJSON = 64 << 20

// ref changes a reference to the payload as it is exported. It returns the hash of the stored payload.
func (s *source) ref(ref *transcript.Ref) (stored string, err error) {
	stored = ref.Hash
	if s.hide == nil {
		return stored, nil
	}
	if was, ok := s.was[stored]; ok { // already changed
		return was, nil
	}
	c, known := s.changed[stored]
	if !known {
		if c, err = s.look(*ref); err != nil {
			return stored, err
		}
		s.changed[stored] = c
		if c != nil {
			s.was[c.ref.Hash] = stored
		}
	}
	if c != nil {
		mime := ref.Mime
		*ref = c.ref
		ref.Mime = mime
	}
	return stored, nil
}

// look checks a payload for secrets, and returns what it is without them, or nil if it has none.
func (s *source) look(ref transcript.Ref) (*changedBlob, error) {
	r, _, err := s.st.Blobs.Open(s.ctx, ref.Hash)
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if text, err := isText(ref.Mime, r); err != nil || !text {
		return nil, err
	}
	was, is, sum := &occurrences{}, &occurrences{}, sha256.New()
	n, err := io.Copy(io.MultiWriter(is, sum), s.without(ref, io.TeeReader(r, was)))
	if err != nil {
		return nil, err
	}
	hash := hex.EncodeToString(sum.Sum(nil))
	if hash == ref.Hash {
		return nil, nil
	}
	if s.counting {
		s.result.SecretsHidden += is.n - was.n
	}
	return &changedBlob{transcript.Ref{Hash: hash, Size: n}}, nil
}

func gone(err error) bool { return db.CodeOf(err) == db.CodeNotFound }

// isText reports whether to check a payload for secrets: a text of any kind, even if its type is an image, such as SVG.
// It rewinds r.
func isText(mime string, r io.ReadSeeker) (bool, error) {
	head := make([]byte, 4<<10)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	head = head[:n]
	family, _, _ := strings.Cut(mime, "/")
	if slices.Contains([]string{"image", "audio", "video", "font"}, family) && !utf8.Valid(trimEnd(head)) {
		return false, nil
	}
	return !bytes.Contains(head, []byte{0}), nil
}

// without returns a text payload without secrets. JSON stays JSON.
func (s *source) without(ref transcript.Ref, r io.Reader) io.Reader {
	if !strings.HasPrefix(ref.Mime, "application/json") || ref.Size > maxJSON {
		return &redacting{r: r, s: s.hide.Stream()}
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return failing{err}
	}
	return bytes.NewReader(s.hide.PrintedJSON(raw))
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// redacting removes secrets from the data read.
type redacting struct {
	r    io.Reader
	s    *secret.Stream
	buf  [32 << 10]byte
	left []byte
	err  error
}

func (r *redacting) Read(b []byte) (int, error) {
	for len(r.left) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		var n int
		n, r.err = r.r.Read(r.buf[:])
		r.left = append(r.left[:0], r.s.Next(r.buf[:n])...)
		if errors.Is(r.err, io.EOF) {
			r.left = append(r.left, r.s.End()...)
		}
	}
	n := copy(b, r.left)
	r.left = r.left[n:]
	return n, nil
}

// occurrences counts the marks of replaced secrets in a text.
type occurrences struct {
	n    int64
	tail []byte
}

func (o *occurrences) Write(b []byte) (int, error) {
	text := append(o.tail, b...)
	o.n += int64(bytes.Count(text, hidden))
	keep := text[max(0, len(text)-len(hidden)+1):]
	o.tail = append([]byte(nil), keep...)
	return len(b), nil
}

// open returns a payload as it is exported. stored is the hash that [source.ref] returned. r is nil if the payload is
// no longer stored.
func (s *source) open(ref transcript.Ref, stored string) (r io.Reader, err error) {
	in, kept, err := s.st.Blobs.Open(s.ctx, stored)
	if gone(err) {
		s.result.Missing++
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if ref.Hash == stored {
		return in, nil
	}
	kept.Mime = ref.Mime
	return s.without(kept, in), nil
}

// nested returns the content list in a payload, and changes the reference to the list as it is exported. It returns nil
// if the list isn't stored or is too large. The references in the list are those of the export.
func (s *source) nested(ref *transcript.Ref) (*nestedList, error) {
	stored := ref.Hash
	if ref.Size > maxList {
		return nil, nil
	}
	raw, _, err := s.st.Blobs.Bytes(s.ctx, stored)
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n := &nestedList{raw: raw}
	if s.hide != nil {
		n.raw = s.hide.PrintedJSON(raw)
		s.count(raw, n.raw)
	}
	if !n.read() {
		return nil, nil
	}
	changed := false
	for i := range n.list {
		for _, r := range archive.ContentRefs(&n.list[i]) {
			was := *r
			hash, err := s.ref(r)
			if err != nil {
				return nil, err
			}
			n.refs = append(n.refs, pending{ref: *r, stored: hash})
			changed = changed || was != *r
		}
	}
	if changed {
		if n.raw, err = json.Marshal(n.list, lenient); err != nil {
			return nil, err
		}
	}
	if changed || s.hide != nil {
		sum := sha256.Sum256(n.raw)
		ref.Hash, ref.Size = hex.EncodeToString(sum[:]), int64(len(n.raw))
	}
	return n, nil
}

// nestedList is a content list in a payload.
type nestedList struct {
	list []transcript.Content
	raw  []byte
	refs []pending
}

// read decodes the list. It returns false if the payload isn't one.
func (n *nestedList) read() bool { return json.Unmarshal(n.raw, &n.list, lenient) == nil }

// pending is a payload that must be in the file.
type pending struct {
	ref    transcript.Ref
	stored string // its stored hash
	list   bool   // it is a content list
}

// payload opens a payload. It returns nil if it is no longer stored.
func (s *source) payload(p pending) (io.Reader, error) {
	if !p.list || p.ref.Hash == p.stored {
		return s.open(p.ref, p.stored)
	}
	ref := p.ref
	ref.Hash = p.stored
	n, err := s.nested(&ref)
	if n == nil || err != nil {
		return nil, err
	}
	return bytes.NewReader(n.raw), nil
}
