package sessionfiles

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

var replacement = []byte("\uFFFD")

// Clean returns a text as UTF-8. ok is false if it isn't JSON.
func Clean(text []byte, w *Writer) (clean []byte, ok bool) {
	text, replaced := UTF8(text)
	if replaced {
		w.Note(fault.Say("Bytes that aren't UTF-8 were replaced."))
	}
	return text, scan.Valid(text)
}

// UTF8 returns a text with what isn't UTF-8 in it replaced.
func UTF8(text []byte) (clean []byte, replaced bool) {
	if utf8.Valid(text) {
		return text, false
	}
	return bytes.ToValidUTF8(text, replacement), true
}

// Document returns the members of a JSON document. The error is a [FileError].
func Document(text []byte, w *Writer) (Object, error) {
	text, ok := Clean(text, w)
	if !ok {
		return nil, ErrNotJSON
	}
	return Members(text), nil
}

// Value returns a copy of a JSON value in one line; nil for null.
func Value(v []byte) jsontext.Value {
	if scan.Null(v) {
		return nil
	}
	out := jsontext.Value(bytes.Clone(v))
	if bytes.IndexByte(out, '\n') >= 0 && out.Compact(scan.Lenient) != nil {
		return nil
	}
	return out
}

// Text returns a JSON string, "" for anything else.
func Text(v []byte) string {
	s, _ := scan.Text(v)
	return s
}

// Quoted returns what is between the quotes of a JSON string without escapes, nil for anything else.
func Quoted(v []byte) []byte {
	if len(v) < 3 || v[0] != '"' {
		return nil
	}
	return v[1 : len(v)-1]
}

// Truth reports whether a value is true.
func Truth(v []byte) bool { return string(v) == "true" }

// Object is the members of an object by their names. Values are parts of it.
type Object map[string][]byte

// Members returns the members of an object, nil if it is none.
func Members(v []byte) Object {
	if len(v) == 0 || v[0] != '{' {
		return nil
	}
	o := Object{}
	for name, value := range scan.Fields(v) {
		o[string(name)] = value
	}
	return o
}

// Text returns the first of the members that is a string and not empty.
func (o Object) Text(names ...string) string {
	for _, name := range names {
		if s := Text(o[name]); s != "" {
			return s
		}
	}
	return ""
}

// Asked reads what the arguments of a call say about it.
func (o Object) Asked() Asked {
	a := Asked{
		Path:        o.Text("file_path", "filePath", "path", "absolute_path", "notebook_path", "dir_path"),
		Command:     o.Text("command", "cmd"),
		Pattern:     o.Text("pattern", "query"),
		URL:         o.Text("url"),
		Description: o.Text("description"),
	}
	if a.Command == "" {
		a.Command = Command(o["command"])
	}
	return a
}

// Command returns a command that is a list of arguments as a line, without the shell around it.
func Command(v []byte) string {
	var words []string
	for _, e := range scan.Elements(v) {
		words = append(words, Text(e))
	}
	if len(words) == 3 && (strings.HasSuffix(words[0], "sh") || strings.HasSuffix(words[0], "bash")) && strings.HasPrefix(words[1], "-") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// Picture returns a picture or sound whose data is base64. ok is false if it isn't.
func Picture(mime, data string) (c transcript.Content, ok bool) {
	family, _, _ := strings.Cut(mime, "/")
	if family != "image" && family != "audio" || data == "" {
		return c, false
	}
	if _, err := base64.StdEncoding.DecodeString(data); err != nil {
		return c, false
	}
	return transcript.Content{Type: family, Text: data, Mime: mime}, true
}

// Link returns a link to a file or an address.
func Link(name, uri, mime string) transcript.Content {
	if name == "" {
		name = uri
	}
	return transcript.Content{Type: "resource_link", Name: line(name), URI: uri, Mime: mime}
}

// DataURL returns what is in a data: URL. ok is false if it is none with base64.
func DataURL(url string) (mime, data string, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", "", false
	}
	head, data, ok := strings.Cut(rest, ",")
	mime, found := strings.CutSuffix(head, ";base64")
	return mime, data, ok && found
}

// Inner returns what is between two tags, "" if they aren't there.
func Inner(s, tag string) string {
	_, rest, ok := strings.Cut(s, "<"+tag+">")
	if !ok {
		return ""
	}
	inner, _, ok := strings.Cut(rest, "</"+tag+">")
	if !ok {
		return ""
	}
	return inner
}
