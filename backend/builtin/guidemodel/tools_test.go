package guidemodel

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"weft/backend/builtin/guide"
	"weft/backend/builtin/tool"
	"weft/backend/llm"
)

// noClient offers nothing; the tools work by themselves.
type noClient struct{ tool.Client }

func (noClient) ReadsFiles() bool   { return false }
func (noClient) WritesFiles() bool  { return false }
func (noClient) HasTerminals() bool { return false }
func (noClient) Permits() bool      { return false }

// agentTools use the agent's own tools.
type agentTools struct {
	env    *tool.Env
	tools  []tool.Tool
	calls  []string // without plans
	failed bool
}

func (a *agentTools) use(t *testing.T, c llm.ToolCall) llm.ToolResult {
	t.Helper()
	r := llm.ToolResult{CallID: c.ID, Name: c.Name}
	i := slices.IndexFunc(a.tools, func(one tool.Tool) bool { return one.Name == c.Name })
	prepared, err := a.tools[i].Prepare(t.Context(), a.env, c.Input)
	var out tool.Result
	if err == nil {
		out, err = prepared.Run(t.Context(), func(tool.Progress) {})
	}
	switch {
	case c.Name != todoTool:
		a.calls = append(a.calls, c.Name+" "+string(c.Input))
	case err != nil || len(out.Plan) == 0:
		t.Errorf("no plan of %s: %v", c.Input, err)
	}
	if err != nil {
		a.failed = true
		r.Failed, r.Parts = true, []llm.Part{llm.Text{Text: err.Error()}}
		return r
	}
	if r.Data, err = json.Marshal(out.Data); err != nil {
		t.Fatal(err)
	}
	return r
}

// The agent's own tools give the guide what the folder gives it.
func TestWithTheToolsOfTheAgent(t *testing.T) {
	for _, text := range prompts {
		req := guide.Request{Text: text, First: true, Folder: "tide", Root: "/tide"}
		plain := &direct{world: open(t, project(t))}
		if err := guide.Answer(t.Context(), plain, req); err != nil {
			t.Fatal(err)
		}
		a := &agentTools{tools: tool.Builtin(tool.Options{})}
		a.env = &tool.Env{Folder: open(t, project(t)).folder, Client: noClient{}, Seen: &tool.Seen{}}
		var offered []llm.Tool
		for _, one := range a.tools {
			offered = append(offered, one.Tool)
		}
		messages := []llm.Message{{Role: llm.RoleUser, Parts: Prompt([]llm.Part{llm.Text{Text: text}}, req)}}
		for stop := llm.StopTools; stop == llm.StopTools; {
			res, err := New().Stream(t.Context(), llm.Request{Messages: messages, Tools: offered}, func(llm.Delta) {})
			if err != nil {
				t.Fatal(err)
			}
			messages, stop = append(messages, res.Message), res.Stop
			results := llm.Message{Role: llm.RoleUser}
			for _, c := range res.Message.Calls() {
				results.Parts = append(results.Parts, a.use(t, c))
			}
			if stop == llm.StopTools {
				messages = append(messages, results)
			}
		}
		if !slices.Equal(a.calls, plain.world.calls) {
			t.Errorf("%q: calls\n%s\nwanted\n%s", text, strings.Join(a.calls, "\n"), strings.Join(plain.world.calls, "\n"))
		}
		// The tools have their own words for what cannot be done.
		said, _ := heard(messages)
		if want := plain.text.String(); said != want && (!a.failed || !strings.Contains(said, "I could not")) {
			t.Errorf("%q: said\n%s\nwanted\n%s", text, said, want)
		}
	}
}
