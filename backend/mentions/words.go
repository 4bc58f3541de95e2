package mentions

import (
	"strings"

	"weft/backend/clip"
)

// maxReply is how much of what an agent has said is handed to one that waits for it, in bytes.
const maxReply = 64 << 10

// Words gather what an agent says in a turn, a paragraph for each time that it speaks. The zero value is empty.
type Words struct {
	text strings.Builder
	id   string // of the agent's message, "" if the agent has named none
	gap  bool
	cut  bool
}

// Add adds a piece of text to the paragraph.
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

// Gap notes that something else came, such as a tool call: what is added next is a new paragraph.
func (w *Words) Gap() { w.gap = true }

// Of notes which message of the agent is added to next; "" is the one that it has named last. Another one begins a new paragraph.
func (w *Words) Of(message string) {
	if message != "" && message != w.id {
		w.id, w.gap = message, true
	}
}

// String returns all of it, or its beginning with a note where it is too long.
func (w *Words) String() string {
	if w.cut {
		return w.text.String() + "\n[cut here: the whole text is in the space]"
	}
	return w.text.String()
}
