//go:build linux

package systemtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"

	"weft/backend/conversation/transcript"
)

// controlVariable names the address at which a scripted agent finds its test.
const controlVariable = "WEFT_SYSTEMTEST_CONTROL"

// scripted is an agent's side of a connection: lines out, messages in, nothing else done by itself.
type scripted struct {
	args []string
	in   *bufio.Reader
	kept []message // read, but waited for by nobody yet

	mu       sync.Mutex
	out      *bufio.Writer
	session  string
	terminal string          // that was made last
	turn     json.RawMessage // id of the prompt that is being answered

	url, token string // of the gateway

	control net.Conn
	told    *bufio.Reader
}

// message is what came from Weft.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string `json:"sessionId"`
		Prompt    []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	line string
}

// text is what the user says, without what the agent is told before it.
func (m message) text() string {
	for _, block := range m.Params.Prompt {
		if block.Text != "" && block.Text != transcript.PreludeBridge && !strings.HasPrefix(block.Text, transcript.PreludeOpening) {
			return block.Text
		}
	}
	return ""
}

func scriptedMain(args []string) {
	a := &scripted{args: args[1:], in: bufio.NewReaderSize(os.Stdin, 64<<10), out: bufio.NewWriterSize(os.Stdout, 64<<10), session: "s1"}
	script := scripts[args[0]]
	if script == nil {
		fmt.Fprintln(os.Stderr, "there is no script", args[0])
		os.Exit(2)
	}
	script(a)
	a.flush()
}

// raw writes one line as it is.
func (a *scripted) raw(line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.out.WriteString(line)
	_ = a.out.WriteByte('\n')
	_ = a.out.Flush()
}

// buffered writes a line that may wait for more.
func (a *scripted) buffered(line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.out.WriteString(line)
	_ = a.out.WriteByte('\n')
}

func (a *scripted) flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.out.Flush()
}

func (a *scripted) respond(id json.RawMessage, value string) { a.raw(resultLine(id, value)) }

// resultLine returns the answer to a request, as a line.
func resultLine(id json.RawMessage, value string) string {
	return `{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + value + `}`
}

func (a *scripted) refuse(id json.RawMessage, code int, text string) {
	a.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(text)))
}

// update is the line of a session update of the agent's own session.
func (a *scripted) updateLine(body string) string { return updateOf(a.session, body) }

func updateOf(session, body string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":` + quote(session) + `,"update":` + body + `}}`
}

func (a *scripted) update(body string) { a.raw(a.updateLine(body)) }

func chunk(text string) string {
	return `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + quote(text) + `}}`
}

func thought(text string) string {
	return `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":` + quote(text) + `}}`
}

func (a *scripted) say(text string) { a.update(chunk(text)) }

// call announces a tool call.
func (a *scripted) call(id, title, status string) {
	a.update(`{"sessionUpdate":"tool_call","toolCallId":` + quote(id) + `,"title":` + quote(title) + `,"kind":"read","status":` + quote(status) + `}`)
}

// callUpdate changes one; more is further members, with a leading comma.
func (a *scripted) callUpdate(id, status, more string) {
	a.update(`{"sessionUpdate":"tool_call_update","toolCallId":` + quote(id) + `,"status":` + quote(status) + more + `}`)
}

func content(text string) string {
	return `,"content":[{"type":"content","content":{"type":"text","text":` + quote(text) + `}}]`
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// next waits for the first message that fits; others are kept. The agent ends with its input.
func (a *scripted) next(fits func(message) bool) message {
	a.flush()
	for i, m := range a.kept {
		if fits(m) {
			a.kept = append(a.kept[:i:i], a.kept[i+1:]...)
			return m
		}
	}
	for {
		line, err := a.in.ReadString('\n')
		if err != nil {
			os.Exit(0)
		}
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			fmt.Fprintln(os.Stderr, "scripted: a line of Weft can't be read:", err)
			os.Exit(4)
		}
		m.line = strings.TrimSpace(line)
		if fits(m) {
			return m
		}
		a.kept = append(a.kept, m)
	}
}

func (a *scripted) method(name string) message {
	return a.next(func(m message) bool { return m.Method == name })
}

func (a *scripted) answer(id string) message {
	return a.next(func(m message) bool { return m.Method == "" && string(m.ID) == id })
}

// initialize answers the first request.
func (a *scripted) initialize(capabilities string) {
	a.respond(a.method("initialize").ID, `{"protocolVersion":1,"agentCapabilities":`+capabilities+`,"agentInfo":{"name":"scripted","version":"1"},"authMethods":[]}`)
}

// askingModes are the modes of an agent that asks before it acts: Weft asks the user about no other one before it gets a prompt.
const askingModes = `"modes":{"currentModeId":"default","availableModes":[{"id":"default","name":"Default","description":"Always ask before making changes"}]}`

// open is initialize and a new session.
func (a *scripted) open() {
	a.initialize("{}")
	a.respond(a.method("session/new").ID, `{"sessionId":`+quote(a.session)+`,`+askingModes+`}`)
}

// prompt waits for a prompt and returns its text.
func (a *scripted) prompt() string {
	m := a.method("session/prompt")
	a.turn = m.ID
	return m.text()
}

func (a *scripted) end(stopReason string) {
	a.respond(a.turn, `{"stopReason":`+quote(stopReason)+`}`)
}

// ask sends a permission request; its answer is waited for with [scripted.answer].
func (a *scripted) ask(id, tool, options string) {
	a.raw(`{"jsonrpc":"2.0","id":` + id + `,"method":"session/request_permission","params":{"sessionId":` + quote(a.session) +
		`,"toolCall":{"toolCallId":` + quote(tool) + `,"title":` + quote("Ask about "+tool) + `,"kind":"edit","status":"pending"},"options":` + options + `}}`)
}

const yesNo = `[{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]`

// request sends a request and waits for its answer.
func (a *scripted) request(id, method, params string) message {
	a.raw(`{"jsonrpc":"2.0","id":` + id + `,"method":` + quote(method) + `,"params":` + params + `}`)
	return a.answer(id)
}

// tell sends a line to the test.
func (a *scripted) tell(line string) {
	a.flush()
	a.dial()
	_, _ = io.WriteString(a.control, line+"\n")
}

// await waits for a line of the test.
func (a *scripted) await() {
	a.flush()
	a.dial()
	if _, err := a.told.ReadString('\n'); err != nil {
		os.Exit(0)
	}
}

func (a *scripted) dial() {
	if a.control != nil {
		return
	}
	c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", os.Getenv(controlVariable))
	if err != nil {
		fmt.Fprintln(os.Stderr, "scripted: the test can't be reached:", err)
		os.Exit(5)
	}
	a.control, a.told = c, bufio.NewReader(c)
}
