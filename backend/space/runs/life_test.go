package runs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/agenttest"
	"weft/backend/conversation/transcript"
	"weft/backend/space/runs"
	"weft/backend/space/team"
	"weft/backend/space/turn"
	"weft/backend/store"
	"weft/backend/store/relay"
	"weft/backend/store/spaces"
)

// laconic is an agent that does what its prompt says: it writes a line to stderr, sends updates, and ends its turn, or doesn't. With a name it is
// that agent. "race" stops answering for good when a second prompt comes before it has said anything about the first.
func laconic(name string) {
	const canceled, ended = `{"stopReason":"cancelled"}`, `{"stopReason":"end_turn"}`
	sessions, silent := 0, map[string]*agenttest.Message{}
	var asked *agenttest.Message // whose question isn't answered
	agenttest.Serve(func(m *agenttest.Message) {
		session := m.Params.SessionID
		switch m.Method {
		case "": // an answer
			asked.Respond(canceled)
		case "initialize":
			m.Respond(fmt.Sprintf(`{"protocolVersion":1,"agentInfo":{"name":%q,"version":"1"},"agentCapabilities":{}}`, name))
		case "session/new":
			sessions++
			m.Respond(fmt.Sprintf(`{"sessionId":"s%d"}`, sessions))
		case "session/cancel":
			if prompt := silent[session]; prompt != nil {
				prompt.Respond(canceled)
			}
		case "session/prompt":
			switch text := m.Text(); {
			case text == "cancelled":
				m.Respond(canceled)
				return
			case text == "asked":
				asked = m
				fmt.Printf(`{"jsonrpc":"2.0","id":77,"method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":"c","title":"Go"},"options":[{"optionId":"no","name":"No","kind":"reject_once"}]}}`+"\n", session)
				return
			case text == "silence", text == "chatter":
				if text == "chatter" {
					m.Update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"b"}]}`)
					m.Update(`{"sessionUpdate":"session_info_update","title":"A title"}`)
					m.Update(`{"sessionUpdate":"session_info_update","updatedAt":"2026-01-01T00:00:00Z"}`)
					m.Update(`{"sessionUpdate":"usage_update","size":10,"used":1}`)
				}
				silent[session] = m
				return
			case text == "race":
				if len(silent) > 0 {
					os.Exit(3) // it was handed two at once
				}
				silent[session] = m
				time.AfterFunc(200*time.Millisecond, func() {
					delete(silent, session)
					m.Say("hello")
					m.Respond(ended)
				})
				return
			case strings.HasPrefix(text, "{"):
				m.Update(text)
			case text == "fails":
				fmt.Fprintln(os.Stderr, "401 Incorrect API key provided")
			}
			m.Respond(ended)
		}
	})
}

func laconicSpaces(t *testing.T, name string, limits runs.Limits, n int) (m *runs.Manager, s *store.Store, r *relay.Relay, ids []string) {
	t.Helper()
	ctx := context.Background()
	r = relay.New()
	s, _, err := store.Open(ctx, t.TempDir(), store.Options{OnCommit: func(id string, events []transcript.Event) { r.Publish(relay.SpaceTopic(id), events) }})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for range n {
		sp, err := s.Spaces.Create(ctx, spaces.Space{Title: "x", Folder: folder, AgentID: "laconic"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, sp.ID)
	}
	m = runs.NewManager(runs.Options{
		Store: s, Private: agentproc.Private{DataDir: t.TempDir()}, Limits: limits,
		Agent: func(string) (agent.Config, error) {
			return agent.Config{ID: "laconic", Name: "Laconic", Command: os.Args[0], Args: []string{"laconic", name}}, nil
		},
		Space: func(_ context.Context, id string) (team.Space, error) {
			return team.Space{ID: id, Folder: folder, Members: []team.Member{{ID: "main", Name: "Laconic", AgentID: "laconic", Default: true}}}, nil
		},
		OnChange: func(string) {}, OnTitle: func(string, string) {}, OnTrouble: func(error) {},
	})
	t.Cleanup(func() {
		if err := errors.Join(m.Close(ctx), s.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	return m, s, r, ids
}

// until waits for an event of a space.
func until[B transcript.Body](t *testing.T, sub *relay.Subscription, fits func(B) bool) B {
	t.Helper()
	for {
		batch, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch.Events {
			if b, ok := e.Body.(B); ok && fits(b) {
				return b
			}
		}
	}
}

func any1[B any](B) bool { return true }

// TestEmptyAnswersAreReported: a turn that ends with nothing to show says so, with what the agent wrote to stderr, and can be retried.
func TestEmptyAnswersAreReported(t *testing.T) {
	m, s, r, spaces := laconicSpaces(t, "laconic", runs.Limits{}, 1)
	for _, c := range []struct {
		prompt string
		told   bool
	}{
		{"fails", true},
		{"nothing", true},
		{`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}}`, true},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" \n"}}`, true},
		{`{"sessionUpdate":"session_info_update","updatedAt":"2026-01-01T00:00:00Z"}`, true},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Yes"}}`, false},
		{`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Look","status":"completed"}`, false},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"aGk=","mimeType":"image/png"}}`, false},
		{"/compact", false},
	} {
		sub := r.Subscribe(relay.SpaceTopic(spaces[0]))
		if _, _, err := m.Prompts().Send(t.Context(), spaces[0], nil, c.prompt); err != nil {
			t.Fatal(err)
		}
		done := until(t, sub, any1[*transcript.RunCompleted])
		if done.StopReason != "end_turn" || (done.Error != nil) != c.told {
			t.Errorf("%s: %s, %+v", c.prompt, done.StopReason, done.Error)
		}
		snap, err := s.Pages.Snapshot(t.Context(), spaces[0], 100)
		if err != nil {
			t.Fatal(err)
		}
		last := snap.Page.Messages[len(snap.Page.Messages)-1]
		if f := last.Error; (f != nil) != c.told || f != nil && (f.Code != "empty_answer" || !f.Retryable || strings.Contains(f.Detail, "401 Incorrect API key") != (c.prompt == "fails")) {
			t.Errorf("%s: the message says %+v", c.prompt, f)
		}
		sub.Close()
	}
}

// TestSilentPromptsAreReported: a prompt without any sign of work says so, whatever the agent says of its session meanwhile, and Stop works on.
func TestSilentPromptsAreReported(t *testing.T) {
	for prompt, seen := range map[string]string{"silence": "", "chatter": turn.SeenDescription} {
		m, _, r, spaces := laconicSpaces(t, "laconic", runs.Limits{Quiet: 200 * time.Millisecond}, 1)
		sub := r.Subscribe(relay.SpaceTopic(spaces[0]))
		if _, _, err := m.Prompts().Send(t.Context(), spaces[0], nil, prompt); err != nil {
			t.Fatal(err)
		}
		run := until(t, sub, any1[*transcript.RunCreated]).RunID
		until(t, sub, func(d *transcript.TextDelta) bool {
			return d.Author == "app" && strings.Contains(d.Content, "Laconic has shown nothing")
		})
		if p := m.Progress(run); p.Phase != turn.Sent || p.Sent == 0 || p.Worked != 0 || p.Seen != seen {
			t.Errorf("%s: the progress is %+v", prompt, p)
		}
		if err := m.Prompts().Stop(t.Context(), spaces[0], ""); err != nil {
			t.Fatal(err)
		}
		if done := until(t, sub, any1[*transcript.RunCompleted]); done.StopReason != "cancelled" {
			t.Errorf("%s: it ended with %s", prompt, done.StopReason)
		}
		if p := m.Progress(run); p.Phase != turn.Over {
			t.Errorf("%s: the progress of a run that is over is %+v", prompt, p)
		}
		sub.Close()
	}
}

// TestOnlyTheUserStops: a turn that an agent ends as cancelled by itself was not stopped by the user.
func TestOnlyTheUserStops(t *testing.T) {
	m, _, r, spaces := laconicSpaces(t, "laconic", runs.Limits{}, 1)
	for prompt, want := range map[string]string{"cancelled": "ended", "asked": "refused"} {
		sub := r.Subscribe(relay.SpaceTopic(spaces[0]))
		if _, _, err := m.Prompts().Send(t.Context(), spaces[0], nil, prompt); err != nil {
			t.Fatal(err)
		}
		if prompt == "asked" {
			asked := until(t, sub, any1[*transcript.PermissionRequest])
			if err := m.Requests().Answer(t.Context(), spaces[0], asked.RequestID, "no"); err != nil {
				t.Fatal(err)
			}
		}
		if done := until(t, sub, any1[*transcript.RunCompleted]); done.StopReason != want {
			t.Errorf("%s: it ended with %s, want %s", prompt, done.StopReason, want)
		}
		sub.Close()
	}
}

// TestPromptsOfOneProcessGoInTurn: an agent that is known for losing one of two prompts is handed one after the other.
func TestPromptsOfOneProcessGoInTurn(t *testing.T) {
	m, _, r, spaces := laconicSpaces(t, "pi-acp", runs.Limits{}, 3)
	var subs []*relay.Subscription
	for _, space := range spaces {
		if err := m.Sessions().Prepare(t.Context(), space, ""); err != nil {
			t.Fatal(err)
		}
		subs = append(subs, r.Subscribe(relay.SpaceTopic(space)))
	}
	for _, space := range spaces {
		if _, _, err := m.Prompts().Send(t.Context(), space, nil, "race"); err != nil {
			t.Fatal(err)
		}
	}
	for i, sub := range subs {
		if done := until(t, sub, any1[*transcript.RunCompleted]); done.Error != nil || done.StopReason != "end_turn" {
			t.Errorf("space %d: %s %+v", i, done.StopReason, done.Error)
		}
	}
}
