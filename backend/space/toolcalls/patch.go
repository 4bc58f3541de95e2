package toolcalls

import (
	"bytes"
	"hash/maphash"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/patch"
	"weft/backend/conversation/transcript"
)

// Limits for finding a patch in arguments.
const (
	maxPatch      = 1 << 20 // bytes
	maxPatchReads = 8       // how often the arguments of a call may change and its files are read
	maxPatchDepth = 6
)

var hashSeed = maphash.MakeSeed()

// patchOf returns the known patch in the arguments of a call, or nil, and adds to l what must be read.
func (c *Changes) patchOf(p *transcript.ToolPatch, l *Look) *patched {
	var known *patched
	pending := 0
	if was := c.calls[p.ID]; was != nil {
		known, pending = was.made, was.pending
	}
	if len(p.Input) == 0 || len(p.Input) > maxPatch || !bytes.Contains(p.Input, []byte("*** ")) && !bytes.Contains(p.Input, []byte("--- ")) && !bytes.Contains(p.Input, []byte("diff --git ")) {
		return known
	}
	key := maphash.Bytes(hashSeed, p.Input)
	if known != nil && (known.input == key || known.reads >= maxPatchReads) {
		return known
	}
	files, closed := findPatch(p.Input, 0)
	if len(files) == 0 {
		return known // also if a request repeats only a part of the call
	}
	if !closed && !p.Announced && (p.Status == nil || *p.Status == transcript.StatusPending) && !l.as.Asking {
		return known // it may be incomplete
	}
	if c.calls[p.ID] == nil && len(c.calls) >= MaxCalls || pending >= maxPatchReads {
		return known
	}
	l.files, l.input = files, key
	return known
}

// findPatch returns the first patch among the arguments, at any depth and under any name. closed reports that its end
// is marked.
func findPatch(v jsontext.Value, depth int) (files []patch.File, closed bool) {
	if depth > maxPatchDepth {
		return nil, false
	}
	switch v.Kind() {
	case '"':
		var s string
		if json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) != nil {
			return nil, false
		}
		if strings.HasPrefix(s, "{") && jsontext.Value(s).IsValid() { // arguments encoded as text
			return findPatch(jsontext.Value(s), depth+1)
		}
		return patch.Parse(s), strings.Contains(s, "*** End Patch")
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list, jsontext.AllowInvalidUTF8(true)) != nil {
			return nil, false
		}
		for _, e := range list[:min(len(list), maxPatchFiles)] {
			if files, closed = findPatch(e, depth+1); files != nil {
				return files, closed
			}
		}
	case '{':
		dec := jsontext.NewDecoder(strings.NewReader(string(v)), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		_, _ = dec.ReadToken()
		for dec.PeekKind() == '"' {
			if _, err := dec.ReadToken(); err != nil {
				return nil, false
			}
			e, err := dec.ReadValue()
			if err != nil {
				return nil, false
			}
			if files, closed = findPatch(e.Clone(), depth+1); files != nil {
				return files, closed
			}
		}
	default:
	}
	return nil, false
}
