package mentions

import (
	"strings"

	"weft/backend/base/clip"
)

// maxReply is the maximum size of a reply to a waiting agent, in bytes.
const maxReply = 64 << 10

// Words collects an agent's text in a turn, as paragraphs. The zero value is empty.
type Words struct {
	text strings.Builder
	id   string // of the agent's message, "" if unknown
	gap  bool
	cut  bool
}

// Add adds a piece of text to the current paragraph.
func (w *Words) Add(text string) {
	if text == "" {
		return
	}
	if w.gap && w.text.Len() > 0 {
		text = "\n\n" + text
	}
	w.gap = false
	if room := maxReply - w.text.Len(); len(text) > room {
		text, w.cut = clip.Start(text, room), true
	}
	w.text.WriteString(text)
}

// Gap begins a new paragraph with the next text, for example after a tool call.
func (w *Words) Gap() { w.gap = true }

// Of sets the agent's message that the next text belongs to; "" means the same as before. A different one begins a new
// paragraph.
func (w *Words) Of(message string) {
	if message != "" && message != w.id {
		w.id, w.gap = message, true
	}
}

// String returns the text. If it was too long, it returns the beginning and a note.
func (w *Words) String() string {
	if w.cut {
		return w.text.String() + "\n[cut here: the whole text is in the space]"
	}
	return w.text.String()
}
