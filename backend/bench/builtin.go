package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

type builtinParams struct {
	What  string // delays, turns, calls
	Times int
}

// builtinResult holds, in ms: delays from the model's write to the agent's update; turns of the agent and of a bare loop;
// or calls, from their announcement to their end, in order.
type builtinResult struct{ Text, Input, Agent, Bare, Calls []float64 }

// builtinWork measures the built-in agent, a process, with a scripted model that is another one.
func builtinWork(p builtinParams) (r builtinResult, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	model := exec.Command(self, "model")
	in, err := model.StdinPipe()
	if err != nil {
		return r, err
	}
	out, err := model.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := model.Start(); err != nil {
		return r, err
	}
	defer func() { in.Close(); _ = model.Wait() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "weft-bench")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a line of text\n"), 0o600); err != nil {
		return r, err
	}
	a, err := startBuiltin(self, strings.TrimSpace(address), dir)
	if err != nil {
		return r, err
	}
	defer a.close()
	switch p.What {
	case "delays":
		err = a.delays(p.Times, &r)
	case "turns":
		err = a.turns(p.Times, strings.TrimSpace(address), &r)
	case "calls":
		err = a.calls(p.Times, &r)
	}
	return r, err
}

// builtinClient is the client of one agent with one session.
type builtinClient struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   *bufio.Reader
	dir     string
	session string
	id      int
}

func startBuiltin(self, address, dir string) (*builtinClient, error) {
	data := filepath.Join(dir, "sessions")
	cmd := exec.Command(self, "builtin", "--provider", "openai", "--api", "chat", "--base-url", address, "--model", "m", "--data", data)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=k")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &builtinClient{cmd: cmd, in: in, lines: bufio.NewReaderSize(out, 1<<20), dir: dir}
	if _, err := c.call("initialize", map[string]any{"protocolVersion": 1}, nil); err != nil {
		return nil, err
	}
	raw, err := c.call("session/new", map[string]any{"cwd": dir, "mcpServers": []any{}}, nil)
	if err != nil {
		return nil, err
	}
	var made struct{ SessionID string }
	err = json.Unmarshal(raw, &made)
	c.session = made.SessionID
	return c, err
}

func (c *builtinClient) close() {
	c.in.Close()
	_ = c.cmd.Wait() // it ends with its input
}

// call sends a request and hands every line before its response to each, with the time at which it came.
func (c *builtinClient) call(method string, params any, each func(line []byte, at int64)) (json.RawMessage, error) {
	c.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	head := []byte(`{"jsonrpc":"2.0","id":` + strconv.Itoa(c.id) + `,`)
	for {
		line, err := c.lines.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		at := clock()
		if !bytes.HasPrefix(line, head) {
			if each != nil {
				each(line, at)
			}
			continue
		}
		var answer struct {
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, err
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, answer.Error.Message)
		}
		return answer.Result, nil
	}
}

func (c *builtinClient) prompt(p turnPlan, each func(line []byte, at int64)) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = c.call("session/prompt", map[string]any{"sessionId": c.session, "prompt": []any{map[string]any{"type": "text", "text": string(text)}}}, each)
	return err
}

// delays reads the times that the model's deltas carry.
func (c *builtinClient) delays(deltas int, r *builtinResult) error {
	return c.prompt(turnPlan{Rounds: 1, Deltas: deltas / 2, Inputs: deltas / 2, Gap: 2 * time.Millisecond}, func(line []byte, at int64) {
		then, ok := stamp(line)
		if !ok {
			return
		}
		took := float64(at-then) / 1e6
		switch {
		case bytes.Contains(line, []byte("agent_message_chunk")):
			r.Text = append(r.Text, took)
		case bytes.Contains(line, []byte(`"weft/inputDelta":"at `)):
			r.Input = append(r.Input, took)
		}
	})
}

// turnOf is an ordinary turn: two rounds of tools, three answers of some words, at the pace of a fast model.
var turnOf = turnPlan{Rounds: 2, Deltas: 60, Inputs: 5, Gap: 4 * time.Millisecond}

// turns measures turns of the agent and of a bare loop on the same SDK, one after the other.
func (c *builtinClient) turns(times int, address string, r *builtinResult) error {
	for range times {
		began := clock()
		if err := c.prompt(turnOf, func([]byte, int64) {}); err != nil {
			return err
		}
		between := clock()
		if err := bareTurn(address, c.dir); err != nil {
			return err
		}
		r.Agent = append(r.Agent, float64(between-began)/1e6)
		r.Bare = append(r.Bare, float64(clock()-between)/1e6)
	}
	return nil
}

// bareTurn is the least that a turn takes: stream, read the file, send it back.
func bareTurn(address, dir string) error {
	client := openai.NewClient(option.WithBaseURL(address), option.WithAPIKey("k"))
	prompt, err := json.Marshal(turnOf)
	if err != nil {
		return err
	}
	params := openai.ChatCompletionNewParams{
		Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(string(prompt))},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: "read", Parameters: openai.FunctionParameters{"type": "object", "properties": map[string]any{"path": map[string]any{"type": "string"}}},
		})},
	}
	for {
		stream := client.Chat.Completions.NewStreaming(context.Background(), params)
		var whole openai.ChatCompletionAccumulator
		for stream.Next() {
			chunk := stream.Current()
			whole.AddChunk(chunk)
			for _, choice := range chunk.Choices {
				if _, err := io.WriteString(io.Discard, choice.Delta.Content); err != nil {
					return err
				}
			}
		}
		if err := stream.Err(); err != nil {
			return err
		}
		message := whole.Choices[0].Message
		if len(message.ToolCalls) == 0 {
			return nil
		}
		params.Messages = append(params.Messages, message.ToParam())
		for _, call := range message.ToolCalls {
			var input struct{ Path string }
			if err := json.Unmarshal([]byte(call.Function.Arguments), &input); err != nil {
				return err
			}
			text, err := os.ReadFile(filepath.Join(dir, input.Path))
			if err != nil {
				return err
			}
			params.Messages = append(params.Messages, openai.ToolMessage(string(text), call.ID))
		}
	}
}

// calls makes many calls in one session, a hundred a turn. Each counts from when the model has written its input, which is a while
// after it was sent the conversation: what reading that leaves to be collected is not counted.
func (c *builtinClient) calls(times int, r *builtinResult) error {
	for done := 0; done < times; done += 100 {
		var written int64
		err := c.prompt(turnPlan{Rounds: 100, Inputs: 1, Gap: 10 * time.Millisecond}, func(line []byte, at int64) {
			if then, ok := stamp(line); ok {
				written = then
			}
			if bytes.Contains(line, []byte(`"status":"completed"`)) {
				r.Calls = append(r.Calls, float64(at-written)/1e6)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// stamp is the time that a delta of the model carries.
func stamp(line []byte) (ns int64, ok bool) {
	_, rest, ok := bytes.Cut(line, []byte(`"at `))
	if !ok {
		return 0, false
	}
	digits, _, _ := bytes.Cut(rest, []byte(" "))
	ns, err := strconv.ParseInt(string(digits), 10, 64)
	return ns, err == nil
}

// builtin measures the built-in agent.
func (b *bench) builtin() error {
	var delays, turns, calls builtinResult
	if err := b.work("builtin", builtinParams{"delays", 2000}, &delays); err != nil {
		return err
	}
	if err := b.work("builtin", builtinParams{"turns", 7}, &turns); err != nil {
		return err
	}
	if err := b.work("builtin", builtinParams{"calls", 1000}, &calls); err != nil {
		return err
	}
	if len(delays.Text) < 1000 || len(delays.Input) < 900 || len(calls.Calls) < 1000 {
		return fmt.Errorf("%d texts, %d inputs, %d calls came", len(delays.Text), len(delays.Input), len(calls.Calls))
	}
	for _, k := range []struct {
		what string
		list []float64
	}{{"text", delays.Text}, {"tool input", delays.Input}} {
		p99 := percentile(k.list, 99)
		b.add(row{
			What: "built-in agent: the model's write → ACP update, " + k.what + ", p99", Want: "≤ 2 ms", OK: verdictOf(p99 <= 2),
			Reached: fmt.Sprintf("%.2f ms (p50 %.2f, longest %.1f, of %d)", p99, percentile(k.list, 50), slices.Max(k.list), len(k.list)),
		})
	}
	ratio := median(turns.Agent) / median(turns.Bare)
	b.add(row{
		What: "built-in agent: a turn with two tool calls against a bare loop on the same SDK", Want: "≤ 1.1 ×", OK: verdictOf(ratio <= 1.1),
		Reached: fmt.Sprintf("%.3f × (%.0f against %.0f ms)", ratio, median(turns.Agent), median(turns.Bare)),
	})
	early, late := calls.Calls[10:110], calls.Calls[len(calls.Calls)-100:]
	grown := median(slices.Clone(late)) / median(slices.Clone(early))
	b.add(row{
		What: "built-in agent: call 1,000 of a session against call 100, from its input to its end", Want: "≤ 1.3 ×", OK: verdictOf(grown <= 1.3),
		Reached: fmt.Sprintf("%.2f × (%.2f against %.2f ms)", grown, median(slices.Clone(late)), median(slices.Clone(early))),
	})
	return nil
}
