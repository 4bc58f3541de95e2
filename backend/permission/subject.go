package permission

import (
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Call is a request as an agent made it.
type Call struct {
	Kind  string
	Title string
	Input jsontext.Value // the tool's arguments, nil if the agent sends none
	Paths []string       // of its locations
	Diffs []string       // paths of the changes that it shows
	Long  bool           // its arguments were too long to be kept
	Tool  string         // see [Rule]; "" for a tool of the agent's own, whatever it is called
}

// Place is where a request is made.
type Place struct {
	SpaceID string
	Folder  string // absolute
	AgentID string
}

// Subject is what a request is about, as far as it can be told for certain.
type Subject struct {
	Place
	Kind string // what it does; "other" if nobody knows
	Said string // the kind that the agent gave it
	Tool string // as in [Call]
	Line string // the command line as a person reads it, "" if there is none
	// Unclear is why rules about commands and files cannot allow it, "" if they can: syntax, long, outside, dynamic,
	// form or setting. With one of the first three no rule can.
	Unclear string

	Commands []Command
	Files    []File // that the tool touches
	Writes   []File // that a redirection of a command writes
	Reads    []File // that commands of known programs read

	real string // the folder with links followed
	deep bool   // a command reads the contents of whole folders
}

// Describe reads a request. It looks at the disk to follow links.
func Describe(c *Call, at Place) *Subject {
	s := &Subject{Place: at, Said: c.Kind, Tool: c.Tool}
	if !knownKind(s.Said) {
		s.Said = "other"
	}
	s.Kind = s.Said
	in := readInput(c.Input)
	f := openFolder(at.Folder)
	s.real = f.real
	sh := script{folder: f}
	if in.hasCommand && !in.editorVerb(s.Said) {
		// Whatever the agent calls it: it runs a command.
		s.Kind = "execute"
		s.Line = in.line()
		if in.dir != "" {
			at := f.file(in.dir, "")
			if at.Real == "" {
				sh.doubt(unclearOutside)
			}
			sh.dir = at.Real
		}
		in.run(&sh)
		if c.Tool != "" && c.Kind != "execute" {
			sh.doubt(unclearForm) // somebody else runs it, who knows how
		}
	} else if len(c.Diffs) > 0 && !changes(s.Kind) {
		s.Kind = "edit"
	}
	s.Commands, s.Writes, s.Reads, s.deep = sh.commands, sh.writes, sh.reads, sh.deep
	s.doubt(sh.unclear)
	s.files(f, slices.Concat(c.Paths, c.Diffs, in.paths))
	s.doubt(in.unclear)
	if c.Long {
		s.doubt(unclearLong)
	}
	if s.Kind == "move" && len(s.Files) < 2 {
		s.doubt(unclearForm)
	}
	return s
}

// doubt notes why a request cannot be judged; the graver reason stays.
func (s *Subject) doubt(why string) {
	if s.Unclear == "" || grave(why) && !grave(s.Unclear) {
		s.Unclear = why
	}
}

// grave reports whether no rule at all may allow what is unclear for that reason.
func grave(why string) bool {
	return why == unclearSyntax || why == unclearLong || why == unclearOutside
}

// About is what the request is about in a line or more: its command, or the files.
func (s *Subject) About() string {
	if s.Line != "" {
		return s.Line
	}
	var b strings.Builder
	for i, f := range s.Files {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.Named)
	}
	return b.String()
}

func (s *Subject) files(f folder, paths []string) {
	seen := map[string]bool{}
	for _, path := range paths {
		if path == "" || seen[path] {
			continue
		}
		seen[path] = true
		if len(s.Files) >= maxPaths {
			s.doubt(unclearLong)
			return
		}
		file := f.file(path, "")
		if file.Real == "" {
			s.doubt(unclearOutside)
		}
		if !slices.Contains(s.Files, file) { // also where it is spelled in two ways
			s.Files = append(s.Files, file)
		}
	}
}

func changes(kind string) bool { return kind == "edit" || kind == "delete" || kind == "move" }

// input is what the arguments of a tool say about commands and files.
type input struct {
	hasCommand bool
	texts      []string   // command lines for a shell
	lists      [][]string // programs with their arguments
	args       []string   // of the command line
	dir        string     // in which it runs
	paths      []string
	unclear    string
}

const maxInput = 256 << 10

func readInput(raw jsontext.Value) input {
	var in input
	if len(raw) == 0 || raw.Kind() != '{' {
		return in
	}
	if len(raw) > maxInput {
		in.unclear = unclearLong
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(raw, &members, lenient) != nil {
		in.unclear = unclearForm
		return in
	}
	for name, value := range members {
		switch key := strings.ToLower(strings.ReplaceAll(name, "_", "")); key {
		case "command", "cmd", "script", "commandline":
			in.command(value)
		case "args", "arguments":
			in.args = stringList(value)
			if in.args == nil && value.Kind() != 'n' {
				in.args = []string{"\x00"} // something that is no list of words
			}
		case "cwd", "workdir", "workingdirectory":
			if dir, ok := text(value); ok {
				in.dir = dir
			} else if value.Kind() != 'n' {
				in.unclear = unclearForm
			}
		case "path", "filepath", "file", "filename", "abspath", "absolutepath", "targetfile", "notebookpath", "oldpath", "newpath", "source", "destination",
			"sourcepath", "destinationpath", "targetpath", "dirpath", "directory", "folder", "dir", "uri", "paths", "files", "filepaths":
			in.path(value)
		}
	}
	if len(in.args) > 0 && in.hasCommand && (len(in.texts) != 1 || len(in.lists) > 0) {
		in.unclear = unclearForm
	}
	return in
}

var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

func text(v jsontext.Value) (s string, ok bool) {
	return s, v.Kind() == '"' && json.Unmarshal(v, &s, lenient) == nil
}

func stringList(v jsontext.Value) (list []string) {
	if v.Kind() != '[' || json.Unmarshal(v, &list, lenient) != nil {
		return nil
	}
	return list
}

func (in *input) command(v jsontext.Value) {
	switch v.Kind() {
	case 'n':
		return
	case '"':
		if s, ok := text(v); ok {
			in.texts = append(in.texts, s)
		}
	case '[':
		list := stringList(v)
		if list == nil {
			in.unclear = unclearForm
		} else {
			in.lists = append(in.lists, list)
		}
	default:
		in.unclear = unclearForm
	}
	in.hasCommand = true
}

func (in *input) path(v jsontext.Value) {
	if s, ok := text(v); ok {
		if rest, ok := strings.CutPrefix(s, "file://"); ok {
			if plain, err := url.PathUnescape(rest); err == nil {
				s = plain
			}
		} else if strings.Contains(s, "://") {
			return // an address
		}
		in.paths = append(in.paths, s)
		return
	}
	in.paths = append(in.paths, stringList(v)...)
}

// editorVerb tells the commands of editing tools ("view", "str_replace") from those of a shell.
func (in *input) editorVerb(kind string) bool {
	if len(in.texts) != 1 || len(in.lists) > 0 || len(in.paths) == 0 || kind == "execute" {
		return false
	}
	switch in.texts[0] {
	case "view", "create", "str_replace", "insert", "undo_edit", "write", "read", "edit", "append":
		return true
	}
	return false
}

func (in *input) run(s *script) {
	for _, line := range in.texts {
		if len(in.args) == 0 {
			s.read(line)
			if len(s.commands) == 0 {
				s.doubt(unclearForm)
			}
			continue
		}
		// The command is started with these arguments, or joined with them for a shell: both
		// have to be harmless.
		in.words(s, append(strings.Fields(line), in.args...))
	}
	for _, list := range in.lists {
		in.words(s, list)
	}
}

// words reads a program with its arguments. Where a word could mean something else to a shell that
// they are joined for, it is not clear what happens.
func (in *input) words(s *script, list []string) {
	if len(list) == 0 || len(list) > 4<<10 || list[0] == "" {
		s.doubt(unclearForm)
		return
	}
	c := Command{Words: list, Fixed: make([]bool, len(list))}
	shell := shells[baseName(list[0])]
	for i, word := range list {
		c.Fixed[i] = true
		if strings.ContainsAny(word, "\x00;&|<>$`\n\r(){}*?[]~#!\"'\\") && !shell {
			s.doubt(unclearForm)
		}
	}
	s.command(c)
}

// line is the command as a person reads it.
func (in *input) line() string {
	var out []string
	for _, text := range in.texts {
		out = append(out, strings.Join(append([]string{text}, in.args...), " "))
	}
	for _, list := range in.lists {
		out = append(out, strings.Join(list, " "))
	}
	return strings.Join(out, "\n")
}
