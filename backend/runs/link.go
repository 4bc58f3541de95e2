package runs

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/acp"
	"weft/backend/agent"
	"weft/backend/store"
	"weft/backend/terminal"
	"weft/backend/transcript"
	"weft/backend/workspace"
)

// How long the agent may take with a replay that it did not send before its answer.
const (
	replayStart = 3 * time.Second        // to begin it
	replayQuiet = 250 * time.Millisecond // without an update, after which it is over
)

// endGrace is how long an agent may take to end after it has closed its output.
const endGrace = time.Second

// link is a running agent with a session of ours.
type link struct {
	s       *Session
	config  agent.Config
	proc    *agent.Process
	conn    *acp.Conn
	log     *protocolLog
	stderr  stderrLog
	files   *workspace.Files
	caps    acp.InitializeResult
	dropped atomic.Bool   // nothing of it counts any more
	ended   chan struct{} // closed when the connection has delivered everything
	release sync.Once

	terminals terminal.Set
	followers sync.WaitGroup // one for each terminal

	// Under the session's mutex.
	acpID   string               // of the ACP session, "" until it is known
	early   []*transcript.Update // of sessions not known yet
	earlyID []string
	unsaid  bool          // nothing was said in the session yet
	forgot  bool          // there was an earlier session, which the agent could not continue
	settled bool          // the options are what they were
	calls   calls         // tool calls that have not ended
	discard bool          // a replay of what is already here is under way
	replays chan struct{} // gets a value when an update of a replay has come
	heard   atomic.Int64  // updates of our session
	live    map[string]*liveTerminal
	handed  []Handed // what became of the MCP servers

	replayed      bool // an update of a replay has come
	replayedFirst bool // one had come before the answer to session/load
}

// maxEarly is how many updates are kept that came before the session was known.
const maxEarly = 1024

// connect starts the agent and opens a session. ctx gives up.
func (s *Session) connect(ctx context.Context, open func(*link, context.Context) error) (*link, error) {
	config, err := s.m.opt.Agent(s.space.AgentID)
	if err != nil {
		return nil, err
	}
	files, err := workspace.Open(s.space.Folder)
	if err != nil {
		return nil, err
	}
	proc, err := s.m.start(ctx, config, s.space.Folder)
	if err != nil {
		_ = files.Close()
		return nil, err
	}
	l := &link{s: s, config: config, proc: proc, files: files, ended: make(chan struct{}), replays: make(chan struct{}, 1), live: map[string]*liveTerminal{}, calls: calls{}}
	l.log = openProtocolLog(s.m.ProtocolPath(s.space.ID), s.m.opt.Now, s.m.opt.Log, s.m.redactor())
	l.stderr.log = l.log
	proc.CopyStderr(&l.stderr)
	l.conn = acp.New(proc.Stdout, proc.Stdin, acp.Options{Tap: l.log.tap, WriteTimeout: s.m.opt.Limits.Write})
	s.mu.Lock()
	old := s.link
	s.link = l
	s.turns.Agent = author(config)
	s.mu.Unlock()
	if old != nil {
		old.drop()
	}
	s.m.tasks.Go(l.serve)
	if err := open(l, ctx); err != nil {
		err = l.explain(err)
		s.mu.Lock()
		if s.link == l {
			s.link = nil
		}
		s.mu.Unlock()
		l.stop()
		return nil, err
	}
	return l, nil
}

// serve delivers what the agent sends until it closes the connection.
func (l *link) serve() {
	err := l.conn.Run(context.Background(), l)
	close(l.ended)
	l.s.m.opt.Log.Debug().Err(err).Str("agent", l.config.ID).Msg("the agent's connection has ended")
	l.drop()
	l.s.linkEnded(l)
	// An agent that has closed its output has mostly ended, or will at once. Only then is it
	// known how; one that goes on is stopped.
	select {
	case <-l.proc.Done():
	case <-time.After(endGrace):
	}
	l.stop()
}

func (l *link) drop() {
	l.dropped.Store(true)
	l.s.stuck.wake()
}

// stop ends the process with everything it started, and waits for it.
func (l *link) stop() {
	l.drop()
	var terminals sync.WaitGroup
	terminals.Go(l.endTerminals)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := l.proc.Stop(ctx); err != nil {
		l.s.m.opt.Log.Error().Err(err).Str("agent", l.config.ID).Msg("an agent could not be ended")
	}
	l.conn.Close()
	<-l.ended
	terminals.Wait()
	l.release.Do(func() {
		_ = l.files.Close()
		l.stderr.end()
		l.log.close()
	})
}

// initialize tells the agent who speaks and learns what it can do.
func (l *link) initialize(ctx context.Context) error {
	ictx, cancel := context.WithTimeout(ctx, l.s.m.patience(l.config))
	defer cancel()
	caps, err := l.conn.Initialize(ictx, acp.InitializeParams{
		Capabilities: clientCapabilities, Name: "weft", Title: "Weft", Version: l.s.m.opt.Version,
	})
	if err != nil {
		l.wantsSignIn(err)
		return l.silent(ctx, err)
	}
	l.caps = caps
	l.s.mu.Lock()
	l.s.methods = caps.AuthMethods
	l.s.mu.Unlock()
	l.s.m.sawLogout(l.config, caps.Capabilities)
	return nil
}

// open initializes the connection and opens a session, continuing the one before where the
// agent can.
func (l *link) open(ctx context.Context) error {
	if err := l.initialize(ctx); err != nil {
		return err
	}
	return l.openSession(ctx)
}

// openSession is open for a connection that is initialized.
func (l *link) openSession(ctx context.Context) error {
	last, known, err := l.s.m.opt.Store.LastSession(ctx, l.s.space.ID, l.config.ID)
	if err != nil {
		return err
	}
	if known && last.Cwd == l.s.space.Folder {
		ok, err := l.resume(ctx, last.SessionID)
		if ok || err != nil {
			return err
		}
	}
	sctx, cancel := context.WithTimeout(ctx, l.s.m.opt.Limits.Session)
	defer cancel()
	res, err := l.conn.NewSession(sctx, sdk.NewSessionRequest{Cwd: l.s.space.Folder, McpServers: l.servers()})
	if err != nil {
		return l.openError(ctx, err)
	}
	l.s.mu.Lock()
	l.unsaid = true
	l.s.cost = cost{} // a new session counts anew
	if l.s.run != nil {
		l.s.run.before = cost{}
	}
	l.known(res.SessionID)
	l.forgot = known
	l.sessionState(res)
	l.s.mu.Unlock()
	l.restore(ctx)
	return nil
}

// say prepares the session for a prompt: one in which something was said is kept for later.
func (l *link) say(ctx context.Context) error {
	l.s.mu.Lock()
	unsaid, forgot := l.unsaid, l.forgot
	se := store.Session{SpaceID: l.s.space.ID, AgentID: l.config.ID, SessionID: l.acpID, Cwd: l.s.space.Folder, CreatedAt: l.s.m.now()}
	l.s.mu.Unlock()
	if !unsaid {
		return nil
	}
	if err := l.s.m.opt.Store.AddSession(ctx, se); err != nil {
		return err
	}
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.unsaid, l.forgot = false, false
	if forgot && l.s.run != nil {
		l.s.run.fold.Note("A new session was started: " + l.config.Name + " does not remember what was said before.")
	}
	return nil
}

// resume continues session id. It reports false where the agent cannot, or does not know
// the session any more.
func (l *link) resume(ctx context.Context, id string) (bool, error) {
	l.s.mu.Lock()
	l.known(id)
	l.discard = true
	l.s.mu.Unlock()
	defer func() {
		l.s.mu.Lock()
		l.discard = false
		l.s.mu.Unlock()
	}()
	var res acp.SessionResult
	var err error
	switch {
	case l.caps.Capabilities.ResumeSession:
		sctx, cancel := context.WithTimeout(ctx, l.s.m.opt.Limits.Session)
		defer cancel()
		res, err = l.conn.ResumeSession(sctx, sdk.ResumeSessionRequest{SessionId: sdk.SessionId(id), Cwd: l.s.space.Folder, McpServers: l.servers()})
	case l.caps.Capabilities.LoadSession:
		res, err = l.loadSession(ctx, id)
	default:
		err = &acp.RPCError{Code: acp.CodeMethodNotFound}
	}
	var refused *acp.RPCError
	if errors.As(err, &refused) && !errors.Is(err, acp.ErrAuthRequired) {
		l.s.mu.Lock()
		l.acpID = ""
		l.s.mu.Unlock()
		return false, nil
	}
	if err != nil {
		return false, l.openError(ctx, err)
	}
	l.s.mu.Lock()
	l.sessionState(res)
	l.s.mu.Unlock()
	l.restore(ctx)
	return true, nil
}

// awaitReplay waits for the end of a replay that comes after the answer to session/load.
// An agent that replayed before its answer, as the protocol wants it, is not waited for.
func (l *link) awaitReplay(ctx context.Context) {
	l.s.mu.Lock()
	first := l.replayedFirst
	l.s.mu.Unlock()
	if first {
		return
	}
	wait := time.NewTimer(replayStart)
	defer wait.Stop()
	for {
		select {
		case <-l.replays:
			wait.Reset(replayQuiet)
		case <-wait.C:
			return
		case <-l.ended:
			return
		case <-ctx.Done():
			return
		}
	}
}

// known tells which session is ours; updates of it that came early are folded now. The
// session's mutex is held.
func (l *link) known(id string) {
	l.acpID = id
	early, ids := l.early, l.earlyID
	l.early, l.earlyID = nil, nil
	for i, u := range early {
		if ids[i] == id {
			l.update(u)
		}
	}
	l.s.pace(false)
}

// sessionState keeps what the agent told about the session that it opened. The session's
// mutex is held.
func (l *link) sessionState(res acp.SessionResult) {
	l.s.offer.Session(res)
	for key, value := range map[transcript.StateKey]jsontext.Value{transcript.StateMode: res.Modes, transcript.StateConfig: res.ConfigOptions} {
		if value != nil {
			l.update(&transcript.Update{Kind: transcript.UpdateState, Key: key, Value: value})
		}
	}
	l.s.pace(false)
}

// explain makes a person's sentence of an error, with the agent's last words where it
// died.
func (l *link) explain(err error) error {
	if errors.Is(err, acp.ErrClosed) || errors.Is(err, acp.ErrStalled) {
		select {
		case <-l.proc.Done():
		case <-time.After(2 * endGrace): // the connection ended before the process did
		}
		if exit := l.proc.ExitErr(); exit != nil {
			err = exit
		}
	}
	return &failureError{l.failure(err)}
}

func (l *link) failure(err error) transcript.Failure {
	f := failureOf(err)
	hide := l.s.m.redactor()
	f.Message, f.Detail = hide.Text(f.Message), hide.Text(strings.TrimSpace(f.Detail+"\n"+l.proc.StderrTail()))
	return f
}
