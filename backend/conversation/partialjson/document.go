package partialjson

import (
	"encoding/json"
	"slices"
)

// document is what was written, and which top-level fields of it are known.
type document struct {
	raw       []byte // all that was written, up to the byte that does not fit
	open, end int    // where the document begins and ends

	fields []Field        // those that are complete
	latest map[string]int // place in fields, of the last of each name
	last   int            // where the last of them ends

	inField bool   // a field is read
	name    string // of the field that was read last
	start   int    // where its value begins

	object []byte // as complete last made it
	taken  int    // how much of raw is in it
}

// write adds the next fragment.
func (d *document) write(fragment string) {
	if cap(d.raw)-len(d.raw) < len(fragment) {
		// Doubled, where append would take a quarter more: that copies five times as much.
		d.raw = slices.Grow(d.raw, max(cap(d.raw), len(fragment)))
	}
	d.raw = append(d.raw, fragment...)
}

// finish adds the field that is read, whose value ends before end. text is that of a string.
func (d *document) finish(end int, text string) Field {
	f := Field{Name: d.name, Raw: d.raw[d.start:end:end], text: text}
	if d.latest == nil {
		d.latest = map[string]int{}
	}
	d.latest[f.Name] = len(d.fields)
	d.fields = append(d.fields, f)
	d.inField, d.last = false, end
	return f
}

// reads reports whether the value of a field is being read.
func (d *document) reads(name string) bool { return d.inField && d.name == name }

// text returns the text of a field that is complete, "" if there is none.
func (d *document) text(name string) string {
	if i, ok := d.latest[name]; ok {
		return d.fields[i].text
	}
	return ""
}

// field returns the value of a field that is complete.
func (d *document) field(name string) (raw json.RawMessage, ok bool) {
	if i, ok := d.latest[name]; ok {
		return d.fields[i].Raw, true
	}
	return nil, false
}

// whole returns the document once it is complete.
func (d *document) whole() json.RawMessage { return d.raw[d.open:d.end:d.end] }

// complete returns an object of the fields that are complete, of which there must be one.
func (d *document) complete() json.RawMessage {
	d.object = append(append(d.object[:max(len(d.object)-1, 0)], d.raw[max(d.taken, d.open):d.last]...), '}')
	d.taken = d.last
	return d.object
}
