package mcp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/clip"
	"weft/backend/fault"
)

// The codes of an [Error] of [Standing.Call].
const (
	CodeUnreachable = "unreachable" // there is no connection, so nothing was done; the message says why
	CodeTimeout     = "timeout"     // it did not answer, and was told to stop
	CodeRefused     = "refused"     // the message is the server's own
	CodeLost        = "lost"        // in the middle of the call: whether it did anything is not known; the message says why
)

// codeUndelivered is the code with which the SDK says that the way to the server failed, rather than the server.
const codeUndelivered = -32005

// Call calls a tool; a server that has ended before is connected again first. The progress of the call goes to report,
// by one goroutine at a time, and not after Call has returned. params is the call's own. Errors: ctx's, *Error with one
// of the codes above.
func (s *Standing) Call(ctx context.Context, limit time.Duration, params *sdk.CallToolParams, report func(*sdk.ProgressNotificationParams)) (*sdk.CallToolResult, error) {
	conn, err := s.Connected(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fault.Plain(CodeUnreachable, Said(err)).Because(err)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res, err := s.ask(limited, conn, params, report)
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fault.New(CodeTimeout, "It didn't answer within {{limit}}, so the call was canceled.", limit).Because(err)
	case errors.As(err, &refused) && refused.Code != codeUndelivered:
		return nil, fault.Plain(CodeRefused, clip.Text(strings.TrimRight(refused.Message, ". "), 1000)+".").Because(err)
	}
	return nil, fault.Plain(CodeLost, s.Lost(ctx, conn, err)).Because(err)
}

// ask calls a tool and passes its progress on until it is answered.
func (s *Standing) ask(ctx context.Context, conn *Connection, params *sdk.CallToolParams, report func(*sdk.ProgressNotificationParams)) (*sdk.CallToolResult, error) {
	f := &follower{report: report}
	s.mu.Lock()
	s.tokens++
	token := "weft-" + strconv.Itoa(s.tokens)
	s.followers[token] = f
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.followers, token)
		s.mu.Unlock()
		f.stop()
	}()
	params.SetProgressToken(token)
	return conn.CallTool(ctx, params)
}

func (s *Standing) progressed(p *sdk.ProgressNotificationParams) {
	if p == nil {
		return
	}
	s.mu.Lock()
	f := s.followers[fmt.Sprint(p.ProgressToken)]
	s.mu.Unlock()
	if f != nil {
		f.tell(p)
	}
}

// follower hears the progress of one call. Its lock is its own: one that is slow holds up no other.
type follower struct {
	mu     sync.Mutex
	report func(*sdk.ProgressNotificationParams) // nil after the call
}

func (f *follower) tell(p *sdk.ProgressNotificationParams) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.report != nil {
		f.report(p)
	}
}

func (f *follower) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report = nil
}
