package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/conversation/transcript"
	"weft/backend/settings"
	"weft/backend/space/runs"
	"weft/backend/space/team"
	"weft/backend/store"
	"weft/backend/store/relay"
	"weft/backend/store/spaces"
)

// house is the production path with the scripted agent: runs, store and relay, wired as
// the service wires them.
type house struct {
	dir    string
	store  *store.Store
	relay  *relay.Relay
	runs   *runs.Manager
	spaces []string
}

// openHouse has an agent process for each space.
func openHouse(spaces int) (*house, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "weft-bench-")
	if err != nil {
		return nil, err
	}
	h := &house{dir: dir, relay: relay.New()}
	log := zerolog.New(os.Stderr).Level(zerolog.WarnLevel)
	h.store, _, err = store.Open(context.Background(), dir, store.Options{Log: log, OnCommit: func(id string, events []transcript.Event) {
		h.relay.Publish(relay.SpaceTopic(id), events)
	}})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	h.runs = runs.NewManager(runs.Options{
		Store: h.store, Private: agentproc.Private{DataDir: dir}, Log: log,
		Agent: func(string) (agent.Config, error) {
			return agent.Config{ID: "bench", Name: "Bench", Command: self, Args: []string{"agent"}, Installed: true, Process: settings.ProcessPerSpace}, nil
		},
		Space: func(_ context.Context, id string) (team.Space, error) {
			return team.Space{ID: id, Folder: dir, Members: []team.Member{{ID: transcript.MainMember, Name: "bench", AgentID: "bench", Default: true}}}, nil
		},
		OnChange: func(string) {}, OnTitle: func(string, string) {}, OnTrouble: func(error) {},
	})
	for range spaces {
		if err := h.addSpace(); err != nil {
			return nil, errors.Join(err, h.close())
		}
	}
	return h, nil
}

func (h *house) addSpace() error {
	sp, err := h.store.Spaces.Create(context.Background(), spaces.Space{Title: "Bench", Folder: h.dir, AgentID: "bench"})
	h.spaces = append(h.spaces, sp.ID)
	return err
}

// close ends everything and removes the data.
func (h *house) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := errors.Join(h.runs.Close(ctx), h.store.Close(ctx))
	h.relay.Close()
	return errors.Join(err, os.RemoveAll(h.dir))
}

// watch calls f with every event of a space until f is done with it. A gap is an error.
func (h *house) watch(space string, f func(*transcript.Event) (done bool)) <-chan error {
	sub := h.relay.Subscribe(relay.SpaceTopic(space))
	result := make(chan error, 1)
	go func() {
		defer sub.Close()
		for {
			batch, err := sub.Next(context.Background())
			if err == nil && batch.Gap {
				err = errors.New("the subscriber had a gap")
			}
			if err != nil {
				result <- err
				return
			}
			for i := range batch.Events {
				if f(&batch.Events[i]) {
					result <- nil
					return
				}
			}
		}
	}()
	return result
}

// turn sends a prompt and waits until a subscriber has seen the end of the run.
func (h *house) turn(space, prompt string, see func(*transcript.Event)) error {
	var failure error
	done := h.watch(space, func(e *transcript.Event) bool {
		see(e)
		end, ok := e.Body.(*transcript.RunCompleted)
		if ok && end.Error != nil {
			failure = errors.New(end.Error.Message)
		}
		return ok
	})
	if _, _, err := h.runs.Prompts().Send(context.Background(), space, nil, prompt); err != nil {
		return err
	}
	return errors.Join(<-done, failure)
}

// reader is a subscriber that reads all text of an agent.
type reader struct {
	text    *hasher
	message string // id of the last message with text
}

func newReader() *reader { return &reader{text: newHasher()} }

func (r *reader) see(e *transcript.Event) {
	if t, ok := e.Body.(*transcript.TextDelta); ok && t.MessageID != r.message {
		r.message, r.text = t.MessageID, newHasher()
	}
	if t, ok := e.Body.(*transcript.TextDelta); ok {
		r.text.addText(t.Content)
	}
}

// stored is the digest of a message's text as it is in the store.
func (h *house) stored(space, message string) (digest, error) {
	if err := h.store.Events.Flush(context.Background(), space); err != nil {
		return digest{}, err
	}
	sum := newHasher()
	for {
		text, start, err := h.store.Pages.SegmentText(context.Background(), space, message, 0, sum.bytes, 0)
		switch {
		case err != nil:
			return digest{}, err
		case text == "":
			return sum.digest(), nil
		case start != sum.bytes:
			return digest{}, fmt.Errorf("the text jumps from byte %d to %d", sum.bytes, start)
		}
		sum.add([]byte(text))
	}
}

// databaseBytes is how many bytes this process has handed to write calls for the database:
// all but those for the protocol logs. To be asked while no agent has been reaped, whose
// writes the kernel would add, and when nothing is on its way.
func (h *house) databaseBytes() int64 {
	time.Sleep(2 * protocolFlush)
	n := written()
	for _, space := range h.spaces {
		if info, err := os.Stat(h.runs.ProtocolPath(space, "")); err == nil {
			n -= info.Size()
		}
	}
	return n
}

// protocolFlush is how long the protocol log holds lines back.
const protocolFlush = 200 * time.Millisecond
