package runs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/space/gatecalls"
	"weft/backend/space/promptqueue"
	"weft/backend/space/team"
	"weft/backend/store"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
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

// slowDisk holds up what is read of the space's folder until release is closed: texts, or where links lead.
type slowDisk struct {
	world
	links   bool
	release <-chan struct{}
	reached chan<- struct{}
}

func (w slowDisk) do(e effect, done func(input)) {
	w.world.do(e, func(in input) {
		_, files := in.(filesRead)
		_, links := in.(linksFound)
		if files && !w.links || links && w.links {
			w.reached <- struct{}{}
			<-w.release
		}
		done(in)
	})
}

// TestStopDoesNotWaitForTheDisk: a file that an edit names, or a space that a message names, takes until the end of the
// test, and the user stops the agent and sends a prompt.
func TestStopDoesNotWaitForTheDisk(t *testing.T) {
	const edit = `{"sessionUpdate":"tool_call","toolCallId":"1","title":"Edit","kind":"edit","status":"in_progress","content":[{"type":"diff","path":"slow.txt","oldText":"two","newText":"three"}]}`
	const message = `{"sessionUpdate":"tool_call","toolCallId":"1","title":"sendSpaceMessage","status":"in_progress","rawInput":{"spaceId":"other","text":"Hello"}}`
	const display = `{"sessionUpdate":"tool_call","toolCallId":"1","title":"showTable","status":"in_progress","rawInput":{"targetSpaceId":"other"}}`
	for what, tt := range map[string]struct {
		update        string
		links, spaces bool
	}{
		"the text of a file":             {edit, false, false},
		"where a path leads":             {edit, true, false},
		"who is in another space":        {message, false, true},
		"who is in the space that shows": {display, false, true},
	} {
		t.Run(what, func(t *testing.T) { stopOnSlowDisk(t, tt.update, tt.links, tt.spaces) })
	}
}

// editing returns options of a manager whose agent sends an update in its first turn and works until it is stopped,
// and the listener to which it connects then.
func editing(t *testing.T, update string) (Options, net.Listener) {
	t.Helper()
	st, _, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stopped, err := net.Listen("unix", filepath.Join(t.TempDir(), "stopped"))
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Store: st, Private: agentproc.Private{DataDir: t.TempDir()},
		Agent: func(string) (agent.Config, error) {
			return agent.Config{ID: "editor", Name: "Editor", Command: os.Args[0], Args: []string{"editor", stopped.Addr().String(), update}}, nil
		},
		OnChange: func(string) {}, OnTitle: func(string, string) {}, OnTrouble: func(error) {},
	}, stopped
}

// editorSpace creates a space whose only member is that agent.
func editorSpace(t *testing.T, st *store.Store) team.Space {
	t.Helper()
	sp, err := st.Spaces.Create(t.Context(), spaces.Space{Title: "x", Folder: t.TempDir(), AgentID: "editor"})
	if err != nil {
		t.Fatal(err)
	}
	return team.Space{ID: sp.ID, Folder: sp.Folder, Members: []team.Member{{ID: "main", Name: "Editor", AgentID: "editor", Default: true}}}
}

func stopOnSlowDisk(t *testing.T, update string, links, slowSpaces bool) {
	ctx := t.Context()
	opt, stopped := editing(t, update)
	space := editorSpace(t, opt.Store)
	release, reached := make(chan struct{}), make(chan struct{}, 2)
	opt.Space = func(_ context.Context, id string) (team.Space, error) {
		if id == "other" {
			reached <- struct{}{}
			<-release
		}
		return space, nil
	}
	opt.GateTool = func(called string) (gatecalls.Tool, bool) {
		return gatecalls.Tool{Name: called, Exact: true, Draws: called == "showTable"}, slowSpaces
	}
	m := NewManager(opt)
	if _, err := m.spaces.Add(space.ID, func(*permission.Mode) *spaceRuntime {
		w := world(newOutside(m))
		if !slowSpaces {
			w = slowDisk{w, links, release, reached}
		}
		return newSpaceRuntime(m, w, space, promptqueue.Queue{}, nil)
	}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Prompts().Send(ctx, space.ID, nil, "edit it"); err != nil {
		t.Fatal(err)
	}
	<-reached
	if _, _, err := m.Prompts().Send(ctx, space.ID, nil, "and this"); err != nil {
		t.Error(err)
	}
	if err := m.Prompts().Stop(ctx, space.ID, "main"); err != nil {
		t.Error(err)
	}
	if _, err := stopped.Accept(); err != nil { // the agent is told, whatever the disk does
		t.Error(err)
	}
	close(release)
	if err := errors.Join(m.Close(context.Background()), opt.Store.Close(context.Background())); err != nil {
		t.Error(err)
	}
}

// slowTitle holds up what is written to other spaces until release is closed.
type slowTitle struct {
	world
	release <-chan struct{}
	reached chan<- struct{}
}

func (w slowTitle) title(spaceID string) string {
	w.reached <- struct{}{}
	<-w.release
	return w.world.title(spaceID)
}

// TestReplyIsNotExpectedOnceNobodyWaits: a run asks in another space, and ends, or the call is canceled, before its
// text is added there.
func TestReplyIsNotExpectedOnceNobodyWaits(t *testing.T) {
	for what, ends := range map[string]bool{"the run has ended": true, "the call was canceled": false} {
		t.Run(what, func(t *testing.T) { askedTooLate(t, ends) })
	}
}

// slowElsewhere is a run whose texts and displays are held up on their way to another space.
type slowElsewhere struct {
	m           *Manager
	home        *spaceRuntime
	run         *run
	here, there team.Space
	release     chan struct{}
	reached     chan struct{} // gets a value whenever something is held up
}

func newSlowElsewhere(t *testing.T) *slowElsewhere {
	t.Helper()
	opt, _ := editing(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I ask."}}`)
	s := &slowElsewhere{here: editorSpace(t, opt.Store), there: editorSpace(t, opt.Store), release: make(chan struct{}), reached: make(chan struct{}, 8)}
	opt.Space = func(_ context.Context, id string) (team.Space, error) {
		if id == s.here.ID {
			return s.here, nil
		}
		return s.there, nil
	}
	m := NewManager(opt)
	home, err := m.spaces.Add(s.here.ID, func(*permission.Mode) *spaceRuntime {
		return newSpaceRuntime(m, slowTitle{newOutside(m), s.release, s.reached}, s.here, promptqueue.Queue{}, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(m.Close(context.Background()), opt.Store.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	if _, _, err := m.Prompts().Send(t.Context(), s.here.ID, nil, "ask there"); err != nil {
		t.Fatal(err)
	}
	home.Lock()
	r := home.sessions["main"].run
	home.Unlock()
	home.LockUntil(func() bool { return r.sent != nil && r.turn.Shows() })
	home.Unlock()
	s.m, s.home, s.run = m, home, r
	return s
}

// arrived waits until all that was sent to the other space has arrived there, and returns that space.
func (s *slowElsewhere) arrived(t *testing.T) *spaceRuntime {
	t.Helper()
	other, err := s.m.runtime(t.Context(), s.there.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.home.Lock()
	last := s.run.in(s.there.ID)
	s.home.Unlock()
	if err := last.Now(t.Context(), func(target, *transcript.Fold) {}); err != nil {
		t.Error(err)
	}
	return other
}

func askedTooLate(t *testing.T, ends bool) {
	ctx := t.Context()
	s := newSlowElsewhere(t)
	call, cancel := context.WithCancel(ctx)
	defer cancel()
	posted := make(chan error, 1)
	go func() {
		_, err := s.m.Tools().Post(call, ToPost{From: MemberKey{s.here.ID, "main"}, To: s.there.ID, Text: "Still there?", Wait: true})
		posted <- err
	}()
	<-s.reached
	if ends {
		if err := s.m.Prompts().Stop(ctx, s.here.ID, "main"); err != nil {
			t.Fatal(err)
		}
		<-s.run.done
	} else {
		cancel()
		if err := <-posted; !errors.Is(err, context.Canceled) {
			t.Errorf("the call ends with %v", err)
		}
	}
	close(s.release)
	if ends {
		if err := <-posted; err == nil {
			t.Error("the call has a reply")
		}
	}
	if waits := s.arrived(t).Snapshot().Waits; len(waits) > 0 {
		t.Errorf("it still waits: %+v", waits)
	}
}

// TestAnswerToDisplayThatNobodyAwaitsIsSent: the call of a display is canceled before a slow space has drawn it there.
func TestAnswerToDisplayThatNobodyAwaitsIsSent(t *testing.T) {
	ctx := t.Context()
	s := newSlowElsewhere(t)
	call, cancel := context.WithCancel(ctx)
	defer cancel()
	shown := make(chan error, 1)
	go func() {
		_, err := s.m.Tools().Show(call, ToShow{From: MemberKey{s.here.ID, "main"}, To: s.there.ID, Tool: "showChoice", Title: "Which one?", Await: true})
		shown <- err
	}()
	<-s.reached
	cancel()
	if err := <-shown; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ends with %v", err)
	}
	close(s.release)
	other := s.arrived(t)
	other.Lock()
	all := other.displays.All()
	other.Unlock()
	if len(all) != 1 {
		t.Fatalf("%d displays wait there, want one", len(all))
	}
	if err := s.m.Requests().AnswerDisplay(ctx, s.there.ID, all[0].Fold.ID, all[0].Call, jsontext.Value(`"the first"`), false); err != nil {
		t.Fatal(err)
	}
	s.home.Lock()
	defer s.home.Unlock()
	if q := s.home.queue.All(); len(q) != 1 || !strings.Contains(q[0].Text, "the first") {
		t.Errorf("the agent is told %+v, want the answer", q)
	}
}
