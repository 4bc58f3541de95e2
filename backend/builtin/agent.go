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

	"weft/backend/builtin/tool"
	"weft/backend/llm"
	"weft/backend/llm/provider"
)

// agent serves one client, with a method for each method of the protocol. It owns the sessions; a session owns its
// turn.
type agent struct {
	set      settings
	keys     *keys
	brain    *brain
	tools    func() []tool.Tool // the built-in tools
	log      *slog.Logger
	now      func() time.Time
	client   *connection
	store    sessionStore
	sessions openSessions

	life    context.Context // ends when the agent stops; every turn ends with it
	stop    context.CancelFunc
	opening sync.WaitGroup // background work of sessions: connecting servers, listing models
}

func newAgent(set settings, keys *keys, log *slog.Logger) *agent {
	a := &agent{set: set, keys: keys, log: log, now: time.Now, store: sessionStore{dir: set.data, hide: keys.hide}}
	a.brain = newBrain(set, keys)
	a.tools = func() []tool.Tool { return tool.Builtin(tool.Options{Fetch: set.fetch}) }
	a.sessions.all = map[acp.SessionId]*session{}
	a.life, a.stop = context.WithCancel(context.Background())
	a.client = newConnection(context.WithCancel(a.life))
	return a
}

// handle answers one message from the client. It is used with the SDK's plain connection and not its
// AgentSideConnection, because the latter cancels a running prompt when a second one arrives.
func (a *agent) handle(ctx context.Context, method string, params json.RawMessage) (result any, rerr *acp.RequestError) {
	if method != acp.AgentMethodSessionPrompt {
		a.client.in.admit()
	}
	defer a.client.in.admit()
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
		return call(ctx, params, a.authenticate)
	case acp.AgentMethodSessionNew:
		return call(ctx, params, a.newSession)
	case acp.AgentMethodSessionLoad:
		return call(ctx, params, a.loadSession)
	case acp.AgentMethodSessionResume:
		return call(ctx, params, a.resumeSession)
	case acp.AgentMethodSessionFork:
		return call(ctx, params, a.forkSession)
	case acp.AgentMethodSessionList:
		return call(ctx, params, a.listSessions)
	case acp.AgentMethodSessionClose:
		return call(ctx, params, a.closeSession)
	case acp.AgentMethodSessionDelete:
		return call(ctx, params, a.deleteSession)
	case acp.AgentMethodSessionSetMode:
		return call(ctx, params, a.setMode)
	case acp.AgentMethodSessionSetConfigOption:
		return call(ctx, params, a.setOption)
	case acp.AgentMethodSessionPrompt:
		return call(ctx, params, a.prompt)
	case againMethod:
		return call(ctx, params, a.askAgain)
	case acp.AgentMethodSessionCancel:
		return call(ctx, params, a.cancel)
	}
	return nil, acp.NewMethodNotFound(method)
}

// call decodes the parameters, calls the method and converts its error to one of the protocol.
func call[P, R any](ctx context.Context, params json.RawMessage, method func(context.Context, P) (R, error)) (any, *acp.RequestError) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalidParams("the parameters can't be read: " + err.Error())
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

// The messages of these errors are sentences, because clients show the message and often drop the data.

func invalidParams(sentence string) *acp.RequestError {
	return &acp.RequestError{Code: -32602, Message: sentence}
}

func invalidRequest(sentence string) *acp.RequestError {
	return &acp.RequestError{Code: -32600, Message: sentence}
}

func internalError(sentence string) *acp.RequestError {
	return &acp.RequestError{Code: -32603, Message: sentence}
}

// noKey returns the protocol's error for a missing API key.
func noKey(e *llm.Error) *acp.RequestError {
	return &acp.RequestError{Code: -32000, Message: e.Message, Data: map[string]any{"code": string(e.Code), "said": e.Said}}
}

func (a *agent) initialize(_ context.Context, p acp.InitializeRequest) (acp.InitializeResponse, error) {
	a.client.learn(p.ClientCapabilities)
	info := acp.Implementation{Name: "weft-guide", Title: acp.Ptr("Weft offline guide"), Version: version()}
	model := a.set.provider.ID != provider.Guide
	if model {
		info.Name, info.Title = "weft-agent", acp.Ptr("Weft agent ("+a.set.provider.Name+")")
	}
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &info,
		AuthMethods:     a.keys.waysToSignIn(),
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: acp.PromptCapabilities{EmbeddedContext: true, Image: model},
			McpCapabilities:    acp.McpCapabilities{Http: model, Sse: model},
			SessionCapabilities: acp.SessionCapabilities{
				Close: &acp.SessionCloseCapabilities{}, List: &acp.SessionListCapabilities{}, Resume: &acp.SessionResumeCapabilities{},
				Fork: &acp.SessionForkCapabilities{}, Delete: &acp.SessionDeleteCapabilities{},
			},
		},
	}, nil
}

// authenticate checks again whether there is a key.
func (a *agent) authenticate(ctx context.Context, _ acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	a.keys.forget()
	return acp.AuthenticateResponse{}, a.brain.signedIn(ctx)
}

// closeAll closes all sessions, after their turns, and waits for their background work.
func (a *agent) closeAll() {
	a.sessions.closeAll()
	a.opening.Wait()
}
