package requests

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
)

// QuestionTool is the name of the calls that show an agent's questions (ACP Elicitation). Their input is the agent's
// request, and their output is the user's answer.
const QuestionTool = "weft/question"

// HoldTool is the name of the calls that show a question of Weft itself before it sends a prompt to an agent.
// Otherwise they are like questions.
const HoldTool = "weft/hold"

// MaxAnswer is the size limit of a user's answer, in bytes of JSON.
const MaxAnswer = 64 << 10

const (
	maxQuestionTitle = 500 // bytes
	maxAnswerSummary = 160
)

// Question is a request for information.
type Question struct {
	From    Asker
	Request *acp.Request
	ID      string
	Call    string // its call in the transcript
	Title   string
	At      int64 // unix ms

	Tool  string         // the agent's call that is shown as the question, or ""
	Input jsontext.Value // params of an elicitation, from which the form is made

	own     bool // Weft asks, not the agent
	url     bool
	schema  jsontext.Value // of the form
	address string         // elicitationId of a URL that the user opens

	// For a permission request that asks questions.
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

// DecodeElicitation decodes the params of elicitation/create.
func DecodeElicitation(params jsontext.Value) (e Elicitation, err error) {
	err = json.Unmarshal(params, &e, json.DefaultOptionsV2(), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return e, err
}

// Answerable reports whether there is a form or a URL.
func (e *Elicitation) Answerable() bool {
	if e.Mode == "url" {
		return e.URL != ""
	}
	return len(e.Schema) > 0 && e.Schema[0] == '{'
}

// NewQuestion returns the question of an elicitation. r is its request.
func NewQuestion(from Asker, r *acp.Request, e *Elicitation) *Question {
	return &Question{From: from, Request: r, Input: r.Params, Title: shortTitle(e.Message), url: e.Mode == "url", schema: e.Schema, address: e.Address, Tool: e.Tool}
}

// NewPermissionQuestion returns the question of a permission request that asks questions (qwen's ask_user_question).
// title is the title of its call, and r its request.
func NewPermissionQuestion(from Asker, r *acp.Request, title string, list []acp.Question, options []transcript.PermissionOption) *Question {
	q := &Question{From: from, Request: r, asked: list, options: options}
	message, params := formOf(title, list)
	q.Title, q.Input = shortTitle(message), params
	return q
}

// Way is one way to answer a question of Weft itself.
type Way struct{ Value, Title, Description string }

// NewHold returns a question of Weft itself. The answer is an object with the value of one of the ways as "choice".
// There must be at least one way.
func NewHold(from Asker, title string, ways []Way) *Question {
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
	return &Question{From: from, own: true, Title: shortTitle(title), schema: schema, Input: input}
}

// Patch returns the call that is shown as the question.
func (q *Question) Patch() *transcript.ToolPatch {
	name, kind := QuestionTool, "other"
	if q.own {
		name = HoldTool
	}
	return &transcript.ToolPatch{ID: q.Call, Announced: true, Name: &name, Title: &q.Title, Kind: &kind, Input: q.Input}
}

// shortTitle truncates the title of a question.
func shortTitle(title string) string {
	title = strings.TrimSpace(title)
	if len(title) > maxQuestionTitle {
		title = strings.ToValidUTF8(title[:maxQuestionTitle], "") + "…"
	}
	return title
}

// questionOptions are the two options of a question in the transcript.
var questionOptions = []transcript.PermissionOption{
	{ID: "accept", Name: "Answer", Kind: "allow_once"},
	{ID: "decline", Name: "Decline", Kind: "reject_once"},
}

// Action is the response to an elicitation.
type Action struct {
	Action  string         `json:"action"` // accept, decline, cancel
	Content jsontext.Value `json:"content,omitzero"`
}

// MarshalJSON is for the encoder of the connection, which doesn't support jsontext.
func (a Action) MarshalJSON() ([]byte, error) {
	type plain Action
	return json.Marshal(plain(a))
}

// CancelAction is the response to a question without an answer.
var CancelAction = Action{Action: "cancel"}

// questionEnd is the end of a question: of its request and its call in the transcript, and the response to the agent.
type questionEnd struct {
	How   transcript.Resolution
	Call  *transcript.ToolPatch // nil if it ends with the request
	Reply any
}

// Answered ends a question as the user decided: accept with the content of the form (an object, or none for a URL),
// decline, or cancel. Errors: invalid, does_not_fit.
func (q *Question) Answered(do string, content jsontext.Value) (end questionEnd, err error) {
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

// Unanswered ends a question without an answer.
func (q *Question) Unanswered(why transcript.Resolution) questionEnd {
	canceled := transcript.StatusCancelled
	return questionEnd{How: why, Call: &transcript.ToolPatch{ID: q.Call, Status: &canceled}, Reply: q.reply(CancelAction)}
}

// Completed ends a question whose URL the agent reports as completed (elicitation/complete).
func (q *Question) Completed() questionEnd {
	done, summary := transcript.StatusCompleted, fault.Text("Done, according to the agent")
	return questionEnd{How: Withdrawn, Call: &transcript.ToolPatch{ID: q.Call, Status: &done, Summary: &summary}, Reply: q.reply(Action{Action: "accept"})}
}

// reply returns the response to the agent, in the form of its request.
func (q *Question) reply(a Action) any {
	if q.asked != nil {
		return askedReply(q.asked, q.options, a)
	}
	return a
}

// AnswerSummary returns an answer on one line: its values, in the order of the form.
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
