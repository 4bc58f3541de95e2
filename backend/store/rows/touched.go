package rows

import "weft/backend/conversation/transcript"

// Touched is what a fold changed, for the search index.
type Touched struct {
	Units    []Unit
	Messages []int64 // messages that have something new or have ended, each once

	units    map[Location]int
	messages map[int64]bool
}

// Unit is a searchable text: a text segment or a display (item -1), an item, or with segment -1 the error of a message.
type Unit struct {
	Location
	Fresh bool // it began in this fold
}

// Touched returns what the last [Fold.Add] changed.
func (f *Fold) Touched() *Touched { return &f.touched }

func (t *Touched) unit(p Location, fresh bool) {
	t.message(p.Mid)
	if _, known := t.units[p]; known {
		return
	}
	if t.units == nil {
		t.units = map[Location]int{}
	}
	t.units[p] = len(t.Units)
	t.Units = append(t.Units, Unit{p, fresh})
}

func (t *Touched) message(mid int64) {
	if t.messages[mid] {
		return
	}
	if t.messages == nil {
		t.messages = map[int64]bool{}
	}
	t.messages[mid] = true
	t.Messages = append(t.Messages, mid)
}

// write writes the collected changes, and records which texts they touch.
func (f *Fold) write() error {
	for _, s := range f.fresh {
		if s.typ == transcript.SegmentToolGroup {
			f.touched.message(s.Mid) // the previous segments are complete
			continue
		}
		f.touched.unit(Location{s.Mid, s.Seg, -1}, true)
	}
	for _, it := range f.items {
		f.touched.unit(it.Location, true)
	}
	for _, c := range f.dirty {
		f.touched.unit(c.Location, c.isNew)
	}
	for _, key := range f.order {
		f.touched.unit(key.Location, false)
	}
	return f.flush()
}
