package runs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/gatecalls"
	"weft/backend/permission"
	"weft/backend/store"
	"weft/backend/store/events"
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

	threads   []*simThread // what can go on
	free      []*simThread // that have nothing to do
	current   *simThread
	ops       []*simOp // what takes time
	alarms    []*simAlarm
	spaces    []*simSpace
	procs     []*simProc
	links     map[*link]*simLink
	prompts   []*simPrompt
	waiters   []*waiter
	elsewhere []*simElsewhere
	displays  []*display
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
	can  func() bool // nil: at any time
}

type simAlarm struct {
	at time.Time
	do func()
}

// simSpace is a space with what its store has.
type simSpace struct {
	r       *room
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
	lossy   bool                        // the disk was full when it was left
	said    map[string]*strings.Builder // by member: the tokens that its agent has said
}

type simProc struct {
	agent  string
	links  []*link
	closed bool // takes no more sessions
	alone  bool
	idle   map[*link]bool
	dead   bool
}

// simLink is the agent's side of a session.
type simLink struct {
	l       *link
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
	s = &sim{free: *pool, rng: rand.New(rand.NewPCG(uint64(seed), 15)), clock: time.UnixMilli(1_800_000_000_000), links: map[*link]*simLink{}, verbose: verbose}
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
		sp.r = newRoom(s.m, simWorld{s, sp}, space, nil, nil)
		sp.r.start = s.spawn
		sp.r.wait = func() {
			sp.r.guard.Unlock()
			s.pause()
			sp.r.guard.Lock()
		}
		sp.r.panicked = func(p any) { s.failf("an effect panics: %v", p) }
		s.m.rooms[space.ID] = sp.r
		for _, m := range space.Members {
			sp.r.seats[m.ID] = newSession(sp.r, space, m, choices{}, choices{})
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

// pause lets others go on: the thread that runs waits for something.
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

func (s *sim) op(name string, do func()) *simOp {
	o := &simOp{name: name, do: do}
	s.ops = append(s.ops, o)
	return o
}

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
	var able []int
	for i, o := range s.ops {
		if o.can == nil || o.can() {
			able = append(able, i)
		}
	}
	if len(able) == 0 {
		return false
	}
	i := able[s.rng.IntN(len(able))]
	o := s.ops[i]
	s.ops = slices.Delete(s.ops, i, i+1)
	s.logf("%s", o.name)
	s.spawn(o.do)
	return true
}

// ring lets the clock go on to the next alarm.
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
		if st := sp.r.snapshot.Load(); !sp.left && len(st.Runs) > 0 {
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
		stage := commandStage(-1)
		if sp.r.command != nil {
			stage = sp.r.command.stage
		}
		s.logf("%s: held %v, stage %d, %d commands, flight %v, trouble %v, %d effects, running %v", sp.r.id, sp.r.held, stage, len(sp.r.commands), sp.r.flight != nil, sp.r.trouble, len(sp.r.effects), sp.r.running)
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
		if !sp.r.guard.TryLock() {
			s.failf("%s: a thread waits with the lock", sp.r.id)
			return
		}
		if s.steps%8 == 0 {
			now, told := sp.r.state(), sp.r.snapshot.Load()
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
		sp.r.guard.Unlock()
		if sp.flight > 1 {
			s.failf("%s: %d batches are stored at once", sp.r.id, sp.flight)
		}
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
		case <-w.done:
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
			if n != 1 || sp.over[id] != 1 && !(sp.over[id] == 0 && sp.guests[id] && sp.early) {
				s.failf("%s: %s began %d times and ended %d times", sp.r.id, id, n, sp.over[id])
			}
		}
		for id, n := range sp.watched {
			if n != 2 {
				s.failf("%s: who watches %s was told that it begins, and not that it ends", sp.r.id, id)
			}
		}
		if n := len(sp.r.effects); n > 0 {
			s.failf("%s: %d effects are left", sp.r.id, n)
		}
		said := map[string]string{}
		for _, msg := range sp.conv.Messages {
			if msg.EndedAt == 0 && msg.StopReason == "" && msg.RunID != "" && sp.over[msg.RunID] == 0 && !(sp.guests[msg.RunID] && sp.early) {
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
		for id, seat := range sp.r.seats {
			if len(seat.asks)+len(seat.questions) > 0 {
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

// The user.

func (s *sim) userActs() {
	sp := s.spaces[s.rng.IntN(len(s.spaces))]
	if sp.left {
		return
	}
	members := sp.r.space.Members
	member := members[s.rng.IntN(len(members))].ID
	seat := sp.r.seats[member]
	if seat == nil {
		return
	}
	switch n := s.rng.IntN(100); {
	case n < 34:
		s.send(sp, member)
	case n < 42:
		s.logf("%s: the user stops %s", sp.r.id, member)
		s.spawn(func() { _ = s.m.Stop(context.Background(), sp.r.id, member) })
	case n < 56:
		s.answerAll(sp)
	case n < 62:
		s.editQueue(sp)
	case n < 67:
		s.logf("%s: the user signs %s in", sp.r.id, member)
		s.spawn(func() {
			seat.Lock()
			off := seat.signsIn(Auth{ID: "sso", Type: []string{AuthAgent, AuthVariables}[s.rng.IntN(2)]}, func(error) {})
			seat.Unlock()
			if s.chance(20) {
				s.op("the sign-in is called off", func() {
					seat.Lock()
					off(context.Canceled)
					seat.Unlock()
				})
			}
		})
	case n < 72:
		s.logf("%s: an earlier session of %s is loaded", sp.r.id, member)
		s.spawn(func() {
			seat.Lock()
			defer seat.Unlock()
			if !seat.busy() && !seat.left {
				seat.reopen(&opening{purpose: toLoad, done: func(*link, error) {}})
			}
		})
	case n < 76:
		s.logf("%s: %s is prepared", sp.r.id, member)
		w := &wanting{inTurn: true, done: func(*link, error) {}}
		s.spawn(func() {
			seat.Lock()
			seat.need(w)
			seat.Unlock()
		})
		s.op("whoever prepared it gives up", func() {
			seat.Lock()
			seat.callOff(w)
			seat.Unlock()
		})
	case n < 80:
		s.logf("%s: %s restarts", sp.r.id, member)
		s.spawn(func() {
			seat.Lock()
			defer seat.Unlock()
			if l := seat.link; l != nil && !seat.busy() {
				seat.end(l, ending{})
				seat.fresh = true
			}
		})
	case n < 83:
		mode := []permission.Mode{permission.FollowRules, permission.AskAlways, permission.ReadOnly}[s.rng.IntN(3)]
		s.logf("%s: the mode is %s", sp.r.id, mode)
		s.spawn(func() { s.m.SetMode(sp.r.id, mode) })
	case n < 87 && len(members) > 1:
		s.mention(sp, seat)
	case n < 90 && len(members) > 1:
		s.logf("%s: a member leaves", sp.r.id)
		space := sp.r.space
		space.Members = slices.Clone(members)[:1]
		s.spawn(func() {
			sp.r.Lock()
			defer sp.r.Unlock()
			for _, seat := range sp.r.membersAre(space) {
				seat.leave(stopped, func() {})
			}
		})
	case n < 96:
		sp.full = !sp.full
		s.logf("%s: the disk is full: %v", sp.r.id, sp.full)
	case n < 97:
		s.drop(sp)
	default:
		s.kill()
	}
}

func (s *sim) send(sp *simSpace, member string) {
	p := &simPrompt{space: sp}
	s.prompts = append(s.prompts, p)
	seats := []*Session{sp.r.seats[member]}
	if s.chance(20) {
		seats = sp.r.inOrder()
	}
	text := fmt.Sprintf("prompt %d", len(s.prompts))
	s.logf("%s: the user says %q to %d members", sp.r.id, text, len(seats))
	s.spawn(func() {
		c := sp.r.sending(seats, QueuedPrompt{Text: text}, &p.queued, &p.id)
		c.done = func(err error) {
			p.done, p.err = p.done+1, err
			s.logf("%s: %q queued %v, %v", sp.r.id, text, p.queued, err)
		}
		sp.r.Lock()
		sp.r.submit(&c)
		sp.r.Unlock()
	})
}

func (s *sim) answerAll(sp *simSpace) {
	for _, seat := range sp.r.inOrder() {
		for _, id := range slices.Sorted(maps.Keys(seat.asks)) {
			c := sp.r.answers(id, func(a *ask) (transcript.Resolution, error) {
				return transcript.Resolution{Outcome: "selected", OptionID: []string{"yes", "no"}[s.rng.IntN(2)]}, nil
			})
			s.command(sp, "answers", c)
		}
		for _, id := range slices.Sorted(maps.Keys(sp.r.displays)) {
			d := sp.r.displays[id]
			s.command(sp, "answers a display", command{final: true, change: func() (then, undo func(), err error) {
				if sp.r.displays[id] != d {
					return nil, nil, errNotWaiting
				}
				sp.r.answerDisplay(d, jsontext.Value("{}"), false)
				return nil, nil, nil
			}})
		}
		for _, id := range slices.Sorted(maps.Keys(seat.questions)) {
			s.command(sp, "answers a question", sp.r.answersQuestion(id, []string{"decline", "cancel"}[s.rng.IntN(2)], nil))
		}
	}
}

func (s *sim) command(sp *simSpace, name string, c command) {
	done := 0
	c.done = func(err error) {
		if done++; done > 1 {
			s.failf("a command is answered %d times", done)
		}
		s.logf("%s: the user %s: %v", sp.r.id, name, err)
	}
	s.spawn(func() {
		sp.r.Lock()
		sp.r.submit(&c)
		sp.r.Unlock()
	})
}

func (s *sim) editQueue(sp *simSpace) {
	if len(sp.r.queue) == 0 {
		return
	}
	q := sp.r.queue[s.rng.IntN(len(sp.r.queue))]
	text := []string{"", "changed"}[s.rng.IntN(2)]
	s.command(sp, "edits the queue", command{change: func() (then, undo func(), err error) { return sp.r.edit(q.ID, text) }})
}

// mention has a member asked by another one, which waits for the reply.
func (s *sim) mention(sp *simSpace, seat *Session) {
	w := newWaiter()
	s.waiters = append(s.waiters, w)
	s.logf("%s: %s is asked by another agent", sp.r.id, seat.member.ID)
	s.spawn(func() { seat.ask(QueuedPrompt{Text: "please", From: "Somebody", reply: w}) })
}

func (s *sim) drop(sp *simSpace) {
	s.logf("%s: the user deletes it", sp.r.id)
	sp.left, sp.early = true, !s.calm
	s.spawn(func() {
		sp.r.Lock()
		s.logf("%s: it is left", sp.r.id)
		sp.r.leave(stopped, func() { sp.gone, sp.lossy = true, sp.r.trouble != nil })
		sp.r.Unlock()
	})
}

// kill ends a process from outside.
func (s *sim) kill() {
	for _, p := range s.procs {
		if !p.dead && !p.closed && s.chance(50) {
			s.logf("a process of %s is killed", p.agent)
			p.closed = true
			for _, l := range p.links {
				if sl := s.links[l]; sl != nil {
					sl.lost = true
				}
			}
			return
		}
	}
}

// The agents.

func (s *sim) agentActs() bool {
	var list []*simLink
	for _, l := range s.linkList() {
		if !l.reading && (l.opening == nil || l.l.acpID != "" || s.chance(10)) {
			list = append(list, l)
		}
	}
	if len(list) == 0 {
		return false
	}
	l := list[s.rng.IntN(len(list))]
	if l.lost {
		s.losesConnection(l)
		return true
	}
	if l.turn == nil {
		if s.chance(15) {
			s.says(l)
		}
		return true
	}
	switch n := s.rng.IntN(100); {
	case l.turn.cancelled && !l.turn.stubborn:
		s.endTurn(l, "cancelled", nil)
	case n < 45:
		s.says(l)
	case n < 60:
		s.calls(l)
	case n < 75:
		s.asks(l)
	case n < 78:
		s.questions(l)
	case n < 81:
		s.writesElsewhere(l)
	case n < 83:
		s.shows(l)
	case n < 84:
		s.takesBack(l)
	case n < 96:
		s.endTurn(l, []string{"end_turn", "refusal", "cancelled"}[s.rng.IntN(3)], nil)
	default:
		s.endTurn(l, "", &acp.RPCError{Code: -32000, Message: "no"})
	}
	return true
}

// handle has something delivered that the agent has sent.
func (s *sim) handle(l *simLink, in *acp.Inbound, token string) {
	in.SessionID = l.id
	l.reading = true
	s.spawn(func() {
		before := l.l.heard.Load()
		l.l.Handle(in, s.chance(30))
		if token != "" && l.l.heard.Load() > before {
			l.space.said[l.l.s.member.ID].WriteString(token)
		}
		l.reading = false
	})
}

func (s *sim) says(l *simLink) {
	s.ids++
	token := fmt.Sprintf("t%d ", s.ids)
	if l.l.acpID == "" || l.l.how.purpose == toLoad && l.opening != nil {
		return // what comes early, or is replayed, is said elsewhere
	}
	s.handle(l, &acp.Inbound{Kind: acp.KindUpdate, Update: transcript.Update{Kind: transcript.UpdateText, Text: token}}, token)
}

func (s *sim) calls(l *simLink) {
	id, title, kind := fmt.Sprintf("call%d", s.rng.IntN(5)), "Look", "read"
	status := []transcript.Status{transcript.StatusPending, transcript.StatusRunning, transcript.StatusCompleted, transcript.StatusFailed}[s.rng.IntN(4)]
	p := &transcript.ToolPatch{ID: id, Title: &title, Kind: &kind, Status: &status, Announced: s.chance(50)}
	s.handle(l, &acp.Inbound{Kind: acp.KindUpdate, Update: transcript.Update{Kind: transcript.UpdateTool, Tool: p}}, "")
}

func (s *sim) asks(l *simLink) {
	l.asks++
	id := fmt.Sprintf("%d", l.asks)
	a := &simAsk{req: &acp.Request{Method: "session/request_permission", ID: []byte(id)}}
	a.req.Params = fmt.Appendf(nil, `{"sessionId":%q,"toolCall":{"toolCallId":"call%d","title":"Do it","kind":"execute","rawInput":{"command":"make %d"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}`,
		l.id, s.rng.IntN(5), s.rng.IntN(3))
	l.asked[id] = a
	s.handle(l, &acp.Inbound{Kind: acp.KindRequest, Method: a.req.Method, Request: a.req, Params: a.req.Params}, "")
}

func (s *sim) questions(l *simLink) {
	l.asks++
	id := fmt.Sprintf("%d", l.asks)
	a := &simAsk{req: &acp.Request{Method: "elicitation/create", ID: []byte(id)}}
	a.req.Params = fmt.Appendf(nil, `{"sessionId":%q,"mode":"form","message":"Which?","requestedSchema":{"type":"object"}}`, l.id)
	l.asked[id] = a
	s.handle(l, &acp.Inbound{Kind: acp.KindRequest, Method: a.req.Method, Request: a.req, Params: a.req.Params}, "")
}

// writesElsewhere has the run add a text to the other space, as the gateway does for it.
func (s *sim) writesElsewhere(l *simLink) {
	other := s.spaces[0]
	if other == l.space {
		other = s.spaces[1]
	}
	s.ids++
	token := fmt.Sprintf("t%d ", s.ids)
	s.spawn(func() {
		m := l.l.s
		m.Lock()
		defer m.Unlock()
		if m.run == nil || m.run.stopping || m.link != l.l {
			return
		}
		e := &simElsewhere{to: other, run: m.run.id, token: token}
		s.elsewhere = append(s.elsewhere, e)
		c := m.run.in(m, other.r.id, Member{ID: transcript.MainMember, Name: "Guest"})
		c.add(step{text: token, part: "p" + token})
		c.add(step{do: func(*room, *transcript.Fold) { e.added = true }})
	})
}

// simElsewhere is a text in another space than that of its run.
type simElsewhere struct {
	to         *simSpace
	run, token string
	added      bool
}

// shows puts a display before the user that the run waits for.
func (s *sim) shows(l *simLink) {
	s.spawn(func() {
		m := l.l.s
		m.Lock()
		defer m.Unlock()
		if m.run == nil || m.run.stopping || m.link != l.l {
			return
		}
		d := &display{id: m.newID("ask"), tool: "showForm", title: "Form", at: m.m.now(), source: Seat{m.room.id, m.member.ID}, runID: m.run.id, answer: make(chan jsontext.Value, 1)}
		d.fold = m.part(m.run)
		s.displays = append(s.displays, d)
		m.draw(d, ToShow{Await: true}, nil)
		m.changed()
		m.flush()
	})
}

func (s *sim) takesBack(l *simLink) {
	for _, id := range slices.Sorted(maps.Keys(l.asked)) {
		if a := l.asked[id]; a.answered == 0 {
			s.handle(l, &acp.Inbound{Kind: acp.KindWithdrawn, Request: a.req}, "")
			return
		}
	}
}

func (s *sim) endTurn(l *simLink, reason string, err error) {
	t := l.turn
	l.turn = nil
	s.logf("%s: the agent of %s ends its turn: %s %v", l.space.r.id, l.l.s.member.ID, reason, err)
	s.spawn(func() { t.end(acp.PromptResult{StopReason: reason}, err) })
}

// losesConnection tells that the process of a session is gone, once everything that it had sent was handled.
func (s *sim) losesConnection(l *simLink) {
	switch {
	case l.opening != nil:
		l.opening(acp.ErrClosed)
	case l.turn != nil:
		t := l.turn
		l.turn = nil
		s.spawn(func() {
			l.l.s.Lock()
			l.l.s.lost(l.l)
			l.l.s.Unlock()
			t.end(acp.PromptResult{}, acp.ErrClosed)
		})
	default:
		s.spawn(func() {
			l.l.s.Lock()
			defer l.l.s.Unlock()
			l.l.s.lost(l.l)
		})
	}
}

// simWorld is the world of one space.
type simWorld struct {
	s  *sim
	sp *simSpace
}

func (w simWorld) newID(prefix string) string {
	w.s.ids++
	return fmt.Sprintf("%s_%d", prefix, w.s.ids)
}

var errFull = &store.Error{Code: "full", Message: "The disk is full."}

func (w simWorld) append(req events.Append, done func(error)) {
	sp := w.sp
	sp.flight++
	w.s.op(fmt.Sprintf("%s: %d events are stored, full %v", sp.r.id, len(req.Bodies), sp.full), func() {
		sp.flight--
		if sp.full {
			done(errFull)
			return
		}
		for _, b := range req.Bodies {
			w.s.logf("%s:   %s", sp.r.id, b.EventType())
			sp.seq++
			if err := sp.conv.Apply(&transcript.Event{Seq: sp.seq, At: req.At, Body: b}); err != nil {
				w.s.failf("%s: event %d, %s: %v", sp.r.id, sp.seq, b.EventType(), err)
			}
			switch b := b.(type) {
			case *transcript.RunCreated:
				if b.SpaceID != "" {
					sp.guests[b.RunID] = true
				}
				if b.SpaceID == "" || !sp.left { // a space that goes is not told of the end of what others write to it
					sp.created[b.RunID]++
				}
			case *transcript.RunCompleted:
				if sp.over[b.RunID]++; sp.created[b.RunID] == 0 && b.SpaceID == "" {
					w.s.failf("%s: %s ends before it began", sp.r.id, b.RunID)
				}
			}
		}
		done(nil)
	})
}

func (w simWorld) probe(done func(error)) {
	w.s.op(w.sp.r.id+": the store is asked whether it takes anything", func() {
		if w.sp.full {
			done(errFull)
			return
		}
		done(nil)
	})
}

func (w simWorld) after(d time.Duration, do func()) {
	w.s.alarms = append(w.s.alarms, &simAlarm{w.s.clock.Add(d), do})
}

func (w simWorld) open(l *link, done func(error)) {
	s := w.s
	s.ids++
	sl := &simLink{l: l, space: w.sp, id: fmt.Sprintf("s%06d", s.ids), asked: map[string]*simAsk{}}
	s.links[l] = sl
	fresh, agentID := l.s.fresh, l.config.ID
	sl.opening = func(err error) {
		sl.opening = nil
		s.spawn(func() { done(err) })
	}
	s.op(w.sp.r.id+": the process of "+agentID+" is there", func() {
		if sl.opening == nil {
			return
		}
		if !s.calm && s.chance(8) {
			sl.opening(errors.New("it can't be started"))
			return
		}
		for _, p := range s.procs {
			if p.agent == agentID && !p.closed && !p.alone && !p.dead && !fresh && !l.how.alone {
				sl.proc = p
			}
		}
		if sl.proc == nil {
			sl.proc = &simProc{agent: agentID, alone: l.how.alone, idle: map[*link]bool{}}
			s.procs = append(s.procs, sl.proc)
		}
		sl.proc.links = append(sl.proc.links, l)
		s.op(w.sp.r.id+": the session of "+agentID+" is open", func() { w.opens(sl) })
	})
}

func (w simWorld) opens(sl *simLink) {
	s, l := w.s, sl.l
	switch n := s.rng.IntN(100); {
	case sl.opening == nil:
		return
	case sl.lost:
		sl.opening(acp.ErrClosed)
		return
	case s.calm:
	case n < 6 && !l.how.alone:
		sl.opening(&unshared{err: errors.New("only one session"), forGood: n < 3})
		return
	case n < 14:
		sl.opening(acp.ErrAuthRequired)
		return
	}
	l.s.Lock()
	if sl.opening == nil {
		l.s.Unlock()
		return
	}
	l.caps.Capabilities.ResumeSession = true
	if l.how.purpose == toLoad {
		l.s.turns.Replay()
	}
	l.known(sl.id)
	l.settled = true
	l.s.Unlock()
	sl.opening(nil)
}

func (w simWorld) close(l *link, _ ending, done func()) {
	s, sl := w.s, w.s.links[l]
	if sl == nil || sl.closing {
		s.failf("%s: a session is closed that is not open", w.sp.r.id)
		return
	}
	sl.closing = true
	s.op(w.sp.r.id+": the session of "+l.config.ID+" is gone", func() {
		if sl.opening != nil {
			sl.opening(context.Canceled)
		}
		if t := sl.turn; t != nil {
			sl.turn = nil
			s.spawn(func() { t.end(acp.PromptResult{}, acp.ErrClosed) })
		}
		delete(s.links, l)
		if p := sl.proc; p != nil {
			p.links = slices.DeleteFunc(p.links, func(o *link) bool { return o == l })
			if len(p.links) == 0 {
				p.dead, p.closed = true, true
			}
		}
		done()
	})
}

func (w simWorld) signIn(ctx context.Context, l *link, _ string, done func(error)) {
	w.s.op(w.sp.r.id+": the sign-in is over", func() {
		switch {
		case ctx.Err() != nil:
			done(context.Cause(ctx))
		case !w.s.calm && w.s.chance(30):
			done(errors.New("the card has expired"))
		default:
			done(nil)
		}
	})
}

func (w simWorld) wake(l *link) bool {
	p := w.s.links[l].proc
	p.idle[l] = false
	return !p.closed
}

func (w simWorld) idle(l *link) []*link {
	p := w.s.links[l].proc
	p.idle[l] = true
	for _, o := range p.links {
		if !p.idle[o] {
			return nil
		}
	}
	p.closed = true
	return slices.Clone(p.links)
}

func (w simWorld) shares(l *link) bool {
	sl := w.s.links[l]
	return sl != nil && sl.proc != nil && len(sl.proc.links) > 1
}

func (w simWorld) shun(*link) {}

func (w simWorld) begins(_ *Session, r *run) {
	if w.sp.watched[r.id] != 0 {
		w.s.failf("%s begins twice", r.id)
	}
	w.sp.watched[r.id] = 1
}

func (w simWorld) over(_ *Session, r *run) {
	if r.phase != runOver {
		w.s.failf("%s is over in phase %d", r.id, r.phase)
	}
	if n := w.sp.watched[r.id]; n == 1 {
		w.sp.watched[r.id] = 2
	} else if n == 2 {
		w.s.failf("%s is over twice", r.id)
	}
}

func (w simWorld) prepare(l *link, r *run, done func([]sdk.ContentBlock, error)) {
	w.s.op(w.sp.r.id+": the prompt is put together", func() {
		switch {
		case r.ctx.Err() != nil:
			done(nil, context.Cause(r.ctx))
		case !w.s.calm && w.s.chance(5):
			done(nil, errors.New("a file is gone"))
		default:
			l.s.Lock()
			l.unsaid = false
			l.s.Unlock()
			done(nil, nil)
		}
	})
}

func (w simWorld) prompt(l *link, r *run, _ []sdk.ContentBlock, done func(acp.PromptResult, error)) {
	s := w.s
	s.spawn(func() {
		l.s.Lock()
		ok := l.s.sends(r, l, func() {})
		id := l.acpID
		l.s.Unlock()
		sl := s.links[l]
		switch {
		case !ok:
			done(acp.PromptResult{}, context.Canceled)
		case id == "":
			s.failf("%s: a prompt goes out without a session", w.sp.r.id)
		case sl == nil || sl.closing && sl.proc == nil:
			done(acp.PromptResult{}, acp.ErrClosed)
		case sl.turn != nil:
			s.failf("%s: two prompts at once", w.sp.r.id)
		default:
			s.logf("%s: the agent of %s has the prompt", w.sp.r.id, l.s.member.ID)
			sl.turn = &simTurn{run: r, end: done, stubborn: s.chance(15)}
		}
	})
}

func (w simWorld) cancel(l *link) {
	if sl := w.s.links[l]; sl != nil && sl.turn != nil {
		sl.turn.cancelled = true
	}
}

func (w simWorld) answered(l *link, req *acp.Request) {
	sl := w.s.links[l]
	if sl == nil {
		return
	}
	if a := sl.asked[string(req.ID)]; a != nil {
		if a.answered++; a.answered > 1 {
			w.s.failf("%s: request %s is answered twice", w.sp.r.id, req.ID)
		}
	}
}

func (w simWorld) answer(l *link, req *acp.Request, _ any) { w.answered(l, req) }

func (w simWorld) refuse(l *link, req *acp.Request, _ int, _ string) { w.answered(l, req) }

func (w simWorld) run(do func()) { w.s.spawn(do) }
