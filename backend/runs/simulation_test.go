package runs

import (
	"flag"
	"fmt"
	"iter"
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
	"weft/backend/gatecalls"
	"weft/backend/mentions"
	"weft/backend/permission"
	"weft/backend/promptqueue"
	"weft/backend/sessionoptions"
	"weft/backend/transcript"
)

var (
	seedFlag      = flag.Int64("seed", 0, "the simulation runs this history only, and prints it")
	historiesFlag = flag.Int("histories", 2000, "how many histories the simulation runs")
)

// foundSeeds are histories that have failed once.
var foundSeeds = map[string]int64{}

// TestSimulation drives spaces with scripted agents, users, clocks, a store that fails, and processes that are killed, from seeds. See [simulated].
func TestSimulation(t *testing.T) {
	if *seedFlag != 0 {
		s := simulated(*seedFlag, true, new([]*simThread))
		t.Log(strings.Join(s.log, "\n"))
		if s.fault != "" {
			t.Fatal(s.fault)
		}
		return
	}
	for name, seed := range foundSeeds {
		if s := simulated(seed, false, new([]*simThread)); s.fault != "" {
			t.Errorf("%s (seed %d): %s", name, seed, s.fault)
		}
	}
	if testing.Short() {
		*historiesFlag = min(*historiesFlag, 500)
	}
	var next, steps atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			var pool []*simThread
			defer func() {
				for _, th := range pool {
					th.stop()
				}
			}()
			for !t.Failed() {
				seed := next.Add(1)
				if seed > int64(*historiesFlag) {
					return
				}
				s := simulated(seed, false, &pool)
				steps.Add(int64(s.steps))
				if s.fault != "" {
					t.Errorf("seed %d: %s\nRun it with: go test ./backend/runs -run Simulation -args -seed %d", seed, s.fault, seed)
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(began).Seconds()
	t.Logf("%d histories with %d steps, %.0f histories a second and core", *historiesFlag, steps.Load(), float64(*historiesFlag)/took/float64(runtime.GOMAXPROCS(0)))
}

// sim is one history: a world in which one thing happens at a time, in an order that the seed chooses.
type sim struct {
	rng   *rand.Rand
	clock time.Time
	m     *Manager
	ids   int
	steps int

	threads   []*simThread // what can continue
	free      []*simThread // that have nothing to do
	current   *simThread
	ops       []*simOp // what takes time
	alarms    []*simAlarm
	spaces    []*simSpace
	procs     []*simProc
	links     map[*liveSession]*simLink
	prompts   []*simPrompt
	waiters   []*mentions.ReplyWaiter
	elsewhere []*simElsewhere
	calm      bool // nothing fails any more

	verbose bool
	log     []string
	fault   string
}

// simThread is a goroutine that runs only when it is told to.
type simThread struct {
	next    func() (over, more bool)
	stop    func()
	yield   func(over bool) bool
	do      func()
	of      *sim
	blocked bool
}

type simOp struct {
	name string
	do   func()
}

type simAlarm struct {
	at time.Time
	do func()
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
	lossy   bool // the disk was full when it was left

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
	asked   map[string]*simAsk
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

// simulated runs one history. pool holds threads that earlier histories have left, and takes those of this one.
func simulated(seed int64, verbose bool, pool *[]*simThread) (s *sim) {
	s = &sim{free: *pool, rng: rand.New(rand.NewPCG(uint64(seed), 15)), clock: time.UnixMilli(1_800_000_000_000), links: map[*liveSession]*simLink{}, verbose: verbose}
	defer func() {
		if p := recover(); p != nil {
			s.failf("panic: %v", p)
			if verbose {
				panic(p)
			}
		}
		*pool = s.free
	}()
	s.begin()
	for range 20 + s.rng.IntN(100) {
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
		s.log = append(s.log, fmt.Sprintf("%4d %s ", s.steps, s.clock.Format("04:05.000"))+fmt.Sprintf(format, args...))
	}
}

func (s *sim) begin() {
	s.m = NewManager(Options{
		Agent: func(id string) (agent.Config, error) {
			if !s.calm && s.chance(2) {
				return agent.Config{}, &Error{Code: "not_found", Message: "There is no such agent."}
			}
			return agent.Config{ID: id, Name: id}, nil
		},
		OnChange:  func(string) {},
		OnTitle:   func(string, string) {},
		OnTrouble: func(error) {},
		GateTool:  func(string) (gatecalls.Tool, bool) { return gatecalls.Tool{}, false },
		Log:       zerolog.Nop(),
		Now:       func() time.Time { return s.clock },
	})
	for i := range 2 {
		sp := &simSpace{created: map[string]int{}, over: map[string]int{}, watched: map[string]int{}, guests: map[string]bool{}, said: map[string]*strings.Builder{}}
		space := Space{ID: fmt.Sprintf("space%d", i), Folder: "/f", Mode: permission.FollowRules}
		for k := range 1 + s.rng.IntN(2) {
			space.Members = append(space.Members, Member{ID: []string{transcript.MainMember, "second"}[k], Name: fmt.Sprintf("Agent%d", k), AgentID: fmt.Sprintf("agent%d", k), Default: k == 0})
		}
		sp.r = newSpaceRuntime(s.m, simWorld{s, sp}, space, promptqueue.Queue{}, nil)
		s.m.spaces[space.ID] = sp.r
		for _, m := range space.Members {
			sp.r.sessions[m.ID] = newSession(sp.r, space, m, sessionoptions.Options{})
			sp.said[m.ID] = &strings.Builder{}
		}
		s.spaces = append(s.spaces, sp)
	}
}

// spawn makes a thread.
func (s *sim) spawn(do func()) {
	if n := len(s.free); n > 0 {
		th := s.free[n-1]
		s.free = s.free[:n-1]
		th.do, th.of = do, s
		s.threads = append(s.threads, th)
		return
	}
	th := &simThread{do: do, of: s}
	th.next, th.stop = iter.Pull(func(yield func(bool) bool) {
		th.yield = yield
		for more := true; more; more = yield(true) { // one thread after the other: their stacks have grown already
			th.of.runs(th)
		}
	})
	s.threads = append(s.threads, th)
}

func (s *sim) runs(th *simThread) {
	defer func() {
		if p := recover(); p != nil {
			s.failf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	th.do()
}

// pause lets others continue: the thread that runs waits for something.
func (s *sim) pause() {
	th := s.current
	th.blocked = true
	th.yield(false)
}

// resume runs a thread until it waits, or has ended.
func (s *sim) resume(i int) {
	th := s.threads[i]
	before := s.current
	s.current = th
	th.blocked = false
	if over, more := th.next(); over || !more {
		if more {
			s.free = append(s.free, th)
		}
		for _, o := range s.threads {
			o.blocked = false // something may have changed
		}
		k := slices.Index(s.threads, th)
		s.threads = slices.Delete(s.threads, k, k+1)
	}
	s.current = before
	s.check()
}

func (s *sim) chance(percent int) bool { return s.rng.IntN(100) < percent }

func (s *sim) op(name string, do func()) { s.ops = append(s.ops, &simOp{name: name, do: do}) }

// step lets one thing happen.
func (s *sim) step() {
	s.steps++
	switch n := s.rng.IntN(100); {
	case n < 45 && s.runThread():
	case n < 65 && s.endOp():
	case n < 70 && s.ring():
	case n < 88 && s.agentActs():
	default:
		s.userActs()
	}
}

func (s *sim) runThread() bool {
	if len(s.threads) == 0 {
		return false
	}
	s.resume(s.rng.IntN(len(s.threads)))
	return true
}

func (s *sim) endOp() bool {
	if len(s.ops) == 0 {
		return false
	}
	i := s.rng.IntN(len(s.ops))
	o := s.ops[i]
	s.ops = slices.Delete(s.ops, i, i+1)
	s.logf("%s", o.name)
	s.spawn(o.do)
	return true
}

// ring moves the clock to the next alarm.
func (s *sim) ring() bool {
	if len(s.alarms) == 0 {
		s.clock = s.clock.Add(time.Duration(s.rng.IntN(40)) * time.Millisecond)
		return false
	}
	first := 0
	for i, a := range s.alarms {
		if a.at.Before(s.alarms[first].at) {
			first = i
		}
	}
	a := s.alarms[first]
	s.alarms = slices.Delete(s.alarms, first, first+1)
	if a.at.After(s.clock) {
		s.clock = a.at
	}
	s.spawn(a.do)
	return true
}

// settle ends everything, without any further fault, and checks what has to hold then.
func (s *sim) settle() {
	s.logf("-- everything ends")
	s.calm = true
	for _, sp := range s.spaces {
		sp.full = false
	}
	s.rest()
	for _, sp := range s.spaces {
		if st := sp.r.Snapshot(); !sp.left && len(st.Runs) > 0 {
			s.failf("%s: a run stays in progress: %+v", sp.r.id, st.Runs)
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
		var ready []int
		for i, th := range s.threads {
			if !th.blocked {
				ready = append(ready, i)
			}
		}
		if len(ready) > 0 {
			s.resume(ready[s.rng.IntN(len(ready))])
			continue
		}
		switch {
		case s.endOp():
		case s.finishTurns():
		case len(s.threads) > 0 && s.chance(70):
			s.resume(s.rng.IntN(len(s.threads)))
		case len(s.alarms) > 0:
			s.ring()
		case len(s.threads) > 0:
			s.resume(s.rng.IntN(len(s.threads)))
		default:
			return
		}
	}
	for _, sp := range s.spaces {
		s.logf("%s: %s", sp.r.id, sp.r.Describe())
	}
	s.failf("it never comes to rest: %d threads, %d things under way, %d alarms", len(s.threads), len(s.ops), len(s.alarms))
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
			s.endTurn(l, "end_turn", nil)
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
	same := func(a, b RunState) bool {
		if a.Home != "" {
			a.Stopping = b.Stopping // a moment later
		}
		return a == b
	}
	if !slices.EqualFunc(now.Runs, told.Runs, same) || len(now.Waits) != len(told.Waits) {
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
		s.failf("%s: a session is left: %s", l.space.r.id, l.l.phase)
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
			if msg.Role == transcript.RoleAgent && msg.Author.Name != "Guest" {
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
			if session.desk.Open() > 0 {
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
