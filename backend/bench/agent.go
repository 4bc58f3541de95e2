package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// agentMain is an ACP agent that does what it is told by a prompt:
//
//	flood LINES           chunks as fast as they are taken
//	drip BYTES MS SECONDS chunks of so many bytes, one every so many ms
//	pace RATE SECONDS     text and tool calls that carry the time at which they were written
//
// A session that is loaded replays the number of chunks in its id: replay_LINES.
func agentMain(in io.Reader, out io.Writer) int {
	a := &benchAgent{out: &lineWriter{w: out}}
	out = a.out
	var turns sync.WaitGroup
	defer turns.Wait()
	sessions := 0
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				SessionID string `json:"sessionId"`
				Prompt    []struct {
					Text string `json:"text"`
				} `json:"prompt"`
			} `json:"params"`
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result, err := `{}`, error(nil)
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`
		case "session/new":
			sessions++
			result = fmt.Sprintf(`{"sessionId":"sess_%010d"}`, sessions)
		case "session/load":
			lines, _ := strings.CutPrefix(m.Params.SessionID, "replay_")
			err = newStream(m.Params.SessionID).write(out, atoi(lines))
		case "session/prompt":
			// The turns of its sessions continue at once.
			turns.Go(func() {
				turn := &benchAgent{out: out, session: m.Params.SessionID}
				err := turn.prompt(strings.Fields(m.Params.Prompt[0].Text))
				if err == nil {
					_, err = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`+"\n", m.ID)
				}
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
			})
			continue
		}
		if err == nil {
			_, err = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// lineWriter lets several turns write whole lines.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

type benchAgent struct {
	out     io.Writer
	session string
}

func (a *benchAgent) prompt(words []string) error {
	arg := func(i int) int {
		if i >= len(words) {
			return 0
		}
		return atoi(words[i])
	}
	switch words[0] {
	case "flood":
		return newStream(a.session).write(a.out, arg(1))
	case "drip":
		text := strings.Repeat("drip ", arg(1)/5+1)[:arg(1)]
		return every(time.Duration(arg(2))*time.Millisecond, arg(3), func(int) error { return a.text(text) })
	case "pace":
		return every(time.Second/time.Duration(arg(1)), arg(2), a.paced)
	}
	return fmt.Errorf("what is %q?", words)
}

// every calls f at a steady rhythm.
func every(d time.Duration, seconds int, f func(i int) error) error {
	begin := time.Now()
	for i := range int(time.Duration(seconds) * time.Second / d) {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * d)))
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// paced writes update i: of ten, six are text, and two tool calls start and end, the last of
// every second ten with an error.
func (a *benchAgent) paced(i int) error {
	ten := i / 10
	switch i % 10 {
	case 3, 6:
		return a.update(fmt.Sprintf(`"sessionUpdate":"tool_call","toolCallId":"t%d-%d","title":"@%d","kind":"read","status":"in_progress","rawInput":{"path":"a.go"}`, ten, i%10, clock()))
	case 4:
		return a.update(fmt.Sprintf(`"sessionUpdate":"tool_call_update","toolCallId":"t%d-3","status":"completed","rawOutput":"@%d"`, ten, clock()))
	case 8:
		status := "completed"
		if ten%2 == 1 {
			status = "failed"
		}
		return a.update(fmt.Sprintf(`"sessionUpdate":"tool_call_update","toolCallId":"t%d-6","status":%q,"rawOutput":"@%d"`, ten, status, clock()))
	}
	return a.text(fmt.Sprintf("@%d ", clock()))
}

func (a *benchAgent) text(s string) error {
	return a.update(fmt.Sprintf(`"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}`, s))
}

func (a *benchAgent) update(fields string) error {
	_, err := fmt.Fprintf(a.out, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{%s}}}`+"\n", a.session, fields)
	return err
}
