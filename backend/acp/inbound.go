package acp

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// Kind is the kind of an [Inbound].
type Kind uint8

// The kinds of [Inbound]. The zero value is not valid.
const (
	// KindUpdate is a session update: SessionID and Update are set.
	KindUpdate Kind = iota + 1
	// KindRequest is a request from the agent: Method and Request are set.
	KindRequest
	// KindNotification is any notification except a session update: Method and Params are set.
	KindNotification
	// KindWithdrawn reports that the agent withdrew a request ($/cancel_request). Request
	// was delivered before; its context is done.
	KindWithdrawn
	// KindResponse is the response to a call: Response is set. The call returns after the
	// handler has handled this.
	KindResponse
	// KindOversize stands for a line above the limit: Text is its first KiB and Size its
	// length; Method and SessionID are set if they could be read. If Method is
	// "session/update", Update is an opaque update to fold in its place.
	KindOversize
	// KindBroken is output that isn't a message (a banner, HTML, half a line): Text is the
	// output, Err the reason. If it is a damaged response to a call, Response is set; if it is
	// a damaged or refused request, Request is set.
	KindBroken
	// KindPanic reports that the handler panicked while handling the previous item: Err has the stack.
	KindPanic
)

// Inbound is one item that the agent sent.
type Inbound struct {
	Kind      Kind
	Size      int    // bytes of the line; 0 for the second and later items of a line
	SessionID string // "" if the message doesn't name a session
	Method    string
	Update    transcript.Update
	Params    jsontext.Value // raw; owned by the receiver
	Request   *Request
	// Permission has the params of a session/request_permission; nil for other items.
	Permission *PermissionRequest
	Response   *Response
	Text       string
	Err        error
}

// Response is the agent's response to a call.
type Response struct {
	ID        string // see [rpc.ID]
	Method    string // of the call; "" if there is no such call
	SessionID string // of the call; may be ""
	Result    jsontext.Value
	Err       error // an [*RPCError], or why the response can't be read
	// Late reports that no caller waits for the response: the caller gave up, or there was no such call.
	Late bool
}

// Handler handles what an agent sends.
type Handler interface {
	// Handle is called in one goroutine, for one item at a time, in order of arrival. It may
	// block; the agent then has to wait. It must not call [Conn.Call] or its typed forms
	// in the same goroutine: their response is delivered after Handle returns.
	//
	// Handle may keep the strings and values in in, but not in itself. more reports that
	// another item is already waiting, so that work can be put off until it is false.
	Handle(in *Inbound, more bool)
}

// HandlerFunc is a function that implements [Handler].
type HandlerFunc func(in *Inbound, more bool)

// Handle implements [Handler].
func (f HandlerFunc) Handle(in *Inbound, more bool) { f(in, more) }
