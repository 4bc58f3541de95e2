package secret

import (
	"slices"
	"strings"
)

// index finds known forms of secrets in texts. The cost of a look at a place does not grow with the number of forms:
// most places are ruled out by their first two bytes, the others by the first four and the lengths that begin so.
type index struct {
	count   map[string]int       // of each form, how often it was added
	pairs   [1 << 16]uint16      // first two bytes: how many buckets begin so
	bits    [1 << 16 / 64]uint64 // which of pairs are not 0, small enough for the fastest cache
	begin   map[[shortest]byte]*bucket
	longest int
}

// bucket holds the forms with the same first bytes.
type bucket struct {
	forms   []string // sorted
	lengths []int    // of forms, longest first, each once
}

func newIndex() *index {
	return &index{count: map[string]int{}, begin: map[[shortest]byte]*bucket{}}
}

func pair(b []byte) uint { return uint(b[0])<<8 | uint(b[1]) }

// add takes a form of at least shortest bytes.
func (x *index) add(form string) {
	x.count[form]++
	if x.count[form] > 1 {
		return
	}
	first := [shortest]byte([]byte(form[:shortest]))
	b := x.begin[first]
	if b == nil {
		b = &bucket{}
		x.begin[first] = b
		p := pair(first[:])
		x.pairs[p]++
		x.bits[p/64] |= 1 << (p % 64)
	}
	at, _ := slices.BinarySearch(b.forms, form)
	b.forms = slices.Insert(b.forms, at, form)
	b.measure()
	x.longest = max(x.longest, len(form))
}

// remove takes back one add.
func (x *index) remove(form string) {
	if x.count[form] > 1 {
		x.count[form]--
		return
	}
	if x.count[form] == 0 {
		return
	}
	delete(x.count, form)
	first := [shortest]byte([]byte(form[:shortest]))
	b := x.begin[first]
	if at, ok := slices.BinarySearch(b.forms, form); ok {
		b.forms = slices.Delete(b.forms, at, at+1)
	}
	b.measure()
	if len(b.forms) == 0 {
		delete(x.begin, first)
		p := pair(first[:])
		if x.pairs[p]--; x.pairs[p] == 0 {
			x.bits[p/64] &^= 1 << (p % 64)
		}
	}
}

func (b *bucket) measure() {
	b.lengths = b.lengths[:0]
	for _, form := range b.forms {
		if !slices.Contains(b.lengths, len(form)) {
			b.lengths = append(b.lengths, len(form))
		}
	}
	slices.SortFunc(b.lengths, func(a, b int) int { return b - a })
}

// may reports whether a form can begin with the first two bytes of b.
func (x *index) may(b []byte) bool {
	p := pair(b)
	return x.bits[p/64]&(1<<(p%64)) != 0
}

// at returns the forms that begin as b does, nil if there are none.
func (x *index) at(b []byte) *bucket {
	if len(b) < shortest || !x.may(b) {
		return nil
	}
	return x.begin[[shortest]byte(b)]
}

// match returns the length of the longest form at the beginning of text, 0 if there is none.
func (b *bucket) match(text []byte) int {
	for _, n := range b.lengths {
		if n > len(text) {
			continue
		}
		if _, ok := b.find(text[:n]); ok {
			return n
		}
	}
	return 0
}

// unfinished reports whether text is the beginning of a longer form.
func (b *bucket) unfinished(text []byte) bool {
	i, found := b.find(text)
	if found {
		i++
	}
	return i < len(b.forms) && strings.HasPrefix(b.forms[i], string(text))
}

func (b *bucket) find(text []byte) (int, bool) {
	return slices.BinarySearchFunc(b.forms, text, func(form string, text []byte) int { return strings.Compare(form, string(text)) })
}

// replace returns text without the forms: text itself where there are none in it.
func (x *index) replace(text []byte) []byte {
	var out []byte
	done := 0 // of text, what is in out
	for i := 0; i+shortest <= len(text); {
		if !x.may(text[i:]) {
			i++
			continue
		}
		b := x.at(text[i:])
		if b == nil {
			i++
			continue
		}
		n := b.match(text[i:])
		if n == 0 {
			i++
			continue
		}
		out = append(append(out, text[done:i]...), Hidden...)
		i += n
		done = i
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}
