package acp

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"strconv"

	"weft/backend/acp/rpc"
	"weft/backend/base/scan"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// call is a request from Weft to the agent. The fields after done are guarded by [Conn.mu] until done is closed.
type call struct {
	id      string
	method  string
	session string
	lane    *lane
	queued  func() // called after the request is queued, so that later messages follow it; may be nil

	done     chan struct{}
	answered bool // its response is in the lane's queue
	lost     bool // the caller has stopped waiting
	taken    bool // the agent returned a session that belongs to another lane
	result   jsontext.Value
	err      error
}

// complete ends the call. The caller must have removed it from the table of calls, and calls complete exactly once.
func (k *call) complete(result jsontext.Value, err error) {
	k.result, k.err = result, err
	close(k.done)
}

// maxLost is the maximum number of abandoned calls in the table.
const maxLost = 256

// calls is the table of calls without a response. It is guarded by wire.mu.
type calls struct {
	byID   map[string]*call
	lastID int64
	lost   int // abandoned calls
}

// add assigns an id to the call and stores it.
func (c *calls) add(k *call) {
	c.lastID++
	k.id = strconv.FormatInt(c.lastID, 10)
	c.byID[k.id] = k
}

// remove removes a completed or forgotten call.
func (c *calls) remove(k *call) {
	delete(c.byID, k.id)
	if k.lost {
		c.lost--
	}
}

// abandon marks a call whose caller has stopped waiting.
func (c *calls) abandon(k *call) {
	k.lost = true
	if c.lost++; c.lost > maxLost {
		c.forget()
	}
}

// forget removes one abandoned call. A later response to it counts as a response to an unknown call.
func (c *calls) forget() {
	for _, k := range c.byID {
		if k.lost && !k.answered {
			c.remove(k)
			return
		}
	}
}

// removeOf removes and returns the calls of a lane.
func (c *calls) removeOf(l *lane) (list []*call) {
	for _, k := range c.byID {
		if k.lane == l {
			c.remove(k)
			list = append(list, k)
		}
	}
	return list
}

// Call sends a request, waits for the response and decodes it into result. If result is a
// *jsontext.Value, it gets the raw JSON; if it is nil, the result is dropped. Nil params are
// sent as {}.
//
// Call returns after the handler has handled everything that arrived before the response.
// It fails with an [*RPCError] if the agent refuses, [ErrClosed] if the connection ended
// first, [ErrStalled], or the cause of ctx. When ctx ends, the agent isn't told: its later
// response reaches the handler with [Response.Late] set.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	raw, err := c.call(ctx, method, "", params)
	if err != nil || result == nil {
		return err
	}
	if v, ok := result.(*jsontext.Value); ok {
		*v = raw
		return nil
	}
	if err := json.Unmarshal(raw, result, scan.Lenient); err != nil {
		return fmt.Errorf("the agent's answer to %s can't be read: %w", method, err)
	}
	return nil
}

func (c *Conn) call(ctx context.Context, method, session string, params any) (jsontext.Value, error) {
	k := &call{method: method, session: session, lane: c.lane, done: make(chan struct{})}
	return c.do(ctx, k, params)
}

// do makes a call and waits for its result.
func (c *wire) do(ctx context.Context, k *call, params any) (jsontext.Value, error) {
	method := k.method
	raw, err := encode(params)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	c.mu.Lock()
	if k.lane.ended {
		c.mu.Unlock()
		return nil, fmt.Errorf("%s: %w", method, ErrClosed)
	}
	if createsSession(method) {
		c.routes.opening = append(c.routes.opening, k.lane)
	}
	c.calls.add(k)
	c.mu.Unlock()

	line := rpc.Line(k.id, method, raw)
	if err := c.out.send(ctx, message{line: line, call: k, lane: k.lane}); err != nil {
		c.drop(k, err)
		<-k.done
		return k.result, k.err
	}
	if k.queued != nil {
		k.queued()
	}
	select {
	case <-k.done:
		return k.result, k.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-k.done:
		return k.result, k.err
	default:
	}
	c.calls.abandon(k)
	return nil, fmt.Errorf("%s: %w", method, context.Cause(ctx))
}

// drop fails a call whose request could not be written.
func (c *wire) drop(k *call, err error) {
	c.mu.Lock()
	if c.calls.byID[k.id] != k || k.answered {
		c.mu.Unlock()
		return
	}
	c.calls.remove(k)
	if createsSession(k.method) {
		c.routes.notOpening(k.lane)
	}
	c.mu.Unlock()
	k.complete(nil, fmt.Errorf("%s: %w", k.method, err))
}

// Notify sends a notification. It returns once the message is queued.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	raw, err := encode(params)
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	if err := c.out.send(ctx, message{line: rpc.Line("", method, raw), lane: c.lane}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// encode returns v as one line of JSON; nil is {}. It uses encoding/json because the SDK's types
// are made for it. A jsontext.Value keeps its content and only loses white space.
func encode(v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return []byte("{}"), nil
	case jsontext.Value:
		return oneLine(v)
	}
	b, err := stdjson.Marshal(v)
	if err != nil {
		return nil, err
	}
	return b, nil
}

func oneLine(v jsontext.Value) ([]byte, error) {
	v = v.Clone()
	if err := v.Compact(scan.Lenient); err != nil {
		return nil, err
	}
	return v, nil
}
