package permission

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/patch"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
	"weft/backend/permission/unclear"
)

// The most that is read of the arguments of a call. What is beyond is shown as it is and asked about.
const (
	maxInput   = 256 << 10 // bytes
	maxValues  = 8 << 10   // values in it
	maxListed  = 256       // elements of one list that are looked into
	maxNesting = 12        // lists and objects within each other
)

// input is what the arguments of a tool say: each of them goes into exactly one of its lists.
type input struct {
	strange  bool   // a member of a call without a command has a text or a list, and nobody knows what for
	edits    bool   // the call changes files, as far as the agent says
	written  string // what the arguments say to do with files, whatever the agent says: "edit", "delete" or ""
	commands []command
	paths    []string // files that arguments name
	env      []Argument
	raises   []Argument
	other    []Argument
	unclear  string

	said   string // the kind that the agent gave the call
	shown  shown  // by the call's diffs
	folder files.Folder
	disk   *patch.Disk // where the names of patches are looked for
	values int         // seen so far
	taken  int         // arguments that did not end in other
}

// command is something to run, as one object of the arguments tells it.
type command struct {
	texts  []string   // command lines for a shell
	lists  [][]string // programs with their arguments
	args   []string   // of the one text
	dir    string     // in which it runs
	dirIn  string     // name of the argument that said so
	shell  string     // that reads the texts, "" where the agent chooses
	stdin  string
	wanted bool // a member asks for a command, whether it can be read or not
}

// member is one name with its value in an object of the arguments.
type member struct {
	name  string // simplified
	path  string // from the top, as it was sent
	role  role
	value jsontext.Value
}

// readInput reads the arguments of a call. Many agents call what changes files "other": then the arguments are read again as those of a tool
// that does.
func readInput(c *Call, f files.Folder) *input {
	in := readAs(c, f, changes(c.Kind) || len(c.Diffs) > 0)
	if in.written == "" || in.edits || len(in.commands) > 0 || len(in.paths)+len(c.Paths) == 0 {
		in.written = ""
		return in
	}
	in = readAs(c, f, true)
	if looks(c.Kind) || c.Kind == "think" || c.Kind == "fetch" {
		in.doubt(unclear.Form) // the agent says that it changes nothing
	}
	return in
}

func readAs(c *Call, f files.Folder, edits bool) *input {
	in := &input{said: c.Kind, shown: newShown(c.Texts), edits: edits, folder: f, disk: newDisk(c, f)}
	raw := c.Input
	if len(raw) == 0 {
		return in
	}
	if len(raw) > maxInput {
		in.doubt(unclear.Long)
	}
	if !raw.IsValid(lenient) { // it would not have come here
		in.doubt(unclear.Form)
		in.keep("", raw)
		return in
	}
	if raw.Kind() == '{' {
		in.object(raw, "", true, 0)
		return in
	}
	s, ok := text(raw)
	if raw.Kind() != 'n' && (!ok || !isPatch(s)) {
		in.doubt(unclear.Form) // what a tool makes of arguments without names is not known
		if in.plainCommand(raw, s) {
			in.doubt(unclear.Arguments)
			return in
		}
	}
	in.nested(raw, "", 0)
	return in
}

// plainCommand takes arguments without names of a call that runs commands for what it runs: a line, a list of lines, or a program with its
// arguments. It reports false where they are something else.
func (in *input) plainCommand(raw jsontext.Value, line string) bool {
	if in.said != "execute" {
		return false
	}
	c := command{wanted: true}
	if list := stringList(raw); len(list) > 0 && list[0] != "" {
		if c.lists = [][]string{list}; strings.ContainsAny(list[0], " \t\n") {
			c.lists, c.texts = nil, list
		}
	} else if strings.TrimSpace(line) != "" {
		c.texts = []string{line}
	} else {
		return false
	}
	in.commands = append(in.commands, c)
	return true
}

// sent keeps the arguments as the agent sent them, where something else is judged.
func (in *input) sent(raw jsontext.Value) {
	if raw.Kind() != '{' || !raw.IsValid(lenient) {
		if len(raw) > 0 {
			in.keep("", raw)
		}
		return
	}
	list, _ := in.members(raw, "")
	for _, m := range list {
		in.keep(m.path, m.value)
	}
}

func (in *input) doubt(why string) {
	if in.unclear == "" || unclear.Grave(why) && !unclear.Grave(in.unclear) {
		in.unclear = why
	}
}

// keep notes an argument that Weft does nothing with, as it was sent.
func (in *input) keep(name string, v jsontext.Value) {
	in.other = append(in.other, Argument{Name: name, Value: plainText(v)})
}

var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

func text(v jsontext.Value) (s string, ok bool) {
	return s, v.Kind() == '"' && json.Unmarshal(v, &s, lenient) == nil
}

// plainText is a value as a user reads it: a text without quotes, everything else as JSON without needless escapes.
func plainText(v jsontext.Value) string {
	if s, ok := text(v); ok {
		return s
	}
	b, err := jsontext.AppendFormat(nil, v, lenient)
	if err != nil {
		return string(bytes.ToValidUTF8(v, []byte("\uFFFD"))) // too deep to be written again
	}
	return string(b)
}

// object reads the members of an object. Known is true where a command in it is known to be what runs: at the top and in a list of commands.
func (in *input) object(raw jsontext.Value, at string, known bool, depth int) {
	list, runs := in.members(raw, at)
	var c command
	first := len(in.commands)
	for i := range list {
		in.member(&list[i], &c, runs, depth)
	}
	if !c.wanted {
		return
	}
	if !known {
		in.doubt(unclear.Form)
	}
	if len(c.texts)+len(c.lists) == 0 {
		in.inherit(in.commands[first:], &c, at)
		return
	}
	if len(c.args) > 0 && (len(c.texts) != 1 || len(c.lists) > 0) {
		in.spare(at+"args", shell.Quote(c.args))
		c.args = nil
	}
	if c.shell != "" && (len(c.texts) == 0 || len(c.args) > 0) {
		in.spare(at+"shell", c.shell) // what it reads is not known
		c.shell = ""
	}
	in.repeated(first, &c)
}

// repeated puts a command before those that a list beside it names, as copilot sends them. Which of them count only the agent knows, so that all of
// them are judged; one that says the same is not shown twice.
func (in *input) repeated(first int, c *command) {
	inner := in.commands[first:]
	same := len(inner) == 1 && len(c.args) == 0 && c.says(&inner[0])
	if len(inner) > 0 && !same && (len(c.args) > 0 || c.shell != "" || c.stdin != "") {
		in.doubt(unclear.Form)
	}
	if same {
		inner = nil
	}
	for i := range inner {
		if inner[i].dir == "" {
			inner[i].dir, inner[i].dirIn = c.dir, c.dirIn
		}
	}
	in.commands = append(in.commands[:first:first], append([]command{*c}, inner...)...)
}

// says reports whether another command, of a list, is this one in other words.
func (c *command) says(o *command) bool {
	if len(o.args) > 0 || o.shell != "" || o.stdin != "" || o.dir != "" && o.dir != c.dir {
		return false
	}
	line := func(c *command) (string, bool) {
		switch {
		case len(c.texts) == 1 && len(c.lists) == 0:
			return strings.TrimSpace(c.texts[0]), true
		case len(c.lists) == 1 && len(c.texts) == 0:
			return shell.Quote(c.lists[0]), true
		}
		return "", false
	}
	a, ok := line(c)
	b, also := line(o)
	return ok && also && a == b
}

// spare keeps what an object says about a command where that has no place for it.
func (in *input) spare(name, value string) {
	if value != "" {
		in.doubt(unclear.Form)
		in.other = append(in.other, Argument{Name: name, Value: value})
	}
}

// inherit lays what an object says besides its list of commands over these.
func (in *input) inherit(inner []command, c *command, at string) {
	if len(inner) == 0 {
		in.commands = append(in.commands, command{}) // it cannot be read
	}
	placed := false
	for i := range inner {
		if inner[i].dir == "" && c.dir != "" {
			inner[i].dir, inner[i].dirIn, placed = c.dir, c.dirIn, true
		}
	}
	if !placed {
		in.spare(c.dirIn, c.dir)
	}
	in.spare(at+"args", shell.Quote(c.args))
	in.spare(at+"shell", c.shell)
	in.spare(at+"stdin", c.stdin)
}

// members lists the members of an object in their order, also those that come twice. Runs reports whether one of them is a command.
func (in *input) members(raw jsontext.Value, at string) (list []member, runs bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	_, _ = dec.ReadToken()
	seen := map[role]bool{}
	editor, named, listed := false, false, false
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return list, runs
		}
		name := token.String()
		value, err := dec.ReadValue()
		if err != nil {
			return list, runs
		}
		m := member{name: simplified(name), path: at + name, value: bytes.Clone(value)}
		m.role = fieldRoles[m.name]
		in.values++
		if m.value.Kind() != 'n' {
			if m.role >= roleCommand && m.role < rolePath && (m.name != "commands" || m.value.Kind() != '[' || listed) {
				if seen[m.role] {
					in.doubt(unclear.Form) // which of them counts, only the agent knows
				}
				seen[m.role] = true
			}
			listed = listed || m.name == "commands"
			named = named || m.role == rolePath
			if m.role == roleCommand {
				runs = true
				editor = editorVerb(m.value)
			}
		}
		list = append(list, m)
	}
	if runs && editor && (named || seen[rolePlace]) && in.said != "execute" {
		runs = false
	}
	return list, runs
}

// editorVerb tells the commands of editing tools from those of a shell.
func editorVerb(v jsontext.Value) bool {
	verb, _ := text(v)
	switch verb {
	case "view", "create", "str_replace", "insert", "undo_edit", "write", "read", "edit", "append":
		return true
	}
	return false
}

// member puts one member where it belongs.
func (in *input) member(m *member, c *command, runs bool, depth int) {
	yes, about := raises(m.name, m.value)
	isNull := m.value.Kind() == 'n'
	switch {
	case yes:
		in.raise(m.path, m.value)
		return
	case about:
		in.keep(m.path, m.value)
		return
	case isNull && m.role != roleUnknown:
		return // it says nothing
	case runs && m.name == "source" && whoAsked(m.value):
		in.keep(m.path, m.value)
		return
	case runs && in.ofCommand(m, c, depth):
		return
	case !runs && (m.role == rolePlace || m.role == roleDir) || m.role == rolePath:
		if runs {
			in.doubt(unclear.Form) // no command that is known has files
		}
		if in.path(m.path, m.value) {
			return
		}
	case !runs && (m.role == roleText || m.role == roleInput):
		if s, ok := text(m.value); ok {
			in.strange = in.strange || m.role == roleInput && s != "" && !isPatch(s)
			in.textFor(m)
			in.text(m.path, s)
			return
		}
	case m.role == roleNote, m.role == roleHarmless && m.value.Kind() != '{' && m.value.Kind() != '[':
		in.strange = in.strange || m.role == roleNote // a note on a command that isn't there
		in.keep(m.path, m.value)
		return
	case !runs && in.edits && m.value.Kind() == '{' && (m.name == "changes" || m.name == "filechanges"):
		in.changedFiles(m, depth)
		return
	}
	switch {
	case runs:
		in.doubt(unclear.Form)
	case m.role == roleCommand && editorVerb(m.value): // what the tool does with its file
	case m.value.Kind() == '"' || m.value.Kind() == '[' || m.value.Kind() == '{':
		known := lookFields[m.name] || in.edits && editFields[m.name] || m.role == rolePath && listOfObjects(m.value)
		in.strange = in.strange || !known || listOfLists(m.value)
	}
	in.nested(m.value, m.path, depth+1)
}

// whoAsked reports whether a value says who wanted a command, as codex does.
func whoAsked(v jsontext.Value) bool {
	s, _ := text(v)
	return s == "agent" || s == "user_shell" || s == "unified_exec_startup" || s == "unified_exec_interaction"
}

// changedFiles reads an object whose members are named after the files that they change.
func (in *input) changedFiles(m *member, depth int) {
	list, _ := in.members(m.value, "")
	for i := range list {
		file := &list[i]
		in.paths = append(in.paths, file.path)
		in.taken++
		if file.value.Kind() == '{' && depth < maxNesting {
			in.object(file.value, m.path+"."+file.path+".", false, depth+1)
			continue
		}
		in.strange = true
		in.keep(m.path+"."+file.path, file.value)
	}
}

// listOfObjects reports whether a value is a list with nothing but objects in it, whose members are judged one by one.
func listOfObjects(v jsontext.Value) bool {
	var list []jsontext.Value
	return v.Kind() == '[' && json.Unmarshal(v, &list, lenient) == nil && !slices.ContainsFunc(list, func(e jsontext.Value) bool { return e.Kind() != '{' })
}

// listOfLists reports whether a value is a list with a list in it.
func listOfLists(v jsontext.Value) bool {
	if v.Kind() != '[' {
		return false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(v), lenient)
	_, _ = dec.ReadToken()
	for dec.PeekKind() != ']' {
		if dec.PeekKind() == '[' || dec.SkipValue() != nil {
			return true
		}
	}
	return false
}

func (in *input) raise(name string, v jsontext.Value) {
	in.raises = append(in.raises, Argument{Name: name, Value: plainText(v)})
	in.taken++
	in.doubt(unclear.Raises)
}

// ofCommand reads a member of an object with a command. It reports false where the member is none that it knows, or not of
// a form that it knows.
func (in *input) ofCommand(m *member, c *command, depth int) bool {
	s, isText := text(m.value)
	switch m.role {
	case roleCommand:
		c.wanted = true
		in.taken++
		switch {
		case isText:
			c.texts = append(c.texts, s)
		case m.value.Kind() != '[':
			return false
		case m.name == "commands":
			in.commandList(m, depth)
		default:
			list := stringList(m.value)
			if list == nil {
				return false
			}
			c.lists = append(c.lists, list)
		}
	case roleArgs:
		list := stringList(m.value)
		if list == nil || len(c.args) > 0 {
			return false
		}
		c.args = list
	case roleDir, rolePlace:
		if !isText || c.dir != "" {
			return false
		}
		c.dir, c.dirIn = s, m.path
	case roleEnv:
		return in.variables(m.value)
	case roleInput:
		if !isText || c.stdin != "" {
			return false
		}
		if c.stdin = s; s != "" {
			in.doubt(unclear.Dynamic) // what it does with that is not known
		}
	case roleShell:
		if !isText || c.shell != "" {
			return false
		}
		c.shell = s
	default:
		return false
	}
	in.taken++
	return true
}

// commandList reads a list of command lines, or of objects with a command each.
func (in *input) commandList(m *member, depth int) {
	for i, v := range in.elements(m.value, m.path) {
		at := m.path + "[" + strconv.Itoa(i) + "]"
		if s, ok := text(v); ok {
			in.commands = append(in.commands, command{texts: []string{s}})
		} else if v.Kind() == '{' && depth < maxNesting {
			in.object(v, at+".", true, depth+1)
		} else {
			in.doubt(unclear.Form)
			in.keep(at, v)
		}
	}
}

// variables reads the variables of a command, in one of three forms. It reports false if it is none of them.
func (in *input) variables(v jsontext.Value) bool {
	var list []Argument
	switch v.Kind() {
	case '{':
		members, _ := in.members(v, "")
		for _, m := range members {
			if k := m.value.Kind(); k == '{' || k == '[' {
				return false
			}
			list = append(list, Argument{Name: m.path, Value: plainText(m.value)})
		}
	case '[':
		for _, e := range in.elements(v, "") {
			if s, ok := text(e); ok {
				name, value, ok := strings.Cut(s, "=")
				if !ok {
					return false
				}
				list = append(list, Argument{Name: name, Value: value})
				continue
			}
			one := struct {
				Name  *string `json:"name"`
				Value *string `json:"value"`
			}{}
			if e.Kind() != '{' || json.Unmarshal(e, &one, lenient, json.RejectUnknownMembers(true)) != nil || one.Name == nil || one.Value == nil {
				return false
			}
			list = append(list, Argument{Name: *one.Name, Value: *one.Value})
		}
	default:
		return false
	}
	for _, a := range list {
		if !shell.HarmlessVariable(a.Name) {
			in.doubt(unclear.Setting)
		}
	}
	in.env = append(in.env, list...)
	return true
}

// nested reads a list or an object that nothing is known about. Where nothing in it is known either, it stays one argument.
func (in *input) nested(v jsontext.Value, at string, depth int) {
	kind := v.Kind()
	if kind != '{' && kind != '[' {
		s, _ := text(v)
		if inner := jsontext.Value(s); depth < maxNesting && strings.HasPrefix(s, "{") && strings.Contains(s, "*** ") && inner.IsValid(lenient) {
			v = inner // arguments as a text, of a tool that another one calls
		} else {
			if isPatch(s) && strings.Contains(s, "*** ") {
				in.text(at, s)
				return
			}
			in.keep(at, v)
			return
		}
	}
	kind = v.Kind()
	others, taken := len(in.other), in.taken
	switch {
	case depth > maxNesting || in.values > maxValues:
		in.doubt(unclear.Long)
		in.keep(at, v)
		return
	case kind == '{':
		prefix := at
		if prefix != "" {
			prefix += "."
		}
		in.object(v, prefix, false, depth)
	default:
		for i, e := range in.elements(v, at) {
			in.nested(e, at+"["+strconv.Itoa(i)+"]", depth+1)
		}
	}
	if in.taken == taken {
		in.other = slices.Delete(in.other, others, len(in.other))
		in.keep(at, v)
	}
}

// elements lists what is in a list, as far as it is looked into. What is beyond is kept as it is.
func (in *input) elements(raw jsontext.Value, at string) (list []jsontext.Value) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	_, _ = dec.ReadToken()
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return list
		}
		if in.values++; len(list) == maxListed || in.values > maxValues {
			in.doubt(unclear.Long)
			in.taken++
			in.other = append(in.other, Argument{Name: at, Value: plainText(raw)})
			return list
		}
		list = append(list, bytes.Clone(v))
	}
	return list
}

func stringList(v jsontext.Value) (list []string) {
	if v.Kind() != '[' || json.Unmarshal(v, &list, lenient) != nil || bytes.Contains(v, []byte("null")) && slices.Contains(list, "") {
		return nil
	}
	return list
}

// path reads a file's name, or a list of them. It reports false if it is neither, or if a list has something else in it.
func (in *input) path(name string, v jsontext.Value) bool {
	if s, ok := text(v); ok {
		if strings.Contains(s, "://") && !strings.HasPrefix(s, "file://") {
			in.keep(name, v) // an address
			return true
		}
		if s != "" {
			in.paths = append(in.paths, s)
			in.taken++
		}
		return true
	}
	list := stringList(v)
	for _, s := range list {
		if s != "" {
			in.paths = append(in.paths, s)
		}
	}
	in.taken += min(len(list), 1)
	return list != nil
}

// text takes a text of a file or a patch. What the call's diffs show is not repeated; the files that a patch names
// are files of the call.
func (in *input) text(name, s string) {
	if files := in.patched(s); files != nil {
		in.paths = append(in.paths, files...)
		in.taken += len(files)
		in.written = patchKind(s)
	}
	if in.shown.has(s) {
		in.taken++
		return
	}
	in.other = append(in.other, Argument{Name: name, Value: s})
}

// writtenFields are the members whose text is what becomes of a file. Others of their role are what a search looks for, too.
var writtenFields = shell.WordSet("content contents filetext filecontent newstring newstr newtext newsource newcontent replacement codeedit")

// textFor notes that a text is to become that of a file.
func (in *input) textFor(m *member) {
	if writtenFields[m.name] && in.written == "" {
		in.written = "edit"
	}
}
