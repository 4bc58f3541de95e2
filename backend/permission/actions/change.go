package actions

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// maxShown limits how many bytes of a call's changes are kept.
const maxShown = 4 << 20

// Change is a change of a file as it was shown.
type Change struct {
	Path     string // as [Path] returns it, or as the agent wrote it
	Old, New string
	Fresh    bool // no old text was shown
}

// Gives reports whether text is the result of the change. current returns the file's text before it. Line endings,
// newlines at the end and a byte order mark are ignored.
func (c *Change) Gives(text string, current func() string) bool {
	text = plainLines(text)
	now := plainLines(c.New)
	if c.Fresh || c.Old == "" {
		return now == text
	}
	before, old := plainLines(current()), plainLines(c.Old)
	if before == old {
		return now == text // otherwise the rest of the file would be lost
	}
	return old != "" && strings.Contains(before, old) &&
		(strings.Replace(before, old, now, 1) == text || strings.ReplaceAll(before, old, now) == text)
}

// IsDone reports whether the change was already made and text leaves the file in that state. Some agents make a change
// themselves and then let Weft write the same text.
func (c *Change) IsDone(text string, current func() string) bool {
	now := plainLines(current())
	return plainLines(text) == now && strings.Contains(now, plainLines(c.New))
}

func plainLines(s string) string {
	return strings.TrimRight(strings.ReplaceAll(strings.TrimPrefix(s, "\uFEFF"), "\r\n", "\n"), "\n")
}

// changeOf returns the change in the arguments of an editing tool: zero if they contain none. ok is false if the
// change can't be compared.
func changeOf(input jsontext.Value) (c Change, ok bool) {
	var members map[string]jsontext.Value
	if len(input) == 0 || input.Kind() != '{' || json.Unmarshal(input, &members) != nil {
		return c, len(input) == 0 || input.Kind() == 'n'
	}
	for name, value := range members {
		var text string
		isText := json.Unmarshal(value, &text) == nil
		switch simplified(name) {
		case "content", "contents", "text", "filetext", "newtext", "newstring", "newstr", "newcontent":
			if !isText || c.New != "" {
				return c, false
			}
			c.New = text
		case "oldtext", "oldstring", "oldstr":
			if !isText || c.Old != "" {
				return c, false
			}
			c.Old = text
		case "path", "filepath", "file", "filename", "abspath", "absolutepath", "targetfile", "description", "replaceall", "explanation", "instruction":
		default:
			return c, false
		}
	}
	return c, true
}

// Shown maps the agent's open calls to the changes that they show.
type Shown map[string][]Change

// Update processes a report about a call. open reports whether the changes of the call are to be kept.
func (s *Shown) Update(p *transcript.ToolPatch, open bool) {
	switch {
	case p.Status != nil && p.Status.Ended():
		delete(*s, p.ID)
	case p.Content != nil && open:
		if *s == nil {
			*s = Shown{}
		}
		if (*s)[p.ID] = shownChanges(p.Content); (*s)[p.ID] == nil {
			delete(*s, p.ID)
		}
	}
}

// With returns the changes that a call shows, with the content of a permission request replacing earlier reports.
func (s Shown) With(p *transcript.ToolPatch) []Change {
	if p.Content != nil {
		return shownChanges(p.Content)
	}
	return s[p.ID]
}

// shownChanges returns the changes in the content of a call. A change that is too large to keep equals no other.
func shownChanges(content *[]transcript.Content) (list []Change) {
	size := 0
	for i := range *content {
		d := &(*content)[i]
		if d.Type != "diff" {
			continue
		}
		if size += len(d.OldText) + len(d.NewText); size > maxShown || d.OldRef != nil || d.NewRef != nil {
			list = append(list, Change{Path: d.Path, Old: "\x00", New: "\x00"})
			continue
		}
		list = append(list, Change{Path: d.Path, Old: d.OldText, New: d.NewText, Fresh: d.NewFile})
	}
	return list
}
