package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
)

var errClientGone = errors.New("the client no longer reads output")

// player is the agent of a replay. It plays the scripts of the conversation one after the
// other. Each has a goroutine that waits for the previous one.
type player struct {
	ctx   context.Context
	gone  context.CancelCauseFunc
	rec   *recorded
	speed float64 // 0: without pauses

	outMu sync.Mutex
	out   io.Writer

	tasks sync.WaitGroup
	// closing is closed when no more answers can arrive.
	closing chan struct{}

	mu        sync.Mutex
	over      chan struct{} // closed when latest has ended
	latest    *turn         // the last turn of the conversation
	turns     []*turn       // unanswered prompts
	asked     map[string]*asked
	fresh     int
	terminals map[string]string // recorded id → client's id
}

// turn is one request of the client that is being played.
type turn struct {
	*script
	id        jsontext.Value
	opens     string // session id to add to the answer
	cancelled chan struct{}
	once      sync.Once
	next      chan struct{} // closed when another turn waits for this one
	hurry     sync.Once
	asks      map[int]*asked
	tail      atomic.Bool // the answer was sent
}

// asked is a request that the agent sent.
type asked struct {
	id     string // new for this replay
	answer chan jsontext.Value
}

func newPlayer(ctx context.Context, gone context.CancelCauseFunc, rec *recorded, speed float64, out io.Writer) *player {
	p := &player{
		ctx: ctx, gone: gone, rec: rec, speed: speed, out: out,
		asked: map[string]*asked{}, terminals: map[string]string{}, closing: make(chan struct{}),
	}
	p.over = closed
	p.start(&turn{script: rec.first}, true)
	return p
}

// wait waits until all turns have stopped.
func (p *player) wait() { p.tasks.Wait() }

// drain plays all turns to the end without waiting for answers.
func (p *player) drain() {
	close(p.closing)
	p.tasks.Wait()
}

// hear handles one line of the client.
func (p *player) hear(line []byte) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	for _, m := range messages(Entry{Msg: line}) {
		switch {
		case m.msg.Method == "session/cancel":
			p.cancel(sessionOf(m.msg.Params))
		case m.msg.Method != "" && m.msg.hasID():
			p.request(m.msg)
		case m.msg.Method == "" && m.msg.hasID():
			p.answer(m.msg)
		case m.msg.Method == "" && !jsontext.Value(line).IsValid(lenient):
			p.fail(jsontext.Value("null"), -32700, "The line isn't a JSON message.")
		}
	}
}

// request plays the script for a request.
func (p *player) request(m envelope) {
	s, why := p.find(m.Method, sessionOf(m.Params))
	if s == nil {
		code := -32601
		if p.count(m.Method) > 0 {
			code = -32603
		}
		p.fail(m.ID, code, why)
		return
	}
	t := &turn{script: s, id: m.ID}
	if m.Method == "session/new" && s.method != "session/new" {
		t.opens = s.session
	}
	serial := slices.Contains(conversation, s.method)
	if s.method == "session/prompt" {
		p.mu.Lock()
		p.turns = append(p.turns, t)
		p.mu.Unlock()
	}
	p.start(t, serial)
}

// find returns the next script for a method, preferably of the same session, or why there
// is none.
func (p *player) find(method, session string) (*script, string) {
	var next, last *script
	for _, s := range p.rec.scripts {
		if s.method != method {
			continue
		}
		last = s
		if !s.taken && (next == nil || next.session != session && s.session == session) {
			next = s
		}
	}
	switch {
	case next != nil:
		next.taken = true
		return next, ""
	case last == nil && method == "session/new":
		// If the recording begins with an earlier session, open that one.
		for _, opening := range []string{"session/load", "session/resume"} {
			if s, _ := p.find(opening, ""); s != nil {
				return s, ""
			}
		}
		return nil, "The recording has no more sessions to open."
	case last == nil:
		return nil, fmt.Sprintf("The recording has no %s.", method)
	case method == "session/prompt":
		return nil, fmt.Sprintf("The recording has ended: all %d prompts were played.", p.count(method))
	case method == "initialize" || !slices.Contains(conversation, method):
		return last, "" // answer the same again
	}
	return nil, fmt.Sprintf("The recording has no more %s: all %d were played.", method, p.count(method))
}

func (p *player) count(method string) (n int) {
	for _, s := range p.rec.scripts {
		if s.method == method {
			n++
		}
	}
	return n
}

// start plays a turn: if it is serial, after the turns before, and always after the rest of
// a turn that has been answered.
func (p *player) start(t *turn, serial bool) {
	t.cancelled = make(chan struct{})
	t.next = make(chan struct{})
	t.asks = map[int]*asked{}
	before, over := closed, make(chan struct{})
	if l := p.latest; l != nil && (serial || l.tail.Load()) {
		l.hurry.Do(func() { close(l.next) })
		before = p.over
	}
	if serial {
		p.over, p.latest = over, t
	}
	p.tasks.Go(func() {
		defer close(over)
		select {
		case <-before:
		case <-p.ctx.Done():
			return
		}
		p.play(t)
	})
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
