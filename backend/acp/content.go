package acp

import (
	"weft/backend/base/scan"
	"weft/backend/conversation/transcript"
)

// maxPieces is how many pieces of a tool call's content are decoded. A piece can be three
// bytes on the wire and takes hundreds in memory, so the rest stays raw.
const maxPieces = 4096

// block reads a content block (ACP Content). For images and audio, Text has the base64 data
// and Mime the type. A block of an unknown type, or without a required member, becomes
// "unknown" with the raw block. It returns false if v is not an object.
func block(v []byte) (transcript.Content, bool) {
	if len(v) == 0 || v[0] != '{' {
		return transcript.Content{}, false
	}
	var kind, body, data, mime, uri, name, title, description, resource []byte
	for n, value := range scan.Fields(v) {
		switch string(n) {
		case "type":
			kind = value
		case "text":
			body = value
		case "data":
			data = value
		case "mimeType":
			mime = value
		case "uri":
			uri = value
		case "name":
			name = value
		case "title":
			title = value
		case "description":
			description = value
		case "resource":
			resource = value
		}
	}
	c := transcript.Content{}
	ok := false
	c.Type, _ = scan.Text(kind)
	c.Mime, _ = scan.Text(mime)
	c.URI, _ = scan.Text(uri)
	switch c.Type {
	case "text":
		c.Mime, c.URI = "", ""
		c.Text, ok = scan.Text(body)
	case "image", "audio":
		c.Text, ok = scan.Text(data)
		ok = ok || c.URI != ""
	case "resource":
		c, ok = embedded(resource)
	case "resource_link":
		ok = c.URI != ""
		if c.Name, _ = scan.Text(title); c.Name == "" {
			c.Name, _ = scan.Text(name)
		}
		c.Text, _ = scan.Text(description)
	}
	if !ok {
		return unknown(v), true
	}
	return c, true
}

// embedded reads {uri, mimeType?, text | blob}. A blob stays in Raw.
func embedded(v []byte) (transcript.Content, bool) {
	c := transcript.Content{Type: "resource"}
	var body, blob []byte
	for n, value := range scan.Fields(v) {
		switch string(n) {
		case "uri":
			c.URI, _ = scan.Text(value)
		case "mimeType":
			c.Mime, _ = scan.Text(value)
		case "text":
			body = value
		case "blob":
			blob = value
		}
	}
	var ok bool
	if c.Text, ok = scan.Text(body); !ok && !scan.Null(blob) {
		c.Raw, ok = scan.Clone(v), true
	}
	return c, ok || c.URI != ""
}

func unknown(v []byte) transcript.Content {
	return transcript.Content{Type: "unknown", Raw: scan.Clone(v)}
}

// toolContent reads a tool call's content (ACP Tool Calls, Content): blocks, diffs and
// terminals. Anything else becomes "unknown" with the raw value.
func toolContent(v []byte) []transcript.Content {
	out := []transcript.Content{}
	if v[0] != '[' {
		return append(out, piece(v))
	}
	behind := 0
	for end, value := range scan.Elements(v) {
		if len(out) == maxPieces {
			rest := append([]byte{'['}, v[behind:]...)
			if rest[1] == ',' {
				rest = append(rest[:1], rest[2:]...)
			}
			return append(out, transcript.Content{Type: "unknown", Raw: rest})
		}
		out = append(out, piece(value))
		behind = end
	}
	return out
}

func piece(v []byte) transcript.Content {
	if s, ok := scan.Text(v); ok {
		return transcript.Content{Type: "text", Text: s}
	}
	kind, _ := scan.Text(scan.Member(v, "type"))
	switch kind {
	case "content":
		inner := scan.Member(v, "content")
		if s, ok := scan.Text(inner); ok {
			return transcript.Content{Type: "text", Text: s}
		}
		if c, ok := block(inner); ok && c.Type != "unknown" {
			return c
		}
	case "diff":
		if c, ok := diff(v); ok {
			return c
		}
	case "terminal":
		if id, ok := scan.Label(scan.Member(v, "terminalId")); ok {
			return transcript.Content{Type: "terminal", Terminal: id}
		}
	case "text", "image", "audio", "resource", "resource_link":
		if c, ok := block(v); ok {
			return c
		}
	}
	return unknown(v)
}

// diff reads {path, oldText?, newText}. Without oldText the file is new.
func diff(v []byte) (transcript.Content, bool) {
	c := transcript.Content{Type: "diff", NewFile: true}
	var hasPath, hasNew bool
	for n, value := range scan.Fields(v) {
		switch string(n) {
		case "path":
			c.Path, hasPath = scan.Text(value)
		case "oldText":
			c.OldText = ""
			c.NewFile = scan.Null(value)
			if s, ok := scan.Text(value); ok {
				c.OldText = s
			} else if !c.NewFile {
				return c, false
			}
		case "newText":
			c.NewText, hasNew = scan.Text(value)
			hasNew = hasNew || scan.Null(value) // the file was deleted
		}
	}
	return c, hasPath && hasNew
}

// locations reads [{path, line?}]. It skips entries without a path and entries beyond maxPieces; clean is then false.
func locations(v []byte) (list []transcript.Location, clean bool) {
	list, clean = []transcript.Location{}, true
	for _, value := range scan.Elements(v) {
		l := transcript.Location{}
		ok := false
		for n, f := range scan.Fields(value) {
			switch string(n) {
			case "path":
				l.Path, ok = scan.Text(f)
			case "line":
				if line, isNumber := scan.Integer(f); isNumber && line > 0 {
					l.Line = &line
				}
			}
		}
		if !ok || len(list) == maxPieces {
			clean = false
			continue
		}
		list = append(list, l)
	}
	return list, clean
}
