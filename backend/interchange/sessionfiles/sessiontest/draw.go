// Package sessiontest helps to test readers of session files.
package sessiontest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles"
)

// Now is the present for the readers that are tested, in unix ms.
const Now = 2_000_000_000_000

// Path is what a reader wrote of a path.
type Path struct {
	sessionfiles.Path
	Name     string
	Read     sessionfiles.Known
	Messages []*transcript.Message
	Blobs    map[string]string

	conv transcript.Conversation
	seq  int64
}

// Read reads a source. known is what was read before.
func Read(t testing.TB, p sessionfiles.Program, src sessionfiles.Source, known ...sessionfiles.Known) ([]*Path, []string, error) {
	t.Helper()
	s := &sink{t: t, known: known}
	notes, err := read(p, src, s)
	return s.paths, notes, err
}

func read(p sessionfiles.Program, src sessionfiles.Source, s *sink) (notes []string, err error) {
	w := sessionfiles.NewWriter(s, p.ID(), transcript.Author{Kind: "agent", ID: p.ID(), Name: p.Name()}, Now, s.known)
	err = p.Read(context.Background(), src, w)
	return w.Notes(), err
}

// Env is where programs look for the files of a user with that home and no variables.
func Env(home string) sessionfiles.Env {
	return sessionfiles.Env{Home: home, Getenv: func(string) string { return "" }}
}

// Find returns the sources below a home.
func Find(t testing.TB, p sessionfiles.Program, home string) (list []sessionfiles.Source) {
	t.Helper()
	for src, err := range p.Find(context.Background(), Env(home)) {
		if err != nil {
			t.Errorf("%s: %v", src.Path, err)
			continue
		}
		list = append(list, src)
	}
	return list
}

type sink struct {
	t       testing.TB
	known   []sessionfiles.Known
	paths   []*Path
	conv    transcript.Conversation
	seq     int64
	resumed *Path // what was read before, of the first path
}

// Begin implements [sessionfiles.Sink].
func (s *sink) Begin(p sessionfiles.Path) (*sessionfiles.Known, error) {
	s.paths = append(s.paths, &Path{Path: p, Blobs: map[string]string{}})
	s.conv, s.seq = transcript.Conversation{}, 0
	if s.resumed != nil {
		s.conv, s.seq = s.resumed.conv, s.resumed.seq
		s.paths[0].Blobs, s.resumed = s.resumed.Blobs, nil
	}
	for i := range s.known {
		if s.known[i].Key == p.Was && (p.Was != "" || p.Key == "") {
			return &s.known[i], nil
		}
	}
	return nil, nil
}

// Add implements [sessionfiles.Sink].
func (s *sink) Add(p sessionfiles.Piece) error {
	path := s.paths[len(s.paths)-1]
	for _, b := range p.Blobs {
		path.Blobs[b.Ref.Hash] = string(b.Data)
	}
	for _, body := range p.Bodies {
		s.seq++
		e := transcript.Event{Epoch: 1, Seq: s.seq, At: p.At, Body: body}
		raw, err := e.JSON()
		if err != nil || len(raw) > transcript.MaxEvent || strings.Contains(string(raw), "\n") {
			s.t.Fatalf("event of %d bytes: %v", len(raw), err)
		}
		if p.At <= 0 || p.At > Now {
			s.t.Fatalf("an event is at %d", p.At)
		}
		if err := s.conv.Apply(&e); err != nil {
			s.t.Fatal(err)
		}
	}
	return nil
}

// End implements [sessionfiles.Sink].
func (s *sink) End(name string, read sessionfiles.Known) error {
	path := s.paths[len(s.paths)-1]
	path.Name, path.Read, path.Messages = name, read, s.conv.Messages
	path.conv, path.seq = s.conv, s.seq
	for _, m := range path.Messages {
		if m.EndedAt == 0 {
			s.t.Errorf("message %s has no end", m.ID)
		}
		for _, seg := range m.Segments {
			for _, it := range seg.Items {
				if it.Call != nil && !it.Call.Status.Ended() {
					s.t.Errorf("call %s has no end", it.Call.ID)
				}
			}
		}
	}
	return nil
}

// Draw writes what is shown of a path, a line for each message, segment and item.
func (p *Path) Draw() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s", first(p.Title, p.Name))
	if p.Branch {
		b.WriteString(" (branch)")
	}
	if p.Shared != "" {
		fmt.Fprintf(&b, " behind %s", p.Shared)
	}
	b.WriteByte('\n')
	for _, m := range p.Messages {
		fmt.Fprintf(&b, "%s:", m.Role)
		if m.StopReason != "" && m.StopReason != "end_turn" {
			fmt.Fprintf(&b, " (%s)", m.StopReason)
		}
		b.WriteByte('\n')
		for _, s := range m.Segments {
			switch s.Type {
			case transcript.SegmentText:
				fmt.Fprintf(&b, "  %s%s%q\n", under(s.ParentToolCallID), s.Author, short(s.Text))
			case transcript.SegmentDisplay:
				fmt.Fprintf(&b, "  %s<%s %s%s>\n", under(s.ParentToolCallID), s.Display.Type, s.Display.Name, mime(s.Display))
			case transcript.SegmentToolGroup:
				for _, it := range s.Items {
					if it.Call == nil {
						fmt.Fprintf(&b, "  %s(%s)\n", under(it.ParentToolCallID), short(it.Text))
						continue
					}
					p.call(&b, it.Call)
				}
			}
		}
	}
	return b.String()
}

func (p *Path) call(b *strings.Builder, c *transcript.ToolCall) {
	fmt.Fprintf(b, "  %s%s [%s] %s: %s", under(c.ParentID), c.Title, c.Kind, c.Name, c.Status)
	if c.Error != "" {
		fmt.Fprintf(b, " (%s)", short(c.Error))
	}
	for _, one := range c.Content {
		switch one.Type {
		case "text":
			fmt.Fprintf(b, " %q", short(p.whole(one.Text, one.Ref)))
		case "diff":
			fmt.Fprintf(b, " <%s:%d +%d -%d new=%t>", one.Path, one.Line, one.Added, one.Removed, one.NewFile)
		default:
			fmt.Fprintf(b, " <%s>", one.Type)
		}
	}
	if c.ContentRef != nil {
		fmt.Fprintf(b, " <%d bytes>", c.ContentRef.Size)
	}
	b.WriteByte('\n')
}

func (p *Path) whole(s string, ref *transcript.Ref) string {
	if ref != nil {
		return p.Blobs[ref.Hash]
	}
	return s
}

func mime(c *transcript.Content) string {
	if c.Ref == nil {
		return ""
	}
	return fmt.Sprintf(" %s %d bytes", c.Mime, c.Ref.Size)
}

func under(call string) string {
	if call == "" {
		return ""
	}
	return "  "
}

func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
