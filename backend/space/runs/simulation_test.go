package runs

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/base/simtest"
	"weft/backend/conversation/transcript"
	"weft/backend/permission"
	"weft/backend/space/gatecalls"
	"weft/backend/space/mentions"
	"weft/backend/space/promptqueue"
	"weft/backend/space/sessionoptions"
	"weft/backend/space/team"
)

// foundSeeds are histories that have failed once.
var foundSeeds = map[string]uint64{}

// TestSimulation drives spaces with scripted agents, users, clocks, a store that fails, and processes that are killed, from seeds. See [simulated].
func TestSimulation(t *testing.T) {
	if seed := simtest.Seed(); seed != 0 {
		s := simulated(seed, true, nil)
		t.Log(strings.Join(s.log, "\n"))
		if s.fault != "" {
			t.Fatal(s.fault)
		}
		return
	}
	for name, seed := range foundSeeds {
		if s := simulated(seed, false, nil); s.fault != "" {
			t.Errorf("%s (seed %d): %s", name, seed, s.fault)
		}
	}
	histories := simtest.Histories(2000)
	if testing.Short() {
		histories = min(histories, 500)
	}
	var next atomic.Uint64
	var steps atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			var pool simtest.Pool
			defer pool.Close()
			for !t.Failed() {
				seed := next.Add(1)
				if seed > uint64(histories) {
					return
				}
				s := simulated(seed, false, &pool)
				steps.Add(int64(s.steps))
				if s.fault != "" {
					t.Errorf("seed %d: %s\nRun it with: go test ./backend/space/runs -run Simulation -args -seed %d", seed, s.fault, seed)
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(began).Seconds()
	t.Logf("%d histories with %d steps, %.0f histories a second and core", histories, steps.Load(), float64(histories)/took/float64(runtime.GOMAXPROCS(0)))
}

// sim is one history: a world in which one thing happens at a time, in an order that the seed chooses.
type sim struct {
	simtest.World

	m     *Manager
	ids   int
	steps int

	spaces    []*simSpace
	procs     []*simProc
	links     map[*liveSession]*simLink
	prompts   []*simPrompt
	waiters   []*mentions.ReplyWaiter
	elsewhere []*simElsewhere
	reliable  bool // no more injected faults

	verbose bool
	log     []string
	fault   string
}

// simSpace is a space with what its store has.
type simSpace struct {
	r       *spaceRuntime
	conv    transcript.Conversation
	seq     int64
	full    bool // the disk
	flight  int
	created map[string]int // runs
	over    map[string]int
	watched map[string]int // 1: begun, 2: over
	left    bool           // it is being deleted
	gone    bool
	early   bool // while others were writing to it
	guests  map[string]bool
	lossy   bool            // the disk was full when it was left
	signIns map[string]bool // by member: a sign-in was tried, which prompts may wait for

	told, resolved int                         // answers to permission requests: that agents have, that are stored
	said           map[string]*strings.Builder // by member: the tokens that its agent has said
}

type simProc struct {
	agent  string
	links  []*liveSession
	closed bool // takes no more sessions
	alone  bool
	idle   map[*liveSession]bool
	dead   bool
}

// simLink is the agent's side of a session.
type simLink struct {
	l       *liveSession
	space   *simSpace
	proc    *simProc
	id      string
	opening func(error) // ends the opening, nil if none is under way
	closing bool
	reading bool // a thread handles what the agent has sent
	lost    bool // the process is gone
	turn    *simTurn
	asked   []*simAsk
	asks    int
}

type simTurn struct {
	run       *run
	end       func(acp.PromptResult, error)
	cancelled bool
	stubborn  bool
}

type simAsk struct {
	req      *acp.Request
	answered int
}

type simPrompt struct {
	space  *simSpace
	done   int
	err    error
	queued bool
	id     string
}

// simulated runs one history. pool has threads that earlier histories have left; it may be nil.
func simulated(seed uint64, verbose bool, pool *simtest.Pool) (s *sim) {
	s = &sim{links: map[*liveSession]*simLink{}, verbose: verbose}
	s.World = simtest.World{
		Rand: rand.New(rand.NewPCG(seed, 15)), Clock: time.UnixMilli(1_800_000_000_000), Pool: pool, Resumed: s.check,
		Panicked: func(p any) { s.failf("panic: %v\n%s", p, debug.Stack()) },
		Ends:     func(name string) { s.logf("%s", name) },
	}
	defer func() {
		if p := recover(); p != nil {
			s.failf("panic: %v", p)
			if verbose {
				panic(p)
			}
		}
	}()
	s.begin()
	for range 20 + s.Rand.IntN(100) {
		s.step()
		if s.fault != "" {
			return s
		}
	}
	s.settle()
	return s
}

func (s *sim) failf(format string, args ...any) {
	if s.fault == "" {
		s.fault = fmt.Sprintf(format, args...)
		s.logf("FAULT: %s", s.fault)
	}
}

func (s *sim) logf(format string, args ...any) {
	if s.verbose {
		s.log = append(s.log, fmt.Sprintf("%4d %s ", s.steps, s.Clock.Format("04:05.000"))+fmt.Sprintf(format, args...))
	}
}

func (s *sim) begin() {
	s.m = NewManager(Options{
		Agent: func(id string) (agent.Config, error) {
			if !s.reliable && s.chance(2) {
				return agent.Config{}, &Error{Code: "not_found", Message: "There is no such agent."}
			}
			return agent.Config{ID: id, Name: id}, nil
		},
		OnChange:  func(string) {},
		OnTitle:   func(string, string) {},
		OnTrouble: func(error) {},
		GateTool:  func(string) (gatecalls.Tool, bool) { return gatecalls.Tool{}, false },
		Log:       zerolog.Nop(),
		Now:       func() time.Time { return s.Clock },
	})
	for i := range 2 {
		sp := &simSpace{created: map[string]int{}, over: map[string]int{}, watched: map[string]int{}, guests: map[string]bool{}, signIns: map[string]bool{}, said: map[string]*strings.Builder{}}
		space := team.Space{ID: fmt.Sprintf("space%d", i), Folder: "/f", Mode: permission.FollowRules}
		for k := range 1 + s.Rand.IntN(2) {
			space.Members = append(space.Members, team.Member{ID: []string{transcript.MainMember, "second"}[k], Name: fmt.Sprintf("Agent%d", k), AgentID: fmt.Sprintf("agent%d", k), Default: k == 0})
		}
		sp.r = newSpaceRuntime(s.m, simWorld{s, sp}, space, promptqueue.Queue{}, nil)
		if _, err := s.m.spaces.Add(space.ID, func(*permission.Mode) *spaceRuntime { return sp.r }); err != nil {
			s.failf("the space can't be opened: %v", err)
		}
		for _, m := range space.Members {
			sp.r.sessions[m.ID] = newSession(sp.r, space, m, sessionoptions.Options{})
			sp.said[m.ID] = &strings.Builder{}
		}
		s.spaces = append(s.spaces, sp)
	}
}

func (s *sim) chance(percent int) bool { return s.Rand.IntN(100) < percent }

// simIdle is how far the clock moves at most where nothing waits for it.
const simIdle = 40 * time.Millisecond

// step lets one thing happen.
func (s *sim) step() {
	s.steps++
	switch n := s.Rand.IntN(100); {
	case n < 45 && s.Resume():
	case n < 65 && s.End():
	case n < 70 && s.Ring(simIdle):
	case n < 88 && s.agentActs():
	default:
		s.userActs()
	}
}

// settle ends everything, without any further fault, and checks what has to hold then.
func (s *sim) settle() {
	s.logf("-- everything ends")
	s.reliable = true
	for _, sp := range s.spaces {
		sp.full = false
	}
	s.rest()
	for _, sp := range s.spaces {
		if st := sp.r.Snapshot(); !sp.left && len(st.Runs) > 0 {
			s.failf("%s: a run stays in progress: %+v", sp.r.id, st.Runs)
		}
		for _, session := range sp.r.inOrder() {
			if q, ok := sp.r.queue.Next(session.member().ID); ok && !sp.left && !sp.signIns[session.member().ID] && session.stoppedLast() {
				s.failf("%s: %q waits behind a turn that was stopped", sp.r.id, q.Text)
			}
			if session.life.Live() != nil {
				s.failf("%s: the process of %s is kept, and nothing is done with it", sp.r.id, session.member().ID)
			}
		}
	}
	for _, sp := range s.spaces {
		if !sp.left {
			s.drop(sp)
		}
	}
	s.rest()
	s.final()
}

// rest lets everything happen that happens by itself.
func (s *sim) rest() {
	for range 20_000 {
		if s.fault != "" {
			return
		}
		s.steps++
		if s.ResumeReady() {
			continue
		}
		threads, _, alarms := s.Pending()
		switch {
		case s.End():
		case s.finishTurns():
		case threads > 0 && s.chance(70):
			s.Resume()
		case alarms > 0:
			s.Ring(simIdle)
		case threads > 0:
			s.Resume()
		default:
			return
		}
	}
	for _, sp := range s.spaces {
		s.logf("%s: %s", sp.r.id, sp.r.Describe())
	}
	threads, operations, alarms := s.Pending()
	s.failf("it never comes to rest: %d threads, %d things under way, %d alarms", threads, operations, alarms)
}

// finishTurns has an agent end its turn.
func (s *sim) finishTurns() bool {
	for _, l := range s.linkList() {
		if l.turn != nil && !l.reading && !l.closing {
			for _, sp := range s.spaces { // nobody answers any more
				if sp == l.space {
					s.answerAll(sp)
				}
			}
			if l.l.signedIn && s.chance(50) { // it takes a sign-in over only when it starts
				s.endTurn(l, "", acp.ErrAuthRequired)
			} else {
				s.endTurn(l, "end_turn", nil)
			}
			return true
		}
	}
	return false
}

func (s *sim) linkList() []*simLink {
	list := make([]*simLink, 0, len(s.links))
	for _, l := range s.links {
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b *simLink) int { return strings.Compare(a.id, b.id) })
	return list
}

// check is what holds after every step.
func (s *sim) check() {
	for _, sp := range s.spaces {
		if !sp.r.Between(func() { s.checkSnapshot(sp) }) {
			s.failf("%s: a thread waits with the lock", sp.r.id)
			return
		}
		if sp.flight > 1 {
			s.failf("%s: %d batches are stored at once", sp.r.id, sp.flight)
		}
	}
}

// checkSnapshot is what holds between two steps of a space.
func (s *sim) checkSnapshot(sp *simSpace) {
	if s.steps%8 != 0 {
		return
	}
	now, told := sp.r.state(), sp.r.Snapshot()
	if !slices.Equal(now.Runs, told.Runs) || len(now.Waits) != len(told.Waits) {
		s.failf("%s: the snapshot tells %+v, and it is %+v", sp.r.id, told, now)
	}
}

// final is what holds at the end.
func (s *sim) final() {
	if s.fault != "" {
		return
	}
	for i, p := range s.prompts {
		if p.done != 1 {
			s.failf("prompt %d was answered %d times", i, p.done)
		}
	}
	for _, l := range s.linkList() {
		s.failf("%s: a session is left: %s", l.space.r.id, l.l.stage.Phase())
	}
	for _, p := range s.procs {
		if !p.dead {
			s.failf("a process of %s is left with %d sessions", p.agent, len(p.links))
		}
	}
	for _, w := range s.waiters {
		select {
		case <-w.Done():
		default:
			s.failf("an agent waits for a reply for ever")
		}
	}
	for _, e := range s.elsewhere {
		n := 0
		for _, msg := range e.to.conv.Messages {
			if msg.RunID == e.run {
				n += strings.Count(msg.Content(), e.token)
			}
		}
		if n > 1 || n == 0 && e.added && !e.to.lossy {
			s.failf("%s: what %s wrote stands there %d times", e.to.r.id, e.run, n)
		}
	}
	for _, sp := range s.spaces {
		if !sp.gone {
			s.failf("%s: it is never left", sp.r.id)
		}
		if sp.lossy {
			continue // the next start ends what could not be stored
		}
		for id, n := range sp.created {
			if n != 1 || sp.over[id] != 1 && (sp.over[id] != 0 || !sp.guests[id] || !sp.early) {
				s.failf("%s: %s began %d times and ended %d times", sp.r.id, id, n, sp.over[id])
			}
		}
		for id, n := range sp.watched {
			if n != 2 {
				s.failf("%s: who watches %s was told that it begins, and not that it ends", sp.r.id, id)
			}
		}
		if n := sp.r.Effects(); n > 0 {
			s.failf("%s: %d effects are left", sp.r.id, n)
		}
		said := map[string]string{}
		for _, msg := range sp.conv.Messages {
			if msg.EndedAt == 0 && msg.StopReason == "" && msg.RunID != "" && sp.over[msg.RunID] == 0 && (!sp.guests[msg.RunID] || !sp.early) {
				s.failf("%s: message %s never ends", sp.r.id, msg.ID)
			}
			for _, seg := range msg.Segments {
				for _, it := range seg.Items {
					if it.Call != nil && it.Call.Kind != transcript.KindDisplay && it.Call.Status == transcript.StatusWaiting {
						s.failf("%s: %s still waits for the user", sp.r.id, it.Call.ID)
					}
				}
			}
			if msg.Role == transcript.RoleAgent && !sp.guests[msg.RunID] {
				id := msg.Author.MemberID
				if id == "" {
					id = transcript.MainMember
				}
				said[id] += tokens(msg)
			}
		}
		for id, b := range sp.said {
			if got := said[id]; got != b.String() {
				s.failf("%s: %s has said\n%s\nand stored is\n%s", sp.r.id, id, b.String(), got)
			}
		}
		for id, session := range sp.r.sessions {
			if session.inbox.Open() > 0 {
				s.failf("%s: requests of %s never end", sp.r.id, id)
			}
		}
	}
}

// tokens is what an agent has said in a message, without the words that Weft has added.
func tokens(msg *transcript.Message) string {
	var b strings.Builder
	for _, seg := range msg.Segments {
		for _, word := range strings.Fields(seg.Text) {
			if word[0] == 't' && len(word) > 1 && word[1] >= '0' && word[1] <= '9' {
				b.WriteString(word + " ")
			}
		}
	}
	return b.String()
}

// stoppedLast reports whether nothing has happened to a member since the user has stopped its turn.
func (s *Session) stoppedLast() bool {
	return s.run == nil && s.last != nil && s.last.turn.Stopping() && !s.life.Left()
}
