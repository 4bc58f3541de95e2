package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"weft/backend/llm"
)

// remembers is a model that records requests and answers with a function.
type remembers struct {
	mu     sync.Mutex
	sent   []llm.Request
	answer func(n int, req llm.Request, emit func(llm.Delta)) (llm.Response, error)
}

func (r *remembers) Models(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

func (r *remembers) Stream(_ context.Context, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	r.mu.Lock()
	req.Messages = append([]llm.Message(nil), req.Messages...)
	r.sent = append(r.sent, req)
	n := len(r.sent)
	r.mu.Unlock()
	return r.answer(n, req, emit)
}

func (r *remembers) last() llm.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent[len(r.sent)-1]
}

func (r *remembers) conversation() string {
	var b strings.Builder
	for _, m := range r.last().Messages {
		line, _ := json.Marshal(m)
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// counts answers each prompt with one call and then a number.
func counts(n int, req llm.Request, emit func(llm.Delta)) (llm.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	if _, isResult := last.Parts[0].(llm.ToolResult); !isResult {
		input := json.RawMessage(`{"path":"a.txt"}`)
		emit(llm.Delta{Kind: llm.DeltaText, Text: "Looking. "})
		emit(llm.Delta{Kind: llm.DeltaCallStart, Name: "read"})
		emit(llm.Delta{Kind: llm.DeltaCallInput, Text: string(input)})
		parts := []llm.Part{llm.Text{Text: "Looking. "}, llm.ToolCall{ID: fmt.Sprint("c", n), Name: "read", Input: input}}
		return llm.Response{Message: llm.Message{Role: llm.RoleModel, Parts: parts}, Stop: llm.StopTools}, nil
	}
	text := fmt.Sprint("Answer ", n)
	emit(llm.Delta{Kind: llm.DeltaText, Text: text})
	return say(text), nil
}

// Sessions, and forks of them, continue after a restart with their whole conversation and independently of each other.
func TestSessionsGoOnAfterARestart(t *testing.T) {
	data, dir := t.TempDir(), workspace(t, map[string]string{"a.txt": "text\n"})
	model := &remembers{answer: counts}
	c := startWith(t, data, model)
	session := c.open(dir, nil)
	c.prompt(session, "first")
	c.call("session/set_config_option", map[string]any{"sessionId": session, "configId": "mode", "value": "auto"})
	c.call("session/set_config_option", map[string]any{"sessionId": session, "configId": "model", "value": "other-model"})
	live := c.transcript(0)
	before := model.conversation()
	c.in.Close()
	for range c.lines {
	}

	again := startWith(t, data, model)
	again.call("initialize", map[string]any{"protocolVersion": 1})
	var forked struct {
		SessionID     string
		ConfigOptions []struct{ ID, CurrentValue string }
	}
	if err := json.Unmarshal(again.call("session/fork", map[string]any{"sessionId": session, "cwd": dir, "mcpServers": []any{}}).Result, &forked); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(forked.ConfigOptions); !strings.Contains(got, "{mode auto}") || !strings.Contains(got, "{model other-model}") {
		t.Errorf("the copy's options are %s", got)
	}
	from := len(again.seen)
	again.call("session/load", map[string]any{"sessionId": session, "cwd": dir, "mcpServers": []any{}})
	if got := again.transcript(from); got != "user: first\n"+live {
		t.Errorf("loaded\n%s\nlive\n%s", got, live)
	}
	again.prompt(session, "second")
	whole := model.conversation()
	if !strings.HasPrefix(whole, before) || !strings.Contains(whole, "Answer 2") || model.last().Model != "other-model" {
		t.Errorf("the model is sent\n%s\nwhich began as\n%s", whole, before)
	}
	again.prompt(forked.SessionID, "elsewhere")
	if copied := model.conversation(); !strings.HasPrefix(copied, before) || strings.Contains(copied, "second") || !strings.Contains(copied, "elsewhere") {
		t.Errorf("the copy is sent\n%s", copied)
	}
	again.prompt(session, "third")
	if got := model.conversation(); strings.Contains(got, "elsewhere") || !strings.HasPrefix(got, strings.TrimSpace(whole)) {
		t.Errorf("the original is sent\n%s", got)
	}
	again.call("session/delete", map[string]any{"sessionId": forked.SessionID})
	if _, err := os.Stat(filepath.Join(data, forked.SessionID+".jsonl")); !os.IsNotExist(err) {
		t.Errorf("the deleted session is there: %v", err)
	}
	if m := again.response(again.request("session/load", map[string]any{"sessionId": forked.SessionID, "cwd": dir, "mcpServers": []any{}})); m.Error == nil || m.Error.Code != -32002 {
		t.Errorf("%+v", m.Error)
	}
}

// A process that is killed at any time leaves a session that can continue: the conversation contains everything that
// was streamed, and is clean. The test cuts the log at every record.
func TestKilledSessionKeepsEverythingReceived(t *testing.T) {
	data, dir := t.TempDir(), workspace(t, map[string]string{"a.txt": "text\n"})
	c := startWith(t, data, &remembers{answer: counts})
	session := c.open(dir, nil)
	c.prompt(session, "first")
	c.prompt(session, "second")
	log, err := os.ReadFile(filepath.Join(data, session+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(log, []byte("\n"))
	model := &remembers{answer: counts}
	killed := t.TempDir()
	again := startWith(t, killed, model)
	again.call("initialize", map[string]any{"protocolVersion": 1})
	for cut := 2; cut < len(lines); cut++ {
		id := fmt.Sprintf("cut-%d", cut)
		part := bytes.ReplaceAll(bytes.Join(lines[:cut], nil), []byte(session), []byte(id))
		if err := os.WriteFile(filepath.Join(killed, id+".jsonl"), append(part, `{"at":1,"upd`...), 0o600); err != nil {
			t.Fatal(err)
		}
		from := len(again.seen)
		again.call("session/load", map[string]any{"sessionId": id, "cwd": dir, "mcpServers": []any{}})
		shown := again.transcript(from)
		again.prompt(id, "go on")
		var said strings.Builder
		messages := model.last().Messages
		for i, m := range messages {
			if want := []llm.Role{llm.RoleUser, llm.RoleModel}[i%2]; m.Role != want || len(m.Parts) == 0 {
				t.Fatalf("cut at %d: message %d is %s's\n%s", cut, i, m.Role, model.conversation())
			}
			said.WriteString(m.Text())
		}
		for _, want := range []string{"Looking. ", "Answer 2", "Answer 4"} {
			if strings.Count(shown, strings.TrimSpace(want)) > strings.Count(said.String(), want) {
				t.Errorf("cut at %d: %q was shown and isn't sent\n%s\n%s", cut, want, shown, model.conversation())
			}
		}
		again.call("session/close", map[string]any{"sessionId": id})
	}
}

func TestStructuredAnswers(t *testing.T) {
	model := &remembers{answer: func(int, llm.Request, func(llm.Delta)) (llm.Response, error) { return say(`{"files":3}`), nil }}
	c := startWith(t, t.TempDir(), model)
	p := promptOf(c.open(t.TempDir(), nil), "count")
	p["_meta"] = map[string]any{"weft/outputSchema": map[string]any{"type": "object", "required": []string{"files"}}}
	c.call("session/prompt", p)
	if out := model.last().Output; out == nil || !strings.Contains(string(out.Schema), `"files"`) {
		t.Errorf("%+v", out)
	}
}

func TestCompact(t *testing.T) {
	model := &remembers{answer: func(_ int, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
		if strings.Contains(req.Messages[len(req.Messages)-1].Text(), "Write a summary") {
			return say("THE SUMMARY"), nil
		}
		return say(strings.Repeat("long answer ", 100)), nil
	}}
	data, dir := t.TempDir(), t.TempDir()
	c := startWith(t, data, model)
	session := c.open(dir, nil)
	c.prompt(session, "/compact")
	for range 4 {
		c.prompt(session, "go on")
	}
	from := len(c.seen)
	c.prompt(session, "/compact")
	if got := c.transcript(from); !strings.Contains(got, "Nothing was deleted") {
		t.Error(got)
	}
	c.in.Close()
	for range c.lines {
	}
	again := startWith(t, data, model)
	again.call("initialize", map[string]any{"protocolVersion": 1})
	again.call("session/resume", map[string]any{"sessionId": session, "cwd": dir})
	again.prompt(session, "and now?")
	if got := model.conversation(); !strings.Contains(got, "THE SUMMARY") || len(model.last().Messages) > 5 {
		t.Errorf("%d messages are sent:\n%s", len(model.last().Messages), got)
	}
}
