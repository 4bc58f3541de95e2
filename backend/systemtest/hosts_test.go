//go:build linux

package systemtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

func init() { addScript("several", several) }

// several serves any number of sessions at once; its prompts say what to do. Its argument says how it fails
// with the second session, if it does.
func several(a *scripted) {
	caps := `{"loadSession":false,"sessionCapabilities":{"close":{}},"mcpCapabilities":{"http":true}}`
	how := ""
	if len(a.args) > 0 {
		how = a.args[0]
	}
	var gate *sdk.ClientSession // of all sessions, with "mixes": that of the latest
	a.initialize(caps)
	fmt.Fprintln(os.Stderr, "several is here")
	sessions := 0
	turns := map[string]json.RawMessage{} // that wait to be cancelled
	asked := map[string]string{}          // sessions by the ids of their permission requests
	for {
		m := a.next(func(message) bool { return true })
		id := m.Params.SessionID
		switch m.Method {
		case "session/new":
			sessions++
			session := fmt.Sprintf("s%d-%d", os.Getpid(), sessions)
			if sessions > 1 {
				switch how {
				case "same":
					session = fmt.Sprintf("s%d-1", os.Getpid())
				case "refuses":
					a.refuse(m.ID, -32603, "one session only")
					continue
				case "hangs":
					continue
				}
			}
			if how == "mixes" {
				gate = a.gate(m)
			}
			a.raw(updateOf(session, `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"cmd`+strconv.Itoa(sessions)+`","description":"early"}]}`))
			a.respond(m.ID, `{"sessionId":`+quote(session)+`}`)
		case "session/close":
			a.respond(m.ID, `{}`)
			a.tell("closed")
		case "session/cancel":
			a.tell("cancel")
			if turn := turns[id]; turn != nil {
				delete(turns, id)
				a.respond(turn, `{"stopReason":"cancelled"}`)
			}
		case "session/prompt":
			what, arg, _ := strings.Cut(m.text(), " ")
			end := func() { a.respond(m.ID, `{"stopReason":"end_turn"}`) }
			switch what {
			case "pid":
				a.raw(updateOf(id, chunk(strconv.Itoa(os.Getpid()))))
				end()
			case "card": // in the space that arg names
				a.raw(updateOf(id, `{"sessionUpdate":"tool_call","toolCallId":"c1","title":"weft_showCard","kind":"other","status":"pending","rawInput":{"targetSpaceId":`+quote(arg)+`,"title":"A card"}}`))
				got, failed := a.calls(context.Background(), gate, "showCard", map[string]any{"targetSpaceId": arg, "title": "A card"})
				status := "completed"
				if failed {
					status = "failed"
				}
				a.raw(updateOf(id, `{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":`+quote(status)+content(got)+`}`))
				end()
			case "wait":
				turns[id] = m.ID
				a.raw(updateOf(id, chunk("working")))
			case "end":
				// Ends the turn of another session, whose name is not known here: all of them.
				for of, turn := range turns {
					delete(turns, of)
					a.respond(turn, `{"stopReason":"end_turn"}`)
				}
				end()
			case "ignore":
				a.raw(updateOf(id, chunk("working")))
			case "crash":
				os.Exit(7)
			case "ask":
				asked[fmt.Sprintf("%q", id)] = id
				turns[id] = m.ID
				a.raw(`{"jsonrpc":"2.0","id":` + quote(id) + `,"method":"session/request_permission","params":{"sessionId":` + quote(id) +
					`,"toolCall":{"toolCallId":"t1","title":"Ask","kind":"edit","status":"pending"},"options":` + yesNo + `}}`)
			case "read":
				asked[fmt.Sprintf("%q", id)] = id
				turns[id] = m.ID
				a.raw(`{"jsonrpc":"2.0","id":` + quote(id) + `,"method":"fs/read_text_file","params":{"sessionId":` + quote(id) + `,"path":` + quote(arg) + `}}`)
			case "flood":
				n, _ := strconv.Atoi(arg)
				go func() {
					for i := range n {
						a.buffered(updateOf(id, chunk(flooded(i))))
					}
					a.flush()
					end()
				}()
			case "steady": // one small piece every 5 ms, with the time of its writing
				n, _ := strconv.Atoi(arg)
				go func() {
					for range n {
						<-time.After(5 * time.Millisecond)
						a.raw(updateOf(id, `{"sessionUpdate":"tool_call","toolCallId":"t`+strconv.FormatInt(time.Now().UnixNano(), 10)+`","title":"Tick","kind":"other","status":"completed"}`))
					}
					end()
				}()
			}
		case "":
			of := asked[string(m.ID)]
			a.raw(updateOf(of, chunk("got "+string(m.Result)+m.errorText())))
			a.respond(turns[of], `{"stopReason":"end_turn"}`)
			delete(turns, of)
		}
	}
}

func (m message) errorText() string {
	if m.Error == nil {
		return ""
	}
	return m.Error.Message
}

// several makes rooms in one folder with one agent.
func (a *app) several(t *testing.T, n int, args ...string) []*room {
	t.Helper()
	ctl := listen(t)
	env := map[string]string{controlVariable: ctl.l.Addr().String()}
	dir := t.TempDir()
	agentID := a.custom(t, "Several", scriptedProgram, env, append([]string{"scripted", "several"}, args...)...)
	rooms := make([]*room, n)
	for i := range rooms {
		rooms[i] = a.enter(t, dir, agentID)
		rooms[i].steer(ctl)
		t.Cleanup(rooms[i].st.close)
	}
	return rooms
}

func (r *room) pid(t *testing.T) string {
	t.Helper()
	r.turn(t, "pid", "end_turn")
	var pid string
	r.st.now(func(v *seen) { pid = v.message().Content() })
	return pid
}

// lastCall is the last call of the conversation.
func (r *room) lastCall(t *testing.T) (c transcript.ToolCall) {
	t.Helper()
	r.st.now(func(v *seen) {
		for _, s := range v.message().Segments {
			for _, item := range s.Items {
				if item.Call != nil {
					c = *item.Call
				}
			}
		}
	})
	return c
}

// begins sends a prompt and waits until the agent works on it.
func (r *room) begins(t *testing.T, text string) {
	t.Helper()
	r.st.reset()
	r.send(t, text)
	r.st.until(t, "the agent works", func(v *seen) bool {
		m := v.message()
		return strings.HasSuffix(m.Content(), "working")
	})
}

func (a *app) protocolLines(t *testing.T, r *room) string {
	t.Helper()
	var entries []conversation.ProtocolEntry
	a.do(t, "ProtocolLog", conversation.ProtocolLogRequest{SpaceID: r.id, Limit: 500}, &entries)
	var out strings.Builder
	for _, e := range entries {
		out.WriteString(e.Dir + " " + e.Line + "\n")
	}
	return out.String()
}

func TestSharedProcess(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir(), "--stop=3s", "--share=8s")
	t.Run("one process, two sessions", func(t *testing.T) {
		t.Parallel()
		rooms := a.several(t, 2)
		first, second := rooms[0].pid(t), rooms[1].pid(t)
		if first != second {
			t.Errorf("processes %s and %s", first, second)
		}
		// Both have what was said before their ids were known, and the logs are apart.
		for i, r := range rooms {
			log := a.protocolLines(t, r)
			// stderr has a pipe, and a pace, of its own.
			for deadline := time.Now().Add(timeout); !strings.Contains(log, "several is here") && time.Now().Before(deadline); log = a.protocolLines(t, r) {
				<-time.After(10 * time.Millisecond)
			}
			mine, other := fmt.Sprintf("s%s-%d", first, i+1), fmt.Sprintf("s%s-%d", first, 2-i)
			if !strings.Contains(log, `"method":"initialize"`) || !strings.Contains(log, "several is here") || !strings.Contains(log, mine) || strings.Contains(log, other) ||
				!strings.Contains(log, fmt.Sprintf("cmd%d", i+1)) {
				t.Errorf("the log of %d is\n%s", i, log)
			}
			r.st.now(func(v *seen) {
				if raw := string(v.conv.State[transcript.StateCommands].Value); !strings.Contains(raw, fmt.Sprintf("cmd%d", i+1)) {
					t.Errorf("the commands are %s", raw)
				}
			})
			r.check(t)
		}
		// Another folder is another process.
		other := a.enter(t, t.TempDir(), a.agentOf(t, rooms[0]))
		t.Cleanup(other.st.close)
		if pid := other.pid(t); pid == first {
			t.Error("another folder shares the process")
		}
	})
	t.Run("a process each if it is set so", func(t *testing.T) {
		t.Parallel()
		rooms := a.several(t, 2)
		var saved agents.Agent
		for _, ag := range a.agents(t) {
			if ag.ID == a.agentOf(t, rooms[0]) {
				a.do(t, "SaveAgent", agents.SaveAgentRequest{ID: ag.ID, Name: ag.Name, Command: ag.Command, Args: ag.Args, Env: ag.Env, Process: "perSpace"}, &saved)
			}
		}
		if saved.Process != "perSpace" {
			t.Errorf("saved %+v", saved)
		}
		if first, second := rooms[0].pid(t), rooms[1].pid(t); first == second {
			t.Error("they share a process")
		}
		a.refused(t, "SaveAgent", agents.SaveAgentRequest{ID: saved.ID, Name: "x", Command: "y", Process: "sometimes"}, "invalid")
	})
	t.Run("a process each once it mixes their MCP servers", func(t *testing.T) {
		t.Parallel()
		rooms := a.several(t, 2, "mixes")
		if first, second := rooms[0].pid(t), rooms[1].pid(t); first != second {
			t.Fatalf("processes %s and %s", first, second)
		}
		rooms[0].turn(t, "card "+rooms[0].id, "end_turn") // with the server of the other session, which has no prompt
		c := rooms[0].lastCall(t)
		if c.Kind == transcript.KindDisplay || c.Status != transcript.StatusFailed || !strings.Contains(c.Error, "another session") {
			t.Errorf("the card that came from the wrong session: %+v", c)
		}
		for i, r := range rooms {
			r.turn(t, "card "+r.id, "end_turn")
			if c := r.lastCall(t); c.Kind != transcript.KindDisplay || c.Status != transcript.StatusCompleted {
				t.Errorf("the card of session %d: %+v", i, c)
			}
		}
		if first, second := rooms[0].pid(t), rooms[1].pid(t); first == second {
			t.Error("they still share a process")
		}
	})
	t.Run("stop is for one session", func(t *testing.T) {
		t.Parallel()
		rooms := a.several(t, 2)
		rooms[0].begins(t, "wait")
		rooms[1].begins(t, "wait")
		rooms[0].stop(t)
		rooms[0].ended(t, "cancelled")
		rooms[0].ctl.expect(t, "cancel")
		rooms[0].turn(t, "end", "end_turn") // ends the turn of the other, which was going on
		rooms[1].ended(t, "end_turn")
		// The session is closed when its space goes, and the process continues.
		pid := rooms[1].pid(t)
		a.do(t, "DeleteSpace", rooms[0].ref(), nil)
		rooms[1].ctl.expect(t, "closed")
		if now := rooms[1].pid(t); now != pid {
			t.Error("the process was ended with one of its spaces")
		}
		a.do(t, "DeleteSpace", rooms[1].ref(), nil)
		noneLeft(t, rooms[1].ctl.l.Addr().String(), a.cmd.Process.Pid)
	})
	t.Run("a crash is told to all", func(t *testing.T) {
		t.Parallel()
		rooms := a.several(t, 3)
		rooms[0].begins(t, "wait")
		quiet := rooms[2].pid(t)
		rooms[1].fails(t, "crash", "agent_exited")
		rooms[0].ended(t, "error")
		if f := rooms[0].failure(t, "agent_exited"); !strings.Contains(f.Message, "exited with code 7") || !f.Retryable {
			t.Errorf("the sentence is %+v", f)
		}
		// All continue in one new process.
		pids := []string{rooms[0].pid(t), rooms[1].pid(t), rooms[2].pid(t)}
		if pids[0] != pids[1] || pids[1] != pids[2] || pids[0] == quiet {
			t.Errorf("after a crash: %v, before %s", pids, quiet)
		}
		for _, r := range rooms {
			r.check(t)
		}
	})
	t.Run("an agent that does not stop is cut off", func(t *testing.T) {
		t.Parallel()
		rooms := a.several(t, 2)
		pid := rooms[1].pid(t)
		rooms[0].begins(t, "ignore")
		rooms[1].begins(t, "wait")
		rooms[0].stop(t)
		rooms[0].ended(t, "cancelled")
		rooms[0].st.until(t, "the user is told", func(v *seen) bool { return strings.Contains(noteOf(v), "didn't stop") })
		// The first gets a new process at once; the second's turn continues until its end.
		if now := rooms[0].pid(t); now == pid {
			t.Error("the process that does not listen got a new turn")
		}
		rooms[1].st.now(func(v *seen) {
			if len(v.runs) != 0 {
				t.Errorf("the other turn ended: %v", v.runs)
			}
		})
		rooms[1].stop(t)
		rooms[1].ended(t, "cancelled")
		waitGone(t, pid)
		rooms[1].check(t)
	})
	t.Run("a space goes in the middle of a turn", func(t *testing.T) {
		t.Parallel()
		rooms := a.several(t, 2)
		pid := rooms[1].pid(t)
		rooms[0].begins(t, "ignore")
		a.do(t, "DeleteSpace", rooms[0].ref(), nil)
		waitGone(t, pid) // nobody else was at work
		if now := rooms[1].pid(t); now == pid {
			t.Error("the process was kept")
		}
	})
	t.Run("a restart is for one space", func(t *testing.T) {
		t.Parallel()
		rooms := a.several(t, 3)
		pid := rooms[0].pid(t)
		rooms[1].begins(t, "wait")
		rooms[0].st.reset()
		a.do(t, "RestartAgent", rooms[0].ref(), nil)
		rooms[0].st.until(t, "a turn", func(v *seen) bool { return len(v.conv.Messages) > 0 })
		rooms[0].stop(t)
		rooms[0].st.until(t, "its end", func(v *seen) bool { return len(v.runs) == 1 })
		now := rooms[0].pid(t)
		if now == pid {
			t.Error("it was not restarted")
		}
		if third := rooms[2].pid(t); third != now {
			t.Errorf("a later space joins %s, not the new process %s", third, now)
		}
		rooms[1].stop(t)
		rooms[1].ended(t, "cancelled")
		if second := rooms[1].pid(t); second != pid {
			t.Error("the other's process was ended")
		}
	})
	for _, how := range []string{"same", "refuses", "hangs"} {
		t.Run("an agent that cannot: "+how, func(t *testing.T) {
			t.Parallel()
			rooms := a.several(t, 3, how)
			pids := map[string]bool{}
			for _, r := range rooms {
				pids[r.pid(t)] = true
			}
			if len(pids) != 3 {
				t.Errorf("%d processes for three spaces", len(pids))
			}
			for _, r := range rooms {
				r.check(t)
			}
		})
	}
	t.Run("questions are apart", func(t *testing.T) {
		t.Parallel()
		rooms := a.several(t, 2)
		for _, r := range rooms {
			r.st.reset()
			r.send(t, "ask")
			r.st.until(t, "the question", func(v *seen) bool { return len(v.asks) == 1 })
		}
		for i := range rooms {
			r := rooms[1-i]
			var request string
			r.st.now(func(v *seen) { request = v.asks[0].id })
			a.refused(t, "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: rooms[i].id, RequestID: request, OptionID: "yes"}, "not_waiting")
			option := []string{"yes", "no"}[i]
			a.do(t, "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: r.id, RequestID: request, OptionID: option}, nil)
			r.ended(t, "end_turn")
			r.st.now(func(v *seen) {
				if got := v.message().Content(); !strings.Contains(got, quote(option)) {
					t.Errorf("the agent got %s", got)
				}
			})
		}
		// Each reads as its space may.
		mode := "read-only"
		a.do(t, "UpdateSpace", spaces.UpdateSpaceRequest{SpaceID: rooms[0].id, Permissions: &mode}, nil)
		file := filepath.Join(rooms[0].folder, "a.txt")
		if err := os.WriteFile(file, []byte("inside"), 0o600); err != nil {
			t.Fatal(err)
		}
		rooms[1].turn(t, "read "+file, "end_turn")
		rooms[1].st.now(func(v *seen) {
			if got := v.message().Content(); !strings.Contains(got, "inside") {
				t.Errorf("it read %s", got)
			}
		})
		rooms[1].turn(t, "read /etc/hostname", "end_turn")
		rooms[1].st.now(func(v *seen) {
			if got := v.message().Content(); strings.Contains(got, `"content"`) {
				t.Errorf("it read %s", got)
			}
		})
	})
}

// TestACondemnedProcessIsEndedSoon has another turn that does not end either: it fails, and says why.
func TestACondemnedProcessIsEndedSoon(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir(), "--stop=300ms", "--others=300ms")
	rooms := a.several(t, 2)
	pid := rooms[1].pid(t)
	rooms[0].begins(t, "ignore")
	rooms[1].begins(t, "wait")
	rooms[0].stop(t)
	rooms[0].ended(t, "cancelled")
	rooms[1].ended(t, "error")
	if f := rooms[1].failure(t, "agent_ended"); !f.Retryable || !strings.Contains(f.Message, "another space") {
		t.Errorf("the sentence is %+v", f)
	}
	waitGone(t, pid)
	rooms[1].pid(t)
	rooms[1].check(t)
}

// TestManySessionsAtOnce floods from all sessions of one process: nothing is lost or mixed up, and a quiet
// session is not kept waiting.
func TestManySessionsAtOnce(t *testing.T) {
	t.Parallel()
	const spaces, chunks = 10, 20_000
	a := launch(t, t.TempDir())
	rooms := a.several(t, spaces+1)
	var want strings.Builder
	for n := range chunks {
		want.WriteString(flooded(n))
	}
	pid := rooms[spaces].pid(t)
	for _, r := range rooms[:spaces] {
		if r.pid(t) != pid {
			t.Fatal("they do not share a process")
		}
		r.st.reset()
	}
	var wg sync.WaitGroup
	for _, r := range rooms[:spaces] {
		wg.Go(func() {
			r.send(t, "flood "+strconv.Itoa(chunks))
			r.ended(t, "end_turn")
		})
	}
	rooms[spaces].turn(t, "steady 100", "end_turn")
	wg.Wait()
	for i, r := range rooms[:spaces] {
		r.st.now(func(v *seen) {
			if got := v.message().Content(); got != want.String() {
				t.Errorf("space %d: %d bytes arrived of %d", i, len(got), want.Len())
			}
		})
		r.kept(t)
	}
	a.stop(t)
	waitGone(t, pid)
}

func noteOf(v *seen) string {
	raw, _ := json.Marshal(v.conv.Messages)
	return string(raw)
}

// waitGone waits for the end of a process.
func waitGone(t *testing.T, pid string) {
	t.Helper()
	for deadline := time.Now().Add(timeout); ; {
		if _, err := os.Stat("/proc/" + pid); err != nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %s runs on", pid)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func (a *app) agents(t *testing.T) (list []agents.Agent) {
	t.Helper()
	a.do(t, "ListAgents", nil, &list)
	return list
}
