package lifecycle

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/backend/agent/agentproc"
	"weft/backend/space/owner"
)

// plain is a member whose sessions open and close when the test says so. It implements [Space] and [Member]; a
// session is a number.
type plain struct {
	*Machine[int]
	mu      sync.Mutex
	effects []func()
	later   map[time.Duration]func()

	stages  []*Stage[int] // by session
	opens   chan int      // sessions that are being opened
	closes  chan int
	endings []Ending
	refuses error // by New
	unfit   int   // sessions up to this one can't be used
	running bool
	next    int   // calls of Next
	alone   []int // sessions whose agent needs a process for each
}

func newPlain() *plain {
	p := &plain{stages: make([]*Stage[int], 1), opens: make(chan int, 10), closes: make(chan int, 10), later: map[time.Duration]func(){}}
	p.Machine = New[int](p, p)
	return p
}

func (p *plain) Lock() { p.mu.Lock() }

func (p *plain) Unlock() {
	effects := p.effects
	p.effects = nil
	p.mu.Unlock()
	for _, do := range effects {
		do()
	}
}

func (p *plain) Step(do func()) {
	p.Lock()
	defer p.Unlock()
	do()
}

func (p *plain) Effect(do func())                 { p.effects = append(p.effects, do) }
func (p *plain) Later(d time.Duration, do func()) { p.later[d] = do }
func (p *plain) Flush()                           {}

func (p *plain) New(g *Stage[int]) (int, error) {
	if p.refuses != nil {
		return 0, p.refuses
	}
	p.stages = append(p.stages, g)
	return len(p.stages) - 1, nil
}

func (p *plain) Open(s int) { p.opens <- s }

func (p *plain) Close(s int, how Ending) {
	p.endings = append(p.endings, how)
	p.closes <- s
}

func (p *plain) Usable(s int) bool { return s > p.unfit }

func (p *plain) Ready(s int, exclusive bool) {
	if exclusive {
		p.alone = append(p.alone, s)
	}
}

func (p *plain) Next()         { p.next++ }
func (p *plain) Running() bool { return p.running }

func (p *plain) Idle(s int) ([]*Stage[int], bool) { return []*Stage[int]{p.stages[s]}, false }

// opened ends an opening, and gone a closing.
func (p *plain) opened(s int, err error) { p.Step(func() { p.stages[s].Opened(err) }) }
func (p *plain) gone(s int)              { p.Step(p.stages[s].Gone) }

// got is the results of needs, in order.
type got struct {
	sessions []int
	errs     []error
}

func (p *plain) needs(inTurn bool, g *got) *Need[int] {
	n := &Need[int]{InTurn: inTurn, Done: func(s int, err error) { g.sessions, g.errs = append(g.sessions, s), append(g.errs, err) }}
	p.Step(func() { p.Need(n) })
	return n
}

func TestNeedsThatComeMeanwhileShareAnOpening(t *testing.T) {
	p, g := newPlain(), &got{}
	p.needs(false, g)
	p.needs(true, g)
	if p.opened(1, nil); !slices.Equal(g.sessions, []int{1, 1}) || len(p.opens) != 1 {
		t.Errorf("the needs have %v, and %d sessions were opened", g.sessions, len(p.opens))
	}
	if p.needs(false, g); len(g.sessions) != 3 || p.stages[1].Phase() != Ready {
		t.Errorf("a session that is %s serves %v", p.stages[1].Phase(), g.sessions)
	}
}

func TestSessionInTurnServesThoseThatNeedNoTurn(t *testing.T) {
	p, g, other := newPlain(), &got{}, &got{}
	p.needs(false, g)
	p.opened(1, nil)
	p.Step(p.stages[1].BeginTurn)
	p.needs(true, g)
	p.needs(false, other)
	if len(g.sessions) != 2 || len(other.sessions) != 0 {
		t.Errorf("%v, and during the turn %v", g.sessions, other.sessions)
	}
	p.Step(func() {
		p.stages[1].EndTurn()
		p.stages[1].Serve()
	})
	if len(other.sessions) != 1 {
		t.Error("a need isn't served after the turn")
	}
}

func TestOpeningThatNobodyNeedsIsGivenUp(t *testing.T) {
	p, g := newPlain(), &got{}
	a, b := p.needs(false, g), p.needs(false, g)
	if p.Step(func() { p.CallOff(a) }); len(p.closes) != 0 {
		t.Fatal("an opening is given up that is still needed")
	}
	if p.Step(func() { p.CallOff(b) }); len(p.closes) != 1 || p.stages[1].Phase() != Closing {
		t.Fatal("an opening that nobody needs continues")
	}
	p.needs(false, g) // while it is closing
	p.opened(1, context.Canceled)
	p.gone(1)
	if p.opened(2, nil); !slices.Equal(g.sessions, []int{2}) {
		t.Errorf("the needs have %v, %v", g.sessions, g.errs)
	}
}

func TestAgentThatNeedsItsOwnProcessIsOpenedAgain(t *testing.T) {
	p, g := newPlain(), &got{}
	p.needs(false, g)
	p.opened(1, &agentproc.ExclusiveError{Err: errors.New("one only"), Always: true})
	p.gone(1)
	if how := p.stages[2].How(); !how.Alone || len(g.errs) != 0 {
		t.Fatalf("the second opening is %+v, and the need has %v", how, g.errs)
	}
	p.opened(2, nil)
	if !slices.Equal(g.sessions, []int{2}) || !slices.Equal(p.alone, []int{2}) {
		t.Errorf("the need has %v, and %v need a process for each session", g.sessions, p.alone)
	}
}

func TestAgentThatNeedsItsOwnProcessIsOpenedAgainOnce(t *testing.T) {
	p, g := newPlain(), &got{}
	exclusive := &agentproc.ExclusiveError{Err: errors.New("one only")}
	p.needs(false, g)
	p.opened(1, exclusive)
	p.gone(1)
	p.opened(2, exclusive)
	p.gone(2)
	if len(g.errs) != 1 || !errors.Is(g.errs[0], error(exclusive)) || len(p.stages) != 3 {
		t.Errorf("the need has %v after %d openings", g.errs, len(p.stages)-1)
	}
}

func TestSessionIsOpenedAgainInNewProcessOnce(t *testing.T) {
	p, g := newPlain(), &got{}
	stale := &agentproc.FreshError{Err: errors.New("this process doesn't answer")}
	p.needs(false, g)
	p.opened(1, stale)
	if p.gone(1); !p.stages[2].How().Fresh || !p.Fresh() || len(g.errs) != 0 {
		t.Fatalf("the second opening is %+v, in a new process: %v; the need has %v", p.stages[2].How(), p.Fresh(), g.errs)
	}
	p.opened(2, stale)
	p.gone(2)
	if len(g.errs) != 1 || !errors.Is(g.errs[0], error(stale)) || len(p.stages) != 3 {
		t.Errorf("the need has %v after %d openings", g.errs, len(p.stages)-1)
	}
	p.needs(false, g)
	p.opened(3, nil)
	if p.Fresh() || g.sessions[len(g.sessions)-1] != 3 {
		t.Errorf("in a new process again: %v; the need has %v", p.Fresh(), g.sessions)
	}
}

func TestOpeningInAnotherProcessIsCalledOff(t *testing.T) {
	for _, why := range []error{&agentproc.FreshError{Err: errors.New("stale")}, &agentproc.ExclusiveError{Err: errors.New("one only")}} {
		for _, late := range []bool{false, true} { // once the second opening has begun
			p := newPlain()
			var errs []error
			o := &Opening[int]{Purpose: ToSignIn, Done: func(_ int, err error) { errs = append(errs, err) }}
			p.Step(func() { p.Reopen(o) })
			p.opened(1, why)
			if late {
				p.gone(1)
			}
			p.Step(func() { p.CallOffOpening(o, context.Canceled) })
			if late {
				p.opened(2, context.Canceled)
				p.gone(2)
			} else {
				p.gone(1)
			}
			if len(errs) != 1 || p.Busy() || len(p.stages) > 3 {
				t.Errorf("%v, late %v: %v after %d openings, busy %v", why, late, errs, len(p.stages)-1, p.Busy())
			}
		}
	}
}

func TestPromptDoesNotWaitForTheSecondOpeningOfAnAgentThatNeedsItsOwnProcess(t *testing.T) {
	p, g := newPlain(), &got{}
	n := p.needs(false, g)
	p.opened(1, &agentproc.ExclusiveError{Err: errors.New("one only")})
	if p.Busy() {
		t.Error("a prompt has to wait, for an opening that may be called off")
	}
	p.Step(func() { p.CallOff(n) })
	if p.gone(1); p.Busy() || len(p.stages) != 2 {
		t.Errorf("busy %v after %d openings", p.Busy(), len(p.stages)-1)
	}
}

func TestSessionThatCannotBeUsedIsReplaced(t *testing.T) {
	p, g := newPlain(), &got{}
	p.needs(false, g)
	p.opened(1, nil)
	p.unfit = 1
	p.needs(false, g)
	if len(p.endings) != 1 || !p.endings[0].Polite {
		t.Fatalf("it is ended: %+v", p.endings)
	}
	p.gone(1)
	p.opened(2, nil)
	if !slices.Equal(g.sessions, []int{1, 2}) {
		t.Errorf("the needs have %v", g.sessions)
	}
}

func TestSessionThatCannotBeUsedOnceItIsOpenIsReplaced(t *testing.T) {
	p, g := newPlain(), &got{}
	p.needs(false, g)
	p.unfit = 1
	p.opened(1, nil)
	if len(p.endings) != 1 || len(g.sessions) > 0 {
		t.Fatalf("the endings are %+v, and the need has %v", p.endings, g.sessions)
	}
	p.gone(1)
	p.opened(2, nil)
	if !slices.Equal(g.sessions, []int{2}) || g.errs[0] != nil {
		t.Errorf("the need has %v, %v", g.sessions, g.errs)
	}
}

func TestSessionThatWeftEndsSaysWhyToThoseThatNeedIt(t *testing.T) {
	p, g := newPlain(), &got{}
	why := errors.New("the agent sends too much")
	p.needs(false, g)
	p.Step(func() { p.stages[1].End(Ending{Why: why}) })
	p.opened(1, context.Canceled)
	p.gone(1)
	if len(g.errs) != 1 || !errors.Is(g.errs[0], why) || len(p.stages) != 2 {
		t.Errorf("the need has %v after %d openings", g.errs, len(p.stages)-1)
	}
}

func TestSessionThatIsGoneWaitsForTheEndOfItsOpening(t *testing.T) {
	p, g := newPlain(), &got{}
	why := errors.New("the agent sends too much")
	p.needs(false, g)
	p.Step(func() { p.stages[1].End(Ending{Why: why}) })
	p.gone(1)
	p.opened(1, context.Canceled)
	if len(g.errs) != 1 || !errors.Is(g.errs[0], why) || len(p.stages) != 2 || p.stages[1].Phase() != Gone {
		t.Errorf("the need has %v after %d openings, and the first session is %s", g.errs, len(p.stages)-1, p.stages[1].Phase())
	}
}

func TestFailedLoadLetsPromptsContinueAndFailedSignInDoesNot(t *testing.T) {
	for purpose, next := range map[Purpose]int{ToLoad: 1, ToSignIn: 0} {
		p := newPlain()
		var err error
		p.Step(func() {
			p.Reopen(&Opening[int]{Purpose: purpose, Done: func(_ int, why error) { err = why }})
		})
		busy := p.Busy()
		p.opened(1, errors.New("no"))
		if !busy || err == nil || p.next != next {
			t.Errorf("purpose %d: busy %v, error %v, %d prompts are sent", purpose, busy, err, p.next)
		}
	}
}

func TestTurnOfAMemberThatLeavesHasAMomentToEnd(t *testing.T) {
	p, g := newPlain(), &got{}
	p.needs(false, g)
	p.opened(1, nil)
	p.Step(p.stages[1].BeginTurn)
	p.running = true
	stopped, left := 0, 0
	leave := func() { p.Leave(func() { stopped++ }, func() { left++ }) }
	p.Step(leave)
	p.Step(leave)
	if stopped != 1 || len(p.closes) != 0 || p.later[leaveGrace] == nil {
		t.Fatalf("stopped %d times, %d sessions are closed", stopped, len(p.closes))
	}
	p.Step(p.later[leaveGrace])
	p.Step(func() {
		p.running = false
		p.FinishLeaving()
	})
	if left != 0 || len(p.closes) != 1 {
		t.Fatalf("left %d times before the session is gone, %d are closed", left, len(p.closes))
	}
	p.gone(1)
	p.needs(false, g)
	if left != 2 || !errors.Is(g.errs[1], owner.ErrClosing) {
		t.Errorf("left %d times; a need gets %v", left, g.errs[1])
	}
}

func TestSessionIsClosedOnlyAfterARestWithoutUse(t *testing.T) {
	p, g := newPlain(), &got{}
	p.needs(false, g)
	p.opened(1, nil)
	first := p.later[idleAfter]
	p.Step(p.Used)
	p.Step(p.Rest)
	if p.Step(first); len(p.closes) != 0 {
		t.Fatal("a session that was used is closed")
	}
	if p.Step(p.later[idleAfter]); len(p.closes) != 1 || !p.endings[0].Polite {
		t.Errorf("a session that has rested is closed: %+v", p.endings)
	}
}

func TestPhaseThatMayNotFollowPanics(t *testing.T) {
	p := newPlain()
	p.needs(false, &got{})
	defer func() {
		if why, _ := recover().(string); !strings.Contains(why, "starting can't become in turn") {
			t.Errorf("panics with %q", why)
		}
	}()
	p.stages[1].BeginTurn()
}
