package runs

import (
	"strings"

	"weft/backend/clip"
)

// maxReply is how much of what an agent has said is handed to one that waits for it, in bytes.
const maxReply = 64 << 10

// words gathers what an agent says in a turn; what stood between is a paragraph.
type words struct {
	text strings.Builder
	gap  bool
	cut  bool
}

func (w *words) add(text string) {
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

// between notes that something else than words came.
func (w *words) between() { w.gap = true }

func (w *words) String() string {
	if w.cut {
		return w.text.String() + "\n[cut here: the whole stands in the space]"
	}
	return w.text.String()
}

// line returns s on one line that is not too long.
func line(s string) string { return clip.Text(strings.Join(strings.Fields(s), " "), 240) }
