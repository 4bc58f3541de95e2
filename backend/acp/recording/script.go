package recording

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// envelope has the fields by which messages are sorted.
type envelope struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

func (e *envelope) hasID() bool { return len(e.ID) > 0 && e.ID.Kind() != 'n' }

// stepKind is the kind of a step.
type stepKind uint8

const (
	stepSay    stepKind = iota + 1 // send the message unchanged
	stepRaw                        // send raw, which isn't a message
	stepAsk                        // send a request of the agent
	stepAnswer                     // answer the client's request
	stepTake                       // cancel request ask
	stepHear                       // wait for the client's answer to request ask
	stepCancel                     // wait until the client cancels the turn
)

// step is one step of a script.
type step struct {
	kind stepKind
	gap  time.Duration // since the previous entry
	msg  envelope
	line jsontext.Value // the message as recorded
	raw  string
	ask  int            // number of the agent's request
	told jsontext.Value // stepHear: the recorded answer
}

// script is what the agent did for one request of the client: up to its answer, and then
// until it began to work on another request.
type script struct {
	method   string
	session  string
	answered bool
	cancel   bool // the client cancelled it
	steps    []step
	taken    bool // played, or being played
}

// conversation are the methods whose scripts are played one after the other. The others
// are answered immediately.
var conversation = []string{"initialize", "authenticate", "session/new", "session/load", "session/resume", "session/fork", "session/prompt"}

// recorded is a recording, sorted into scripts.
type recorded struct {
	first   *script // before the first request
	scripts []*script
}

// readScripts reads a recording. It skips invalid lines, but returns an error if there is no
// valid one.
func readScripts(r io.Reader) (*recorded, error) {
	reader := NewReader(r)
	var entries []Entry
	var bad error
	for {
		e, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if line := (*LineError)(nil); errors.As(err, &line) {
			if bad == nil {
				bad = err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		if bad != nil {
			return nil, bad
		}
		return nil, errors.New("the file is empty")
	}
	return sortEntries(entries), nil
}

// sorter sorts entries into scripts.
type sorter struct {
	rec  *recorded
	open []openScript
	last *script // the one that the agent worked on last
	asks map[string]ask
	n    int
	at   int64 // time of the previous entry
}

type openScript struct {
	*script
	id string
	// answerable means that an answer follows later. An agent that never answers a
	// request continues with the next one.
	answerable bool
}

type ask struct {
	number int
	script *script
}

func sortEntries(entries []Entry) *recorded {
	s := &sorter{rec: &recorded{first: &script{}}, asks: map[string]ask{}}
	s.last = s.rec.first
	answers := map[string][]int{} // by id, the indices of the agent's responses
	for i, e := range entries {
		for _, m := range messages(e) {
			if e.Dir == FromAgent && m.msg.Method == "" && m.msg.hasID() {
				answers[string(m.msg.ID)] = append(answers[string(m.msg.ID)], i)
			}
		}
	}
	for i, e := range entries {
		gap := time.Duration(max(e.T-s.at, 0)) * time.Microsecond
		s.at = max(e.T, s.at)
		if e.Msg == nil {
			if e.Dir == FromAgent {
				s.say(step{kind: stepRaw, gap: gap, raw: e.Raw})
			}
			continue
		}
		for _, m := range messages(e) {
			m.gap = gap
			gap = 0
			if e.Dir == FromAgent {
				s.fromAgent(m)
				continue
			}
			later := slices.ContainsFunc(answers[string(m.msg.ID)], func(n int) bool { return n > i })
			s.toAgent(m, later)
		}
	}
	return s.rec
}

// messages returns the messages of an entry: several for a batch.
func messages(e Entry) []step {
	if e.Msg == nil {
		return nil
	}
	lines := []jsontext.Value{e.Msg}
	if e.Msg.Kind() == '[' {
		lines = nil
		_ = json.Unmarshal(e.Msg, &lines, lenient)
	}
	out := make([]step, 0, len(lines))
	for _, l := range lines {
		m := step{line: l}
		if json.Unmarshal(l, &m.msg, lenient) != nil {
			m.msg = envelope{}
		}
		out = append(out, m)
	}
	return out
}

// floor returns the script that the agent is working on.
func (s *sorter) floor() *script {
	var other, forgotten *script
	for _, o := range s.open {
		switch {
		case !o.answerable:
			forgotten = o.script
		case slices.Contains(conversation, o.method):
			return o.script
		case other == nil:
			other = o.script
		}
	}
	switch {
	case forgotten != nil:
		return forgotten
	case other != nil && (s.last == s.rec.first || strings.HasPrefix(other.method, "session/set")):
		return other
	}
	return s.last
}

func (s *sorter) say(st step) {
	to := s.floor()
	to.steps = append(to.steps, st)
}

func (s *sorter) fromAgent(m step) {
	switch {
	case m.msg.Method == "" && m.msg.hasID():
		m.kind = stepAnswer
		for i, o := range s.open {
			if o.id == string(m.msg.ID) {
				o.steps = append(o.steps, m)
				o.answered = true
				s.open = slices.Delete(s.open, i, i+1)
				if slices.Contains(conversation, o.method) {
					s.last = o.script
				}
				return
			}
		}
	case m.msg.Method == "$/cancel_request":
		var p struct {
			RequestID jsontext.Value `json:"requestId"`
		}
		_ = json.Unmarshal(m.msg.Params, &p, lenient)
		m.kind = stepSay
		if a, ok := s.asks[string(p.RequestID)]; ok {
			m.kind, m.ask = stepTake, a.number
			a.script.steps = append(a.script.steps, m)
			return
		}
		s.say(m)
	case m.msg.Method != "" && m.msg.hasID():
		s.n++
		m.kind, m.ask = stepAsk, s.n
		s.asks[string(m.msg.ID)] = ask{s.n, s.floor()}
		s.say(m)
	default:
		m.kind = stepSay
		s.say(m)
	}
}

func (s *sorter) toAgent(m step, answerable bool) {
	switch {
	case m.msg.Method != "" && m.msg.hasID():
		c := &script{method: m.msg.Method, session: sessionOf(m.msg.Params)}
		s.rec.scripts = append(s.rec.scripts, c)
		s.open = append(s.open, openScript{c, string(m.msg.ID), answerable})
	case m.msg.Method == "session/cancel":
		id := sessionOf(m.msg.Params)
		for _, o := range s.open {
			if o.method == "session/prompt" && (id == "" || o.session == id) {
				o.cancel = true
				o.steps = append(o.steps, step{kind: stepCancel})
				return
			}
		}
	case m.msg.Method == "" && m.msg.hasID():
		if a, ok := s.asks[string(m.msg.ID)]; ok {
			delete(s.asks, string(m.msg.ID))
			a.script.steps = append(a.script.steps, step{kind: stepHear, ask: a.number, told: m.msg.Result})
		}
	}
}

func sessionOf(params jsontext.Value) string {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(params, &p, lenient)
	return p.SessionID
}
