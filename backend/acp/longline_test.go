package acp

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"weft/backend/acp/lines"
	"weft/backend/base/raced"
	"weft/backend/conversation/transcript"
)

// A long text comes in pieces that are whole characters, and is what was sent.
func TestLongTextComesInPieces(t *testing.T) {
	for _, unit := range []string{"a", "é", "€", "\U0001F600"} {
		for _, lead := range []string{"", "x", "xy", "xyz"}[:raced.Of(4)] {
			want := lead + strings.Repeat(unit, 5*maxPiece/2/len(unit))
			for _, content := range []string{`{"type":"text","text":"` + want + `"}`, `"` + want + `"`} {
				var got strings.Builder
				pieces := 0
				d := NewDecoder(func(in *Inbound) {
					pieces++
					if in.Update.Kind != transcript.UpdateText || in.SessionID != "s" || in.Update.MessageID != "m" {
						t.Errorf("piece %d is of %v, %q, %q", pieces, in.Update.Kind, in.SessionID, in.Update.MessageID)
					}
					if len(in.Update.Text) > maxPiece || !utf8.ValidString(in.Update.Text) {
						t.Errorf("a piece of %d bytes", len(in.Update.Text))
					}
					got.WriteString(in.Update.Text)
				})
				d.Line([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":` + content + `}}}`))
				if got.String() != want || pieces != 3 {
					t.Errorf("%d pieces of %q, %d bytes of %d", pieces, unit, got.Len(), len(want))
				}
			}
		}
	}
}

// repeated reads as a line with a long text, without holding it.
type repeated struct {
	head, unit, tail string
	left             int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		next := &r.head
		if *next == "" && r.left > 0 {
			r.head, r.left = r.unit, r.left-1
			continue
		}
		if *next == "" {
			next = &r.tail
		}
		if *next == "" {
			return n, nil
		}
		m := copy(p[n:], *next)
		*next, n = (*next)[m:], n+m
	}
	return n, nil
}

// What is allocated for a line of 60 MB: the buffer that holds it and the smaller ones before, and its text once.
func TestLongLineIsCopiedOnce(t *testing.T) {
	const unit = "A line of a long file, with some words.\\n"
	size := raced.Of(60 << 20)
	reader := lines.New(&repeated{
		head: `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`,
		unit: unit, tail: `"}}}}` + "\n", left: size / len(unit),
	}, MaxLine)
	text := 0
	d := NewDecoder(func(in *Inbound) { text += len(in.Update.Text) })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for text == 0 {
		if line, _, ok := reader.Next(); ok {
			d.Line(line)
		} else if err := reader.Fill(); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d MB for a line of %d MB, held at the end: %d MB", allocated>>20, size>>20, (after.HeapAlloc-before.HeapAlloc)>>20)
	if most := uint64(2*MaxLine + size + 4<<20); allocated > most {
		t.Errorf("%d MB were allocated for a line of %d MB, at most %d MB are right", allocated>>20, size>>20, most>>20)
	}
	if want := size / len(unit) * (len(unit) - 1); text != want {
		t.Errorf("the text has %d bytes, want %d", text, want)
	}
}
