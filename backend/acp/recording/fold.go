package recording

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/acp/callids"
	"weft/backend/acp/rpc"
	"weft/backend/conversation/transcript"
)

// Folded is the conversation in a recording.
type Folded struct {
	transcript.Conversation
	Blobs   map[string][]byte // by hash
	Skipped []*LineError      // invalid lines
}

// Fold folds a recording with the same decoder and fold as live traffic. Times are those
// of the recording.
func Fold(r io.Reader) (*Folded, error) {
	f := &folder{
		out: &Folded{Blobs: map[string][]byte{}}, sessions: map[string]*foldSession{},
		asked: map[string]foldCall{}, asking: map[string]string{},
	}
	f.decoder = acp.NewDecoder(f.inbound)
	in := NewReader(r)
	for {
		e, err := in.Next()
		var bad *LineError
		switch {
		case errors.Is(err, io.EOF):
			f.decoder.End(nil)
			return f.out, nil
		case errors.As(err, &bad):
			f.out.Skipped = append(f.out.Skipped, bad)
			continue
		case err != nil:
			return nil, fmt.Errorf("read the recording: %w", err)
		}
		f.now = e.T / 1000
		switch {
		case e.Dir == ToAgent:
			f.outbound(e.Msg)
		case e.Msg != nil:
			f.decoder.Line(e.Msg)
		default:
			f.decoder.Line([]byte(e.Raw))
		}
		if err := f.take(); err != nil {
			return nil, err
		}
	}
}

// folder folds a recording. It takes the role of the client.
type folder struct {
	out      *Folded
	decoder  *acp.Decoder
	now      int64 // ms since the start of the recording
	seq      int64
	ids      int
	box      transcript.Outbox
	sessions map[string]*foldSession
	asked    map[string]foldCall // unanswered requests of the client, by id
	asking   map[string]string   // sessions of the agent's permission requests, by id
}

type foldCall struct {
	method, session string
	turn            *foldTurn
}

// foldSession is one ACP session. Prompts that were sent during a turn are queued in next.
type foldSession struct {
	turns *transcript.Turns
	calls *callids.IDs
	open  *foldTurn
	next  []*foldTurn
}

type foldTurn struct {
	prompt string
	fold   *transcript.Fold
}

func (f *folder) take() error {
	out := f.box.Take()
	for _, b := range out.Blobs {
		f.out.Blobs[b.Ref.Hash] = b.Data
	}
	for _, body := range out.Bodies {
		f.seq++
		e := transcript.Event{Epoch: 1, Seq: f.seq, At: f.now, Body: body}
		if err := f.out.Apply(&e); err != nil {
			return fmt.Errorf("fold the recording: %w", err)
		}
	}
	return nil
}

func (f *folder) id() string {
	f.ids++
	return "m" + strconv.Itoa(f.ids)
}

func (f *folder) session(id string) *foldSession {
	s := f.sessions[id]
	if s == nil {
		turns := transcript.NewTurns(&f.box, transcript.Author{Kind: "person"}, transcript.Author{Kind: "agent"}, f.id)
		s = &foldSession{turns: turns, calls: callids.New(turns)}
		f.sessions[id] = s
	}
	return s
}

// outbound handles a message of the client.
func (f *folder) outbound(msg jsontext.Value) {
	var m struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
		Params struct {
			SessionID string           `json:"sessionId"`
			Prompt    []jsontext.Value `json:"prompt"`
		} `json:"params"`
		Result struct {
			Outcome struct {
				Outcome  string `json:"outcome"`
				OptionID string `json:"optionId"`
			} `json:"outcome"`
		} `json:"result"`
	}
	if json.Unmarshal(msg, &m, lenient) != nil {
		// Fields of other types don't matter for the fold.
		if m.ID == nil && m.Method == "" {
			return
		}
	}
	id := rpc.ID(m.ID)
	switch {
	case m.Method == "" && m.ID != nil:
		if s, ok := f.asking[id]; ok {
			delete(f.asking, id)
			outcome := m.Result.Outcome.Outcome
			if outcome == "" {
				outcome = "cancelled" // answered with an error
			}
			f.session(s).turns.ResolvePermission(id, transcript.Resolution{Outcome: outcome, OptionID: m.Result.Outcome.OptionID}, f.now)
		}
	case m.Method == "session/prompt":
		f.prompt(id, m.Params.SessionID, promptText(m.Params.Prompt))
	case m.Method == "session/load":
		f.session(m.Params.SessionID).turns.Replay()
	}
}

// promptText returns the text of a prompt, with a line for each block that isn't text.
func promptText(blocks []jsontext.Value) string {
	text := ""
	for _, raw := range blocks {
		var b struct {
			Type string `json:"type"`
			Text string `json:"text"`
			URI  string `json:"uri"`
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &b, lenient) != nil {
			continue
		}
		switch {
		case b.Type == "text":
			text += b.Text
		case b.URI != "":
			text += "\n[" + b.URI + "]"
		default:
			text += "\n[" + b.Type + "]"
		}
	}
	return text
}

func (f *folder) prompt(id, sessionID, text string) {
	s := f.session(sessionID)
	t := &foldTurn{prompt: text}
	f.asked[id] = foldCall{method: "session/prompt", session: sessionID, turn: t}
	if s.open == nil {
		f.begin(s, t)
		return
	}
	s.next = append(s.next, t)
}

func (f *folder) begin(s *foldSession, t *foldTurn) {
	s.turns.Prompt(t.prompt)
	t.fold = s.turns.Begin("r"+strconv.Itoa(f.ids), t.prompt)
	s.open = t
}

// inbound handles a message of the agent.
func (f *folder) inbound(in *acp.Inbound) {
	switch in.Kind {
	case acp.KindUpdate, acp.KindOversize:
		if in.Kind == acp.KindUpdate || in.Method == "session/update" {
			s := f.session(in.SessionID)
			s.turns.Update(s.calls.Report(&in.Update), f.now)
		}
	case acp.KindRequest:
		req := in.Permission
		if req == nil || req.Tool == nil {
			return
		}
		req.Tool.Announced = true
		id := rpc.ID(in.Request.ID)
		f.asking[id] = req.SessionID
		s := f.session(req.SessionID)
		s.turns.AskPermission(s.calls.Request(req.Tool), id, req.Options, nil, f.now)
	case acp.KindResponse:
		c, ok := f.asked[in.Response.ID]
		if !ok {
			return
		}
		delete(f.asked, in.Response.ID)
		f.answered(c, in.Response)
	case acp.KindNotification, acp.KindBroken, acp.KindPanic, acp.KindWithdrawn:
	}
}

// answered ends a turn, and begins the next one in the queue.
func (f *folder) answered(c foldCall, r *acp.Response) {
	s := f.session(c.session)
	if c.turn.fold == nil {
		// The prompt is still queued. Give its answer its own message.
		f.begin(s, c.turn)
		for i, t := range s.next {
			if t == c.turn {
				s.next = append(s.next[:i], s.next[i+1:]...)
				break
			}
		}
	}
	if r.Err != nil {
		c.turn.fold.Fail(transcript.Failure{Code: "agent_error", Message: r.Err.Error()}, f.now)
	} else {
		res := acp.ReadPrompt(r.Result)
		c.turn.fold.End(res.StopReason, res.Usage, f.now)
	}
	if s.open == c.turn {
		s.open = nil
		if len(s.next) > 0 {
			t := s.next[0]
			s.next = s.next[1:]
			f.begin(s, t)
		}
	}
}
