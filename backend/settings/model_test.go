package settings

import (
	"reflect"
	"strings"
	"testing"
)

func TestModelsSurviveAWrite(t *testing.T) {
	f := mustOpen(t, `{
  "agents": [
    {"id": "mine", "name": "Mine", "mood": "calm", "model": {"provider": "openai", "model": "qwen/qwen3", "baseUrl": "http://127.0.0.1:1234/v1", "api": "chat", "seed": 7}},
    {"id": "own", "command": "own", "args": ["--acp"]}
  ]
}`)
	if p := f.Problem(); p != nil {
		t.Fatal(p)
	}
	want := &Model{Provider: "openai", Model: "qwen/qwen3", BaseURL: "http://127.0.0.1:1234/v1", API: "chat"}
	got := f.Get()
	if !reflect.DeepEqual(got.Agents[0].Model, want) || got.Agents[1].Model != nil {
		t.Fatalf("%+v", got.Agents)
	}
	got.Agents[0].Model.Model = "changed outside"
	if f.Get().Agents[0].Model.Model != want.Model {
		t.Error("what Get answers is shared")
	}
	told := changes(t, f)
	if err := f.Update(func(s *Settings) error {
		s.Agents[0].Model.Model = "gpt-oss"
		s.Agents[0].Model.API = ""
		s.Agents = append(s.Agents, Agent{ID: "local", Model: &Model{Provider: "ollama", Model: "qwen3"}})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	await(t, told, "the changed model", func(c change) bool { return c.s.Agents[0].Model.Model == "gpt-oss" })
	text := read(t, f.Path())
	for _, want := range []string{`"mood": "calm"`, `"seed": 7`, `"model": "gpt-oss"`, `"provider": "ollama"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, `"api"`) {
		t.Errorf("the api is still there:\n%s", text)
	}
	again, _, problem := decode([]byte(text))
	if problem != nil || !again.equal(f.Get()) {
		t.Errorf("read back: %v, %+v", problem, again.Agents)
	}
}

func TestInvalidModelsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"provider": "nobody"}`: `has the provider "nobody"; it must be one of openai, anthropic`,
		`{}`:                     `has the provider ""`,
		`7`:                      "“model” must be an object",
		`{"provider": 7}`:        "“provider” must be a text",
		`{"provider": "openai", "baseUrl": "localhost:1234"}`:      "begins with http:// or https://",
		`{"provider": "openai", "baseUrl": "file:///etc"}`:         "begins with http:// or https://",
		`{"provider": "openai", "baseUrl": "https://me:pw@h/v1"}`:  "Keep the key as a secret",
		`{"provider": "anthropic", "api": "chat"}`:                 `has the api "chat", which Anthropic doesn't have`,
		`{"provider": "openai", "model": "a\nb"}`:                  "has a name that is too long",
		`{"provider": "openai", "model": "x"}, "command": "other"`: "has both a model and a command",
	} {
		_, _, problem := decode([]byte(`{"agents": [{"id": "m", "model": ` + text + `}]}`))
		if problem == nil || !strings.Contains(problem.Message, want) || !strings.Contains(want, "must be a") && !strings.Contains(want, "must be an") && !strings.Contains(problem.Message, `"m"`) {
			t.Errorf("%s: %v, wanted %q", text, problem, want)
		}
	}
	_, _, problem := decode([]byte(`{"agents": [{"id": "m"}]}`))
	if problem == nil || !strings.Contains(problem.Message, "or a model") {
		t.Error(problem)
	}
}
