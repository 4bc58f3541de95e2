package results

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// said is the information that a payload has about its call's result.
type said struct {
	text   textFacts // of the output
	ran    ran       // the same, read as output of a command
	failed bool      // the payload says that the call failed
	fine   bool      // the payload says that the call succeeded
	why    string    // the error message
	exit   *int      // of a command
	data   *dataset  // the returned structured data
	parts  int       // number of texts that are documents
	media  int       // number of images, audio and files
	patch  changed

	structured bool // data comes from the protocol's structured content
}

// Names of members that agents use. Members with other names are data.
var (
	exitNames = []string{"exit", "exitCode", "exit_code", "returnCode", "return_code", "returncode"}
	textNames = []string{"output", "stdout", "content", "text", "result"}
	// innerNames are the names of members that hold the result inside another object.
	innerNames = []string{"result", "Ok", "output", "response", "functionResponse", "error"}
)

// readText reads a text of a result. If all or part of it is JSON, words reads that as data.
func (s *said) readText(text string) {
	sent := len(text)
	text = unwrapped(text)
	defer func(before int) { s.text.bytes = before + sent }(s.text.bytes)
	if !s.ran.wrapped {
		s.ran = ranIn(text)
	}
	rest, document := splitDocument(text)
	switch {
	case document == nil:
		s.text.add(text)
		return
	case rest == "" && isResult(document):
		s.readEnvelope(document, 1)
		return
	}
	s.text.document(text, rest)
	switch {
	case isResult(document):
		s.readEnvelope(document, 1)
		return
	case document[0] == '{':
		s.readOutcome(membersOf(document), false)
		s.parts++
	}
	d := dataOf(document, 0)
	if s.parts > 1 { // a list with one piece for each document
		d = dataset{n: count(s.parts), description: amount(s.parts, "")}
	}
	s.data = &d
}

// failure returns the error, or "" if the payload doesn't say that the call failed.
func (s *said) failure() string {
	if !s.failed {
		return ""
	}
	return s.why
}

// output returns the output of a command without the lines that agents add, unless these lines report another exit
// code.
func (s *said) output(code *int) textFacts {
	if s.ran.wrapped && (s.ran.exit == nil || *s.ran.exit == *code) {
		return s.ran.text
	}
	return s.text
}

// isResult reports whether a document in a text has the form of a result rather than of the tool's data.
func isResult(v jsontext.Value) bool {
	list := membersOf(v)
	if v[0] == '[' {
		return outcomes(list)
	}
	return blocksIn(named(list, "content")) || named(list, "isError") != nil || commandResult(list) || ends(v) && named(list, "result").Kind() == '"'
}

// commandResult reports whether an object is the result of a command.
func commandResult(list []member) bool {
	return named(list, exitNames...) != nil && (named(list, textNames...) != nil || named(list, "stderr") != nil)
}

// ends reports whether an object has an outcome.
func ends(v jsontext.Value) bool {
	list := membersOf(v)
	k := named(list, "success", "isError").Kind()
	return v[0] == '{' && (k == 't' || k == 'f' || named(list, "functionResponse").Kind() == '{')
}

// outcomes reports whether a list consists of results that each have an outcome.
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

// readEnvelope reads a result in the format of an agent or a protocol.
func (s *said) readEnvelope(v jsontext.Value, depth int) {
	list := membersOf(v)
	switch {
	case depth > maxDepth:
	case v.Kind() == '"':
		var text string
		_ = json.Unmarshal(v, &text, lenient)
		s.readText(text)
	case v.Kind() == '{':
		s.object(v, list, depth)
	case blocksIn(v):
		s.readBlocks(list, depth)
	case outcomes(list):
		s.readResults(list, depth)
	case v.Kind() == '[':
		d := dataOf(v, 0)
		s.data = &d
	}
}

func (s *said) object(v jsontext.Value, list []member, depth int) {
	s.readOutcome(list, true)
	// A patch is next to the text, or in the details that some agents add.
	for _, in := range [][]member{list, membersOf(named(list, "details", "metadata"))} {
		if s.patch.files == 0 {
			s.patch = patched(textIn(in, patchNames...))
		}
	}
	found := s.readInner(list, depth)
	if structured := named(list, "structuredContent", "structured_content"); structured != nil {
		inner := membersOf(structured)
		if len(inner) == 1 && inner[0].name == "result" { // some servers wrap a value that is not an object
			structured = inner[0].value
		} else if len(inner) == 1 && s.text.lines > 0 && textIn(inner, textNames...) != "" {
			return // a copy of the text
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

// readInner reads an object's text or inner result.
func (s *said) readInner(list []member, depth int) (found bool) {
	if v := named(list, "content", "contents"); blocksIn(v) {
		s.readBlocks(membersOf(v), depth)
		return true
	}
	if text := textIn(list, textNames...); text != "" {
		s.readText(text)
		return true
	}
	for _, name := range innerNames {
		if v := named(list, name); len(membersOf(v)) > 0 {
			s.readEnvelope(v, depth+1)
			return true
		}
	}
	return false
}

// readBlocks reads the blocks of a result's content.
func (s *said) readBlocks(list []member, depth int) {
	for _, f := range list {
		inner := membersOf(f.value)
		switch {
		case named(inner, "text").Kind() == '"':
			s.readText(textIn(inner, "text"))
		case named(inner, "content").Kind() == '{': // in ACP's format
			s.readBlocks([]member{{value: named(inner, "content")}}, depth+1)
		case named(inner, exitNames...) == nil:
			s.media++
		}
	}
}

// readResults reads a list of results. The call failed if one of them failed.
func (s *said) readResults(list []member, depth int) {
	if len(list) == 1 {
		s.readEnvelope(list[0].value, depth+1)
		return
	}
	failed := 0
	for _, f := range list {
		var one said
		one.readEnvelope(f.value, depth+1)
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

// readOutcome reads an object's outcome. An agent or a protocol (own) is trusted more than a tool's data, which may be
// about some other failure.
func (s *said) readOutcome(list []member, own bool) {
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

// errorOf reads an error: a text, or an object with a message. says reports whether there is one.
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
			inner.readBlocks(membersOf(blocks), 1)
			return inner.text.brief, true
		}
		return brief(textIn(list, "message", "msg", "detail", "reason", "error", "description")), len(list) > 0
	case 't':
		return "", true
	default:
		return "", false
	}
}

// exitOf reads the exit code of a command.
func (s *said) exitOf(list []member) {
	if code := number(string(named(list, exitNames...))); code != nil {
		s.exit = code
		return
	}
	if meta := named(list, "metadata"); meta.Kind() == '{' {
		s.exitOf(membersOf(meta))
	}
	for _, f := range membersOf(named(list, "contents")) { // next to the text
		s.exitOf(membersOf(f.value))
	}
}
