package relay

import "github.com/go-json-experiment/json/jsontext"

// payload returns the next payload, or nil if there are no events. A gap of a space ends the
// watch.
func (w *watch) payload() []byte {
	var b []byte
	size := 0
	for {
		e, ok := w.event()
		if !ok {
			batch, more := w.sub.take()
			if !more {
				break
			}
			if !batch.Gap {
				w.rest, w.raw = batch.Events, batch.Raw
				continue
			}
			if b != nil {
				// Send the events before the gap first.
				w.sub.putBackGap()
				break
			}
			w.ended = w.sub.topic != AppTopic
			return append(w.head(nil), `"gap":true}`...)
		}
		n := units(e)
		if b != nil && size+n > payloadUnits {
			break
		}
		if b == nil {
			b = append(w.head(make([]byte, 0, len(e)+128)), `"events":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(b, e...)
		size += n + 1
		w.sent()
	}
	if b == nil {
		return nil
	}
	return append(b, "]}"...)
}

func (w *watch) head(b []byte) []byte {
	b = append(b, `{"topic":`...)
	b, _ = jsontext.AppendQuote(b, w.sub.topic)
	return append(b, ',')
}

// event returns the next taken event that the page doesn't have yet. It doesn't remove the event; see sent.
func (w *watch) event() ([]byte, bool) {
	for len(w.rest) > 0 {
		e := &w.rest[0]
		if e.Epoch == w.epoch && e.Seq <= w.seq {
			w.rest = w.rest[1:]
			continue
		}
		raw, err := e.JSON()
		if err != nil { // can't happen for a committed event
			w.rest = w.rest[1:]
			continue
		}
		return raw, true
	}
	if len(w.raw) > 0 {
		return w.raw[0], true
	}
	return nil, false
}

// sent removes the event that event returned.
func (w *watch) sent() {
	if len(w.rest) > 0 {
		w.epoch, w.seq = w.rest[0].Epoch, w.rest[0].Seq
		w.rest = w.rest[1:]
		return
	}
	w.raw = w.raw[1:]
}

// units returns the length of b in UTF-16 code units.
func units(b []byte) (n int) {
	for _, c := range b {
		if c&0xc0 != 0x80 {
			n++
		}
		if c >= 0xf0 {
			n++
		}
	}
	return n
}
