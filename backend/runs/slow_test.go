package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"weft/backend/agent"
	"weft/backend/agentproc"
	"weft/backend/permission"
	"weft/backend/promptqueue"
	"weft/backend/store"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
	"weft/backend/team"
)

// slowWorld holds up what its space stores from slow on, until release is closed.
type slowWorld struct {
	world
	slow    *atomic.Bool
	release <-chan struct{}
	reached chan<- struct{}
}

func (w slowWorld) Append(req events.Append, done func(error)) {
	if !w.slow.Load() {
		w.world.Append(req, done)
		return
	}
	w.world.Append(req, func(err error) {
		select {
		case w.reached <- struct{}{}:
		default:
		}
		<-w.release
		done(err)
	})
}

// TestSlowCommitAndStalledAgentDoNotBlockOthers has one space whose commits take until the end of the test and one agent that reads nothing, and
// uses others meanwhile.
func TestSlowCommitAndStalledAgentDoNotBlockOthers(t *testing.T) {
	ctx := t.Context()
	st, _, err := store.Open(ctx, t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	var ids []string
	for i := range 8 {
		agentID := "keeper"
		if i == 1 {
			agentID = "deaf"
		}
		sp, err := st.Spaces.Create(ctx, spaces.Space{Title: fmt.Sprint(i), Folder: folder, AgentID: agentID})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, sp.ID)
	}
	m := NewManager(Options{
		Store: st, Private: agentproc.Private{DataDir: t.TempDir()},
		Agent: func(id string) (agent.Config, error) {
			return agent.Config{ID: id, Name: id, Command: os.Args[0], Args: []string{id}}, nil
		},
		Space: func(_ context.Context, id string) (team.Space, error) {
			agentID := "keeper"
			if id == ids[1] {
				agentID = "deaf"
			}
			return team.Space{ID: id, Folder: folder, Members: []team.Member{{ID: "main", Name: "Agent", AgentID: agentID, Default: true}}}, nil
		},
		OnChange: func(string) {}, OnTitle: func(string, string) {}, OnTrouble: func(error) {},
	})
	ended := func(id string) chan struct{} {
		r, err := m.runtime(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		r.Lock()
		defer r.Unlock()
		if s := r.sessions["main"]; s != nil && s.run != nil {
			return s.run.done
		}
		over := make(chan struct{})
		close(over)
		return over
	}
	var slow atomic.Bool
	release, reached := make(chan struct{}), make(chan struct{}, 1)
	space, err := m.opt.Space(ctx, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.spaces.Add(ids[0], func(*permission.Mode) *spaceRuntime {
		return newSpaceRuntime(m, slowWorld{newOutside(m), &slow, release, reached}, space, promptqueue.Queue{}, nil)
	}); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids { // their agents run
		if _, _, err := m.Prompts().Send(ctx, id, nil, "first"); err != nil {
			t.Fatal(err)
		}
		if id != ids[1] {
			<-ended(id)
		}
	}
	slow.Store(true)
	slowly := make(chan error, 1)
	go func() {
		_, _, err := m.Prompts().Send(ctx, ids[0], nil, "slow")
		slowly <- err
	}()
	<-reached
	var sent, told []time.Duration
	for i := range 60 {
		id := ids[2+i%6]
		began := time.Now()
		if _, _, err := m.Prompts().Send(ctx, id, nil, "next"); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, time.Since(began))
		for _, any := range ids { // what Bootstrap asks for
			began := time.Now()
			m.State(any)
			told = append(told, time.Since(began))
		}
		<-ended(id)
	}
	select {
	case err := <-slowly:
		t.Errorf("the slow commit was over: %v", err)
	default:
	}
	for _, list := range [][]time.Duration{sent, told} {
		slices.Sort(list)
	}
	t.Logf("meanwhile: a prompt of another space p99 %v, the state of a space p99 %v", sent[len(sent)*99/100], told[len(told)*99/100])
	close(release)
	if err := <-slowly; err != nil {
		t.Error(err)
	}
	if err := errors.Join(m.Close(context.Background()), st.Close(context.Background())); err != nil {
		t.Error(err)
	}
}
