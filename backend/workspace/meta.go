package workspace

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// textMeta is the `_meta` by which a text that is read says how the file is written on disk, and by which an agent says how it wants one to be
// written. Qwen Code uses it; what doesn't fit is taken as not said.
type textMeta struct {
	LineEnding jsontext.Value `json:"lineEnding,omitzero"` // "lf" or "crlf"
	Encoding   jsontext.Value `json:"encoding,omitzero"`   // "utf-8", "utf-16le" …
	BOM        jsontext.Value `json:"bom,omitzero"`
}

// SaidIn returns what an agent says about the form of a text in the `_meta` of a request to write it.
func SaidIn(meta jsontext.Value) (s Said) {
	var m textMeta
	if meta.Kind() != '{' || json.Unmarshal(meta, &m) != nil {
		return s
	}
	_ = json.Unmarshal(m.LineEnding, &s.Ends) // what is no text is taken as not said
	_ = json.Unmarshal(m.Encoding, &s.Encoding)
	var bom bool
	if kind := m.BOM.Kind(); (kind == 't' || kind == 'f') && json.Unmarshal(m.BOM, &bom) == nil {
		s.BOM = &bom
	}
	return s
}

// Answer is that to fs/read_text_file.
type Answer struct {
	Content string    `json:"content"`
	Meta    *formMeta `json:"_meta,omitzero"`
}

type formMeta struct {
	LineEnding string `json:"lineEnding,omitzero"`
	Encoding   string `json:"encoding"`
	BOM        bool   `json:"bom"`
}

// Answer returns the text as the answer to fs/read_text_file.
func (t Text) Answer() Answer {
	a := Answer{Content: t.Content}
	if t.Form.Encoding != "" {
		a.Meta = &formMeta{LineEnding: t.Form.Ends, Encoding: t.Form.Encoding, BOM: t.Form.BOM}
	}
	return a
}
