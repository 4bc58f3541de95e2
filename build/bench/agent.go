package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// agentMain is an ACP agent with one session that does what it is told by a prompt:
//
//	flood LINES       chunks as fast as they are taken
//	pace RATE SECONDS text and tool calls that carry the time at which they were written
func agentMain(in io.Reader, out io.Writer) int {
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
			result = `{"protocolVersion":1,"agentCapabilities":{}}`
		case "session/new":
			result = `{"sessionId":"sess_0000000001"}`
		case "session/prompt":
			turn := &benchAgent{out: out, session: m.Params.SessionID}
			err = turn.prompt(strings.Fields(m.Params.Prompt[0].Text))
			result = `{"stopReason":"end_turn"}`
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
	case "pace":
		begin, each := time.Now(), time.Second/time.Duration(arg(1))
		for i := range arg(1) * arg(2) {
			time.Sleep(time.Until(begin.Add(time.Duration(i) * each)))
			if err := a.paced(i); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("what is %q?", words)
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
