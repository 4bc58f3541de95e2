package requests

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/fault"
	"weft/backend/transcript"
)

// QuestionTool is the name of the calls that are an agent's questions (ACP Elicitation). Their input is the
// agent's request, their output the user's answer.
const QuestionTool = "weft/question"

// HoldTool is the name of the calls in which Weft itself asks before a prompt is sent to an agent. They are questions in all else.
const HoldTool = "weft/hold"

// MaxAnswer is how long an answer of the user may be, in bytes of JSON.
const MaxAnswer = 64 << 10

const (
	maxQuestionTitle = 500 // bytes
	maxAnswerSummary = 160
)

// Question is a request for information. F is what the caller keeps of the connection that the question came from.
type Question[F any] struct {
	From    F
	Request *acp.Request
	ID      string
	Call    string // its call in the transcript
	Title   string
	At      int64 // unix ms

	Tool  string         // the agent's call that it belongs to, which is shown as the question; "" if there is none
	Input jsontext.Value // what its form is made of: the params of an elicitation

	own     bool // Weft asks, and not the agent
	url     bool
	schema  jsontext.Value // of the form
	address string         // elicitationId, of an address that is opened elsewhere

	// Of a permission request that asks.
	asked   []acp.Question
	options []transcript.PermissionOption
}

// Elicitation is the params of elicitation/create.
type Elicitation struct {
	SessionID string         `json:"sessionId"`
	Mode      string         `json:"mode"`
	Message   string         `json:"message"`
	Schema    jsontext.Value `json:"requestedSchema"`
	URL       string         `json:"url"`
	Address   string         `json:"elicitationId"`
	Tool      string         `json:"toolCallId"`
}

// DecodeElicitation reads the params of elicitation/create.
func DecodeElicitation(params jsontext.Value) (e Elicitation, err error) {
	err = json.Unmarshal(params, &e, json.DefaultOptionsV2(), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return e, err
}

// Answerable reports whether there is a form or an address.
func (e *Elicitation) Answerable() bool {
	if e.Mode == "url" {
		return e.URL != ""
	}
	return len(e.Schema) > 0 && e.Schema[0] == '{'
}

// NewQuestion makes a question of an elicitation; r is its request.
func NewQuestion[F any](from F, r *acp.Request, e *Elicitation) *Question[F] {
	return &Question[F]{From: from, Request: r, Input: r.Params, Title: shortTitle(e.Message), url: e.Mode == "url", schema: e.Schema, address: e.Address, Tool: e.Tool}
}

// NewPermissionQuestion makes a question of a permission request that asks (qwen's ask_user_question); title is that of its call, r its request.
func NewPermissionQuestion[F any](from F, r *acp.Request, title string, list []acp.Question, options []transcript.PermissionOption) *Question[F] {
	q := &Question[F]{From: from, Request: r, asked: list, options: options}
	message, params := formOf(title, list)
	q.Title, q.Input = shortTitle(message), params
	return q
}

// Way is one way to answer a question of Weft's own.
type Way struct{ Value, Title, Description string }

// NewHold makes a question of Weft's own, which is answered by one of the ways: an object with the way's value as "choice". There is at least one.
func NewHold[F any](from F, title string, ways []Way) *Question[F] {
	type way struct {
		Const       string `json:"const"`
		Title       string `json:"title"`
		Description string `json:"description,omitzero"`
	}
	list := make([]way, len(ways))
	for i, w := range ways {
		list[i] = way{w.Value, w.Title, w.Description}
	}
	schema, _ := json.Marshal(map[string]any{
		"type": "object", "required": []string{"choice"},
		"properties": map[string]any{"choice": map[string]any{"type": "string", "oneOf": list, "default": ways[0].Value}},
	}, json.Deterministic(true))
	input, _ := json.Marshal(map[string]any{"message": title, "requestedSchema": jsontext.Value(schema)}, json.Deterministic(true))
	return &Question[F]{From: from, own: true, Title: shortTitle(title), schema: schema, Input: input}
}

// Patch returns the call that is shown as the question.
func (q *Question[F]) Patch() *transcript.ToolPatch {
	name, kind := QuestionTool, "other"
	if q.own {
		name = HoldTool
	}
	return &transcript.ToolPatch{ID: q.Call, Announced: true, Name: &name, Title: &q.Title, Kind: &kind, Input: q.Input}
}

// shortTitle shortens the title of a question.
func shortTitle(title string) string {
	title = strings.TrimSpace(title)
	if len(title) > maxQuestionTitle {
		title = strings.ToValidUTF8(title[:maxQuestionTitle], "") + "…"
	}
	return title
}

// QuestionOptions are the two ways to answer a question, as the transcript keeps them.
var QuestionOptions = []transcript.PermissionOption{
	{ID: "accept", Name: "Answer", Kind: "allow_once"},
	{ID: "decline", Name: "Decline", Kind: "reject_once"},
}

// Action is the answer to an elicitation.
type Action struct {
	Action  string         `json:"action"` // accept, decline, cancel
	Content jsontext.Value `json:"content,omitzero"`
}

// MarshalJSON is for the encoder of the connection, which does not know jsontext.
func (a Action) MarshalJSON() ([]byte, error) {
	type plain Action
	return json.Marshal(plain(a))
}

// CancelAction is the answer to a question that was not answered.
var CancelAction = Action{Action: "cancel"}

// QuestionEnd is how a question ends: how its request and its call end in the transcript, and what the agent is answered.
type QuestionEnd struct {
	How   transcript.Resolution
	Call  *transcript.ToolPatch // nil: it ends with the request
	Reply any
}

// Answered ends a question as the user says: accept with the content of the form (an object; none for an address), decline, or cancel. Errors: invalid, does_not_fit.
func (q *Question[F]) Answered(do string, content jsontext.Value) (end QuestionEnd, err error) {
	a := Action{Action: do}
	switch do {
	case "accept":
		if !q.url {
			if len(content) == 0 || content[0] != '{' || len(content) > MaxAnswer {
				return end, fault.New("invalid", "The answer isn't a form, or it is longer than 64 KB.")
			}
			if err := fits(q.schema, content); err != nil {
				return end, err
			}
			a.Content = content
		}
		end.How = transcript.Resolution{Outcome: "selected", OptionID: do}
		done, summary := transcript.StatusCompleted, AnswerSummary(a.Content)
		end.Call = &transcript.ToolPatch{ID: q.Call, Status: &done, Output: a.Content, Summary: &summary}
	case "decline":
		end.How = transcript.Resolution{Outcome: "selected", OptionID: do}
	case "cancel":
		end = q.Unanswered(transcript.Resolution{Outcome: "cancelled"})
	default:
		return end, fault.New("invalid", "A question is answered with accept, decline or cancel, not with {{do}}.", strconv.Quote(do))
	}
	end.Reply = q.reply(a)
	return end, nil
}

// Unanswered ends a question that nobody has answered.
func (q *Question[F]) Unanswered(why transcript.Resolution) QuestionEnd {
	canceled := transcript.StatusCancelled
	return QuestionEnd{How: why, Call: &transcript.ToolPatch{ID: q.Call, Status: &canceled}, Reply: q.reply(CancelAction)}
}

// Completed ends a question whose address the agent reports as done (elicitation/complete).
func (q *Question[F]) Completed() QuestionEnd {
	done, summary := transcript.StatusCompleted, fault.Text("Done, according to the agent")
	return QuestionEnd{How: Withdrawn, Call: &transcript.ToolPatch{ID: q.Call, Status: &done, Summary: &summary}, Reply: q.reply(Action{Action: "accept"})}
}

// reply returns what the agent is answered, in the form in which it has asked.
func (q *Question[F]) reply(a Action) any {
	if q.asked != nil {
		return askedReply(q.asked, q.options, a)
	}
	return a
}

// AnswerSummary returns an answer in a line: its values, in the order of the form.
func AnswerSummary(content jsontext.Value) string {
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
	return cmp.Or(line, fault.Text("Answered"))
}
