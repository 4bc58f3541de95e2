package transcript

import (
	"fmt"
	"hash/fnv"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// inputFacts is what a summary takes from a call's arguments, by the names that agents use.
type inputFacts struct {
	command  bool
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

func (f *facts) input(v jsonValue) {
	before := f.asked
	f.asked = inputFacts{}
	var in map[string]jsonValue
	if len(v) > maxScan || json.Unmarshal(v, &in, wire) != nil || len(in) == 0 {
		return
	}
	text := func(names []string) (s string, ok bool) {
		for _, name := range names {
			if json.Unmarshal(in[name], &s, wire) == nil && len(in[name]) > 0 && in[name][0] == '"' {
				return s, true
			}
		}
		return "", false
	}
	a := &f.asked
	a.command = len(in["command"]) > 0
	a.path, _ = text(pathNames)
	a.to, _ = text(toNames)
	a.mode, _ = text(modeNames)
	a.url, _ = text([]string{"url"})
	old, _ := text(oldNames)
	var fresh string
	if fresh, a.writes = text(newNames); a.writes {
		a.added, a.removed = diffStat(old, fresh)
	}
	if !a.writes && before.writes { // some tell it once, and then something else
		a.path, a.writes, a.added, a.removed = before.path, true, before.added, before.removed
	}
	h := fnv.New64a()
	_, _ = h.Write(v)
	a.key = h.Sum64()
}

// file is the name of the file that a call is about, "" if it is not known.
func (f *facts) file() string {
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

// summary is one line for a person, and how many results there were, if that can be counted. It is empty only
// for a call of no known kind about which nothing was told.
func (f *facts) summary(kind string) (string, *int) {
	if len(f.diffs) > 0 {
		return f.diffSummary()
	}
	body := f.body()
	switch {
	case kind == "execute" || f.asked.command && kind != "read" && kind != "search":
		return f.commandSummary(body)
	case kind == "read" && body.lines > 0:
		return "Read " + plural(body.lines, "line"), count(body.lines)
	case kind == "search" && body.lines > 0:
		return searchSummary(body)
	case kind == "fetch" && body.lines > 0:
		return fmt.Sprintf("%s, %s", plural(body.lines, "line"), kilobytes(body.bytes)), nil
	case kind == "edit" && f.asked.writes && f.asked.path != "":
		return added(f.asked.added, f.asked.removed, baseName(f.asked.path)), count(1)
	case kind == "delete" && f.file() != "":
		return cut("Deleted "+f.file(), maxNote), count(1)
	case kind == "move" && f.asked.to != "" && f.asked.path != "":
		return cut("Moved "+baseName(f.asked.path)+" to "+baseName(f.asked.to), maxNote), count(1)
	case kind == "switch_mode" && f.asked.mode != "":
		return cut("Switched to "+f.asked.mode, maxNote), nil
	case body.lines == 1 && body.first != "", kind == "think" && body.first != "":
		return body.first, nil
	case body.lines > 0 && (body.brief == "" || body.brief[0] != '[' && body.brief[0] != '{'):
		return plural(body.lines, "line"), count(body.lines)
	}
	return f.plainly(kind), nil
}

func (f *facts) commandSummary(body textFacts) (string, *int) {
	said := ""
	switch {
	case body.lines == 1 && noOutput.MatchString(body.first):
		body.lines = 0
		said = "no output"
	case body.lines > 0:
		said = plural(body.lines, "line") + " of output"
	case f.told || f.shown:
		said = "no output"
	}
	if f.exit != nil && f.text.lines == 0 && f.result.lines == 0 && f.streaming.lines > 0 {
		return "exit code " + strconv.Itoa(*f.exit), nil // the terminal stands right below
	}
	if f.exit != nil {
		said = strings.TrimSuffix("exit code "+strconv.Itoa(*f.exit)+", "+said, ", ")
	}
	if said == "" {
		return f.plainly("execute"), nil
	}
	return said, count(body.lines)
}

var noOutput = regexp.MustCompile(`(?i)^\(?(?:no output|\w+ completed with no output|command (?:produced|returned) no output)\)?\.?$`)

func searchSummary(body textFacts) (string, *int) {
	switch {
	case body.matches > 0:
		return matches(body.matches) + " in " + plural(body.files, "file"), count(body.matches)
	case strings.HasPrefix(strings.ToLower(body.first), "no "):
		return body.first, count(0)
	}
	if n := counted(body.first); n >= 0 {
		return strings.TrimRight(body.first, ":. "), count(n)
	}
	return plural(body.lines, "result"), count(body.lines)
}

// plainly says what was done where the agent told no more than that it was.
func (f *facts) plainly(kind string) string {
	did := map[string]string{
		"read": "Read", "edit": "Edited", "delete": "Deleted", "move": "Moved", "search": "Searched",
		"execute": "Ran", "fetch": "Fetched", "think": "Thought", "switch_mode": "Switched the mode",
	}[kind]
	switch file := f.file(); {
	case did == "":
		return ""
	case file != "" && (kind == "read" || kind == "edit" || kind == "delete" || kind == "move"):
		return cut(did+" "+file, maxNote)
	}
	return did
}

func (f *facts) diffSummary() (string, *int) {
	plus, minus := 0, 0
	for _, d := range f.diffs {
		plus, minus = plus+d.added, minus+d.removed
	}
	where := plural(len(f.diffs)+f.moreDiffs, "file")
	if len(f.diffs) == 1 {
		where = baseName(f.diffs[0].path)
	}
	return added(plus, minus, where), count(len(f.diffs) + f.moreDiffs)
}

func added(plus, minus int, where string) string {
	if plus == 0 && minus == 0 {
		return cut("No change in "+where, maxNote)
	}
	return cut(fmt.Sprintf("+%d −%d in %s", plus, minus, where), maxNote)
}

// passing matches errors that go away by themselves, so that trying again may help.
var passing = regexp.MustCompile(`(?i)\btimed[ -]out\b|\btime-?out (?:of|after|exceeded|expired|error|while)\b|\b(?:request|connection|read|gateway) time-?out\b|\bETIMEDOUT\b|\brate.?limit|\btoo many requests\b|\boverloaded\b|\btemporar(?:y|ily)\b|\bECONN(?:RESET|REFUSED|ABORTED)\b|\bEAI_AGAIN\b|\bconnection (?:reset|refused|closed|lost)\b|\bsocket hang up\b|\b(?:http|status)(?: code)?:? (?:429|502|503|504)\b|\bservice unavailable\b`)

// mayPass reports whether an error of a tool may go away when the call is tried again.
func mayPass(text string) bool { return passing.MatchString(text) }
