package requests

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/conversation/transcript"
)

// Questions of a permission request become a form with a field for each, in their order, and the answers find their way back.
func TestAnswersReachTheirQuestions(t *testing.T) {
	t.Parallel()
	options := []transcript.PermissionOption{{ID: "no", Kind: "reject_once"}, {ID: "go", Kind: "allow_once"}}
	for n := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(*seedFlag, n))
		var list []acp.Question
		answer, want := map[string]any{}, map[string]string{}
		for i := range 1 + rnd.IntN(12) {
			q := acp.Question{Text: fmt.Sprintf("Question %d?", i), MultiSelect: rnd.IntN(3) == 0}
			for o := range rnd.IntN(3) {
				q.Options = append(q.Options, acp.QuestionOption{Label: fmt.Sprintf("Option %d", o)})
			}
			list = append(list, q)
			var said []string
			if rnd.IntN(4) > 0 {
				one := fmt.Sprintf("chosen \"%d\", é", i)
				if q.MultiSelect && len(q.Options) > 0 {
					answer[choiceField(i)] = []string{one, "and"}
					said = append(said, one, "and")
				} else {
					answer[choiceField(i)] = one
					said = append(said, one)
				}
			}
			if len(q.Options) > 0 && rnd.IntN(4) == 0 {
				answer[otherField(i)] = "else"
				said = append(said, "else")
			}
			if len(said) > 0 {
				want[fmt.Sprint(i)] = strings.Join(said, ", ")
			}
		}
		q := NewPermissionQuestion(nil, nil, "Title", list, options)
		var form struct {
			Message string `json:"message"`
			Schema  struct {
				Properties jsontext.Value `json:"properties"`
			} `json:"requestedSchema"`
		}
		if err := json.Unmarshal(q.Input, &form); err != nil {
			t.Fatalf("seed %d, case %d: %v\n%s", *seedFlag, n, err, q.Input)
		}
		after := -1
		for i := range list {
			at := strings.Index(string(form.Schema.Properties), `"`+choiceField(i)+`"`)
			if at <= after {
				t.Fatalf("seed %d, case %d: question %d is at the wrong place\n%s", *seedFlag, n, i, form.Schema.Properties)
			}
			after = at
		}
		content, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		end, err := q.Answered("accept", content)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(end.Reply) // as the connection does
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Outcome struct{ Outcome, OptionID string } `json:"outcome"`
			Answers map[string]string                  `json:"answers"`
		}
		if err := json.Unmarshal(raw, &got); err != nil || got.Outcome.Outcome != "selected" || got.Outcome.OptionID != "go" || fmt.Sprint(got.Answers) != fmt.Sprint(want) {
			t.Fatalf("seed %d, case %d: %s, want %v", *seedFlag, n, raw, want)
		}
	}
}

// However a question ends, its request, its call and the agent's response agree.
func TestQuestionEndings(t *testing.T) {
	t.Parallel()
	options := []transcript.PermissionOption{{ID: "no", Kind: "reject_once"}, {ID: "go", Kind: "allow_once"}}
	form := &Elicitation{Message: strings.Repeat("é", 400), Schema: jsontext.Value(`{"properties":{"a":{"pattern":"^[0-9]+$","title":"Number"}}}`)}
	for _, c := range []struct {
		do, content              string
		outcome, status          string
		elicited, address, asked string // what the agent is answered
		fails                    bool
	}{
		{do: "accept", content: `{"a":"7"}`, outcome: "selected", status: "completed", elicited: `{"action":"accept","content":{"a":"7"}}`, address: `{"action":"accept"}`, asked: `{"outcome":{"outcome":"selected","optionId":"go"}}`},
		{do: "accept", content: `{"a":"x"}`, fails: true},
		{do: "accept", content: `[]`, fails: true},
		{do: "accept", content: `{"a":"` + strings.Repeat("7", MaxAnswer) + `"}`, fails: true},
		{do: "decline", outcome: "selected", elicited: `{"action":"decline"}`, address: `{"action":"decline"}`, asked: `{"outcome":{"outcome":"selected","optionId":"no"}}`},
		{do: "cancel", outcome: "cancelled", status: "cancelled", elicited: `{"action":"cancel"}`, address: `{"action":"cancel"}`, asked: `{"outcome":{"outcome":"cancelled"}}`},
		{do: "other", fails: true},
	} {
		address := &Elicitation{Mode: "url", URL: "https://example.org", Message: "Open"}
		for _, k := range []struct {
			name  string
			q     *Question
			reply string
		}{
			{"form", NewQuestion(nil, &acp.Request{}, form), c.elicited},
			{"address", NewQuestion(nil, &acp.Request{}, address), c.address},
			{"permission request", NewPermissionQuestion(nil, nil, "Title", []acp.Question{{Text: "What?"}}, options), c.asked},
		} {
			k.q.Call = "call"
			end, err := k.q.Answered(c.do, jsontext.Value(c.content))
			if c.fails {
				if err == nil && (k.name == "form" || c.do == "other") {
					t.Errorf("%s: %s %.40s is taken", k.name, c.do, c.content)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v", k.name, c.do, err)
				continue
			}
			raw, _ := json.Marshal(end.Reply)
			if string(raw) != k.reply || end.How.Outcome != c.outcome {
				t.Errorf("%s: %s is answered with %s, and ends as %+v", k.name, c.do, raw, end.How)
			}
			if status := statusOf(end.Call); status != c.status {
				t.Errorf("%s: after %s its call is %q", k.name, c.do, status)
			}
			if len(k.q.Title) > maxQuestionTitle+len("…") {
				t.Errorf("%s: the title is %d bytes", k.name, len(k.q.Title))
			}
		}
	}
}

func statusOf(p *transcript.ToolPatch) string {
	if p == nil || p.Status == nil {
		return ""
	}
	return string(*p.Status)
}

// Open questions are found by what ends them.
func TestOpenQuestions(t *testing.T) {
	t.Parallel()
	var open openQuestions
	first, second := &acp.Request{}, &acp.Request{}
	a := NewQuestion(named("x"), first, &Elicitation{Mode: "url", URL: "u", Address: "one", Tool: "call"})
	b := NewQuestion(named("y"), second, &Elicitation{Mode: "url", URL: "u", Address: "one"})
	a.ID, b.ID = "2", "1"
	open.Add(a)
	open.Add(b)
	if list := open.List(); len(list) != 2 || list[0] != b || open.Get("2") != a {
		t.Errorf("%+v", list)
	}
	for name, c := range map[string]struct {
		got  []*Question
		want *Question
	}{
		"its connection": {open.From(named("x")), a}, "its call": {open.OfCall("call"), a}, "its request": {open.OfRequest(second), b},
		"its address": {open.Completed(named("y"), jsontext.Value(`{"elicitationId":"one"}`)), b}, "no address": {open.Completed(named("y"), jsontext.Value(`{}`)), nil},
		"another address": {open.Completed(named("x"), jsontext.Value(`{"elicitationId":"two"}`)), nil},
	} {
		if c.want == nil && len(c.got) == 0 {
			continue
		}
		if len(c.got) != 1 || c.got[0] != c.want {
			t.Errorf("by %s: %+v", name, c.got)
		}
	}
	open.Remove(a)
	if open.Len() != 1 || open.Get("2") != nil {
		t.Error("a question that was removed is open")
	}
}

// named is a connection that asks nothing.
type named string

func (named) Answer(*acp.Request, any)     {}
func (named) RespondCanceled(*acp.Request) {}
