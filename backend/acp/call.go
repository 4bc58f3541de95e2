package acp

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"strconv"

	"weft/backend/acp/rpc"
	"weft/backend/acp/scan"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// call is a request of ours. The fields behind done are guarded by [Conn.mu] until it is
// closed.
type call struct {
	id      string
	method  string
	session string
	lane    *lane
	queued  func() // called once what is sent later comes after it; may be nil

	done     chan struct{}
	answered bool // a response is on its way through the queue
	lost     bool // the caller gave up
	taken    bool // the session that it made is another lane's
	result   jsontext.Value
	err      error
}

// complete ends the call. Whoever took it from the table of calls does so, once.
func (k *call) complete(result jsontext.Value, err error) {
	k.result, k.err = result, err
	close(k.done)
}

// maxLost is how many calls nobody waits for are remembered by name.
const maxLost = 256

// calls are our requests that have no answer yet. They are guarded by wire.mu.
type calls struct {
	byID   map[string]*call
	lastID int64
	lost   int // calls that nobody waits for any more
}

// add gives a call its id.
func (c *calls) add(k *call) {
	c.lastID++
	k.id = strconv.FormatInt(c.lastID, 10)
	c.byID[k.id] = k
}

// remove removes a call that is over.
func (c *calls) remove(k *call) {
	delete(c.byID, k.id)
	if k.lost {
		c.lost--
	}
}

// lose notes that nobody waits for a call any more.
func (c *calls) lose(k *call) {
	k.lost = true
	if c.lost++; c.lost > maxLost {
		c.forget()
	}
}

// forget drops the name of one call that nobody waits for. Its response is then one to
// an unknown call.
func (c *calls) forget() {
	for _, k := range c.byID {
		if k.lost && !k.answered {
			c.remove(k)
			return
		}
	}
}

// takeOf removes and returns the calls of a lane.
func (c *calls) takeOf(l *lane) (list []*call) {
	for _, k := range c.byID {
		if k.lane == l {
			c.remove(k)
			list = append(list, k)
		}
	}
	return list
}

// Call sends a request and waits for its result, which is decoded into result unless
// that is nil; a *jsontext.Value takes it as sent. Nil params are sent as {}.
//
// It returns after everything that came before the response has been handled. It fails
// with an [*RPCError] if the agent refuses, [ErrClosed] if the connection ended first,
// [ErrStalled], or the cause of ctx. After ctx has ended, the agent still works on the
// request, and its response reaches the handler as a late one.
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
	if makes(method) {
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
	c.calls.lose(k)
	return nil, fmt.Errorf("%s: %w", method, context.Cause(ctx))
}

// drop fails a call whose request did not reach the agent.
func (c *wire) drop(k *call, err error) {
	c.mu.Lock()
	if c.calls.byID[k.id] != k || k.answered {
		c.mu.Unlock()
		return
	}
	c.calls.remove(k)
	if makes(k.method) {
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

// encode writes v as one line of JSON. The types of the SDK are made for encoding/json,
// whose rules therefore hold; raw values pass as they are.
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
