package commit

import (
	"bytes"

	"weft/backend/changes/review/hunk"
)

// Kind is the type of a path.
type Kind int

// Kinds.
const (
	Absent Kind = iota
	Regular
	Symlink
)

// Version is the content of a path at some time. The zero value means that there is nothing.
type Version struct {
	Kind       Kind
	Bytes      []byte // of a file, or the target of a link
	Text       bool   // Bytes can be compared by line
	Executable bool   // of a file
}

// Change is one accepted change of a file.
type Change struct{ Before, After Version }

func (v Version) same(o Version) bool {
	return v.Kind == o.Kind && v.Executable == o.Executable && bytes.Equal(v.Bytes, o.Bytes)
}

// lines reports whether v is a file whose lines can be compared.
func (v Version) lines() bool { return v.Kind == Regular && v.Text }

// With returns v with the change applied. Parts of the change that v already has are skipped. ok is false if the
// changed lines differ in v, so that the result would be a guess.
func (v Version) With(c Change) (out Version, ok bool) {
	switch {
	case v.same(c.After):
		return v, true
	case v.same(c.Before):
		return c.After, true
	case !v.lines() || !c.Before.lines() || !c.After.lines():
		return v, false
	}
	out = v
	if c.Before.Executable != c.After.Executable {
		out.Executable = c.After.Executable
	}
	// Skip the hunks that v already has.
	done := hunk.Compare(c.Before.Bytes, c.After.Bytes)
	there := done.In(v.Bytes)
	from := done.Accept(func(i int) bool { return there.Locations[i].Unchanged })
	// Apply the change by rejecting its inverse.
	opposite := hunk.Compare(c.After.Bytes, from)
	text, left := opposite.In(v.Bytes).Reject(func(int) bool { return true })
	if len(left) > 0 {
		return v, false
	}
	out.Bytes = text
	return out, true
}

// without reverts the differences of v from base that are no longer in present, because someone has reverted them.
func (v Version) without(base, present Version) Version {
	switch {
	case v.same(base):
		return v
	case !v.lines() || !base.lines() || !present.lines():
		if present.same(base) {
			return base
		}
		return v
	}
	back := hunk.Compare(v.Bytes, base.Bytes)
	there := back.In(present.Bytes)
	out := v
	out.Bytes = back.Accept(func(i int) bool { return there.Locations[i].Unchanged })
	if present.Executable == base.Executable {
		out.Executable = base.Executable
	}
	return out
}

// counts returns how many lines differ between two versions, or 0 if they can't be compared line by line.
func counts(a, b Version) (added, removed int) {
	if a.Kind == Symlink || b.Kind == Symlink || a.Kind == Regular && !a.Text || b.Kind == Regular && !b.Text {
		return 0, 0
	}
	return hunk.Counts(hunk.Diff(hunk.Lines(a.Bytes), hunk.Lines(b.Bytes)))
}
