package runs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/permission"
	"weft/backend/transcript"
)

// deed is what a permission request is about, in a form in which two requests can be compared: what an agent asks for by itself, and what it has Weft do.
type deed struct {
	kind    string // read, edit or execute
	files   []string
	changes []fileChange
	command string // see commandKey
	dir     string // in which it runs
	refused bool   // by the user, a rule or a mode
}

// fileChange is a change to a file as it was shown.
type fileChange struct {
	path     string // as [fileKey] has it
	old, now string
	fresh    bool // no old text was shown
}

// answer is a request of the turn that was answered.
type answer struct {
	deed
	allow bool
	own   bool            // it was Weft's request: what it allowed was done
	lasts bool            // the user said always
	used  map[string]bool // files that were written since, or "" for its command
}

func (a *answer) effect() permission.Effect {
	if a.allow {
		return permission.Allow
	}
	return permission.Reject
}

// credit is who has answered a request for which this answer stands.
func (a *answer) credit() *transcript.By {
	return &transcript.By{Who: "answered", Effect: string(a.effect())}
}

// answers are the latest answers of a turn, oldest first.
type answers []*answer

// maxAnswers is how many answers of a turn are remembered, and maxShown how many bytes of the changes that one shows.
const (
	maxAnswers = 256
	maxShown   = 4 << 20
)

// remember adds an answer.
func (l *answers) remember(a *answer) {
	if len(*l) >= maxAnswers {
		*l = slices.Delete(*l, 0, 1)
	}
	a.used = map[string]bool{}
	*l = append(*l, a)
}

// covers finds the latest answer to what Weft is asked to do now. A yes is used up by a write or a command, and not by reading.
func (l answers) covers(d *deed, sensitive bool, current func() string) *answer {
	for _, a := range slices.Backward(l) {
		switch {
		case a.kind != d.kind && (a.kind != "edit" || d.kind != "read" || !a.allow): // who may change a file may read it
			continue
		case d.kind == "execute":
			if a.command == "" || a.command != d.command || a.dir != d.dir || a.used[""] || a.own && a.allow {
				continue
			}
			a.used[""] = a.allow && !a.lasts
			return a
		case len(d.files) != 1 || !slices.Contains(a.files, d.files[0]):
			continue
		case d.kind == "read":
			return a
		}
		if a.used[d.files[0]] || a.own && a.allow || !a.shows(&d.changes[0], sensitive, current) {
			continue
		}
		if a.allow {
			a.used[d.files[0]] = true
		}
		return a
	}
	return nil
}

// settles finds the answer that an agent's own request has had already, since Weft asked about the same thing before. A yes settles one request.
func (l answers) settles(d *deed) *answer {
	for _, a := range slices.Backward(l) {
		if !a.own || a.used["asked"] || !a.same(d) {
			continue
		}
		a.used["asked"] = a.allow
		return a
	}
	return nil
}

// same reports whether a request of an agent is about just what Weft has asked about.
func (a *deed) same(d *deed) bool {
	if a.kind != d.kind || a.kind == "" || a.command != d.command || a.dir != d.dir || !slices.Equal(a.files, d.files) {
		return false
	}
	if a.kind != "edit" {
		return true
	}
	for i := range d.changes {
		if c := &d.changes[i]; !c.gives(a.changes[0].now, func() string { return a.changes[0].old }) {
			return false
		}
	}
	return true
}

// shows reports whether what is written now is what the request has shown. One that has shown no change at all was about the file as such,
// which is not enough for a file of git.
func (a *answer) shows(c *fileChange, sensitive bool, current func() string) bool {
	for i := range a.changes {
		if a.changes[i].path == c.path && a.changes[i].gives(c.now, current) {
			return true
		}
	}
	return len(a.changes) == 0 && !sensitive
}

// gives reports whether a text is what comes of a change. Ends of lines, and of the text, don't count, nor does a byte order mark.
func (c *fileChange) gives(text string, current func() string) bool {
	text = plainLines(text)
	now := plainLines(c.now)
	if c.fresh || c.old == "" {
		return now == text
	}
	before, old := plainLines(current()), plainLines(c.old)
	if before == old {
		return now == text // else the rest of the file would be gone
	}
	return old != "" && strings.Contains(before, old) &&
		(strings.Replace(before, old, now, 1) == text || strings.ReplaceAll(before, old, now) == text)
}

func plainLines(s string) string {
	return strings.TrimRight(strings.ReplaceAll(strings.TrimPrefix(s, "\uFEFF"), "\r\n", "\n"), "\n")
}

// fileKey is a path in the form in which deeds compare it.
func (s *Session) fileKey(path string) string {
	path, _ = permission.PlainPath(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.space.Folder, path)
	}
	return filepath.Clean(path)
}

// deedOf reads a permission request of an agent; nil if it is like nothing that Weft does. shown are the changes that it shows.
func (s *Session) deedOf(c *permission.Call, sub *permission.Subject, shown []fileChange) *deed {
	d := &deed{}
	switch {
	case c.Long || len(sub.Writes) > 0 && sub.Line == "":
		return nil
	case sub.Line != "" || len(sub.Commands) > 0:
		if len(shown) > 0 {
			return nil
		}
		d.kind = "execute"
		d.command, d.dir = commandOf(c.Input)
		if d.command == "" {
			return nil
		}
		d.dir = s.fileKey(d.dir)
		return d
	case sub.Kind == "edit":
		d.kind = "edit"
	case sub.Kind == "read" && len(shown) == 0:
		d.kind = "read"
	default:
		return nil
	}
	for _, path := range slices.Concat(c.Paths, c.Diffs) {
		if key := s.fileKey(path); !slices.Contains(d.files, key) {
			d.files = append(d.files, key)
		}
	}
	for _, f := range sub.Files { // that its arguments name
		if key := s.fileKey(f.Named); !slices.Contains(d.files, key) {
			d.files = append(d.files, key)
		}
	}
	d.changes = slices.Clone(shown)
	for i := range d.changes {
		d.changes[i].path = s.fileKey(d.changes[i].path)
	}
	if d.kind == "edit" && len(shown) == 0 {
		c, ok := changeOf(c.Input)
		if !ok || len(d.files) == 0 {
			return nil // it says what it writes in a way that cannot be compared
		}
		if c != (fileChange{}) {
			c.path = d.files[0]
			d.changes = []fileChange{c}
		}
	}
	return d
}

// changeOf is the change that the arguments of an editing tool name: none at all, one that can be compared, or, with ok false, another.
func changeOf(input jsontext.Value) (c fileChange, ok bool) {
	var members map[string]jsontext.Value
	if len(input) == 0 || input.Kind() != '{' || json.Unmarshal(input, &members) != nil {
		return c, len(input) == 0 || input.Kind() == 'n'
	}
	for name, value := range members {
		var text string
		isText := json.Unmarshal(value, &text) == nil
		switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
		case "content", "contents", "text", "filetext", "newtext", "newstring", "newstr", "newcontent":
			if !isText || c.now != "" {
				return c, false
			}
			c.now = text
		case "oldtext", "oldstring", "oldstr":
			if !isText || c.old != "" {
				return c, false
			}
			c.old = text
		case "path", "filepath", "file", "filename", "abspath", "absolutepath", "targetfile", "description", "replaceall", "explanation", "instruction":
		default:
			return c, false
		}
	}
	return c, true
}

// commandKey is a command in the form in which deeds compare it: its words, or the line that a shell is handed.
func commandKey(line string, args []string) string {
	if len(args) == 0 {
		// Only these part words for a shell, whatever else is a space.
		if line = strings.Trim(line, " \t\n"); line == "" || strings.ContainsAny(line, "\x00;&|<>$`\n\r(){}*?[]~#!\"'\\=") {
			return "sh\x00" + line
		}
		return strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' }), "\x00")
	}
	words := append([]string{line}, args...)
	if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") && plainShells[words[0]] {
		return commandKey(words[2], nil)
	}
	return strings.Join(words, "\x00")
}

// plainShells are those that the system brings, by the names and places that mean them.
var plainShells = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "/bin/sh": true, "/bin/bash": true, "/bin/zsh": true, "/usr/bin/sh": true, "/usr/bin/bash": true, "/usr/bin/zsh": true,
}

// commandOf is the command that the arguments of a tool name, "" where they name none or set anything beside its folder.
func commandOf(input jsontext.Value) (command, dir string) {
	var members map[string]jsontext.Value
	if json.Unmarshal(input, &members) != nil {
		return "", ""
	}
	line, args, named, listed := "", []string(nil), 0, false
	for name, value := range members {
		switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
		case "command", "cmd", "script", "commandline":
			named++
			if json.Unmarshal(value, &line) == nil {
				continue
			}
			var words []string
			if json.Unmarshal(value, &words) != nil || len(words) == 0 {
				return "", ""
			}
			line, args, listed = words[0], append(words[1:], args...), true
		case "args", "arguments":
			var more []string
			if json.Unmarshal(value, &more) != nil && value.Kind() != 'n' {
				return "", ""
			}
			args = append(args, more...)
		case "cwd", "workdir", "workingdirectory", "dir", "directory":
			if json.Unmarshal(value, &dir) != nil && value.Kind() != 'n' {
				return "", ""
			}
		case "env", "environment":
			if text := string(value); text != "null" && text != "{}" && text != "[]" {
				return "", ""
			}
		}
	}
	if named != 1 || listed && len(args) == 0 && strings.ContainsAny(line, " \t\r\n") {
		return "", ""
	}
	return commandKey(line, args), dir
}

// shownBy are the changes that a call shows, as a permission request presents it on top of what was told before. The lock is held.
func (l *link) shownBy(p *transcript.ToolPatch) []fileChange {
	if p.Content != nil {
		return shownChanges(p.Content)
	}
	return l.shown[p.ID]
}

// noteShown keeps the changes that a call shows, until it has ended. The lock is held.
func (l *link) noteShown(p *transcript.ToolPatch) {
	switch {
	case p.Status != nil && p.Status.Ended():
		delete(l.shown, p.ID)
	case p.Content != nil && l.calls[p.ID] != nil:
		if l.shown == nil {
			l.shown = map[string][]fileChange{}
		}
		if l.shown[p.ID] = shownChanges(p.Content); l.shown[p.ID] == nil {
			delete(l.shown, p.ID)
		}
	}
}

// shownChanges are the changes that a call shows, as far as they can be kept.
func shownChanges(content *[]transcript.Content) (list []fileChange) {
	size := 0
	for i := range *content {
		d := &(*content)[i]
		if d.Type != "diff" {
			continue
		}
		if size += len(d.OldText) + len(d.NewText); size > maxShown || d.OldRef != nil || d.NewRef != nil {
			list = append(list, fileChange{path: d.Path, old: "\x00", now: "\x00"}) // like no other
			continue
		}
		list = append(list, fileChange{path: d.Path, old: d.OldText, now: d.NewText, fresh: d.NewFile})
	}
	return list
}
