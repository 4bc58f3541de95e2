//go:build linux

package systemtest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"weft/backend/api/service/agents"
	"weft/backend/conversation/transcript"
	fakemodel "weft/backend/llm/llmtest/scripted"
	"weft/backend/llm/provider"
	"weft/backend/settings"
)

// model makes a space of the built-in agent with a scripted model, of a provider whose inputs come in pieces.
func (a *app) model(t testing.TB, name string) (*room, *fakemodel.Server) {
	t.Helper()
	server := fakemodel.New(t)
	var saved agents.Agent
	a.do(t, "SaveAgent", agents.SaveAgentRequest{
		Name: name, Cwd: "space", Env: map[string]string{"OPENAI_API_KEY": "sk-test-0123456789abcdef"},
		Model: &settings.Model{Provider: provider.OpenAI, API: "chat", Model: "test-model", BaseURL: server.URL + "/v1"},
	}, &saved)
	r := a.enter(t, t.TempDir(), saved.ID)
	t.Cleanup(r.st.close)
	return r, server
}

func calling(name string, input map[string]any) fakemodel.Call {
	raw, _ := json.Marshal(input)
	return fakemodel.Call{Name: name, Input: string(raw)}
}

// The displays of one message of a model are shown together, in its order, and answered in any order.
func TestDisplaysOfOneModelMessageAreAnsweredInAnyOrder(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r, server := a.model(t, "Planner")
	other := a.reenter(t, r.folder, a.like(t, r).ID)
	ask := func(question, space string) fakemodel.Call {
		return calling("weft_showChoice", map[string]any{"question": question, "options": []any{map[string]any{"id": "a", "label": "A"}}, "targetSpaceId": space})
	}
	server.Add(
		fakemodel.Step{Text: "Three things: ", Calls: []fakemodel.Call{ask("One?", r.id), ask("Two?", r.id), ask("Three?", other.id), ask("Four?", other.id)}, Fragment: 7},
		fakemodel.Step{Text: "Thank you."},
	)
	r.send(t, "go")
	titles := func(v *seen) (list []string) {
		for _, m := range v.conv.Messages {
			for _, s := range m.Segments {
				for _, it := range s.Items {
					if it.Call != nil && it.Call.Kind == transcript.KindDisplay && it.Call.Status == transcript.StatusWaiting {
						list = append(list, it.Call.Title)
					}
				}
			}
		}
		return list
	}
	r.st.until(t, "both questions wait here", func(v *seen) bool { return slices.Equal(titles(v), []string{"One?", "Two?"}) })
	other.st.until(t, "both questions wait there", func(v *seen) bool { return slices.Equal(titles(v), []string{"Three?", "Four?"}) })
	for _, one := range []struct {
		in       *room
		question string
	}{{other, "Four?"}, {r, "Two?"}, {other, "Three?"}, {r, "One?"}} {
		m, c := one.in.display(t, one.question, func(_ *transcript.Message, c *transcript.ToolCall) bool {
			return c.Title == one.question && c.Status == transcript.StatusWaiting
		})
		one.in.answers(t, m, c, `{"choice":"`+one.question+`"}`)
	}
	r.ended(t, "end_turn")
	requests := server.Requests()
	var sent struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(requests[len(requests)-1].Body, &sent); err != nil {
		t.Fatal(err)
	}
	var results []string
	for _, m := range sent.Messages {
		if m.Role == "tool" {
			results = append(results, m.Content)
		}
	}
	want := []string{`"One?"`, `"Two?"`, `"Three?"`, `"Four?"`}
	if len(results) != len(want) {
		t.Fatalf("%d results: %q", len(results), results)
	}
	for i := range want {
		if !strings.Contains(results[i], want[i]) {
			t.Errorf("result %d is %s, not that of %s", i, results[i], want[i])
		}
	}
	r.check(t)
	other.check(t)
}
