package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/files/attachment"
	"weft/backend/files/workspace"
	"weft/backend/space/prelude"
)

// noted is a message that records its notes.
type noted struct{ list []string }

func (n *noted) ExpectPrelude(text string) { n.list = append(n.list, "told "+text) }
func (n *noted) ExpectEcho(text string)    { n.list = append(n.list, "echo "+text) }
func (n *noted) ExpectEchoes(blocks int) {
	n.list = append(n.list, fmt.Sprintf("echoes %d", blocks))
}
func (n *noted) Note(s fault.Said) { n.list = append(n.list, "note "+s.String()) }

func TestAgentIsRemindedOfWhatItHasForgotten(t *testing.T) {
	t.Parallel()
	file := Attachment{Path: "a.go"}
	for name, c := range map[string]struct {
		again   *Said
		prelude *prelude.Prelude
		text    string
		files   int
		notes   int
	}{
		"nothing to remind of":         {nil, nil, "go on", 1, 0},
		"a text":                       {&Said{Text: "fix it"}, nil, "go on\n\nfix it", 1, 3},
		"a text that it knows":         {&Said{Text: "fix it"}, &prelude.Prelude{Text: "x", Messages: true}, "go on", 1, 0},
		"a text, told who it is":       {&Said{Text: "fix it"}, &prelude.Prelude{Text: "x"}, "go on\n\nfix it", 1, 3},
		"a text that it knows, a file": {&Said{Text: "fix it", Attachments: []Attachment{file}}, &prelude.Prelude{Messages: true}, "go on\n\nfix it", 2, 3},
		"only a file":                  {&Said{Attachments: []Attachment{file}}, nil, "go on", 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var m noted
			d := Draft{Text: "go on", Attachments: []Attachment{{Path: "b.go"}}, Again: c.again, Prelude: c.prelude}
			if did := d.Remind(&m); did != (c.notes > 0) || d.Text != c.text || len(d.Attachments) != c.files || len(m.list) != c.notes {
				t.Errorf("%v: %q with %d files, %q", did, d.Text, len(d.Attachments), m.list)
			}
			if want := []string{"echo " + c.text, fmt.Sprintf("echoes %d", c.files), "note Your previous prompt was sent again with this one."}; c.notes > 0 && !slices.Equal(m.list, want) {
				t.Errorf("%q, want %q", m.list, want)
			}
		})
	}
}

func TestPreludeIsExpectedToBeRepeated(t *testing.T) {
	t.Parallel()
	var m noted
	var d Draft
	d.Precede(nil, prelude.Query{New: true}, prelude.Forgotten, &m)
	if d.Prelude != nil || len(m.list) != 0 {
		t.Errorf("nothing is told, and yet %q", m.list)
	}
	p := &prelude.Prelude{Text: "before", Messages: true}
	q := prelude.Query{New: true}
	d.Precede(p, q, prelude.Forgotten, &m)
	if d.Prelude != p || len(m.list) != 2 || m.list[0] != "told before" || m.list[1] != "note "+p.Notice(q, prelude.Forgotten).String() {
		t.Errorf("%q", m.list)
	}
}

// broken is a store that can't be read.
type broken struct{}

func (broken) Bytes(context.Context, string) ([]byte, transcript.Ref, error) {
	return nil, transcript.Ref{}, errors.New("the disk is broken")
}

func TestDraftIsRefusedOrSentWithoutWhatIsMissing(t *testing.T) {
	t.Parallel()
	folder, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	file, image := Attachment{Path: "gone.go"}, Attachment{Kind: attachment.Image, Blob: &transcript.Ref{Hash: "x", Mime: "image/png"}}
	for name, c := range map[string]struct {
		draft   Draft
		image   bool
		blocks  int
		missing int
		err     string
	}{
		"text":                     {Draft{Text: "hello"}, false, 1, 0, ""},
		"text with prelude":        {Draft{Text: "hello", Prelude: &prelude.Prelude{Text: "before"}}, false, 2, 0, ""},
		"text, file is missing":    {Draft{Text: "hello", Attachments: []Attachment{file}}, false, 1, 1, ""},
		"only a missing file":      {Draft{Attachments: []Attachment{file}, Prelude: &prelude.Prelude{Text: "before"}}, false, 0, 1, "not_found"},
		"image that it can't take": {Draft{Text: "hello", Attachments: []Attachment{file, image}}, false, 0, 0, "unsupported"},
		"store can't be read":      {Draft{Text: "hello", Attachments: []Attachment{file, image}}, true, 0, 0, "the disk is broken"},
	} {
		t.Run(name, func(t *testing.T) {
			out, missing, err := c.draft.Blocks(t.Context(), Agent{Name: "Agent", Image: c.image}, folder, broken{})
			got := ""
			if own, ok := errors.AsType[*fault.Error](err); ok {
				got = own.Code
			} else if err != nil {
				got = err.Error()
			}
			if len(out) != c.blocks || len(missing) != c.missing || got != c.err {
				t.Errorf("%d blocks, %d missing, error %q", len(out), len(missing), got)
			}
			var m noted
			NoteMissing(missing, &m)
			if len(m.list) != c.missing || c.missing > 0 && !strings.HasPrefix(m.list[0], "note gone.go no longer existed") {
				t.Errorf("%q", m.list)
			}
		})
	}
}
