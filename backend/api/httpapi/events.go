package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"weft/backend/api/service"
	"weft/backend/conversation/transcript"
	"weft/backend/store/relay"
)

var zeroTime time.Time

// A stream without events sends a comment from time to time. heartbeat keeps the connection of a space alive.
// appHeartbeat shows a page that Weft responds (frontend/src/transport/pulse.ts).
const (
	heartbeat    = 20 * time.Second
	appHeartbeat = time.Second
)

// stream is an open Server-Sent Events response.
type stream struct {
	w   http.ResponseWriter
	out *http.ResponseController
	buf []byte
}

func open(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, out: http.NewResponseController(w)}
	s.buf = append(s.buf, ": weft\n\n"...)
	return s
}

// event writes one event. JSON has no line breaks, so one data line is enough.
func (s *stream) event(id, name string, data []byte) {
	if id != "" {
		s.buf = append(append(append(s.buf, "id: "...), id...), '\n')
	}
	if name != "" {
		s.buf = append(append(append(s.buf, "event: "...), name...), '\n')
	}
	s.buf = append(append(append(s.buf, "data: "...), data...), "\n\n"...)
}

func (s *stream) flush() error {
	if _, err := s.w.Write(s.buf); err != nil {
		return err
	}
	s.buf = s.buf[:0]
	return s.out.Flush()
}

// appEvents streams the app's topic.
func (s *Server) appEvents(w http.ResponseWriter, r *http.Request) {
	sub := s.opt.Service.Relay().Subscribe(relay.AppTopic)
	defer sub.Close()
	s.pump(r.Context(), open(w), sub, appHeartbeat, func(*relay.Batch) error { return nil })
}

// spaceEvents streams a space's events after a position: the Last-Event-ID that a browser sends when it reconnects, or
// ?epoch=&since=. Without either, it starts with the next event.
func (s *Server) spaceEvents(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	epoch, seq, given, err := place(r)
	if err != nil {
		writeError(w, http.StatusBadRequest, "invalid", "The position must be given as epoch and since, both numbers, or as Last-Event-ID: epoch-seq.")
		return
	}
	// Subscribe first: an event committed in the meantime then arrives twice rather than not at all.
	sub := s.opt.Service.Relay().Subscribe(relay.SpaceTopic(id))
	defer sub.Close()
	nowEpoch, nowSeq, err := s.opt.Service.Store().Events.Head(id)
	if err != nil {
		writeFault(w, service.Fault(err))
		return
	}
	if !given {
		epoch, seq = nowEpoch, nowSeq
	}
	missed, reset, err := s.opt.Service.Store().Events.Since(id, epoch, seq)
	if err != nil {
		writeFault(w, service.Fault(err))
		return
	}
	out := open(w)
	if reset {
		out.event("", "gap", []byte(`{}`))
		seq = nowSeq
	}
	for i := range missed {
		if err := out.send(&missed[i]); err != nil {
			s.opt.Log.Error().Err(err).Msg("an event cannot be sent")
			return
		}
		seq = missed[i].Seq
	}
	s.pump(r.Context(), out, sub, heartbeat, func(b *relay.Batch) error {
		for i := range b.Events {
			if e := &b.Events[i]; e.Seq > seq {
				if err := out.send(e); err != nil {
					return err
				}
				seq = e.Seq
			}
		}
		return nil
	})
}

func (s *stream) send(e *transcript.Event) error {
	raw, err := e.JSON()
	if err != nil {
		return err
	}
	s.event(fmt.Sprintf("%d-%d", e.Epoch, e.Seq), "", raw)
	return nil
}

func place(r *http.Request) (epoch, seq int64, given bool, err error) {
	e, q := r.URL.Query().Get("epoch"), r.URL.Query().Get("since")
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		e, q, _ = strings.Cut(last, "-")
	}
	if e == "" && q == "" {
		return 0, 0, false, nil
	}
	if epoch, err = strconv.ParseInt(e, 10, 64); err == nil {
		seq, err = strconv.ParseInt(q, 10, 64)
	}
	if err != nil {
		return 0, 0, false, err
	}
	return epoch, seq, true, nil
}

// pump writes the subscription's events until the client disconnects or the server stops.
func (s *Server) pump(ctx context.Context, out *stream, sub *relay.Subscription, beat time.Duration, add func(*relay.Batch) error) {
	if out.flush() != nil {
		return
	}
	for {
		wait, cancel := context.WithTimeout(ctx, beat)
		batch, err := sub.Next(wait)
		cancel()
		switch {
		case err == nil:
			if batch.Gap {
				out.event("", "gap", []byte(`{}`))
			}
			for _, raw := range batch.Raw {
				out.event("", "", raw)
			}
			if err := add(&batch); err != nil {
				s.opt.Log.Error().Err(err).Msg("an event cannot be sent")
				return
			}
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			out.buf = append(out.buf, ": still here\n\n"...)
		default:
			return
		}
		if out.flush() != nil {
			return
		}
	}
}
