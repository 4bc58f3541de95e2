package results

import (
	"cmp"
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/base/patch"
	"weft/backend/base/quantity"
)

// inputFacts are the facts for a summary from a call's arguments, by the names that agents use.
type inputFacts struct {
	command  bool   // it names a command and no file
	tool     bool   // it names a tool of a server
	asks     bool   // it has text besides a path, such as a pattern
	about    string // the agent's own description of the call
	path, to string
	mode     string
	url      string
	added    int // lines that an edit writes
	removed  int
	writes   bool // it has text to write
	patch    changed
	key      uint64 // hash of the whole input, 0 if there is none
}

// Names that agents use for an argument, by priority.
var (
	pathNames = []string{"path", "filePath", "filepath", "file_path", "absolute_path", "abs_path", "source", "from", "file"}
	toNames   = []string{"destination", "to", "newPath", "new_path", "target"}
	oldNames  = []string{"oldString", "old_string", "old_str", "oldText"}
	newNames  = []string{"newString", "new_string", "new_str", "newText", "content", "contents"}
	modeNames = []string{"modeId", "mode"}
	// patchNames are the names of a patch, in the arguments or next to a result.
	patchNames = []string{"patch", "patchText", "input", "diff"}
	// besides are the names of texts that may accompany the path of a file to read.
	besides = []string{"command", "encoding", "description", "explanation"}
)

// firstFile returns the path of the first file in a list.
func firstFile(v jsontext.Value) (path string) {
	for _, f := range membersOf(v) {
		if f.value[0] == '{' {
			f.value = named(membersOf(f.value), pathNames...)
		}
		if json.Unmarshal(f.value, &path, lenient) == nil {
			return path
		}
	}
	return ""
}

// patched counts the changes in a patch.
func patched(s string) (c changed) {
	if len(s) > maxDiffInput {
		return c
	}
	for _, file := range patch.Parse(s) {
		c.file(cmp.Or(file.To, file.Path), 0, 0)
		for _, h := range file.Hunks {
			for _, line := range h.Lines {
				switch line.Kind {
				case '+':
					c.added++
				case '-':
					c.removed++
				}
			}
		}
	}
	return c
}

// Input sets the arguments of the call.
func (f *Facts) Input(v jsontext.Value) {
	before := f.asked
	f.asked = inputFacts{}
	var in map[string]jsontext.Value
	if len(v) > maxScan || json.Unmarshal(v, &in, lenient) != nil || len(in) == 0 {
		return
	}
	text := func(names []string) (s string, ok bool) {
		for _, name := range names {
			if json.Unmarshal(in[name], &s, lenient) == nil && len(in[name]) > 0 && in[name][0] == '"' {
				return s, true
			}
		}
		return "", false
	}
	a := &f.asked
	a.path, _ = text(pathNames)
	if a.path == "" && len(in["files"]) > 0 {
		a.path = firstFile(in["files"])
	}
	a.command = a.path == "" && (len(in["command"]) > 0 || len(in["commands"]) > 0 || len(in["cmd"]) > 0)
	a.tool = !a.command && len(in["tool"]) > 0 && len(in["server"]) > 0
	if about, ok := text([]string{"description"}); ok && a.command {
		a.about = brief(about)
	}
	for name, v := range in {
		a.asks = a.asks || v[0] == '"' && len(v) > 2 && !slices.Contains(pathNames, name) && !slices.Contains(besides, name)
	}
	a.to, _ = text(toNames)
	a.mode, _ = text(modeNames)
	a.url, _ = text([]string{"url"})
	old, _ := text(oldNames)
	var fresh string
	if fresh, a.writes = text(newNames); a.writes {
		a.added, a.removed = DiffStat(old, fresh)
	}
	if !a.writes && before.writes { // some agents send it once, and then other arguments
		a.path, a.writes, a.added, a.removed = before.path, true, before.added, before.removed
	}
	if p, ok := text(patchNames); ok {
		a.patch = patched(p)
	}
	h := fnv.New64a()
	_, _ = h.Write(v)
	a.key = h.Sum64()
}

// InputKey returns a hash that is equal for equal arguments, or 0 if there are none or they are not an object.
func (f *Facts) InputKey() uint64 { return f.asked.key }

// Again returns the facts of the same call without any result.
func (f *Facts) Again() Facts { return Facts{asked: f.asked, place: f.place} }

// file returns the name of the file that a call is about, "" if unknown.
func (f *Facts) file() string {
	if f.place != "" {
		return baseName(f.place)
	}
	return baseName(f.asked.path)
}

func baseName(p string) string {
	if p == "" {
		return ""
	}
	return path.Base(strings.ReplaceAll(p, `\`, "/"))
}

// Summary returns one line for the user and the number of results, if known. The tool's own sentence comes first, for
// any kind of call. Without a sentence or a count, the line is the beginning of the result with its length. It is empty
// only for a call of unknown kind about which nothing was reported.
func (f *Facts) Summary(kind string) (string, *int) {
	said, n := f.say(kind)
	if looksLikeJSON(said) { // truncated or broken
		said = "JSON, " + quantity.Bytes(int64(f.body(f.command(kind)).bytes))
	}
	return clip.JSON(said, maxLine), n
}

func (f *Facts) say(kind string) (string, *int) {
	if c := f.changes(kind); c.files > 0 {
		where := baseName(c.path)
		if c.files > 1 {
			where = fault.Counted(c.files, "1 file", "{{n}} files").String()
		}
		return added(c.added, c.removed, where), count(c.files)
	}
	command := f.command(kind)
	body := f.body(command)
	if command {
		return f.commandSummary(body)
	}
	reads := kind == "read" && f.readsFile()
	brought := body.lines > 1 && (reads || kind == "fetch" && f.asked.url != "") // the text is content, not a sentence by the tool
	switch {
	case kind == "edit" && f.asked.writes && f.asked.path != "":
		return added(f.asked.added, f.asked.removed, baseName(f.asked.path)), count(1)
	case body.n != nil && !brought:
		return body.first, body.n
	case reads && body.lines > 0:
		return fault.Counted(body.lines, "Read 1 line", "Read {{n}} lines").String(), count(body.lines)
	}
	if said, n := f.dataSummary(body); said != "" && (kind != "fetch" || n != nil) {
		return said, n
	}
	switch {
	case kind == "delete" && f.file() != "":
		return fault.Text("Deleted {{file}}", f.file()), count(1)
	case kind == "move" && f.asked.to != "" && f.asked.path != "":
		return fault.Text("Moved {{file}} to {{to}}", baseName(f.asked.path), baseName(f.asked.to)), count(1)
	case kind == "switch_mode" && f.asked.mode != "":
		return fault.Text("Switched to {{mode}}", f.asked.mode), nil
	case body.lines > 0:
		return body.line(), nil
	}
	if media := max(f.shown.media, f.raw.media); media > 0 {
		return fault.Counted(media, "Returned 1 attachment", "Returned {{n}} attachments").String(), count(media)
	}
	return f.fallbackSummary(kind), nil
}

// changes returns the changes of a call: from its content, its result or its arguments.
func (f *Facts) changes(kind string) changed {
	switch {
	case f.diffs.files > 0:
		return f.diffs
	case kind == "edit" && f.raw.patch.files > 0:
		return f.raw.patch
	case kind == "edit", kind == "other":
		return f.asked.patch
	}
	return changed{}
}

// readsFile reports whether the arguments name a file and nothing to search for.
func (f *Facts) readsFile() bool {
	return (f.asked.path != "" || f.place != "") && !f.asked.asks
}

// dataSummary summarizes the data of a result, or returns the words next to them if those say more.
func (f *Facts) dataSummary(body textFacts) (string, *int) {
	data := f.data()
	switch {
	case data == nil:
		return "", nil
	case data.own != "":
		return data.own, data.n
	case body.json && !looksLikeJSON(body.first):
		return body.first, data.n
	case !body.json && body.lines == 1, !body.json && body.lines > 0 && data.n == nil:
		return body.line(), data.n
	}
	return data.description, data.n
}

// line returns a text in one line: its first line with content, and its length.
func (t *textFacts) line() string {
	switch {
	case looksLikeJSON(t.first):
		return "JSON, " + quantity.Bytes(int64(t.bytes))
	case t.lines == 1:
		return t.first
	case t.first == "":
		return fault.Counted(t.lines, "1 line", "{{n}} lines").String()
	}
	return fault.Text("{{words}} · {{n}} lines in all", t.first, t.lines)
}

// looksLikeJSON reports whether a line begins like JSON.
func looksLikeJSON(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "{") || strings.HasPrefix(line, `["`) || strings.HasPrefix(line, "[{") || line == "["
}

func (f *Facts) commandSummary(body textFacts) (string, *int) {
	exit, output := f.exitCode(true), ""
	var n *int
	switch {
	case body.n != nil && (exit == nil || *exit == 0):
		return body.first, body.n
	case body.lines == 1 && noOutput.MatchString(body.first), body.lines == 0 && (f.told || f.some):
		output, n = fault.Text("no output"), count(0)
	case body.lines > 0:
		output = body.line()
	}
	switch {
	case exit == nil && output == "":
		return f.fallbackSummary("execute"), nil
	case exit == nil:
		return output, n
	case output == "":
		return fault.Text("exit code {{n}}", *exit), nil
	case n != nil:
		return fault.Text("exit code {{n}}, {{output}}", *exit, output), n
	case body.lines == 1 || looksLikeJSON(body.first) || body.first == "":
		return fault.Text("exit code {{n}}: {{words}}", *exit, output), nil
	}
	return fault.Text("exit code {{n}}: {{words}} · {{n2}} lines in all", *exit, body.first, body.lines), nil
}

// fallbackSummary returns a summary for a call about whose result the agent reported nothing.
func (f *Facts) fallbackSummary(kind string) string {
	did := map[string]fault.Template{
		"read": "Read", "edit": "Edited", "delete": "Deleted", "move": "Moved", "search": "Searched",
		"execute": "Ran", "fetch": "Fetched", "think": "Thought", "switch_mode": "Switched the mode",
	}[kind]
	didFile := map[string]fault.Template{"read": "Read {{file}}", "edit": "Edited {{file}}", "move": "Moved {{file}}"}[kind]
	switch file := f.file(); {
	case did == "":
		return ""
	case file != "" && didFile != "":
		return fault.Text(didFile, file)
	}
	return fault.Text(did)
}

func added(plus, minus int, where string) string {
	if plus == 0 && minus == 0 {
		return fault.Text("No change in {{where}}", where)
	}
	return fault.Text("+{{n}} −{{n2}} in {{where}}", plus, minus, where)
}

// Summarize returns the summary of a complete result, in the format of MCP or of an agent, and the number of results.
func Summarize(kind string, result jsontext.Value) (string, *int) {
	if len(result) == 0 {
		return "", nil
	}
	var f Facts
	f.Output(result)
	return f.Summary(kind)
}
