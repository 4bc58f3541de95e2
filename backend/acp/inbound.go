package acp

import (
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Kind says what an [Inbound] is.
type Kind uint8

// The kinds of inbound things. The zero kind is not valid.
const (
	// KindUpdate is one update of a session: SessionID and Update are set.
	KindUpdate Kind = iota + 1
	// KindRequest is a request of the agent: Method and Request are set.
	KindRequest
	// KindNotification is any notification but a session update: Method and Params.
	KindNotification
	// KindWithdrawn says that the agent took a request back ($/cancel_request). Request
	// is the one that was delivered before; its context is done.
	KindWithdrawn
	// KindResponse answers a call of ours: Response is set. The call itself returns
	// after the handler has seen this.
	KindResponse
	// KindOversize stands for a line above the limit: Text is its first KiB, Size its
	// length, Method and SessionID what could be read of it. Update is an opaque
	// update that can be folded in its place if Method is "session/update".
	KindOversize
	// KindBroken is output that is no message (a banner, HTML, half a line): Text is
	// the output, Err says what is wrong with it. Response is set if it is the damaged answer
	// to a call of Weft's, and Request if it is a damaged request.
	KindBroken
	// KindPanic says that the handler panicked over the thing before: Err says where.
	KindPanic
)

// Inbound is one thing that came from the agent.
type Inbound struct {
	Kind      Kind
	Size      int    // bytes of the line; 0 for the second and later things of one line
	SessionID string // where the message names one
	Method    string
	Update    transcript.Update
	Params    jsontext.Value // as sent; owned by the receiver
	Request   *Request
	Response  *Response
	Text      string
	Err       error
}

// Response is the answer to a call of ours.
type Response struct {
	ID        string // see [rpc.ID]
	Method    string // of the call; empty if no such call is known
	SessionID string // that the call was about, if any
	Result    jsontext.Value
	Err       error // an [*RPCError], or why there is no result
	// Late is set where nobody waits any more: the caller gave up, or never asked.
	Late bool
}

// Handler takes what an agent sends.
type Handler interface {
	// Handle is called on one goroutine, for one thing at a time, in order of arrival.
	// It may block; the agent then has to wait. It must not call [Conn.Call] or its
	// typed forms, whose response would come behind in: use a goroutine.
	//
	// The strings and values in in may be kept, in itself may not. More tells that
	// another thing is already waiting, so that work can be put off until it is false.
	Handle(in *Inbound, more bool)
}

// HandlerFunc is a function that serves as a [Handler].
type HandlerFunc func(in *Inbound, more bool)

// Handle implements [Handler].
func (f HandlerFunc) Handle(in *Inbound, more bool) { f(in, more) }
