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

	"weft/backend/base/clip"
	"weft/backend/base/fault"
)

// Codes of an [Error] of [Standing.Call].
const (
	CodeUnreachable = "unreachable" // couldn't connect, so nothing was done; the message says why
	CodeTimeout     = "timeout"     // the server didn't answer, and the call was canceled
	CodeRefused     = "refused"     // the server refused; the message is its own
	CodeLost        = "lost"        // the connection was lost during the call, which may have had an effect; the message says why
)

// codeUndelivered is the SDK's code for an error of the transport, not of the server.
const codeUndelivered = -32005

// Call calls a tool. If the server has ended, it reconnects first. report gets the progress of the call, from one
// goroutine at a time, and not after Call has returned. Call modifies params. Errors: that of ctx, and *Error with one
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

// ask calls a tool and reports its progress until the response arrives.
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

// follower reports the progress of one call. It has its own lock, so that a slow one doesn't delay others.
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
