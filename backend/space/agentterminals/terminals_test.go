//go:build unix

package agentterminals

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/backend/agent/sandbox"
	"weft/backend/agent/terminal"
	"weft/backend/base/fault"
	"weft/backend/base/simtest"
	"weft/backend/conversation/transcript"
	"weft/backend/space/requests"
)

// session is a session with terminals. It logs the calls of its methods, in order.
type session struct {
	*Terminals
	t    *testing.T
	gone chan struct{}

	mu     sync.Mutex // the lock of the space
	log    []string
	box    transcript.Outbox
	conv   transcript.Conversation
	seq    int64
	run    string
	ended  bool
	refuse error    // the error of Consent
	done   []string // results of allowed operations
	ids    int
}

func newSession(t *testing.T) *session {
	s := &session{t: t, gone: make(chan struct{}), run: "run"}
	dir := t.TempDir()
	turns := transcript.NewTurns(&s.box, transcript.Author{}, transcript.Author{ID: "agent"}, func() string { return s.newID("msg") })
	turns.Begin("run", "")
	s.Terminals = New(Session{
		Host: s, Turns: turns, Frame: time.Millisecond, Gone: s.gone, NewID: s.newID, Now: func() int64 { return 7 }, Go: func(do func()) { do() },
		Folder: func() requests.Folder { return requests.Folder{Path: dir} },
		Dir: func(cwd string) (string, error) {
			if cwd != "" {
				return "", errors.New("outside")
			}
			return dir, nil
		},
	})
	t.Cleanup(func() { _ = s.set.Close(context.Background()) })
	return s
}

func (s *session) newID(prefix string) string {
	s.ids++
	return fmt.Sprint(prefix, s.ids)
}

func (s *session) Is(sessionID string) error {
	s.log = append(s.log, "is")
	if sessionID != "s" {
		return &fault.Error{Code: "other"}
	}
	return nil
}

func (s *session) Consent(_ context.Context, o *requests.Operation) (func(error), error) {
	s.log = append(s.log, "consent "+o.Row.ID+o.Call.Kind)
	return func(err error) { s.done = append(s.done, fault.CodeOf(err)) }, s.refuse
}

func (s *session) Sandbox() *sandbox.Plan {
	s.log = append(s.log, "sandbox")
	return nil
}

func (s *session) Begin(do func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, "begin")
	if s.ended {
		return false
	}
	do()
	return true
}

func (s *session) Put(do func()) { s.Step(do) }

func (s *session) Step(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *session) Run() string { return s.run }

// creates makes the agent run a script, and returns the id of its terminal.
func (s *session) creates(script string) string {
	s.t.Helper()
	started, err := s.Create(s.t.Context(), &Create{SessionID: "s", Command: "sh", Args: []string{"-c", script}})
	if err != nil {
		s.t.Fatal(err)
	}
	return started.(Created).TerminalID
}

// get returns a terminal whose end hasn't been shown yet.
func (s *session) get(id string) *terminal.Terminal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Get(id)
}

// shown returns the terminals of the conversation.
func (s *session) shown() (list []*transcript.Terminal) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.box.Take().Bodies {
		s.seq++
		if err := s.conv.Apply(&transcript.Event{Seq: s.seq, Body: b}); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, m := range s.conv.Messages {
		for _, seg := range m.Segments {
			for _, item := range seg.Items {
				if item.Call != nil {
					for i := range item.Call.Terminals {
						list = append(list, &item.Call.Terminals[i])
					}
				}
			}
		}
	}
	return list
}

func TestCommandIsAllowedThenRunThenShown(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	id := s.creates("printf hello; exit 3")
	if want := []string{"is", "consent execute", "sandbox", "begin"}; !slices.Equal(s.log, want) {
		t.Errorf("asked is %q, want %q", s.log, want)
	}
	if !slices.Equal(s.done, []string{""}) {
		t.Errorf("it ended with %q", s.done)
	}
	if _, err := s.Serve(t.Context(), "terminal/wait_for_exit", Ref{"s", id}); err != nil {
		t.Error(err)
	}
	if _, err := s.Serve(t.Context(), "terminal/wait_for_exit", Ref{"another", id}); fault.CodeOf(err) != "other" {
		t.Errorf("a request for another session: %v", err)
	}
	close(s.gone)
	s.Close()
	list := s.shown()
	if len(list) != 1 || list[0].ID != id || !strings.Contains(list[0].Text, "hello") || list[0].Running || list[0].Code == nil || *list[0].Code != 3 {
		t.Errorf("shown are %+v", list)
	}
	if s.Len() != 0 || s.Get(id) != nil {
		t.Error("it isn't forgotten")
	}
}

func TestCommandThatIsRefusedIsNotRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		create Create
		change func(*session)
		code   string
		log    []string
	}{
		"for another session": {Create{SessionID: "another", Command: "true"}, nil, "other", []string{"is"}},
		"without a command":   {Create{SessionID: "s"}, nil, terminal.CodeInvalid, []string{"is"}},
		"in another folder":   {Create{SessionID: "s", Command: "true", Cwd: "/"}, nil, "", []string{"is"}},
		"by the user":         {Create{SessionID: "s", Command: "true"}, func(s *session) { s.refuse = &fault.Error{Code: "denied"} }, "denied", []string{"is", "consent execute"}},
	} {
		s := newSession(t)
		if c.change != nil {
			c.change(s)
		}
		_, err := s.Create(t.Context(), &c.create)
		if err == nil || fault.CodeOf(err) != c.code || !slices.Equal(s.log, c.log) || s.Len() != 0 {
			t.Errorf("%s: %v, asked is %q", name, err, s.log)
		}
		if name == "by the user" && !slices.Equal(s.done, []string{"denied"}) {
			t.Errorf("%s: it ended with %q", name, s.done)
		}
	}
}

func TestCommandOfASessionThatHasEndedIsStopped(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	s.ended = true
	_, err := s.Create(t.Context(), &Create{SessionID: "s", Command: "sleep", Args: []string{"1000"}})
	if fault.CodeOf(err) != terminal.CodeClosed || !slices.Equal(s.done, []string{terminal.CodeClosed}) || s.Len() != 0 {
		t.Errorf("%v, it ended with %q", err, s.done)
	}
	one, err := s.set.Get("term2")
	if err != nil {
		t.Fatal(err)
	}
	<-one.Exited()
}

func TestCommandIsKilledOnce(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	one := s.get(s.creates("exec sleep 1000"))
	if err := Kill(one); err != nil || one.Exit() == nil {
		t.Fatalf("it runs: %v, %v", one.Exit() == nil, err)
	}
	for _, ended := range []*terminal.Terminal{one, nil} {
		if err := Kill(ended); fault.CodeOf(err) != "not_found" {
			t.Errorf("again: %v", err)
		}
	}
}

// In any history, a command ends exactly when it is killed, or when the user stops the turn in which it was started.
// Each has its own call once a turn has ended.
func TestRandomHistoriesOfTerminals(t *testing.T) {
	t.Parallel()
	for seed := range simtest.Seeds(4) {
		s, rnd := newSession(t), rand.New(rand.NewPCG(seed, 3))
		fail := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d: %s", seed, fmt.Sprintf(format, args...))
		}
		of, all := map[string]string{}, 0 // the runs of commands that are running
		for turn := range 4 {
			s.run = fmt.Sprint("run", turn)
			if rnd.IntN(4) == 0 {
				s.run = ""
			}
			for range rnd.IntN(3) {
				of[s.creates("exec sleep 1000")] = s.run
				all++
			}
			for _, id := range slices.Sorted(maps.Keys(of)) {
				if rnd.IntN(5) == 0 {
					if _, err := s.Serve(t.Context(), "terminal/kill", Ref{"s", id}); err != nil {
						fail("%v", err)
					}
					delete(of, id)
				}
			}
			ends, stopped := fmt.Sprint("run", turn), rnd.IntN(2) == 0
			terminals := map[string]*terminal.Terminal{}
			for id := range of {
				if terminals[id] = s.get(id); terminals[id] == nil {
					fail("%s is forgotten", id)
				}
			}
			s.Step(func() { s.TurnEnds(ends, stopped) })
			if list := s.shown(); len(list) != all {
				fail("%d of %d are shown", len(list), all)
			}
			for id, run := range of {
				over := stopped && run == ends
				if gone := terminals[id].Exit() != nil; gone != over {
					fail("%s of %q has ended: %v, when the turn %s ends, stopped: %v", id, run, gone, ends, stopped)
				}
				if over {
					delete(of, id)
				}
			}
		}
		close(s.gone)
		if s.Close(); s.Len() != 0 {
			fail("%d are open", s.Len())
		}
		for _, one := range s.shown() {
			if one.Running {
				fail("%s has not ended", one.ID)
			}
		}
	}
}
