package agentproc

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/rs/zerolog"

	"weft/backend/acp"
	"weft/backend/acp/protocollog"
	"weft/backend/agent"
	"weft/backend/agent/agenttest"
	"weft/backend/llm/modelproxy"
)

// TestMain is also the supervisor of the tests' agents, and these agents.
func TestMain(m *testing.M) {
	agenttest.Main(m, map[string]func(args []string){"fake": func(args []string) { fake(args[0]) }})
}

// fake is an agent with a name. It ends a turn when it is told to, or with the prompt "stubborn" never, and notes on stderr which sessions were closed.
func fake(name string) {
	fmt.Fprintln(os.Stderr, "hello from", name)
	sessions, open := 0, map[string]*agenttest.Message{}
	agenttest.Serve(func(m *agenttest.Message) {
		session := m.Params.SessionID
		switch m.Method {
		case "initialize":
			m.Respond(fmt.Sprintf(`{"protocolVersion":1,"agentInfo":{"name":%q,"version":"1"},"agentCapabilities":{"sessionCapabilities":{"close":{}}}}`, name))
		case "session/new":
			sessions++
			m.Respond(fmt.Sprintf(`{"sessionId":"s%d"}`, sessions))
		case "session/prompt":
			m.Say("Hm")
			if m.Text() != "stubborn" {
				open[session] = m
			}
		case "session/cancel":
			if prompt := open[session]; prompt != nil {
				prompt.Respond(`{"stopReason":"cancelled"}`)
			}
		case "session/close":
			fmt.Fprintln(os.Stderr, "closed", session)
			m.Respond(`{}`)
		}
	})
}

// member is a session of the tests.
type member struct {
	lease *Lease
	conn  *acp.Conn
	id    string
	heard chan struct{} // gets a value when the agent has begun a turn
}

func (m *member) Handle(in *acp.Inbound, _ bool) {
	if in.Kind == acp.KindUpdate {
		m.heard <- struct{}{}
	}
}

// Asking uses the process, as a space may that needs its own lock for it.
func (m *member) Asking() bool {
	m.lease.Shared()
	return false
}

// Observe uses it, too.
func (m *member) Observe(modelproxy.Event) { m.lease.Use() }

// world is a pool of the tests, whose agents are gone when the test is over.
type world struct {
	*testing.T
	pool *Pool
	dir  string
}

func newWorld(t *testing.T, limits Limits) *world {
	t.Helper()
	var tasks sync.WaitGroup
	w := &world{T: t, dir: t.TempDir()}
	for _, limit := range []*time.Duration{&limits.Initialize, &limits.Download, &limits.Write, &limits.Stop, &limits.Others, &limits.Share} {
		if *limit == 0 {
			*limit = time.Minute
		}
	}
	w.pool = NewPool(Options{Private: Private{DataDir: t.TempDir()}, Version: "test", Log: zerolog.Nop(), Now: time.Now, Go: tasks.Go, Limits: limits})
	t.Cleanup(tasks.Wait)
	return w
}

func (w *world) request(name string) Request {
	return Request{Config: agent.Config{ID: name, Name: "Fake", Command: os.Args[0], Args: []string{"fake", name}}, Folder: w.dir}
}

// acquire takes a lease and opens a session.
func (w *world) acquire(r Request) *member {
	w.Helper()
	m := &member{heard: make(chan struct{}, 1)}
	m.lease = w.pool.Acquire(m, r)
	log := protocollog.Open(filepath.Join(w.TempDir(), "log.jsonl"), time.Now, zerolog.Nop(), nil)
	w.Cleanup(log.Close)
	conn, err := m.lease.Connect(w.Context(), log)
	if err != nil {
		w.Fatal(err)
	}
	<-m.lease.Process.Ready()
	done, err := m.lease.Process.BeginOpening(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	defer done()
	res, err := conn.NewSession(w.Context(), sdk.NewSessionRequest{Cwd: w.dir, McpServers: []sdk.McpServer{}})
	if err != nil {
		w.Fatal(err)
	}
	m.conn, m.id = conn, res.SessionID
	return m
}

// prompt has the agent begin a turn; what it returns gets the error with which it ends.
func (m *member) prompt(text string) <-chan error {
	send := m.lease.BeginTurn(m.id)
	over := make(chan error, 1)
	go func() {
		_, err := send([]sdk.ContentBlock{sdk.TextBlock(text)}, nil)
		over <- err
	}()
	<-m.heard
	return over
}
