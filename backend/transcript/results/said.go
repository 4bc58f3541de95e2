package results

import (
	"slices"
	"strconv"
	"strings"

	"weft/backend/lazyregexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// said is what a payload of a call says about its result.
type said struct {
	text   textFacts // of the output
	failed bool      // it says that the call failed
	fine   bool      // it says that it did not
	why    string    // the error that it names
	exit   *int      // of a command
	data   *dataset  // what it returned, where that is structured
	parts  int       // texts that are documents each
	media  int       // pictures, sounds, files
	patch  []diffFact

	structured bool // data is what the protocol calls the structured content
	ran        *ranFacts
}

// ranFacts are what a text says about a command, without what an agent puts around the output.
type ranFacts struct {
	text    textFacts
	exit    *int
	stopped bool // by the user
}

// words takes a text of a result. Where all of it is JSON, or a part, that is read as data.
func (s *said) words(text string) {
	sent := len(text)
	text = bare(text)
	if strings.Contains(text, "[Image: source: ") || strings.Contains(text, " provided the following ") {
		text = strings.TrimSuffix(attached.ReplaceAllString(text, ""), "\n")
	}
	if strings.Contains(text, "</mcp-result-extras>") {
		text = extras.ReplaceAllString(text, "")
	}
	defer func(before int) { s.text.bytes = before + sent }(s.text.bytes)
	if r, ok := unwrapped(text); ok && s.ran == nil {
		s.ran = &ranFacts{exit: r.exit, stopped: r.stopped}
		s.ran.text.add(r.output)
	}
	rest, document := parted(text)
	if document == nil {
		s.text.add(text)
		return
	}
	if rest == "" && isResult(document) {
		s.envelope(document, 1)
		return
	}
	s.text.document(text, rest)
	s.document(document)
}

// extras is a block in which an agent shows itself what an MCP server has told beside the result.
var extras = lazyregexp.New(`(?s)\n*<mcp-result-extras>\n.*?\n</mcp-result-extras>\s*$`)

// attached is a line in which an agent says that it has a picture of the result.
var attached = lazyregexp.New(`(?m)^\[(?:Image: source: .*|Tool '[^'\n]*' provided the following .*)\]\n?|^\[image/[a-z+.-]+\]\n?`)

// isResult reports whether a document that is a text has the form of a result, and is not data of the tool's own.
func isResult(v jsontext.Value) bool {
	list := membersOf(v)
	return v[0] == '{' && (blocksIn(named(list, "content")) || named(list, "isError") != nil || commandResult(list) || answer(list)) || v[0] == '[' && outcomes(list)
}

// document takes JSON that a tool returned as text: its own data, or a result in the form of one.
func (s *said) document(v jsontext.Value) {
	if isResult(v) {
		s.envelope(v, 1)
		return
	}
	list := membersOf(v)
	if v[0] == '{' {
		s.told(list, false)
	}
	d := dataOf(v, 0)
	if s.parts++; s.parts > 1 && v[0] == '{' { // a list, one piece for each
		s.data = &dataset{n: count(s.parts), of: s.parts}
		return
	}
	s.data = &d
}

// answer reports whether an object is a result to what it was asked, as some agents write it: {"query": …, "result": "…", "success": true}.
func answer(list []member) bool {
	k := named(list, "success").Kind()
	return (k == 't' || k == 'f') && named(list, "query") != nil && named(list, "result").Kind() == '"'
}

// commandResult reports whether an object is what came of a command.
func commandResult(list []member) bool {
	if named(list, exitNames...) == nil {
		return false
	}
	return slices.ContainsFunc(list, func(f member) bool { return slices.Contains(textNames, f.name) || f.name == "stderr" })
}

var (
	exitNames = []string{"exit", "exitCode", "exit_code", "exitStatus", "exit_status", "returnCode", "return_code", "returncode"}
	textNames = []string{"output", "stdout", "content", "text", "result", "aggregated_output", "aggregatedOutput", "formatted_output", "returnDisplay", "llmContent", "value"}
	// innerNames are those under which a result is in another object.
	innerNames = []string{"result", "Ok", "ok", "output", "response", "functionResponse", "toolResult", "tool_result", "value", "error", "Err"}
)

// outcomes reports whether a list is one of results, each of which tells how it ended.
func outcomes(list []member) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(f member) bool {
		if f.value[0] != '{' {
			return true
		}
		inner := membersOf(f.value)
		ends := false
		for _, m := range inner {
			k := m.value.Kind()
			ends = ends || (m.name == "success" || m.name == "isError") && (k == 't' || k == 'f') || m.name == "functionResponse" && k == '{'
		}
		return !ends
	})
}

// blocksIn reports whether a value is a list of content blocks.
func blocksIn(v jsontext.Value) bool {
	if len(v) == 0 || v[0] != '[' {
		return false
	}
	list := membersOf(v)
	return len(list) > 0 && !slices.ContainsFunc(list, func(f member) bool {
		inner := membersOf(f.value)
		var kind string
		if f.value[0] != '{' || len(named(inner, "type")) > 0 && json.Unmarshal(named(inner, "type"), &kind, lenient) != nil {
			return true
		}
		switch kind {
		case "text", "input_text", "output_text":
			return named(inner, "text") == nil
		case "image", "audio", "resource", "resource_link", "image_url", "input_image", "document", "file", "content", "shell_exit", "media":
			return false
		}
		return kind != "" || len(inner) > 2 || named(inner, "text").Kind() != '"'
	})
}

// envelope takes a result as an agent or a protocol writes it.
func (s *said) envelope(v jsontext.Value, depth int) {
	if depth > maxDepth || len(v) == 0 {
		return
	}
	switch v[0] {
	case '"':
		var text string
		if json.Unmarshal(v, &text, lenient) == nil {
			s.words(text)
		}
		return
	case '[':
		list, n := fieldsOf(v)
		switch {
		case n == 0:
			s.data = &dataset{n: count(0)}
		case blocksIn(v):
			s.blocks(list, depth)
		case outcomes(list):
			s.each(list, n, depth)
		default:
			d := dataOf(v, 0)
			s.data = &d
		}
		return
	case '{':
	default:
		return
	}
	list := membersOf(v)
	s.told(list, true)
	s.changed(list)
	found := s.inside(list, depth)
	structured := named(list, "structuredContent", "structured_content")
	if len(structured) > 0 && (structured[0] == '{' || structured[0] == '[') {
		if inner := membersOf(structured); len(inner) == 1 && inner[0].name == "result" { // of servers that wrap what is no object
			structured = inner[0].value
		}
		if inner := membersOf(structured); structured[0] == '{' && len(inner) == 1 && inner[0].value[0] == '"' && slices.Contains(textNames, inner[0].name) && s.text.lines > 0 {
			return // the text once more
		}
		if d := dataOf(structured, 0); !d.scalar {
			s.data, s.structured = &d, true
		}
		found = true
	}
	if !found && !commandResult(list) {
		if d := dataOf(v, 0); d.n != nil || d.own != "" || depth > 0 {
			s.data = &d
		}
	}
}

// changed takes the patch that an object has beside its text, or in what some agents call its details.
func (s *said) changed(list []member) {
	var text string
	for _, in := range [][]member{list, membersOf(named(list, "details", "metadata"))} {
		for _, name := range patchNames {
			if s.patch == nil && json.Unmarshal(named(in, name), &text, lenient) == nil {
				s.patch = patched(text)
			}
		}
	}
}

// inside reads what an object has as its text or as another result.
func (s *said) inside(list []member, depth int) (found bool) {
	for _, name := range []string{"content", "contents"} {
		if v := named(list, name); blocksIn(v) {
			inner := membersOf(v)
			s.blocks(inner, depth)
			found = true
			break
		}
	}
	for _, name := range textNames {
		var text string
		if v := named(list, name); !found && json.Unmarshal(v, &text, lenient) == nil && text != "" {
			s.words(text)
			found = true
		}
	}
	for _, f := range list {
		switch {
		case found && f.name != "contents" || len(f.value) < 2:
		case f.name == "contents" && blocksIn(f.value): // beside the text: how a command ended
			for _, b := range membersOf(f.value) {
				inner := membersOf(b.value)
				s.exitOf(inner)
			}
		case slices.Contains(innerNames, f.name) && (f.value[0] == '{' || f.value[0] == '['):
			s.envelope(f.value, depth+1)
			found = true
		}
	}
	return found
}

// blocks takes the pieces of a result's content.
func (s *said) blocks(list []member, depth int) {
	for _, f := range list {
		inner := membersOf(f.value)
		var text string
		switch {
		case json.Unmarshal(named(inner, "text"), &text, lenient) == nil && named(inner, "text") != nil:
			s.words(text)
		case len(named(inner, "content")) > 0 && named(inner, "content")[0] == '{': // as ACP has it
			s.blocks([]member{{value: named(inner, "content")}}, depth+1)
		case named(inner, exitNames...) != nil:
			s.exitOf(inner)
		default:
			s.media++
		}
	}
}

// each takes a list of results: it failed if one of them did.
func (s *said) each(list []member, n, depth int) {
	failed, why := 0, ""
	for _, f := range list {
		var one said
		one.envelope(f.value, depth+1)
		s.text.join(one.text)
		if n == 1 {
			s.ran = one.ran
		}
		if one.exit != nil && (s.exit == nil || *one.exit != 0) {
			s.exit = one.exit
		}
		if one.failed {
			failed++
			if why == "" {
				why = one.why
			}
		}
		if one.data != nil {
			s.data = one.data
		}
	}
	if n > 1 {
		s.data = nil
	}
	if s.failed = failed > 0; failed > 0 {
		if s.why = why; n > 1 {
			s.why = strings.TrimSuffix(strconv.Itoa(failed)+" of "+strconv.Itoa(n)+" failed: "+why, ": ")
		}
	}
	s.fine = failed == 0
}
