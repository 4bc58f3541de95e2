package relay

import "github.com/go-json-experiment/json/jsontext"

// payload takes what fits into one payload, nil if there is nothing. It ends the watch if that is
// the gap of a space.
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
				// What was gathered is before the gap: it may go, the gap follows.
				w.sub.again()
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

// event returns the next event in hand that the page does not have yet; it stays in hand.
func (w *watch) event() ([]byte, bool) {
	for len(w.rest) > 0 {
		e := &w.rest[0]
		if e.Epoch == w.epoch && e.Seq <= w.seq {
			w.rest = w.rest[1:]
			continue
		}
		raw, err := e.JSON()
		if err != nil { // not one that was committed
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

// sent drops the event that event has answered.
func (w *watch) sent() {
	if len(w.rest) > 0 {
		w.epoch, w.seq = w.rest[0].Epoch, w.rest[0].Seq
		w.rest = w.rest[1:]
		return
	}
	w.raw = w.raw[1:]
}

// units is the length of b in UTF-16 units.
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
