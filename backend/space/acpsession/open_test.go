package acpsession

import (
	"errors"
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
	"weft/backend/agent/agentproc"
	"weft/backend/agent/agenttest"
	"weft/backend/base/fault"
	"weft/backend/llm/modelproxy"
)

// TestMain is also the supervisor of the tests' agent, and that agent.
func TestMain(m *testing.M) {
	agenttest.Main(m, map[string]func(args []string){"obedient": func([]string) { obedient() }})
}

// replayed is how many updates the agent replays.
const replayed = 20

// obedient is an agent that does with a session what the folder's name says.
func obedient() {
	sessions, folders := 0, map[string]string{}
	agenttest.Serve(func(m *agenttest.Message) {
		replay := func() {
			for range replayed {
				m.Say("Hm")
			}
		}
		what := filepath.Base(m.Params.Cwd)
		switch {
		case m.ID == nil:
			return
		case m.Method == "initialize":
			m.Respond(`{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`)
			return
		case m.Method == "session/prompt":
			switch folders[m.Params.SessionID] {
			case "dies":
				fmt.Fprintln(os.Stderr, "last words")
				os.Exit(3)
			case "unwilling":
				m.Refuse(-32603, "no")
			default:
				m.Respond(`{"stopReason":"end_turn"}`)
			}
			return
		case m.Method == "session/new":
			folders[fmt.Sprintf("s%d", sessions+1)] = what
		}
		if what == "half" { // of the replay
			replay()
		}
		switch {
		case what == "silent":
		case what == "refuse":
			m.Refuse(-32603, "no")
		case (what == "bare" || what == "half") && len(m.Params.McpServers) > 0:
			m.Refuse(-32602, "no servers")
		case what == "locked":
			m.Refuse(-32000, "sign in")
		default:
			if what != "same" {
				sessions++
			}
			load := m.Method == "session/load"
			if load && what != "late" {
				replay()
			}
			m.Respond(fmt.Sprintf(`{"sessionId":"s%d"}`, sessions))
			if load && what == "late" {
				replay()
			}
		}
	})
}

// told is a session that tells a replay what has come.
type told struct{ *Replay }

func (s told) Handle(in *acp.Inbound, _ bool) {
	switch in.Kind {
	case acp.KindUpdate:
		s.CountUpdate()
		s.Update()
	case acp.KindResponse:
		if in.Response.Method == "session/load" {
			s.Answered()
		}
	default:
	}
}
func (told) Asking() bool             { return false }
func (told) Observe(modelproxy.Event) {}

// processes are those of a test, which are gone when it is over.
func processes(t *testing.T) *agentproc.Pool {
	t.Helper()
	var tasks sync.WaitGroup
	t.Cleanup(tasks.Wait)
	return agentproc.NewPool(agentproc.Options{
		Private: agentproc.Private{DataDir: t.TempDir()}, Log: zerolog.Nop(), Now: time.Now, Go: tasks.Go,
		Limits: agentproc.Limits{Initialize: time.Minute, Download: time.Minute, Write: time.Minute, Stop: time.Minute, Others: time.Minute, Share: time.Minute},
	})
}

// join returns an opener of a session in a process that all openers of a pool share.
func join(t *testing.T, pool *agentproc.Pool, folder string) (*Opener, *Replay) {
	t.Helper()
	s := told{NewReplay()}
	lease := pool.Acquire(s, agentproc.Request{Config: agent.Config{ID: "obedient", Name: "Obedient", Command: os.Args[0], Args: []string{"obedient"}, Cwd: os.TempDir()}, Folder: folder})
	log := protocollog.Open(filepath.Join(t.TempDir(), "log.jsonl"), time.Now, zerolog.Nop(), nil)
	t.Cleanup(log.Close)
	t.Cleanup(func() { lease.Detach(agentproc.Detached{}) })
	conn, err := lease.Connect(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	<-lease.Process.Ready()
	return &Opener{
		Lease: lease, Conn: conn, Agent: "Obedient", Folder: folder, Servers: func() []sdk.McpServer { return []sdk.McpServer{} }, Asking: s.Asking,
		Go: func(do func()) { go do() }, Limit: time.Minute, Share: time.Minute, Log: zerolog.Nop(),
	}, s.Replay
}

func TestRefusedNewSession(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]struct{ alone, shared string }{
		"work":   {"", ""},
		"refuse": {"refused", "exclusive"},
		"locked": {"sign-in", "sign-in"},
		"silent": {"agent_silent", "exclusive"},
	} {
		pool := processes(t)
		o, _ := join(t, pool, "/"+what)
		if what == "silent" {
			o.Limit, o.Share = 20*time.Millisecond, 10*time.Millisecond
		}
		_, err := o.New(t.Context())
		if got := kind(err); got != want.alone {
			t.Errorf("%s: %s, want %s", what, got, want.alone)
		}
		join(t, pool, "/work")
		_, err = o.New(t.Context())
		if got := kind(err); got != want.shared {
			t.Errorf("%s, shared: %s, want %s", what, got, want.shared)
		}
	}
}

// kind names what an error says.
func kind(err error) string {
	var exclusive *agentproc.ExclusiveError
	var own *fault.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, new(*agentproc.FreshError)):
		return "fresh"
	case errors.As(err, &exclusive) && exclusive.Always:
		return "exclusive"
	case errors.As(err, &exclusive):
		return "exclusive for now"
	case errors.As(err, &own):
		return own.Code
	case errors.Is(err, acp.ErrAuthRequired):
		return "sign-in"
	case errors.Is(err, acp.ErrSessionTaken):
		return "taken"
	case Refused(err):
		return "refused"
	}
	return err.Error()
}

func TestSessionAlreadyInProcess(t *testing.T) {
	t.Parallel()
	pool := processes(t)
	first, _ := join(t, pool, "/same")
	if _, err := first.New(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, replay := join(t, pool, "/same")
	if _, err := second.New(t.Context()); kind(err) != "exclusive" {
		t.Errorf("a new one: %v", err)
	}
	if _, _, err := second.Fork(t.Context(), "any"); kind(err) != "exclusive for now" {
		t.Errorf("a copy: %v", err)
	}
	if _, err := second.Resume(t.Context(), "s0"); kind(err) != "taken" {
		t.Errorf("resumed: %v", err)
	}
	if _, err := second.Load(t.Context(), "s0", replay); kind(err) != "taken" {
		t.Errorf("loaded: %v", err)
	}
}

func TestRefusedServersAreLeftOut(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]struct {
		err     string
		without bool
	}{"work": {"", false}, "bare": {"", true}, "refuse": {"refused", false}, "locked": {"sign-in", false}} {
		for _, way := range []string{"new", "resume", "load", "fork"} {
			o, replay := join(t, processes(t), "/"+what)
			without := 0
			o.Servers = func() []sdk.McpServer {
				return []sdk.McpServer{{Stdio: &sdk.McpServerStdio{Name: "files", Args: []string{}, Env: []sdk.EnvVariable{}}}}
			}
			o.ServersRefused = func() { without++ }
			var err error
			switch way {
			case "new":
				_, err = o.New(t.Context())
			case "resume":
				_, err = o.Resume(t.Context(), "kept")
			case "load":
				_, err = o.Load(t.Context(), "kept", replay)
			case "fork":
				var ok bool
				if _, ok, err = o.Fork(t.Context(), "kept"); !ok && err == nil {
					err = errRefused
				}
			}
			if kind(err) != want.err || without != map[bool]int{true: 1}[want.without] {
				t.Errorf("%s, %s: error %q, without servers %d times", what, way, kind(err), without)
			}
		}
	}
	o, replay := join(t, processes(t), "/half")
	o.Servers = func() []sdk.McpServer {
		return []sdk.McpServer{{Stdio: &sdk.McpServerStdio{Name: "files", Args: []string{}, Env: []sdk.EnvVariable{}}}}
	}
	if _, err := o.Load(t.Context(), "kept", replay); kind(err) != "refused" || replay.UpdateCount() != replayed {
		t.Errorf("a session of which %d updates were replayed: %v", replay.UpdateCount(), err)
	}
}

func TestLoadReturnsAfterReplay(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"early", "late"} {
		o, replay := join(t, processes(t), "/"+when)
		if _, err := o.Load(t.Context(), "kept", replay); err != nil {
			t.Fatal(err)
		}
		if n := replay.UpdateCount(); n != replayed {
			t.Errorf("%s: %d of %d updates had come when it was loaded", when, n, replayed)
		}
	}
}

func TestFailedResumeLoadAndFork(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]string{"refuse": "refused", "locked": "sign-in", "silent": "agent_silent"} {
		o, replay := join(t, processes(t), "/"+what)
		if what == "silent" {
			o.Limit = 20 * time.Millisecond
		}
		if _, err := o.Resume(t.Context(), "kept"); kind(err) != want {
			t.Errorf("resumed: %s, want %s", kind(err), want)
		}
		if _, err := o.Load(t.Context(), "kept", replay); kind(err) != want {
			t.Errorf("loaded: %s, want %s", kind(err), want)
		}
		_, ok, err := o.Fork(t.Context(), "kept")
		if what == "refuse" {
			want = "" // it makes no copies, which is no error
		}
		if ok || kind(err) != want {
			t.Errorf("copied: %v %s, want %s", ok, kind(err), want)
		}
	}
}
