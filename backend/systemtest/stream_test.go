//go:build linux

package systemtest

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/backend/conversation/transcript"
)

// seen is what a subscriber knows of a space from its events alone.
type seen struct {
	conv    transcript.Conversation
	epoch   int64
	seq     int64
	events  int
	text    int            // bytes of text deltas
	runs    map[string]int // ended ones, by stop reason
	failed  *transcript.Failure
	asks    []ask                   // permission requests in order
	created map[string]string       // the messages that runs answer, by run
	ends    []transcript.TextEnd    // texts sent by tool that are complete
	tools   []transcript.Body       // what programs read of calls: starts, ends, errors, and waiting runs
	guests  []transcript.RunCreated // runs of other spaces that write here
	left    int                     // how many of them have ended
	gap     bool
	ended   bool // the connection has ended
	err     error
}

// ask is a permission request as it was shown.
type ask struct {
	id, tool, outcome string
}

// message returns the last message of the agent, never nil.
func (v *seen) message() *transcript.Message {
	for i := len(v.conv.Messages) - 1; i >= 0; i-- {
		if v.conv.Messages[i].Role == transcript.RoleAgent {
			return v.conv.Messages[i]
		}
	}
	return &transcript.Message{}
}

func (v *seen) call(id string) *transcript.ToolCall {
	for i := len(v.conv.Messages) - 1; i >= 0; i-- {
		if c := callOf(v.conv.Messages[i], id); c != nil {
			return c
		}
	}
	return &transcript.ToolCall{}
}

func callOf(m *transcript.Message, id string) *transcript.ToolCall {
	for _, s := range m.Segments {
		for _, it := range s.Items {
			if it.Call != nil && it.Call.ID == id {
				return it.Call
			}
		}
	}
	return nil
}

// stream is an open connection to the events of a space.
type stream struct {
	cancel context.CancelFunc
	done   chan struct{}

	mu   sync.Mutex
	cond sync.Cond
	v    seen
}

// follow opens the events of a space after what was seen of it, named as a program does it or, with
// again, as a browser does when it connects again.
func (a *app) follow(space string, from seen, again bool) (*stream, error) {
	ctx, cancel := context.WithCancel(context.Background())
	url := fmt.Sprintf("%s/api/spaces/%s/events", a.Base, space)
	if !again {
		url += fmt.Sprintf("?epoch=%d&since=%d", from.epoch, from.seq)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+a.Key)
	if again {
		req.Header.Set("Last-Event-ID", fmt.Sprintf("%d-%d", from.epoch, from.seq))
	}
	res, err := client.Do(req) //nolint:bodyclose // the reader closes it
	if err != nil {
		cancel()
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		cancel()
		return nil, fmt.Errorf("events: %s", res.Status)
	}
	st := &stream{cancel: cancel, done: make(chan struct{})}
	st.cond.L = &st.mu
	st.v = from
	if st.v.runs == nil {
		st.v.runs = map[string]int{}
	}
	if st.v.created == nil {
		st.v.created = map[string]string{}
	}
	go func() {
		defer close(st.done)
		defer res.Body.Close()
		st.read(res)
	}()
	return st, nil
}

func (st *stream) read(res *http.Response) {
	r := bufio.NewReaderSize(res.Body, 64<<10)
	name := ""
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			st.change(func(v *seen) { v.ended = true })
			return
		}
		line = strings.TrimSuffix(line, "\n")
		if n, ok := strings.CutPrefix(line, "event: "); ok {
			name = n
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			st.change(func(v *seen) {
				if name == "gap" {
					v.gap = true
					return
				}
				if err := st.take(v, data); err != nil && v.err == nil {
					v.err = err
				}
			})
			name = ""
		}
	}
}

// take folds one event.
func (st *stream) take(v *seen, data string) error {
	e, err := transcript.ParseEvent([]byte(data))
	if err != nil {
		return err
	}
	if len(data) > transcript.MaxEvent {
		return fmt.Errorf("event %d has %d bytes", e.Seq, len(data))
	}
	if e.Epoch != v.epoch || e.Seq != v.seq+1 {
		return fmt.Errorf("event %d-%d came after %d-%d", e.Epoch, e.Seq, v.epoch, v.seq)
	}
	v.seq = e.Seq
	v.events++
	switch e.Body.(type) {
	case *transcript.ToolCallStart, *transcript.ToolCallEnd, *transcript.ToolCallError, *transcript.RunWaitingTool:
		v.tools = append(v.tools, e.Body)
	}
	switch b := e.Body.(type) {
	case *transcript.TextDelta:
		v.text += len(b.Content)
	case *transcript.TextEnd:
		v.ends = append(v.ends, *b)
	case *transcript.RunCreated:
		v.created[b.RunID] = b.PromptID
		if b.SpaceID != "" {
			v.guests = append(v.guests, *b)
		}
	case *transcript.RunCompleted:
		if b.SpaceID != "" {
			v.left++
		} else {
			v.runs[b.StopReason]++
		}
	case *transcript.Error:
		f := b.Failure
		v.failed = &f
	case *transcript.PermissionRequest:
		v.asks = append(v.asks, ask{id: b.RequestID, tool: b.ToolCallID})
	case *transcript.PermissionResolved:
		for i := range v.asks {
			if v.asks[i].id == b.RequestID {
				v.asks[i].outcome = b.Outcome
			}
		}
	}
	return v.conv.Apply(&e)
}

func (st *stream) change(do func(*seen)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	do(&st.v)
	st.cond.Broadcast()
}

// reset forgets which runs have ended.
func (st *stream) reset() {
	st.change(func(v *seen) { v.runs, v.failed, v.asks, v.tools = map[string]int{}, nil, nil, nil })
}

// until waits until ok holds.
func (st *stream) until(t testing.TB, what string, ok func(*seen) bool) {
	t.Helper()
	if err := st.await(what, ok); err != nil {
		t.Fatal(err)
	}
}

// await is until for any goroutine.
func (st *stream) await(what string, ok func(*seen) bool) error {
	return st.awaitFor(timeout, what, ok)
}

// awaitFor is await that gives up after idle without an event.
func (st *stream) awaitFor(idle time.Duration, what string, ok func(*seen) bool) error {
	late := false
	st.mu.Lock()
	defer st.mu.Unlock()
	events := st.v.events
	var timer *time.Timer
	timer = time.AfterFunc(idle, func() {
		st.change(func(v *seen) {
			late = v.events == events
			events = v.events
			timer.Reset(idle)
		})
	})
	defer timer.Stop()
	for !ok(&st.v) {
		if late || st.v.ended || st.v.err != nil || st.v.gap {
			return fmt.Errorf("waited in vain until %s: ended %v, gap %v, error %w, seq %d, runs %v, failed %+v\n%s",
				what, st.v.ended, st.v.gap, st.v.err, st.v.seq, st.v.runs, st.v.failed, dump(st.v.conv.Messages))
		}
		st.cond.Wait()
	}
	return nil
}

// now looks at what was seen so far.
func (st *stream) now(look func(*seen)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	look(&st.v)
}

func (st *stream) close() {
	st.cancel()
	<-st.done
}

// dump is a short picture of messages.
func dump(list []*transcript.Message) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "%s %s", m.Role, m.StopReason)
		if m.Error != nil {
			fmt.Fprintf(&b, " ERROR %s: %s", m.Error.Code, m.Error.Message)
		}
		b.WriteByte('\n')
		for _, s := range m.Segments {
			switch s.Type {
			case transcript.SegmentText:
				fmt.Fprintf(&b, "  text %s %.200q\n", s.Author, s.Text)
			case transcript.SegmentDisplay:
				fmt.Fprintf(&b, "  display %s\n", s.Display.Type)
			case transcript.SegmentToolGroup:
				b.WriteString("  group\n")
				for _, it := range s.Items {
					if it.Call == nil {
						fmt.Fprintf(&b, "    thought %.200q\n", it.Text)
						continue
					}
					fmt.Fprintf(&b, "    %s %s %q", it.Call.ID, it.Call.Status, it.Call.Title)
					for _, p := range it.Call.Permissions {
						fmt.Fprintf(&b, " ?%s%s", p.Outcome, p.OptionID)
					}
					b.WriteByte('\n')
				}
			}
		}
		for _, o := range m.Opaque {
			fmt.Fprintf(&b, "  opaque %s\n", o.Kind)
		}
	}
	return b.String()
}
