package main

import (
	"context"
	"fmt"
	"time"

	"weft/backend/transcript"
)

// floodParams is a flood for any contender.
type floodParams struct{ Lines int }

// floodResult is what one contender did with it.
type floodResult struct {
	Seconds  float64
	CPU      int64 // ns of processor time, all threads
	Lines    int   // that arrived
	Seen     digest
	Stored   digest
	Grown    int64 // bytes of resident memory at the peak, over those before
	Database int64 // bytes written to the database
	Text     int64 // bytes of text
}

// rate is in lines per second, effort in ns of processor time per line.
func (r floodResult) rate() float64   { return float64(r.Lines) / r.Seconds }
func (r floodResult) effort() float64 { return float64(r.CPU) / float64(r.Lines) }

// floodWeft sends the flood as the answer to a prompt.
func floodWeft(p floodParams) (floodResult, error) {
	return floodHouse(func(h *house, see func(*transcript.Event)) error {
		return h.turn(h.spaces[0], fmt.Sprint("flood ", p.Lines), see)
	})
}

// replayWeft sends it as the replay of a session that is loaded.
func replayWeft(p floodParams) (floodResult, error) {
	return floodHouse(func(h *house, see func(*transcript.Event)) error {
		if err := h.addSpace(); err != nil {
			return err
		}
		space := h.spaces[1]
		done := h.watch(space, func(e *transcript.Event) bool {
			see(e)
			_, ended := e.Body.(*transcript.MessageEnd)
			return ended
		})
		if err := h.runs.Sessions().Load(context.Background(), space, fmt.Sprint("replay_", p.Lines)); err != nil {
			return err
		}
		return <-done
	})
}

func floodHouse(flood func(*house, func(*transcript.Event)) error) (r floodResult, err error) {
	h, err := openHouse(1)
	if err != nil {
		return r, err
	}
	defer func() {
		if e := h.close(); err == nil {
			err = e
		}
	}()
	// Everything is there and has been used once: the agent, the database, the heap.
	if err := h.turn(h.spaces[0], "flood 1000", func(*transcript.Event) {}); err != nil {
		return r, err
	}
	resetPeak()
	memory, before := resident(), h.databaseBytes()
	see := newReader()
	begin, cpu := time.Now(), cpuTime()
	if err := flood(h, see.see); err != nil {
		return r, err
	}
	r.Seconds, r.CPU = time.Since(begin).Seconds(), cpuTime()-cpu
	r.Grown = peak() - memory
	space := h.spaces[len(h.spaces)-1]
	if r.Stored, err = h.stored(space, see.message); err != nil {
		return r, err
	}
	r.Seen, r.Text = see.text.digest(), see.text.bytes
	r.Lines = int(r.Text) / len(chunkText(0))
	if err := h.store.Close(context.Background()); err != nil {
		return r, err
	}
	r.Database = h.databaseBytes() - before
	return r, nil
}
