package secret

// Stream takes known secrets out of a text that comes in pieces, wherever it is cut. Text goes through at once. Only an
// end that is the beginning of a known secret, of at least 4 bytes, is held back until it is known what follows: less
// than the longest secret, and nothing of any other text. It is for one goroutine.
type Stream struct {
	r    *Redactor
	seen []byte // the last bytes that went through, where a secret may have begun: less than shortest
	held []byte
}

// Stream begins a text that a tool prints. r may be nil.
func (r *Redactor) Stream() *Stream { return &Stream{r: r} }

// Next takes the next piece and returns what can be shown, which may be a part of b. It keeps nothing of b.
func (s *Stream) Next(b []byte) []byte { return s.next(b, false) }

// NextText is Next for a string.
func (s *Stream) NextText(piece string) string { return same(piece, s.next(view(piece), false)) }

// End returns what was held back, once there is nothing more to come.
func (s *Stream) End() []byte { return s.next(nil, true) }

func (s *Stream) next(b []byte, end bool) []byte {
	if s.r == nil {
		return b
	}
	s.r.mu.RLock()
	defer s.r.mu.RUnlock()
	x := s.r.printed
	if x == nil {
		return b // nothing was held while no secret was known
	}
	text, done := b, len(s.seen)
	if len(s.seen)+len(s.held) > 0 {
		text = append(append(append([]byte{}, s.seen...), s.held...), b...)
	}
	var out []byte
	hide := 0 // end of the last secret in text
	i := 0
	for ; i+shortest <= len(text); i++ {
		forms := x.at(text[i:])
		if forms == nil {
			continue
		}
		if !end && len(text)-i < x.longest && forms.unfinished(text[i:]) {
			break
		}
		if n := forms.match(text[i:]); n > 0 {
			out = append(append(out, text[done:max(done, i)]...), Hidden...)
			i += n - 1
			done, hide = i+1, i+1
		}
	}
	if !end && i+shortest <= len(text) { // the beginning of a secret
		cut := max(done, i)
		out = joined(out, text[done:cut])
		s.seen, s.held = append([]byte{}, text[min(i, cut):cut]...), append([]byte{}, text[cut:]...)
		return out
	}
	s.seen, s.held = append([]byte{}, text[max(hide, len(text)-shortest+1):]...), nil
	return joined(out, text[done:])
}

// joined appends to what there is; the first piece is not copied.
func joined(out, more []byte) []byte {
	if out == nil {
		return more
	}
	return append(out, more...)
}
