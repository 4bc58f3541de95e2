package runs

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
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
}

// The two ways to answer, as the transcript keeps them.
var questionOptions = []transcript.PermissionOption{
	{ID: "accept", Name: "Answer", Kind: "allow_once"},
	{ID: "decline", Name: "Decline", Kind: "reject_once"},
}

// ask puts an agent's question before the person. The mutex is held.
func (l *link) ask(in *acp.Inbound) {
	var p struct {
		SessionID string         `json:"sessionId"`
		Mode      string         `json:"mode"`
		Message   string         `json:"message"`
		Schema    jsontext.Value `json:"requestedSchema"`
		URL       string         `json:"url"`
	}
	if err := json.Unmarshal(in.Request.Params, &p, json.DefaultOptionsV2(), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		l.answer(in.Request.Error(acp.CodeInvalidParams, err.Error()))
		return
	}
	if p.Mode != "url" && (len(p.Schema) == 0 || p.Schema[0] != '{') || p.Mode == "url" && p.URL == "" {
		l.answer(in.Request.Error(acp.CodeInvalidParams, "a question needs a requestedSchema, which is an object, or a url"))
		l.note("The agent asked a question that cannot be answered: it has no form and no address.")
		return
	}
	if p.SessionID != "" && l.acpID != "" && p.SessionID != l.acpID {
		l.answer(in.Request.Result(action{Action: "cancel"}))
		return
	}
	title := strings.TrimSpace(p.Message)
	if len(title) > maxQuestionTitle {
		title = strings.ToValidUTF8(title[:maxQuestionTitle], "") + "…"
	}
	name, kind, id := QuestionTool, "other", newID("ask")
	q := &question{link: l, request: in.Request, call: newID("question"), title: title, url: p.Mode == "url", at: l.s.m.now()}
	l.s.turns.AskPermission(&transcript.ToolPatch{
		ID: q.call, Announced: true, Name: &name, Title: &title, Kind: &kind, Input: in.Request.Params,
	}, id, questionOptions, l.s.m.now())
	if l.s.run == nil || l.s.run.stopping {
		// There is no turn to ask the person in, but the question is shown all the same.
		l.s.unanswered(id, q, stopped)
		l.answer(in.Request.Result(action{Action: "cancel"}))
		return
	}
	l.s.questions[id] = q
	l.s.m.opt.OnChange(l.s.space.ID)
}

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
	s := m.known(spaceID)
	if s == nil {
		return errNotWaiting
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.questions[requestID]
	if q == nil {
		return errNotWaiting
	}
	a := action{Action: do}
	now := m.now()
	switch do {
	case "accept":
		if !q.url {
			if len(content) == 0 || content[0] != '{' || len(content) > maxAnswer {
				return &Error{Code: "invalid", Message: "The answer is not a form, or it is longer than 64 KB."}
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
	s.flush() // stored before the agent learns of it
	q.link.answer(q.request.Result(a))
	m.opt.OnChange(spaceID)
	return nil
}

// unanswered ends a question in the transcript that nobody has answered. The mutex is held.
func (s *Session) unanswered(id string, q *question, why transcript.Resolution) {
	now := s.m.now()
	s.turns.ResolvePermission(id, why, now)
	cancelled := transcript.StatusCancelled
	s.turns.Update(&transcript.Update{Kind: transcript.UpdateTool, Tool: &transcript.ToolPatch{ID: q.call, Status: &cancelled}}, now)
}

// withdrawQuestions answers all open questions with cancel. The mutex is held.
func (s *Session) withdrawQuestions(why transcript.Resolution) {
	for id, q := range s.questions {
		delete(s.questions, id)
		s.unanswered(id, q, why)
		q.link.answer(q.request.Result(action{Action: "cancel"}))
	}
}

// questionWithdrawn ends a question that the agent took back. The mutex is held.
func (s *Session) questionWithdrawn(r *acp.Request) {
	for id, q := range s.questions {
		if q.request == r {
			delete(s.questions, id)
			s.unanswered(id, q, transcript.Resolution{Outcome: "cancelled", By: &transcript.By{Who: "agent"}})
			q.link.answer(r.Cancelled())
			s.m.opt.OnChange(s.space.ID)
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
