package rpc

import (
	"bytes"

	"weft/backend/base/lazyregexp"
	"weft/backend/base/scan"
)

// maxEnds is how many bytes at the beginning and at the end of a damaged message are searched for its id.
const maxEnds = 4 << 10

var (
	// idWithin finds the id of a response whose beginning is missing.
	idWithin = lazyregexp.New(`"id"\s*:\s*(-?[0-9][-+.0-9eE]*|"[^"\\]*")\s*,\s*"(?:result|error)"\s*:`)
	// idBehind finds the id at the end of a message.
	idBehind = lazyregexp.New(`[}\]"0-9a-z]\s*,\s*"id"\s*:\s*(-?[0-9][-+.0-9eE]*|"[^"\\]*")\s*}?[^"{}]*$`)
)

// OfEnds reads a message of which only the beginning and the end were kept. The last member of the beginning may be
// incomplete.
func OfEnds(head, tail []byte) Message {
	m := ofHead(head)
	if m.ID == nil {
		m.idIn(idBehind, tail)
	}
	return m
}

func ofHead(head []byte) (m Message) {
	for name, value := range scan.OpenFields(head) {
		m.set(name, value)
	}
	return m
}

func (m *Message) idIn(pattern *lazyregexp.Regexp, text []byte) {
	if found := pattern.FindSubmatch(text); found != nil {
		m.ID = found[1]
	}
}

// damaged reads the id of a message that isn't valid JSON, and the method if it is a request. It returns nil if the
// text may not be a message or has no readable id.
func damaged(text []byte) *Message {
	head, tail := text[:min(len(text), maxEnds)], text[max(0, len(text)-maxEnds):]
	m := ofHead(head)
	switch {
	case len(text) > 0 && text[0] != '{' && !bytes.Contains(text, []byte(`"method"`)):
		lost, _, _ := bytes.Cut(head, []byte{'{'})
		m.idIn(idWithin, lost)
		m.versioned = true
	case m.ID == nil && m.Method == nil && (m.versioned || m.Result != nil):
		m.idIn(idBehind, tail)
	}
	_, whole := scan.Text(m.Method)
	_, known := scan.Label(m.ID)
	if !known || m.Method != nil && !whole || !m.versioned && m.Result == nil && m.Error == nil {
		return nil
	}
	return &m
}
