package runs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// QuestionTool is the name of the calls that are an agent's questions (ACP Elicitation). Their input is the
// agent's request, their output what the person has answered.
const QuestionTool = "weft/question"

const (
	maxQuestionTitle = 500      // bytes
	maxAnswer        = 64 << 10 // bytes of JSON
	maxAnswerSummary = 160
)

// question is an open request for information.
type question struct {
	link    *link
	request *acp.Request
	call    string // its call in the transcript
	title   string
	url     bool
	at      int64 // unix ms

	schema  jsontext.Value // of the form
	address string         // elicitationId, of an address that is opened elsewhere

	tool string // the agent's call that it belongs to, which is shown as the question; "" if there is none

	// Of a permission request that asks.
	asked   []acp.Question
	options []transcript.PermissionOption
}

// The two ways to answer, as the transcript keeps them.
var questionOptions = []transcript.PermissionOption{
	{ID: "accept", Name: "Answer", Kind: "allow_once"},
	{ID: "decline", Name: "Decline", Kind: "reject_once"},
}

// ask puts an agent's question before the person. The lock is held.
func (l *link) ask(in *acp.Inbound) {
	var p struct {
		SessionID string         `json:"sessionId"`
		Mode      string         `json:"mode"`
		Message   string         `json:"message"`
		Schema    jsontext.Value `json:"requestedSchema"`
		URL       string         `json:"url"`
		Address   string         `json:"elicitationId"`
		Tool      string         `json:"toolCallId"`
	}
	if err := json.Unmarshal(in.Request.Params, &p, json.DefaultOptionsV2(), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		l.refuse(in.Request, acp.CodeInvalidParams, err.Error())
		return
	}
	if p.Mode != "url" && (len(p.Schema) == 0 || p.Schema[0] != '{') || p.Mode == "url" && p.URL == "" {
		l.refuse(in.Request, acp.CodeInvalidParams, "a question needs a requestedSchema, which is an object, or a url")
		l.note("The agent asked a question that cannot be answered: it has no form and no address.")
		return
	}
	if p.SessionID != "" && l.acpID != "" && p.SessionID != l.acpID {
		l.respond(in.Request, action{Action: "cancel"})
		return
	}
	if p.Tool != "" && (l.gate.Drawn(p.Tool) || l.s.turns.With(p.Tool) == nil) {
		p.Tool = ""
	}
	l.pose(&question{request: in.Request, title: p.Message, url: p.Mode == "url", schema: p.Schema, address: p.Address, tool: p.Tool},
		in.Request.Params, p.SessionID == "" && (l.phase == phaseStarting || l.phase == phaseSigningIn))
}

// pose shows a question. Input is what the form is made of: the params of an elicitation. Outside of a turn only
// what a request of ours needs is asked: while the agent starts or signs in.
func (l *link) pose(q *question, input jsontext.Value, outside bool) {
	s := l.s
	title := strings.TrimSpace(q.title)
	if len(title) > maxQuestionTitle {
		title = strings.ToValidUTF8(title[:maxQuestionTitle], "") + "…"
	}
	name, kind, id := QuestionTool, "other", s.newID("ask")
	if l.posed[q.tool] { // it has asked before
		q.tool = ""
	}
	q.link, q.call, q.title, q.at = l, cmp.Or(q.tool, s.newID("question")), title, s.m.now()
	if q.tool != "" && len(l.posed) < toolcalls.MaxCalls {
		if l.posed == nil {
			l.posed = map[string]bool{}
		}
		l.posed[q.tool] = true
	}
	inTurn := s.run != nil && !s.run.stopping
	if outside && s.run == nil {
		s.turns.Aside()
	}
	s.turns.AskPermission(&transcript.ToolPatch{
		ID: q.call, Announced: true, Name: &name, Title: &title, Kind: &kind, Input: input,
	}, id, questionOptions, nil, s.m.now())
	if !inTurn && (!outside || s.run != nil) {
		// There is no turn to ask the person in, but the question is shown all the same.
		s.unanswered(id, q, stopped)
		q.respond(action{Action: "cancel"})
		return
	}
	s.questions[id] = q
	s.changed()
}

// tell gives the agent the user's answer, in the form in which it has asked.
func (q *question) tell(a action) {
	var result any = a
	if q.asked != nil {
		result = askedAnswer(q.asked, q.options, a)
	}
	q.link.s.w.answer(q.link, q.request, result)
}

// respond is tell after the step. The lock is held.
func (q *question) respond(a action) { q.link.s.effect(func() { q.tell(a) }) }

type action struct {
	Action  string         `json:"action"` // accept, decline, cancel
	Content jsontext.Value `json:"content,omitzero"`
}

// MarshalJSON is for the encoder of the connection, which does not know jsontext.
func (a action) MarshalJSON() ([]byte, error) {
	type plain action
	return json.Marshal(plain(a))
}

// AnswerQuestion gives the person's answer to a question: accept with the content of the form (an object; none for an
// address), decline, or cancel, which says nothing. Errors: not_waiting where the question is not open (any more), invalid.
func (m *Manager) AnswerQuestion(_ context.Context, spaceID, requestID, do string, content jsontext.Value) error {
	r := m.open(spaceID)
	if r == nil {
		return errNotWaiting
	}
	return r.do(r.answersQuestion(requestID, do, content))
}

// answersQuestion is the command that answers a question.
func (r *room) answersQuestion(requestID, do string, content jsontext.Value) command {
	return command{
		final: true,
		before: func() error {
			if _, q := r.question(requestID); q == nil {
				return errNotWaiting
			}
			return nil
		},
		change: func() (then, undo func(), err error) {
			s, q := r.question(requestID)
			if q == nil {
				return nil, nil, errNotWaiting
			}
			return nil, nil, s.answerQuestion(requestID, q, do, content)
		},
	}
}

// question returns an open question and whose it is, nil if it is not open. The lock is held.
func (r *room) question(id string) (*Session, *question) {
	for _, s := range r.seats {
		if q := s.questions[id]; q != nil {
			return s, q
		}
	}
	return nil, nil
}

// answerQuestion is [Manager.AnswerQuestion] with the lock.
func (s *Session) answerQuestion(requestID string, q *question, do string, content jsontext.Value) error {
	a := action{Action: do}
	now := s.m.now()
	switch do {
	case "accept":
		if !q.url {
			if len(content) == 0 || content[0] != '{' || len(content) > maxAnswer {
				return &Error{Code: "invalid", Message: "The answer is not a form, or it is longer than 64 KB."}
			}
			if err := fits(q.schema, content); err != nil {
				return err
			}
			a.Content = content
		}
		delete(s.questions, requestID)
		s.turns.ResolvePermission(requestID, transcript.Resolution{Outcome: "selected", OptionID: do}, now)
		done, summary := transcript.StatusCompleted, answerSummary(a.Content)
		s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: q.call, Status: &done, Output: a.Content, Summary: &summary}}, now)
	case "decline":
		delete(s.questions, requestID)
		s.turns.ResolvePermission(requestID, transcript.Resolution{Outcome: "selected", OptionID: do}, now)
	case "cancel":
		delete(s.questions, requestID)
		s.unanswered(requestID, q, transcript.Resolution{Outcome: "cancelled"})
	default:
		return &Error{Code: "invalid", Message: fmt.Sprintf("A question is answered with accept, decline or cancel, not with %q.", do)}
	}
	s.endAside()
	s.after(func() { q.tell(a) }) // stored before the agent learns of it
	s.changed()
	return nil
}

// unanswered ends a question in the transcript that nobody has answered. The lock is held.
func (s *Session) unanswered(id string, q *question, why transcript.Resolution) {
	now := s.m.now()
	s.turns.ResolvePermission(id, why, now)
	cancelled := transcript.StatusCancelled
	s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: q.call, Status: &cancelled}}, now)
}

// withdrawQuestions answers all open questions with cancel. The lock is held.
func (s *Session) withdrawQuestions(why transcript.Resolution) {
	for _, id := range slices.Sorted(maps.Keys(s.questions)) {
		q := s.questions[id]
		delete(s.questions, id)
		s.unanswered(id, q, why)
		q.respond(action{Action: "cancel"})
		s.touched()
	}
	s.endAside()
}

// endAside ends the message of questions outside of turns when none is open any more. The lock is held.
func (s *Session) endAside() {
	if len(s.questions) == 0 {
		s.turns.EndAside(s.m.now())
	}
}

// started ends what was asked while the agent started or signed in. The lock is held.
func (l *link) started() {
	for id, q := range l.s.questions {
		if q.link == l && l.s.run == nil {
			delete(l.s.questions, id)
			l.s.unanswered(id, q, stopped)
			q.respond(action{Action: "cancel"})
			l.s.changed()
		}
	}
	l.s.endAside()
	l.s.flush()
}

// completed takes elicitation/complete: what was to be done at an address is done. The lock is held.
func (l *link) completed(params jsontext.Value) {
	var p struct {
		ID string `json:"elicitationId"`
	}
	if json.Unmarshal(params, &p) != nil || p.ID == "" {
		return
	}
	for id, q := range l.s.questions {
		if q.link != l || q.address != p.ID {
			continue
		}
		delete(l.s.questions, id)
		now, done, summary := l.s.m.now(), transcript.StatusCompleted, "Done, as the agent says"
		l.s.turns.ResolvePermission(id, transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "agent"}}, now)
		l.s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: q.call, Status: &done, Summary: &summary}}, now)
		l.s.endAside()
		q.respond(action{Action: "accept"})
		l.s.changed()
	}
}

// Asking implements [agentproc.Session].
func (l *link) Asking() bool {
	l.s.Lock()
	defer l.s.Unlock()
	for _, q := range l.s.questions {
		if q.link == l {
			return true
		}
	}
	return false
}

// questionWithdrawn ends a question that the agent took back. The lock is held.
func (s *Session) questionWithdrawn(r *acp.Request) {
	for id, q := range s.questions {
		if q.request == r {
			delete(s.questions, id)
			s.unanswered(id, q, transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "agent"}})
			s.endAside()
			q.link.takeBack(r)
			s.changed()
		}
	}
}

// answerSummary tells an answer in a line: its values, in the order of the form.
func answerSummary(content jsontext.Value) string {
	var parts []string
	dec := jsontext.NewDecoder(strings.NewReader(string(content)))
	for depth := 0; ; {
		tok, err := dec.ReadToken()
		if err != nil {
			break
		}
		switch tok.Kind() {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			if _, n := dec.StackIndex(dec.StackDepth()); depth == 1 && n%2 == 1 {
				continue // a name
			}
			if v := strings.Join(strings.Fields(tok.String()), " "); v != "" {
				parts = append(parts, v)
			}
		}
	}
	line := strings.Join(parts, ", ")
	if len(line) > maxAnswerSummary {
		line = strings.ToValidUTF8(line[:maxAnswerSummary], "") + "…"
	}
	if line == "" {
		return "Answered"
	}
	return line
}
