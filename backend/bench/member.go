package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// memberMain is an ACP agent with one session that writes to spaces through the gateway that it is handed:
//
//	calls RATE SECONDS SPACE…   sendSpaceMessage to one space after the other, as often a second
//	deltas RATE SECONDS SPACE   the input of one call in fragments that carry the time at which they were written
//	long BYTES DELTAS SPACE     the same with a text of so many bytes; the first and the last so many deltas are paced
func memberMain(in io.Reader, out io.Writer) int {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	a := &memberAgent{benchAgent: benchAgent{out: &lineWriter{w: out}, session: "s"}}
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				McpServers []struct {
					Name, URL string
					Headers   []struct{ Name, Value string }
				}
				Prompt []struct{ Text string }
			}
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result, err := `{}`, error(nil)
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}}}`
		case "session/new":
			for _, s := range m.Params.McpServers {
				if s.Name == "weft" {
					token, _ := strings.CutPrefix(s.Headers[0].Value, "Bearer ")
					a.gateway, err = benchClient(context.Background(), s.URL, token)
				}
			}
			result = `{"sessionId":"s"}`
		case "session/prompt":
			// What comes before the last block is told by Weft.
			err = a.prompt(strings.Fields(m.Params.Prompt[len(m.Params.Prompt)-1].Text))
			result = `{"stopReason":"end_turn"}`
		}
		if err == nil {
			_, err = fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench: member:", err)
			return 1
		}
	}
	return 0
}

type memberAgent struct {
	benchAgent
	gateway *sdk.ClientSession
	made    int // calls
}

func (a *memberAgent) prompt(words []string) error {
	if len(words) < 4 {
		return fmt.Errorf("what is %q?", words)
	}
	x, y, spaces := atoi(words[1]), atoi(words[2]), words[3:]
	switch words[0] {
	case "calls":
		return every(time.Second/time.Duration(x), y, func(i int) error {
			input, err := json.Marshal(map[string]string{"spaceId": spaces[i%len(spaces)], "text": fmt.Sprintf("%d @%d \n", i/len(spaces), clock())})
			if err != nil {
				return err
			}
			return a.call(func(string) error { return nil }, input)
		})
	case "deltas":
		return a.streamed(spaces[0], func(delta func(string) error) error {
			return every(time.Second/time.Duration(x), y, func(int) error { return delta(fmt.Sprintf("@%d ", clock())) })
		})
	case "long":
		paced, rest := y, 0
		return a.streamed(spaces[0], func(delta func(string) error) error {
			const size = 64
			rest = x/size - 2*paced
			text := strings.Repeat("0123456789abcde ", size/16)
			phase := func(name string) error {
				if err := delta("@" + name + " "); err != nil {
					return err
				}
				time.Sleep(longRest)
				return nil
			}
			pace := func() error {
				begin := time.Now()
				for i := range paced {
					if i%10 == 0 { // ten every 10 ms
						time.Sleep(time.Until(begin.Add(time.Duration(i) * time.Millisecond)))
					}
					if err := delta(text); err != nil {
						return err
					}
				}
				time.Sleep(longRest)
				return nil
			}
			for _, do := range []func() error{
				func() error { return phase("a") }, pace, func() error { return phase("b") },
				func() error {
					for range rest {
						if err := delta(text); err != nil {
							return err
						}
					}
					time.Sleep(longRest)
					return nil
				},
				func() error { return phase("c") }, pace, func() error { return phase("d") },
			} {
				if err := do(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return fmt.Errorf("what is %q?", words)
}

// longRest is long enough for everything to be committed.
const longRest = 300 * time.Millisecond

// streamed makes a call whose input is written in fragments first.
func (a *memberAgent) streamed(space string, write func(delta func(string) error) error) error {
	var whole strings.Builder
	return a.call(func(id string) error {
		fragment := func(s string) error {
			whole.WriteString(s)
			return a.update(fmt.Sprintf(`"sessionUpdate":"tool_call_update","toolCallId":%q,"_meta":{"weft/inputDelta":%s}`, id, jsonText(s)))
		}
		if err := fragment(`{"spaceId":"` + space + `","text":"`); err != nil {
			return err
		}
		if err := write(fragment); err != nil {
			return err
		}
		return fragment(`"}`)
	}, nil, &whole)
}

// call shows a call as agents do, and makes it. The input is what was written first, or is told whole.
func (a *memberAgent) call(write func(id string) error, input []byte, whole ...*strings.Builder) error {
	a.made++
	id := fmt.Sprintf("call%d", a.made)
	shown := ""
	if input != nil {
		shown = `,"rawInput":` + string(input)
	}
	err := a.update(fmt.Sprintf(`"sessionUpdate":"tool_call","toolCallId":%q,"title":"mcp__weft__sendSpaceMessage","kind":"other","status":"in_progress"%s`, id, shown))
	if err == nil {
		err = write(id)
	}
	if err != nil {
		return err
	}
	if len(whole) > 0 {
		input = []byte(whole[0].String())
	}
	res, err := a.gateway.CallTool(context.Background(), &sdk.CallToolParams{Name: "sendSpaceMessage", Arguments: json.RawMessage(input)})
	if err == nil && res.IsError {
		err = fmt.Errorf("sendSpaceMessage: %s", res.Content[0].(*sdk.TextContent).Text)
	}
	if err != nil {
		return err
	}
	return a.update(fmt.Sprintf(`"sessionUpdate":"tool_call_update","toolCallId":%q,"status":"completed"`, id))
}

func jsonText(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}
