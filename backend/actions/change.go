package actions

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// maxShown is how many bytes of the changes that a call shows are kept.
const maxShown = 4 << 20

// Change is a change to a file as it was shown.
type Change struct {
	Path     string // as [Path] returns it, or as the agent wrote it
	Old, New string
	Fresh    bool // no old text was shown
}

// Gives reports whether a text is the result of a change; current returns the file's text before it. Line endings, newlines at the end and
// a byte order mark don't count.
func (c *Change) Gives(text string, current func() string) bool {
	text = plainLines(text)
	now := plainLines(c.New)
	if c.Fresh || c.Old == "" {
		return now == text
	}
	before, old := plainLines(current()), plainLines(c.Old)
	if before == old {
		return now == text // else the rest of the file would be gone
	}
	return old != "" && strings.Contains(before, old) &&
		(strings.Replace(before, old, now, 1) == text || strings.ReplaceAll(before, old, now) == text)
}

// IsDone reports whether a change was made already and a text leaves the file as that is: some agents make a change by themselves, and then have Weft
// write the same.
func (c *Change) IsDone(text string, current func() string) bool {
	now := plainLines(current())
	return plainLines(text) == now && strings.Contains(now, plainLines(c.New))
}

func plainLines(s string) string {
	return strings.TrimRight(strings.ReplaceAll(strings.TrimPrefix(s, "\uFEFF"), "\r\n", "\n"), "\n")
}

// changeOf returns the change that the arguments of an editing tool name: none at all, one that can be compared, or, with ok false, another.
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

// Shown is the changes that the open calls of an agent show, by the ids of the calls.
type Shown map[string][]Change

// Update takes a report about a call. Open reports that the call is among those that are kept.
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

// With returns the changes that a call shows, with what a permission request says of it on top of what was reported before.
func (s Shown) With(p *transcript.ToolPatch) []Change {
	if p.Content != nil {
		return shownChanges(p.Content)
	}
	return s[p.ID]
}

// shownChanges returns the changes among the content of a call. Those that are too large to be kept are like no other.
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
