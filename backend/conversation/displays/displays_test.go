package displays

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"weft/backend/conversation/transcript"
)

type retriedError struct{ error }

func (retriedError) WasRetried() bool { return true }

func TestFilledDisplayShowsResultOrFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result  string
		err     error
		open    bool
		status  transcript.Status
		output  string
		retried bool
	}{
		"a result":                {`{"content":[]}`, nil, false, transcript.StatusCompleted, `{"result":{"content":[]},"state":"shown","at":7}`, false},
		"that can be answered":    {`{"content":[]}`, nil, true, transcript.StatusCompleted, `{"result":{"content":[]},"state":"shown","at":7,"wait":"none"}`, false},
		"no result":               {``, nil, true, transcript.StatusCompleted, `{"state":"shown","at":7,"wait":"none"}`, false},
		"a result after a retry":  {`{"_meta":{"weft/wasRetried":true}}`, nil, false, transcript.StatusCompleted, `{"result":{"_meta":{"weft/wasRetried":true}},"state":"shown","at":7}`, true},
		"a failure":               {``, errors.New("no"), true, transcript.StatusFailed, ``, false},
		"a failure after a retry": {``, retriedError{errors.New("no")}, false, transcript.StatusFailed, ``, true},
		"a failure with a result": {`{"isError":true}`, errors.New("no"), true, transcript.StatusFailed, `{"result":{"isError":true},"state":"failed","at":7}`, false},
	} {
		var result jsontext.Value
		if c.result != "" {
			result = jsontext.Value(c.result)
		}
		p := Filled("call", result, c.err, c.open, 7)
		if p.ID != "call" || *p.Status != c.status || string(p.Output) != c.output || (p.WasRetried != nil) != c.retried || (p.Error != nil) != (c.err != nil) {
			t.Errorf("%s: %+v with %s", name, p, p.Output)
		}
		call := transcript.ToolCall{Kind: transcript.KindDisplay, Status: *p.Status}
		if _, open := Open(&call, p.Output); open != (c.open && c.err == nil) {
			t.Errorf("%s: it can be answered: %v", name, open)
		}
	}
}

func TestLateAnswerIsPrompt(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", maxReminder) + `"}`
	for _, c := range []struct {
		late Late
		want string
	}{
		{Late{Tool: "showForm", Title: "Which?", Input: jsontext.Value(`{"a":1}`), Answer: jsontext.Value(`{"b":2}`)}, `I have answered “Which?” (showForm), which you showed earlier with {"a":1}: {"b":2}`},
		{Late{Tool: "showForm", Title: "Which?", Input: jsontext.Value(`{}`), Answer: jsontext.Value(`1`)}, `I have answered “Which?” (showForm), which you showed earlier: 1`},
		{Late{Tool: "showForm", Title: "Which?", Input: jsontext.Value(long), Answer: jsontext.Value(`1`)}, `I have answered “Which?” (showForm), which you showed earlier: 1`},
		{Late{Tool: "showForm", Title: "Which?", Cancel: true}, `I won't answer “Which?” (showForm), which you showed earlier.`},
	} {
		if got := c.late.Prompt(); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestDrawnIsLeftOutWhereThereIsNothingToSay(t *testing.T) {
	t.Parallel()
	if got := EncodeDrawn(nil, nil); got != nil {
		t.Errorf("%s", got)
	}
	if got := string(EncodeDrawn(jsontext.Value(`{"as":"card"}`), &From{SpaceID: "s", Agent: "Ann"})); got != `{"render":{"as":"card"},"from":{"spaceId":"s","spaceName":"","agent":"Ann","runId":"","messageId":""}}` {
		t.Errorf("%s", got)
	}
}

// After the end of the run, an answer reaches the call of the display once and closes the request. An answer that is
// too large for an event becomes a blob.
func TestStoredAnswerEndsTheDisplay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		answer := jsontext.Value(`{"text":"` + strings.Repeat("x", rapid.SampledFrom([]int{0, 10, 20_000}).Draw(t, "size")) + `"}`)
		cancel, open := rapid.Bool().Draw(t, "cancel"), rapid.Bool().Draw(t, "open")
		call := transcript.ToolCall{ID: "call", Kind: transcript.KindDisplay}
		if rapid.Bool().Draw(t, "large before") {
			call.OutputRef = &transcript.Ref{Hash: "before"}
		}
		waiting := 0
		for range rapid.IntRange(0, 3).Draw(t, "requests") {
			p := transcript.Permission{RequestID: "r"}
			if rapid.Bool().Draw(t, "answered") {
				p.Outcome = "selected"
			} else {
				waiting++
			}
			call.Permissions = append(call.Permissions, p)
		}
		a := Answered(Output{Answer: answer, At: 7}, "a summary", cancel, true, open)
		var out Output
		if err := json.Unmarshal(a.Output, &out); err != nil {
			t.Fatal(err)
		}
		if out.By != "person" || out.Late == open || cancel != (out.State == "cancelled") || cancel == (len(out.Answer) > 0) || open != (out.Wait == WaitNone) {
			t.Fatalf("%+v", out)
		}
		c := a.Stored(&call, transcript.At{MessageID: "m"}, open)
		ended, updated, resolved, size := 0, 0, 0, 0
		for _, b := range c.Bodies {
			switch b := b.(type) {
			case *transcript.ToolCallError:
				ended++
				size = len(b.Output)
				if !cancel || b.Status != a.Status || b.Error == "" || b.ToolCallID != "call" || (b.OutputRef != nil) != (len(c.Blobs) > 0) {
					t.Fatalf("%+v", b)
				}
			case *transcript.ToolCallEnd:
				ended++
				size = len(b.Output)
				if cancel || b.Status != a.Status || b.ToolCallID != "call" || (b.OutputRef != nil) != (len(c.Blobs) > 0) {
					t.Fatalf("%+v", b)
				}
			case *transcript.ToolCallUpdate:
				updated++
				size = len(b.Output)
			case *transcript.PermissionResolved:
				resolved++
				if b.OptionID != a.Option {
					t.Fatalf("%+v", b)
				}
			}
		}
		switch {
		case open && (updated != 1 || ended+resolved != 0 || len(c.Superseded) > 0 != (call.OutputRef != nil)):
			t.Fatalf("an open display: %d updates, %d ends, %d answers, superseded %v", updated, ended, resolved, c.Superseded)
		case !open && (updated != 0 || ended != 1 || resolved != waiting):
			t.Fatalf("%d updates, %d ends, %d of %d requests are answered", updated, ended, resolved, waiting)
		case size > 8<<10:
			t.Fatalf("an event has %d bytes of output", size)
		}
	})
}
