package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/guide"
)

// provider answers one prompt through a turn. It returns when the answer is complete, or with ctx's error.
type provider func(ctx context.Context, t guide.Turn, req guide.Request) error

// agent serves one client. It owns the sessions; a session owns its turn.
type agent struct {
	data   string // folder of the session logs
	answer provider
	log    *slog.Logger
	now    func() time.Time

	conn *acp.Connection
	in   *intake
	out  *outlet

	life context.Context // ends when the agent stops; every turn ends with it
	stop context.CancelFunc
	// asking ends when the client can answer no more, so that nobody waits for a permission for ever.
	asking        context.Context
	noMoreAnswers context.CancelFunc

	mu       sync.Mutex
	client   acp.ClientCapabilities
	sessions map[acp.SessionId]*session
}

func newAgent(data string, answer provider, log *slog.Logger) *agent {
	a := &agent{data: data, answer: answer, log: log, now: time.Now, sessions: map[acp.SessionId]*session{}}
	a.life, a.stop = context.WithCancel(context.Background())
	a.asking, a.noMoreAnswers = context.WithCancel(a.life)
	return a
}

// handle answers one message from the client. It is the SDK's plain connection handler and not its
// AgentSideConnection, because that one cancels a running prompt when a second one arrives.
func (a *agent) handle(ctx context.Context, method string, params json.RawMessage) (result any, rerr *acp.RequestError) {
	if method != acp.AgentMethodSessionPrompt {
		a.in.admit()
	}
	defer a.in.admit()
	defer func() {
		if r := recover(); r != nil {
			a.log.Error("panic", "method", method, "panic", r, "stack", string(debug.Stack()))
			result, rerr = nil, internalError(fmt.Sprintf("Weft's agent failed while answering %s: %v", method, r))
		}
	}()
	switch method {
	case acp.AgentMethodInitialize:
		return call(ctx, params, a.initialize)
	case acp.AgentMethodAuthenticate:
		return acp.AuthenticateResponse{}, nil // there is nothing to sign in to
	case acp.AgentMethodSessionNew:
		return call(ctx, params, a.newSession)
	case acp.AgentMethodSessionLoad:
		return call(ctx, params, a.loadSession)
	case acp.AgentMethodSessionResume:
		return call(ctx, params, a.resumeSession)
	case acp.AgentMethodSessionList:
		return call(ctx, params, a.listSessions)
	case acp.AgentMethodSessionClose:
		return call(ctx, params, a.closeSession)
	case acp.AgentMethodSessionPrompt:
		return call(ctx, params, a.prompt)
	case acp.AgentMethodSessionCancel:
		return call(ctx, params, a.cancel)
	}
	return nil, acp.NewMethodNotFound(method)
}

// call decodes the parameters of a method and turns its error into one for the wire.
func call[P, R any](ctx context.Context, params json.RawMessage, method func(context.Context, P) (R, error)) (any, *acp.RequestError) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalidParams("the parameters cannot be read: " + err.Error())
	}
	result, err := method(ctx, p)
	if err == nil {
		return result, nil
	}
	var rerr *acp.RequestError
	if errors.As(err, &rerr) {
		return nil, rerr
	}
	return nil, internalError(err.Error())
}

// The message of these errors is a sentence, as clients show the message and often drop the data.

func invalidParams(sentence string) *acp.RequestError {
	return &acp.RequestError{Code: -32602, Message: sentence}
}

func invalidRequest(sentence string) *acp.RequestError {
	return &acp.RequestError{Code: -32600, Message: sentence}
}

func internalError(sentence string) *acp.RequestError {
	return &acp.RequestError{Code: -32603, Message: sentence}
}

func (a *agent) initialize(_ context.Context, p acp.InitializeRequest) (acp.InitializeResponse, error) {
	a.mu.Lock()
	a.client = p.ClientCapabilities
	a.mu.Unlock()
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "weft-guide", Title: acp.Ptr("Weft offline guide"), Version: version()},
		AuthMethods:     []acp.AuthMethod{},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: acp.PromptCapabilities{EmbeddedContext: true},
			SessionCapabilities: acp.SessionCapabilities{
				Close: &acp.SessionCloseCapabilities{}, List: &acp.SessionListCapabilities{}, Resume: &acp.SessionResumeCapabilities{},
			},
		},
	}, nil
}

// clientWrites reports whether files are to be written by the client.
func (a *agent) clientWrites() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.client.Fs.WriteTextFile
}

// send passes an update to the client. Its error means the client is gone.
func (a *agent) send(id acp.SessionId, update json.RawMessage) error {
	return a.conn.SendNotification(context.Background(), acp.ClientMethodSessionUpdate, notification{id, update})
}

// notification is acp.SessionNotification with an update that is encoded already, so that what is sent is
// byte for byte what was stored.
type notification struct {
	SessionID acp.SessionId   `json:"sessionId"`
	Update    json.RawMessage `json:"update"`
}
