package runs

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/workspace"
)

// textMeta is the `_meta` by which a text that is read says how the file is written on disk, and by which an agent says how it wants one to be
// written. Qwen Code uses it; what doesn't fit is taken as not said.
type textMeta struct {
	LineEnding jsontext.Value `json:"lineEnding,omitzero"` // "lf" or "crlf"
	Encoding   jsontext.Value `json:"encoding,omitzero"`   // "utf-8", "utf-16le" …
	BOM        jsontext.Value `json:"bom,omitzero"`
}

// saidOf is what an agent says of the form of a text.
func saidOf(meta jsontext.Value) (s workspace.Said) {
	var m textMeta
	if meta.Kind() != '{' || json.Unmarshal(meta, &m) != nil {
		return s
	}
	s.Ends, _ = textOf(m.LineEnding)
	s.Encoding, _ = textOf(m.Encoding)
	var bom bool
	if kind := m.BOM.Kind(); (kind == 't' || kind == 'f') && json.Unmarshal(m.BOM, &bom) == nil {
		s.BOM = &bom
	}
	return s
}

// textAnswer is the answer to fs/read_text_file.
type textAnswer struct {
	Content string    `json:"content"`
	Meta    *formMeta `json:"_meta,omitzero"`
}

type formMeta struct {
	LineEnding string `json:"lineEnding,omitzero"`
	Encoding   string `json:"encoding"`
	BOM        bool   `json:"bom"`
}

func readAnswer(t workspace.Text) textAnswer {
	a := textAnswer{Content: t.Content}
	if t.Form.Encoding != "" {
		a.Meta = &formMeta{LineEnding: t.Form.Ends, Encoding: t.Form.Encoding, BOM: t.Form.BOM}
	}
	return a
}

// maxRead is how many files are remembered as read.
const maxRead = 1 << 14

// noteRead notes that the agent has read a file through Weft. The mutex is held.
func (l *link) noteRead(path string) {
	if l.read == nil {
		l.read = map[string]bool{}
	}
	if len(l.read) < maxRead {
		l.read[l.s.fileKey(path)] = true
	}
}

// hasRead reports whether the agent has read a file through Weft in this session.
func (l *link) hasRead(path string) bool {
	l.s.Lock()
	defer l.s.Unlock()
	return l.read[l.s.fileKey(path)]
}
