package runs_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/agenttest"
	"weft/backend/conversation/transcript"
	"weft/backend/space/runs"
	"weft/backend/space/team"
	"weft/backend/store"
	"weft/backend/store/relay"
	"weft/backend/store/spaces"
)

func TestMain(m *testing.M) {
	agenttest.Main(m, map[string]func(args []string){
		"keeper":  func([]string) { keeper() },
		"deaf":    func([]string) { deaf() },
		"editor":  func(args []string) { editor(args[0], args[1]) },
		"laconic": func(args []string) { laconic(args[0]) },
	})
}

// keeper is an agent that has kept a session of two turns under any id. Of the id "late"
// it answers session/load first and replays afterwards.
func keeper() {
	agenttest.Serve(func(m *agenttest.Message) {
		replay := func() {
			for _, u := range []string{
				`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"first?"}}`,
				`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"}}`,
				`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Look","status":"completed"}`,
				`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"second?"}}`,
				`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"}}`,
			} {
				m.Update(u)
			}
		}
		switch late := m.Params.SessionID == "late"; m.Method {
		case "initialize":
			m.Respond(`{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
		case "session/load":
			if !late {
				replay()
			}
			m.Respond(`{}`)
			if late {
				replay()
			}
		case "session/prompt":
			m.Respond(`{"stopReason":"end_turn"}`)
		default:
			m.Respond(`{}`)
		}
	})
}

// deaf is an agent that reads nothing after its first prompt, asks for files all the time, and never ends its turn.
func deaf() {
	agenttest.Serve(func(m *agenttest.Message) {
		switch m.Method {
		case "initialize":
			m.Respond(`{"protocolVersion":1}`)
		case "session/new":
			m.Respond(`{"sessionId":"s"}`)
		case "session/prompt":
			for i := 0; ; i++ {
				fmt.Printf(`{"jsonrpc":"2.0","id":%d,"method":"terminal/output","params":{"sessionId":"s","terminalId":"none"}}`+"\n", i)
			}
		}
	})
}

// editor is an agent that sends an update in its first turn, and works until it is stopped. Then it connects to a
// socket.
func editor(socket, update string) {
	var open *agenttest.Message
	agenttest.Serve(func(m *agenttest.Message) {
		switch m.Method {
		case "initialize":
			m.Respond(`{"protocolVersion":1}`)
		case "session/new":
			m.Respond(`{"sessionId":"s"}`)
		case "session/prompt":
			m.Update(update)
			open = m
		case "session/cancel":
			if conn, err := net.Dial("unix", socket); err == nil {
				_ = conn.Close()
			}
			open.Respond(`{"stopReason":"cancelled"}`)
		default:
			m.Respond(`{}`)
		}
	})
}

// open makes a manager with one space whose agent is the keeper.
func open(t *testing.T) (m *runs.Manager, s *store.Store, r *relay.Relay, space string) {
	t.Helper()
	ctx := context.Background()
	r = relay.New()
	s, _, err := store.Open(ctx, t.TempDir(), store.Options{OnCommit: func(id string, events []transcript.Event) { r.Publish(relay.SpaceTopic(id), events) }})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	sp, err := s.Spaces.Create(ctx, spaces.Space{Title: "x", Folder: folder, AgentID: "keeper"})
	if err != nil {
		t.Fatal(err)
	}
	m = runs.NewManager(runs.Options{
		Store: s, Private: agentproc.Private{DataDir: t.TempDir()},
		Agent: func(string) (agent.Config, error) {
			return agent.Config{ID: "keeper", Name: "Keeper", Command: os.Args[0], Args: []string{"keeper"}}, nil
		},
		Space: func(_ context.Context, id string) (team.Space, error) {
			return team.Space{ID: id, Folder: folder, Members: []team.Member{{ID: "main", Name: "Keeper", AgentID: "keeper", Default: true}}}, nil
		},
		OnChange: func(string) {}, OnTitle: func(string, string) {}, OnTrouble: func(error) {},
	})
	t.Cleanup(func() {
		if err := errors.Join(m.Close(ctx), s.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	return m, s, r, sp.ID
}

// dump is what a space holds, one message a line.
func dump(t *testing.T, s *store.Store, space string) string {
	t.Helper()
	if err := s.Events.Flush(t.Context(), space); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Pages.Snapshot(t.Context(), space, 100)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range snap.Page.Messages {
		fmt.Fprintf(&b, "%s:", m.Role)
		for _, seg := range m.Segments {
			fmt.Fprintf(&b, " %q %d", seg.Text, seg.ItemCount)
		}
		fmt.Fprintf(&b, " %v\n", m.EndedAt > 0)
	}
	return b.String()
}

const kept = `user: "first?" 0 true
agent: "one" 0 "" 1 true
user: "second?" 0 true
agent: "two" 0 true
`

// TestLoad reads a session into an empty space and continues it.
func TestLoad(t *testing.T) {
	for _, id := range []string{"early", "late"} {
		t.Run(id, func(t *testing.T) {
			m, s, r, space := open(t)
			if err := m.Sessions().Load(t.Context(), space, id); err != nil {
				t.Fatal(err)
			}
			if got := dump(t, s, space); got != kept {
				t.Fatalf("loaded:\n%s", got)
			}
			sub := r.Subscribe(relay.SpaceTopic(space))
			if _, _, err := m.Prompts().Send(t.Context(), space, nil, "third?"); err != nil {
				t.Fatal(err)
			}
			for ended := false; !ended; {
				batch, err := sub.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range batch.Events {
					_, completed := e.Body.(*transcript.RunCompleted)
					ended = ended || completed
				}
			}
			if got, want := dump(t, s, space), kept+"user: \"third?\" 0 true\nagent: true\n"; got != want {
				t.Errorf("after another turn:\n%s", got)
			}
		})
	}
}
