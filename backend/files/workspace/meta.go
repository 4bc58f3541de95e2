package workspace

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// textMeta is the `_meta` that tells how a text is encoded on disk when it is read, and how an agent wants it to be
// encoded when it is written. Qwen Code uses it. Invalid values are ignored.
type textMeta struct {
	LineEnding jsontext.Value `json:"lineEnding,omitzero"` // "lf" or "crlf"
	Encoding   jsontext.Value `json:"encoding,omitzero"`   // "utf-8", "utf-16le" …
	BOM        jsontext.Value `json:"bom,omitzero"`
}

// RequestedForm returns the form that an agent requests in the `_meta` of a write request.
func RequestedForm(meta jsontext.Value) (s FormRequest) {
	var m textMeta
	if meta.Kind() != '{' || json.Unmarshal(meta, &m) != nil {
		return s
	}
	_ = json.Unmarshal(m.LineEnding, &s.Ends) // values of another type are ignored
	_ = json.Unmarshal(m.Encoding, &s.Encoding)
	var bom bool
	if kind := m.BOM.Kind(); (kind == 't' || kind == 'f') && json.Unmarshal(m.BOM, &bom) == nil {
		s.BOM = &bom
	}
	return s
}

// Answer is the response to fs/read_text_file.
type Answer struct {
	Content string    `json:"content"`
	Meta    *formMeta `json:"_meta,omitzero"`
}

type formMeta struct {
	LineEnding string `json:"lineEnding,omitzero"`
	Encoding   string `json:"encoding"`
	BOM        bool   `json:"bom"`
}

// Answer returns the text as a response to fs/read_text_file.
func (t Text) Answer() Answer {
	a := Answer{Content: t.Content}
	if t.Form.Encoding != "" {
		a.Meta = &formMeta{LineEnding: t.Form.Ends, Encoding: t.Form.Encoding, BOM: t.Form.BOM}
	}
	return a
}
