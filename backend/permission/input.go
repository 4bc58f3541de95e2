package permission

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/patch"

	"weft/backend/permission/files"
	"weft/backend/permission/shell"
	"weft/backend/permission/unclear"
)

// Limits on how much of a call's arguments is read. The rest is shown unchanged, and the user is asked.
const (
	maxInput   = 256 << 10 // bytes
	maxValues  = 8 << 10   // values in total
	maxListed  = 256       // elements per list
	maxNesting = 12        // nesting depth
)

// input is the parsed arguments of a call. Each argument ends up in exactly one of the lists.
type input struct {
	unknownMember bool   // a call without a command has a text or a list whose purpose isn't known
	edits         bool   // the call changes files, according to the agent
	written       string // what the arguments do to files, whatever the agent says: "edit", "delete" or ""
	commands      []command
	paths         []string // files that arguments name
	env           []Argument
	raises        []Argument
	other         []Argument
	unclear       string

	said       string // the call's kind according to the agent
	shown      shown  // what the call's diffs show
	folder     files.Folder
	disk       *patch.Disk // where file names of patches are looked up
	values     int         // read so far
	understood int         // arguments that didn't end up in other
}

// command is something to run, as described by one object of the arguments.
type command struct {
	texts  []string   // command lines for a shell
	lists  [][]string // programs with their arguments
	args   []string   // of the only element of texts
	dir    string     // working directory
	dirIn  string     // name of the argument that set dir
	shell  string     // reads the texts; "" if the agent chooses the shell
	stdin  string
	wanted bool // a member asks for a command, even if it can't be read
}

// member is a name and its value in an object of the arguments.
type member struct {
	name  string // normalized
	path  string // from the root of the arguments, as sent
	role  role
	value jsontext.Value
}

// readInput reads the arguments of a call. Many agents report the kind "other" for tools that change files. If the
// arguments show that the tool does, they are read again as those of an editing tool.
func readInput(c *Call, f files.Folder) *input {
	in := readAs(c, f, changesFiles(c.Kind) || len(c.Diffs) > 0)
	if in.written == "" || in.edits || len(in.commands) > 0 || len(in.paths)+len(c.Paths) == 0 {
		in.written = ""
		return in
	}
	in = readAs(c, f, true)
	if readsOnly(c.Kind) || c.Kind == "think" || c.Kind == "fetch" {
		in.markUnclear(unclear.Form) // the agent says that the call changes nothing
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
		in.markUnclear(unclear.Long)
	}
	if !raw.IsValid(lenient) { // validated earlier, so this doesn't happen
		in.markUnclear(unclear.Form)
		in.keep("", raw)
		return in
	}
	if raw.Kind() == '{' {
		in.object(raw, "", true, 0)
		return in
	}
	s, ok := text(raw)
	if raw.Kind() != 'n' && (!ok || !isPatch(s)) {
		in.markUnclear(unclear.Form) // a tool may interpret arguments without names in any way
		if in.plainCommand(raw, s) {
			in.markUnclear(unclear.Arguments)
			return in
		}
	}
	in.nested(raw, "", 0)
	return in
}

// plainCommand treats the arguments of an execute call that have no names as what it runs: a line, a list of lines, or
// a program with its arguments. It returns false if they are none of these.
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

// addRaw keeps the arguments as the agent sent them, for calls that are judged by something else.
func (in *input) addRaw(raw jsontext.Value) {
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

func (in *input) markUnclear(why string) {
	if in.unclear == "" || unclear.Grave(why) && !unclear.Grave(in.unclear) {
		in.unclear = why
	}
}

// keep records an argument that Weft doesn't interpret.
func (in *input) keep(name string, v jsontext.Value) {
	in.other = append(in.other, Argument{Name: name, Value: plainText(v)})
}

var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

func text(v jsontext.Value) (s string, ok bool) {
	return s, v.Kind() == '"' && json.Unmarshal(v, &s, lenient) == nil
}

// plainText returns a value as the user sees it: a string without quotes, anything else as JSON without unnecessary
// escapes.
func plainText(v jsontext.Value) string {
	if s, ok := text(v); ok {
		return s
	}
	b, err := jsontext.AppendFormat(nil, v, lenient)
	if err != nil {
		return string(bytes.ToValidUTF8(v, []byte("\uFFFD"))) // nested too deeply to format
	}
	return string(b)
}

// object reads the members of an object. known is true at the root and in a list of commands, where a command is
// certain to be what runs.
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
		in.markUnclear(unclear.Form)
	}
	if len(c.texts)+len(c.lists) == 0 {
		in.applyToList(in.commands[first:], &c, at)
		return
	}
	if len(c.args) > 0 && (len(c.texts) != 1 || len(c.lists) > 0) {
		in.addUnused(at+"args", shell.Quote(c.args))
		c.args = nil
	}
	if c.shell != "" && (len(c.texts) == 0 || len(c.args) > 0) {
		in.addUnused(at+"shell", c.shell) // nothing is known to be read by that shell
		c.shell = ""
	}
	in.prepend(first, &c)
}

// prepend inserts a command before those of a list in the same object, which copilot sends. Only the agent knows
// which of them count, so all are judged. A list with only the same command is dropped, so that it isn't shown twice.
func (in *input) prepend(first int, c *command) {
	inner := in.commands[first:]
	same := len(inner) == 1 && len(c.args) == 0 && c.sameAs(&inner[0])
	if len(inner) > 0 && !same && (len(c.args) > 0 || c.shell != "" || c.stdin != "") {
		in.markUnclear(unclear.Form)
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

// sameAs reports whether o, a command of a list, is the same as c in a different form.
func (c *command) sameAs(o *command) bool {
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

// addUnused keeps a member of an object with a command that the command can't use.
func (in *input) addUnused(name, value string) {
	if value != "" {
		in.markUnclear(unclear.Form)
		in.other = append(in.other, Argument{Name: name, Value: value})
	}
}

// applyToList applies the members next to a list of commands to the commands of the list.
func (in *input) applyToList(inner []command, c *command, at string) {
	if len(inner) == 0 {
		in.commands = append(in.commands, command{}) // the list can't be read
	}
	placed := false
	for i := range inner {
		if inner[i].dir == "" && c.dir != "" {
			inner[i].dir, inner[i].dirIn, placed = c.dir, c.dirIn, true
		}
	}
	if !placed {
		in.addUnused(c.dirIn, c.dir)
	}
	in.addUnused(at+"args", shell.Quote(c.args))
	in.addUnused(at+"shell", c.shell)
	in.addUnused(at+"stdin", c.stdin)
}

// members returns the members of an object in order, duplicates included. runs reports whether one of them is a
// command.
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
		m := member{name: normalizedName(name), path: at + name, value: bytes.Clone(value)}
		m.role = fieldRoles[m.name]
		in.values++
		if m.value.Kind() != 'n' {
			if m.role >= roleCommand && m.role < rolePath && (m.name != "commands" || m.value.Kind() != '[' || listed) {
				if seen[m.role] {
					in.markUnclear(unclear.Form) // only the agent knows which one counts
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
	if runs && editor && (named || seen[roleDirOrFile]) && in.said != "execute" {
		runs = false
	}
	return list, runs
}

// editorVerb reports whether a command is one of an editing tool, such as str_replace, and not one of a shell.
func editorVerb(v jsontext.Value) bool {
	verb, _ := text(v)
	switch verb {
	case "view", "create", "str_replace", "insert", "undo_edit", "write", "read", "edit", "append":
		return true
	}
	return false
}

// member assigns one member to the command or to a list of the input.
func (in *input) member(m *member, c *command, runs bool, depth int) {
	yes, about := escalates(m.name, m.value)
	isNull := m.value.Kind() == 'n'
	switch {
	case yes:
		in.raise(m.path, m.value)
		return
	case about:
		in.keep(m.path, m.value)
		return
	case isNull && m.role != roleUnknown:
		return // it carries no information
	case runs && m.name == "source" && isCommandOrigin(m.value):
		in.keep(m.path, m.value)
		return
	case runs && in.ofCommand(m, c, depth):
		return
	case !runs && (m.role == roleDirOrFile || m.role == roleDir) || m.role == rolePath:
		if runs {
			in.markUnclear(unclear.Form) // no known tool has both a command and files
		}
		if in.path(m.path, m.value) {
			return
		}
	case !runs && (m.role == roleText || m.role == roleInput):
		if s, ok := text(m.value); ok {
			in.unknownMember = in.unknownMember || m.role == roleInput && s != "" && !isPatch(s)
			in.textFor(m)
			in.text(m.path, s)
			return
		}
	case m.role == roleNote, m.role == roleHarmless && m.value.Kind() != '{' && m.value.Kind() != '[':
		in.unknownMember = in.unknownMember || m.role == roleNote // a note about a command that doesn't exist
		in.keep(m.path, m.value)
		return
	case !runs && in.edits && m.value.Kind() == '{' && (m.name == "changes" || m.name == "filechanges"):
		in.changedFiles(m, depth)
		return
	}
	switch {
	case runs:
		in.markUnclear(unclear.Form)
	case m.role == roleCommand && editorVerb(m.value): // an operation of the tool on its file
	case m.value.Kind() == '"' || m.value.Kind() == '[' || m.value.Kind() == '{':
		known := readFields[m.name] || in.edits && editFields[m.name] || m.role == rolePath && listOfObjects(m.value)
		in.unknownMember = in.unknownMember || !known || listOfLists(m.value)
	}
	in.nested(m.value, m.path, depth+1)
}

// isCommandOrigin reports whether a value names the origin of a command, as codex sends it.
func isCommandOrigin(v jsontext.Value) bool {
	s, _ := text(v)
	return s == "agent" || s == "user_shell" || s == "unified_exec_startup" || s == "unified_exec_interaction"
}

// changedFiles reads an object that maps file names to changes.
func (in *input) changedFiles(m *member, depth int) {
	list, _ := in.members(m.value, "")
	for i := range list {
		file := &list[i]
		in.paths = append(in.paths, file.path)
		in.understood++
		if file.value.Kind() == '{' && depth < maxNesting {
			in.object(file.value, m.path+"."+file.path+".", false, depth+1)
			continue
		}
		in.unknownMember = true
		in.keep(m.path+"."+file.path, file.value)
	}
}

// listOfObjects reports whether a value is a list of only objects. Their members are judged one by one.
func listOfObjects(v jsontext.Value) bool {
	var list []jsontext.Value
	return v.Kind() == '[' && json.Unmarshal(v, &list, lenient) == nil && !slices.ContainsFunc(list, func(e jsontext.Value) bool { return e.Kind() != '{' })
}

// listOfLists reports whether a value is a list that contains a list.
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
	in.understood++
	in.markUnclear(unclear.Raises)
}

// ofCommand reads a member of an object with a command. It returns false if it doesn't know the member or the form of
// its value.
func (in *input) ofCommand(m *member, c *command, depth int) bool {
	s, isText := text(m.value)
	switch m.role {
	case roleCommand:
		c.wanted = true
		in.understood++
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
	case roleDir, roleDirOrFile:
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
			in.markUnclear(unclear.Dynamic) // what the command does with it isn't known
		}
	case roleShell:
		if !isText || c.shell != "" {
			return false
		}
		c.shell = s
	default:
		return false
	}
	in.understood++
	return true
}

// commandList reads a list of command lines, or of objects that each have a command.
func (in *input) commandList(m *member, depth int) {
	for i, v := range in.elements(m.value, m.path) {
		at := m.path + "[" + strconv.Itoa(i) + "]"
		if s, ok := text(v); ok {
			in.commands = append(in.commands, command{texts: []string{s}})
		} else if v.Kind() == '{' && depth < maxNesting {
			in.object(v, at+".", true, depth+1)
		} else {
			in.markUnclear(unclear.Form)
			in.keep(at, v)
		}
	}
}

// variables reads the environment variables of a command, in one of three forms. It returns false for any other form.
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
			in.markUnclear(unclear.Setting)
		}
	}
	in.env = append(in.env, list...)
	return true
}

// nested reads a list or an object of unknown purpose. If nothing in it is understood, it stays a single argument.
func (in *input) nested(v jsontext.Value, at string, depth int) {
	kind := v.Kind()
	if kind != '{' && kind != '[' {
		s, _ := text(v)
		if inner := jsontext.Value(s); depth < maxNesting && strings.HasPrefix(s, "{") && strings.Contains(s, "*** ") && inner.IsValid(lenient) {
			v = inner // arguments encoded as text, for a tool that calls another one
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
	others, taken := len(in.other), in.understood
	switch {
	case depth > maxNesting || in.values > maxValues:
		in.markUnclear(unclear.Long)
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
	if in.understood == taken {
		in.other = slices.Delete(in.other, others, len(in.other))
		in.keep(at, v)
	}
}

// elements returns the elements of a list, up to a limit. If there are more, the whole list is kept as an argument.
func (in *input) elements(raw jsontext.Value, at string) (list []jsontext.Value) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	_, _ = dec.ReadToken()
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return list
		}
		if in.values++; len(list) == maxListed || in.values > maxValues {
			in.markUnclear(unclear.Long)
			in.understood++
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

// path reads a file name or a list of file names. It returns false if the value is neither.
func (in *input) path(name string, v jsontext.Value) bool {
	if s, ok := text(v); ok {
		if strings.Contains(s, "://") && !strings.HasPrefix(s, "file://") {
			in.keep(name, v) // a URL
			return true
		}
		if s != "" {
			in.paths = append(in.paths, s)
			in.understood++
		}
		return true
	}
	list := stringList(v)
	for _, s := range list {
		if s != "" {
			in.paths = append(in.paths, s)
		}
	}
	in.understood += min(len(list), 1)
	return list != nil
}

// text reads the text of a file or a patch. Text that the call's diffs already show isn't repeated. The files that a
// patch names become files of the call.
func (in *input) text(name, s string) {
	if files := in.patched(s); files != nil {
		in.paths = append(in.paths, files...)
		in.understood += len(files)
		in.written = patchKind(s)
	}
	if in.shown.has(s) {
		in.understood++
		return
	}
	in.other = append(in.other, Argument{Name: name, Value: s})
}

// writtenFields are the members with the new text of a file. Other members with the same role may also be what a
// search looks for.
var writtenFields = shell.WordSet("content contents filetext filecontent newstring newstr newtext newsource newcontent replacement codeedit")

// textFor records that the call changes a file if the member has the file's new text.
func (in *input) textFor(m *member) {
	if writtenFields[m.name] && in.written == "" {
		in.written = "edit"
	}
}
