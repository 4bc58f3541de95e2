//go:build linux

package systemtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"weft/backend/api/service/conversation"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func init() { addScript("steps", steps) }

// step is one thing that the steps agent does. A prompt is a list of them.
type step struct {
	Method string         `json:"method,omitempty"` // a request to Weft, with Params and the session's id
	Params map[string]any `json:"params,omitempty"`
	Update map[string]any `json:"update,omitempty"` // a session update
	Tool   string         `json:"tool,omitempty"`   // a call of the gateway, with Args
	Args   map[string]any `json:"args,omitempty"`
	Mode   string         `json:"mode,omitempty"` // the agent changes its own mode
	File   string         `json:"file,omitempty"` // the agent writes this file by itself, with Text
	Text   string         `json:"text,omitempty"`
	Where  bool           `json:"where,omitzero"`  // the agent tells its process id, and what a.txt holds where it runs
	Behind bool           `json:"behind,omitzero"` // the next step doesn't wait for the answer
	Late   bool           `json:"late,omitzero"`   // it is done after the end of the turn
	Wait   bool           `json:"wait,omitzero"`   // the end of the command in a terminal is waited for
	If     bool           `json:"if,omitzero"`     // it is done only if the step before was allowed, as honest agents do
}

// steps is an agent that does what it is told, and tells the test what came of each step: "N done TEXT", "N error MESSAGE", or "N allowed" and
// "N rejected" for permission requests. With the argument "deaf" it doesn't connect to the gateway.
func steps(a *scripted) {
	var gate *sdk.ClientSession
	if len(a.args) > 0 && a.args[0] == "deaf" {
		a.initialize(`{"mcpCapabilities":{"http":true}}`)
	} else {
		a.initialize(`{"loadSession":true,"mcpCapabilities":{"http":true}}`)
	}
	m := a.next(func(m message) bool { return m.Method == "session/new" || m.Method == "session/load" })
	a.respond(m.ID, `{"sessionId":"s1","modes":{"currentModeId":"default","availableModes":[{"id":"default","name":"Default","description":"Always ask before making changes"},{"id":"acceptEdits","name":"Accept edits"},{"id":"yolo","name":"Yolo"}]}}`)
	if len(a.args) == 0 || a.args[0] != "deaf" {
		gate = a.gate(m)
	}
	for n := 0; ; {
		m := a.next(func(m message) bool { return m.Method == "session/prompt" || m.Method == "session/set_mode" })
		if m.Method == "session/set_mode" {
			a.respond(m.ID, "{}")
			continue
		}
		a.turn = m.ID
		text := m.text()
		if _, asked, ok := strings.Cut(text, " asks you in this space:\n\n"); ok {
			text = asked
		}
		var list []step
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			a.say("heard: " + text)
			a.end("end_turn")
			continue
		}
		var behind []string
		over, last := false, true
		for i := range list {
			n++
			if list[i].Late && !over {
				over = true
				a.end("end_turn")
			}
			if list[i].If && !last {
				continue
			}
			id := fmt.Sprint(1000 + n)
			if !list[i].Behind {
				last = a.step(gate, i, id, &list[i])
				continue
			}
			behind = append(behind, fmt.Sprint(i)+" "+id)
			a.raw(list[i].line(id, a.terminal))
		}
		for _, one := range behind {
			i, id, _ := strings.Cut(one, " ")
			a.outcomeOf(i, a.answer(id))
		}
		if !over {
			a.end("end_turn")
		}
		a.tell("over")
	}
}

// gate connects to the gateway that a session was given.
func (a *scripted) gate(m message) *sdk.ClientSession {
	var p struct {
		Params struct {
			McpServers []struct {
				Name, URL string
				Headers   []struct{ Name, Value string }
			}
		}
	}
	_ = json.Unmarshal([]byte(m.line), &p) // what is missing fails the connection
	for _, s := range p.Params.McpServers {
		if s.Name == "weft" {
			a.url, a.token = s.URL, s.Headers[0].Value
		}
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "steps", Version: "1"}, nil).
		Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: a.url, HTTPClient: &http.Client{Transport: bearer{a.token}}}, nil)
	if err == nil {
		_, _ = session.ListTools(context.Background(), nil) // as agents do it
	}
	return session
}

// lastTerminal stands for the id of the terminal that was made last, in params and updates.
const lastTerminal = "$TERMINAL"

func (s *step) line(id, terminal string) string {
	params := map[string]any{"sessionId": "s1"}
	for k, v := range s.Params {
		params[k] = v
	}
	raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": s.Method, "params": params})
	return strings.ReplaceAll(string(raw), lastTerminal, terminal)
}

// step does one step and reports whether it wasn't refused.
func (a *scripted) step(gate *sdk.ClientSession, i int, id string, s *step) bool {
	switch {
	case s.Update != nil:
		raw, _ := json.Marshal(s.Update)
		a.update(strings.ReplaceAll(string(raw), lastTerminal, a.terminal))
	case s.Mode != "":
		a.update(`{"sessionUpdate":"current_mode_update","currentModeId":` + quote(s.Mode) + `}`)
	case s.Where:
		text, err := os.ReadFile("a.txt")
		a.tell(fmt.Sprintf("%d at %d %q %v", i, os.Getpid(), text, err))
	case s.File != "":
		if err := os.WriteFile(s.File, []byte(s.Text), 0o600); err != nil {
			a.tell(fmt.Sprintf("%d error %v", i, err))
			return false
		}
	case s.Tool != "":
		args := s.Args
		if args == nil {
			args = map[string]any{}
		}
		got, failed := a.calls(context.Background(), gate, s.Tool, args)
		word := "done"
		if failed {
			word = "error"
		}
		a.tell(fmt.Sprintf("%d %s %s", i, word, strings.ReplaceAll(got, "\n", " ")))
		return !failed
	default:
		a.raw(s.line(id, a.terminal))
		answer := a.answer(id)
		var made struct {
			TerminalID string `json:"terminalId"`
		}
		if s.Wait && json.Unmarshal(answer.Result, &made) == nil && made.TerminalID != "" {
			a.request(quote("wait "+id), "terminal/wait_for_exit", `{"sessionId":"s1","terminalId":`+quote(made.TerminalID)+`}`)
		}
		return a.outcomeOf(fmt.Sprint(i), answer)
	}
	return true
}

func (a *scripted) outcomeOf(i string, m message) bool {
	word := "done"
	var made struct {
		TerminalID string `json:"terminalId"`
	}
	if json.Unmarshal(m.Result, &made) == nil && made.TerminalID != "" {
		a.terminal = made.TerminalID
	}
	switch {
	case m.Error != nil:
		word = "error " + m.Error.Message
	case strings.Contains(string(m.Result), `"outcome"`):
		switch outcome(m) {
		case "selected yes", "selected always":
			word = "allowed"
		case "selected no":
			word = "rejected"
		default:
			word = outcome(m)
		}
	case strings.Contains(string(m.Result), `"content"`) || strings.Contains(string(m.Result), `"denied"`):
		word = "done " + strings.ReplaceAll(string(m.Result), "\n", " ")
	}
	a.tell(i + " " + word)
	return word == "allowed" || strings.HasPrefix(word, "done")
}

// The steps of agents.
func writes(path, text string) step {
	return step{Method: "fs/write_text_file", Params: map[string]any{"path": path, "content": text}}
}

// writesItself has the agent write a file without Weft.
func writesItself(path, text string) step { return step{File: path, Text: text} }

func reads(path string) step {
	return step{Method: "fs/read_text_file", Params: map[string]any{"path": path}}
}

func starts(command string, args ...string) step {
	return step{Method: "terminal/create", Params: map[string]any{"command": command, "args": args}}
}

// asks is a permission request of the agent about a call.
func asksFor(id string, call map[string]any) step {
	tool := map[string]any{"toolCallId": id, "title": "Call " + id}
	for k, v := range call {
		tool[k] = v
	}
	options := []map[string]string{{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "always", "name": "Always", "kind": "allow_always"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}}
	return step{Method: "session/request_permission", Params: map[string]any{"toolCall": tool, "options": options}}
}

// edits is a call that changes a file, with the change.
func changing(path, before, after string) map[string]any {
	diff := map[string]any{"type": "diff", "path": path, "newText": after}
	if before != "" {
		diff["oldText"] = before
	}
	return map[string]any{"kind": "edit", "content": []any{diff}, "locations": []any{map[string]any{"path": path}}}
}

func runsCommand(line string) map[string]any {
	return map[string]any{"kind": "execute", "rawInput": map[string]any{"command": line}}
}

// answerer says how the user answers a request, by the call that it is about: "yes", "no", "always" or "" for not yet.
type answerer func(n int, title string) string

func always(answer string) answerer { return func(int, string) string { return answer } }

// steps has the agent do steps, answers what is asked, and returns what the agent told, and the calls that were asked about.
func (r *room) steps(t testing.TB, answer answerer, list ...step) (told, asked []string) {
	t.Helper()
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	r.st.reset()
	r.send(t, string(raw))
	asked = r.answering(t, answer)
	for line := r.ctl.hear(t); line != "over"; line = r.ctl.hear(t) {
		told = append(told, line)
	}
	return told, asked
}

// answering answers what is asked until the turn has ended, and returns the titles of what was asked.
func (r *room) answering(t testing.TB, answer answerer) (asked []string) {
	t.Helper()
	done := map[string]bool{}
	for {
		var id, title string
		var options map[string]string
		over := false
		r.st.until(t, "a question, or the end of the turn", func(v *seen) bool {
			for _, a := range v.asks {
				if a.outcome != "" || done[a.id] {
					continue
				}
				c := v.call(a.tool)
				for _, p := range c.Permissions {
					if p.RequestID == a.id {
						id, title, options = a.id, c.Title, map[string]string{}
						for _, o := range p.Options {
							options[o.Kind] = o.ID
						}
						return true
					}
				}
			}
			over = len(v.runs) > 0
			return over
		})
		if over {
			return asked
		}
		done[id] = true
		said := answer(len(asked), title)
		kind := map[string]string{"yes": "allow_once", "no": "reject_once", "always": "allow_always"}[said]
		if kind == "" {
			asked = append(asked, title)
			continue
		}
		err := r.try("AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: r.id, RequestID: id, OptionID: cmp.Or(options[kind], options["allow_once"])}, nil)
		var gone *refusal
		if errors.As(err, &gone) && gone.Code == "not_waiting" {
			continue // a rule or a mode has decided it
		}
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, title)
	}
}
