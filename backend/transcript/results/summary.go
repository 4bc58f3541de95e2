package results

import (
	"hash/fnv"
	"path"
	"strings"

	"weft/backend/lazyregexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/clip"
	"weft/backend/fault"
)

// inputFacts is what a summary takes from a call's arguments, by the names that agents use.
type inputFacts struct {
	command  bool
	tool     bool   // it is a tool of a server, told with its name
	about    string // what the agent says that it does
	path, to string
	mode     string
	url      string
	added    int // lines that an edit writes
	removed  int
	writes   bool   // there was something to write
	key      uint64 // of the whole input, 0 if there is none
}

// names are those that agents give one argument; the first that is there counts.
var (
	pathNames = []string{"path", "filePath", "filepath", "file_path", "absolute_path", "abs_path", "source", "from", "file"}
	toNames   = []string{"destination", "to", "newPath", "new_path", "target"}
	oldNames  = []string{"oldString", "old_string", "old_str", "oldText"}
	newNames  = []string{"newString", "new_string", "new_str", "newText", "content", "contents"}
	modeNames = []string{"modeId", "mode"}
)

// Input takes the arguments of the call.
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
	a.command = len(in["command"]) > 0 || len(in["commands"]) > 0 || len(in["cmd"]) > 0
	a.tool = !a.command && len(in["tool"]) > 0 && len(in["server"]) > 0
	if about, ok := text([]string{"description"}); ok && a.command {
		a.about = brief(about)
	}
	a.path, _ = text(pathNames)
	a.to, _ = text(toNames)
	a.mode, _ = text(modeNames)
	a.url, _ = text([]string{"url"})
	old, _ := text(oldNames)
	var fresh string
	if fresh, a.writes = text(newNames); a.writes {
		a.added, a.removed = DiffStat(old, fresh)
	}
	if !a.writes && before.writes { // some tell it once, and then something else
		a.path, a.writes, a.added, a.removed = before.path, true, before.added, before.removed
	}
	h := fnv.New64a()
	_, _ = h.Write(v)
	a.key = h.Sum64()
}

// InputKey is a hash of the arguments, equal for equal ones; 0 if there are none or they are no object.
func (f *Facts) InputKey() uint64 { return f.asked.key }

// Again returns the facts of the same call before anything came of it.
func (f *Facts) Again() Facts { return Facts{asked: f.asked, place: f.place} }

// file is the name of the file that a call is about, "" if it is not known.
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

// Summary is one line for the user, and how many results there were, if that can be counted. What the tool says of its
// result itself comes first, whatever its kind. It is empty only for a call of no known kind about which nothing was told.
func (f *Facts) Summary(kind string) (string, *int) {
	said, n := f.say(kind)
	if looksLikeJSON(said) { // it is cut, or broken
		said = "JSON, " + kilobytes(f.body(f.command(kind)).bytes)
	}
	return clip.JSON(said, maxLine), n
}

func (f *Facts) say(kind string) (string, *int) {
	if len(f.diffs) > 0 {
		return f.diffSummary()
	}
	command := f.command(kind)
	body := f.body(command)
	if command {
		return f.commandSummary(body)
	}
	if kind == "read" && body.lines > 0 && (f.asked.path != "" || f.place != "") {
		if body.lines == 1 && body.own != "" {
			return body.own, body.n
		}
		return fault.Counted(body.lines, "Read 1 line", "Read {{n}} lines").String(), count(body.lines)
	}
	changes := kind == "edit" && f.asked.writes && f.asked.path != ""
	if said, n, ok := f.ownSummary(body); ok && !changes && (kind != "fetch" || n != nil) {
		return said, n
	}
	switch {
	case kind == "read" && body.lines > 0 && !body.json:
		return fault.Counted(body.lines, "Read 1 line", "Read {{n}} lines").String(), count(body.lines)
	case kind == "search" && body.lines > 0 && !body.json:
		return searchSummary(body)
	case kind == "fetch" && body.lines > 0:
		return fault.Counted(body.lines, "1 line, {{size}}", "{{n}} lines, {{size}}", kilobytes(body.bytes)).String(), nil
	case changes:
		return added(f.asked.added, f.asked.removed, baseName(f.asked.path)), count(1)
	case kind == "delete" && f.file() != "":
		return clip.JSON(fault.Text("Deleted {{file}}", f.file()), maxLine), count(1)
	case kind == "move" && f.asked.to != "" && f.asked.path != "":
		return clip.JSON(fault.Text("Moved {{file}} to {{to}}", baseName(f.asked.path), baseName(f.asked.to)), maxLine), count(1)
	case kind == "switch_mode" && f.asked.mode != "":
		return clip.JSON(fault.Text("Switched to {{mode}}", f.asked.mode), maxLine), nil
	}
	if said, n, ok := f.textSummary(kind, body); ok {
		return said, n
	}
	return f.plainly(kind), nil
}

// ownSummary is the tool's own sentence about how much it found, or what its data come to.
func (f *Facts) ownSummary(body textFacts) (string, *int, bool) {
	data := f.data()
	if data == nil {
		return body.own, body.n, body.own != ""
	}
	n := data.n
	if body.own != "" {
		if n == nil || body.n != nil && *body.n > *n && data.of == *n { // the list is a part of it
			n = body.n
		}
		return body.own, n, true
	}
	switch {
	case data.own != "":
		return data.own, n, true
	case body.json && body.rest != "" && !strings.ContainsAny(body.rest, "{}"):
		return body.rest, n, true
	case f.shown.data == nil && body.lines == 1 && body.first != "" && !body.json: // words beside the data
		return body.first, n, true
	case f.shown.data == nil && !body.json && title(body.first) != "":
		return title(body.first), n, true
	}
	line := data.line()
	return line, n, line != "" && (n != nil || body.json || body.lines == 0)
}

// textSummary is what to say of a text that tells no number.
func (f *Facts) textSummary(kind string, body textFacts) (string, *int, bool) {
	switch {
	case body.first == "" || body.lines == 0:
		if media := max(f.shown.media, f.raw.media); media > 0 {
			return fault.Counted(media, "Returned 1 attachment", "Returned {{n}} attachments").String(), count(media), true
		}
		return "", nil, false
	case looksLikeJSON(body.first):
		return body.first, nil, true
	case body.lines == 1, kind == "think", reports.MatchString(body.first):
		return plainLine(body.first), body.n, true
	case body.items > 1:
		return fault.Text("{{n}} items", body.items), count(body.items), true
	case strings.HasPrefix(body.first, "#"):
		return plainLine(body.first), body.n, true
	case title(body.first) != "":
		return title(body.first), body.n, true
	}
	return fault.Counted(body.lines, "1 line", "{{n}} lines").String(), count(body.lines), true
}

// looksLikeJSON reports whether a line begins as JSON does.
func looksLikeJSON(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "{") || strings.HasPrefix(line, `["`) || strings.HasPrefix(line, "[{") || line == "["
}

func (f *Facts) commandSummary(body textFacts) (string, *int) {
	said := ""
	switch {
	case body.lines == 1 && noOutput.MatchString(body.first):
		body.lines = 0
		said = fault.Text("no output")
	case body.lines > 0:
		said = ofOutput(body.lines)
	case f.told || f.some:
		said = fault.Text("no output")
	}
	exit := f.exitCode(true)
	if body.own != "" && (exit == nil || *exit == 0) {
		return body.own, body.n
	}
	if exit != nil && f.shown.text.lines == 0 && f.raw.text.lines == 0 && f.streaming.lines > 0 {
		return fault.Text("exit code {{n}}", *exit), nil // the terminal is right below
	}
	switch {
	case exit != nil && said == "":
		said = fault.Text("exit code {{n}}", *exit)
	case exit != nil:
		said = fault.Text("exit code {{n}}, {{output}}", *exit, said)
	}
	if said == "" {
		return f.plainly("execute"), nil
	}
	return said, count(body.lines)
}

var noOutput = lazyregexp.New(`(?i)^\(?(?:no output|\w+ completed with no output|command (?:produced|returned) no output)\)?\.?$`)

func searchSummary(body textFacts) (string, *int) {
	switch {
	case body.matches > 0:
		return found(body.matches, body.files), count(body.matches)
	case strings.HasPrefix(strings.ToLower(body.first), "no "):
		return body.first, count(0)
	}
	return fault.Counted(body.lines, "1 result", "{{n}} results").String(), count(body.lines)
}

// found says how many matches there are, and in how many files.
func found(matches, files int) string {
	switch {
	case matches == 1 && files == 1:
		return fault.Text("1 match in 1 file")
	case files == 1:
		return fault.Text("{{n}} matches in 1 file", matches)
	}
	return fault.Text("{{n}} matches in {{n2}} files", matches, files)
}

func ofOutput(lines int) string {
	return fault.Counted(lines, "1 line of output", "{{n}} lines of output").String()
}

// plainly says what was done where the agent told no more than that it was.
func (f *Facts) plainly(kind string) string {
	did := map[string]fault.Template{
		"read": "Read", "edit": "Edited", "delete": "Deleted", "move": "Moved", "search": "Searched",
		"execute": "Ran", "fetch": "Fetched", "think": "Thought", "switch_mode": "Switched the mode",
	}[kind]
	didFile := map[string]fault.Template{"read": "Read {{file}}", "edit": "Edited {{file}}", "delete": "Deleted {{file}}", "move": "Moved {{file}}"}[kind]
	switch file := f.file(); {
	case did == "":
		return ""
	case file != "" && didFile != "":
		return clip.JSON(fault.Text(didFile, file), maxLine)
	}
	return fault.Text(did)
}

func (f *Facts) diffSummary() (string, *int) {
	plus, minus := 0, 0
	for _, d := range f.diffs {
		plus, minus = plus+d.added, minus+d.removed
	}
	where := fault.Counted(len(f.diffs)+f.moreDiffs, "1 file", "{{n}} files").String()
	if len(f.diffs) == 1 {
		where = baseName(f.diffs[0].path)
	}
	return added(plus, minus, where), count(len(f.diffs) + f.moreDiffs)
}

func added(plus, minus int, where string) string {
	if plus == 0 && minus == 0 {
		return clip.JSON(fault.Text("No change in {{where}}", where), maxLine)
	}
	return clip.JSON(fault.Text("+{{n}} −{{n2}} in {{where}}", plus, minus, where), maxLine)
}

// Summarize is the summary of a result that is at hand, as MCP or an agent has it, and how many results there are.
func Summarize(kind string, result jsontext.Value) (string, *int) {
	if len(result) == 0 {
		return "", nil
	}
	var f Facts
	f.Output(result)
	return f.Summary(kind)
}
