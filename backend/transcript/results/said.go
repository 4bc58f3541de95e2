package results

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// said is what a payload of a call says about its result.
type said struct {
	text   textFacts // of the output
	ran    ran       // the same as of a command
	failed bool      // it says that the call failed
	fine   bool      // it says that it did not
	why    string    // the error that it names
	exit   *int      // of a command
	data   *dataset  // what it returned, where that is structured
	parts  int       // texts that are documents each
	media  int       // pictures, sounds, files
	patch  changed

	structured bool // data is what the protocol calls the structured content
}

// The members that agents use. What has another name is data.
var (
	exitNames = []string{"exit", "exitCode", "exit_code", "returnCode", "return_code", "returncode"}
	textNames = []string{"output", "stdout", "content", "text", "result"}
	// innerNames are those under which a result is in another object.
	innerNames = []string{"result", "Ok", "output", "response", "functionResponse", "error"}
)

// words takes a text of a result. Where all of it is JSON, or a part, that is read as data.
func (s *said) words(text string) {
	sent := len(text)
	text = bare(text)
	defer func(before int) { s.text.bytes = before + sent }(s.text.bytes)
	if !s.ran.around {
		s.ran = ranIn(text)
	}
	rest, document := parted(text)
	switch {
	case document == nil:
		s.text.add(text)
		return
	case rest == "" && isResult(document):
		s.envelope(document, 1)
		return
	}
	s.text.document(text, rest)
	switch {
	case isResult(document):
		s.envelope(document, 1)
		return
	case document[0] == '{':
		s.told(membersOf(document), false)
		s.parts++
	}
	d := dataOf(document, 0)
	if s.parts > 1 { // a list, one piece for each
		d = dataset{n: count(s.parts), come: amount(s.parts, "")}
	}
	s.data = &d
}

// failure is the error that it names, "" if it does not say that the call failed.
func (s *said) failure() string {
	if !s.failed {
		return ""
	}
	return s.why
}

// output is the text of a command without what is around it, unless that is about a command that ended with another code.
func (s *said) output(code *int) textFacts {
	if s.ran.around && (s.ran.exit == nil || *s.ran.exit == *code) {
		return s.ran.text
	}
	return s.text
}

// isResult reports whether a document that is a text has the form of a result, and is not data of the tool's own.
func isResult(v jsontext.Value) bool {
	list := membersOf(v)
	if v[0] == '[' {
		return outcomes(list)
	}
	return blocksIn(named(list, "content")) || named(list, "isError") != nil || commandResult(list) || ends(v) && named(list, "result").Kind() == '"'
}

// commandResult reports whether an object is what came of a command.
func commandResult(list []member) bool {
	return named(list, exitNames...) != nil && (named(list, textNames...) != nil || named(list, "stderr") != nil)
}

// ends reports whether an object tells how what it is about has ended.
func ends(v jsontext.Value) bool {
	list := membersOf(v)
	k := named(list, "success", "isError").Kind()
	return v[0] == '{' && (k == 't' || k == 'f' || named(list, "functionResponse").Kind() == '{')
}

// outcomes reports whether a list is one of results, each of which tells how it ended.
func outcomes(list []member) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(f member) bool { return !ends(f.value) })
}

// blocksIn reports whether a value is a list of content blocks.
func blocksIn(v jsontext.Value) bool {
	list := membersOf(v)
	return len(list) > 0 && v[0] == '[' && !slices.ContainsFunc(list, func(f member) bool {
		inner := membersOf(f.value)
		switch textIn(inner, "type") {
		case "text":
			return named(inner, "text") == nil
		case "image", "audio", "resource", "resource_link", "content", "shell_exit":
			return false
		}
		return true
	})
}

// envelope takes a result as an agent or a protocol writes it.
func (s *said) envelope(v jsontext.Value, depth int) {
	list := membersOf(v)
	switch {
	case depth > maxDepth:
	case v.Kind() == '"':
		var text string
		_ = json.Unmarshal(v, &text, lenient)
		s.words(text)
	case v.Kind() == '{':
		s.object(v, list, depth)
	case blocksIn(v):
		s.blocks(list, depth)
	case outcomes(list):
		s.each(list, depth)
	case v.Kind() == '[':
		d := dataOf(v, 0)
		s.data = &d
	}
}

func (s *said) object(v jsontext.Value, list []member, depth int) {
	s.told(list, true)
	// A patch is beside the text, or in what some agents call its details.
	for _, in := range [][]member{list, membersOf(named(list, "details", "metadata"))} {
		if s.patch.files == 0 {
			s.patch = patched(textIn(in, patchNames...))
		}
	}
	found := s.inside(list, depth)
	if structured := named(list, "structuredContent", "structured_content"); structured != nil {
		inner := membersOf(structured)
		if len(inner) == 1 && inner[0].name == "result" { // of servers that wrap what is no object
			structured = inner[0].value
		} else if len(inner) == 1 && s.text.lines > 0 && textIn(inner, textNames...) != "" {
			return // the text once more
		}
		if d := dataOf(structured, 0); !d.scalar {
			s.data, s.structured = &d, true
		}
		return
	}
	if !found && !commandResult(list) {
		if d := dataOf(v, 0); d.n != nil || d.own != "" || depth > 0 {
			s.data = &d
		}
	}
}

// inside reads what an object has as its text or as another result.
func (s *said) inside(list []member, depth int) (found bool) {
	if v := named(list, "content", "contents"); blocksIn(v) {
		s.blocks(membersOf(v), depth)
		return true
	}
	if text := textIn(list, textNames...); text != "" {
		s.words(text)
		return true
	}
	for _, name := range innerNames {
		if v := named(list, name); len(membersOf(v)) > 0 {
			s.envelope(v, depth+1)
			return true
		}
	}
	return false
}

// blocks takes the pieces of a result's content.
func (s *said) blocks(list []member, depth int) {
	for _, f := range list {
		inner := membersOf(f.value)
		switch {
		case named(inner, "text").Kind() == '"':
			s.words(textIn(inner, "text"))
		case named(inner, "content").Kind() == '{': // as ACP has it
			s.blocks([]member{{value: named(inner, "content")}}, depth+1)
		case named(inner, exitNames...) == nil:
			s.media++
		}
	}
}

// each takes a list of results: it failed if one of them did.
func (s *said) each(list []member, depth int) {
	if len(list) == 1 {
		s.envelope(list[0].value, depth+1)
		return
	}
	failed := 0
	for _, f := range list {
		var one said
		one.envelope(f.value, depth+1)
		s.text.join(one.text)
		if one.failed {
			failed++
			s.why, s.exit = cmp.Or(s.why, one.why), cmp.Or(s.exit, one.exit)
		}
	}
	if s.failed, s.fine = failed > 0, failed == 0; s.failed {
		s.why = strings.TrimSuffix(strconv.Itoa(failed)+" of "+strconv.Itoa(len(list))+" failed: "+s.why, ": ")
	}
}

// told takes what an object says of how the call ended. Of the own words of an agent or a protocol more is believed
// than of a tool's data, which may be about something else that failed.
func (s *said) told(list []member, own bool) {
	s.exitOf(list)
	is := func(value string, names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return string(named(list, name)) == value })
	}
	fine := is("true", "success", "ok", "succeeded") || is("false", "isError", "is_error") || s.exit != nil && *s.exit == 0
	failed := is("true", "isError", "is_error", "timedOut", "timed_out") || is("false", "success", "ok", "succeeded") || s.exit != nil && *s.exit != 0 || named(list, "Err") != nil
	message, says := errorOf(named(list, "error", "Err"))
	if errs := membersOf(named(list, "errors")); message == "" && len(errs) > 0 && len(list) <= 3 && (own || named(list, "data") == nil) {
		message, says = errorOf(errs[0].value)
	}
	says = says || textIn(list, "status") == "error" || strings.HasPrefix(textIn(list, "type"), "error")
	says = says || own && (slices.Contains([]string{"failed", "error"}, textIn(list, "outcome")) || textIn(list, "status") == "failed" && named(list, textNames...) != nil)
	failed = failed || says && !fine
	if message = cmp.Or(message, brief(textIn(list, "message", "msg", "stderr", "reason", "detail"))); message != "" && (s.why == "" || failed && !s.failed) {
		s.why = strings.Clone(message)
	}
	s.failed, s.fine = s.failed || failed, s.fine || fine && !failed
}

// errorOf reads an error as tools write it: a text, or an object with a message. says reports whether there is one.
func errorOf(v jsontext.Value) (message string, says bool) {
	list := membersOf(v)
	switch v.Kind() {
	case '"':
		var text string
		_ = json.Unmarshal(v, &text, lenient)
		text = brief(text)
		return text, text != "" && text != "(none)"
	case '{':
		if blocks := named(list, "content"); blocksIn(blocks) {
			var inner said
			inner.blocks(membersOf(blocks), 1)
			return inner.text.brief, true
		}
		return brief(textIn(list, "message", "msg", "detail", "reason", "error", "description")), len(list) > 0
	case 't':
		return "", true
	default:
		return "", false
	}
}

// exitOf takes the exit code of a command.
func (s *said) exitOf(list []member) {
	if code := number(string(named(list, exitNames...))); code != nil {
		s.exit = code
		return
	}
	if meta := named(list, "metadata"); meta.Kind() == '{' {
		s.exitOf(membersOf(meta))
	}
	for _, f := range membersOf(named(list, "contents")) { // beside the text
		s.exitOf(membersOf(f.value))
	}
}
