package agenttest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Message is a message of Weft to an agent of a test.
type Message struct {
	ID     json.RawMessage // nil for a notification
	Method string
	Params struct {
		SessionID  string
		Cwd        string
		Prompt     []struct{ Text string }
		McpServers []json.RawMessage
	}
}

// Serve passes the lines on stdin to an agent until they end. Lines that aren't JSON are skipped.
func Serve(handle func(m *Message)) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		m := new(Message)
		if json.Unmarshal(lines.Bytes(), m) == nil {
			handle(m)
		}
	}
}

// Text returns the last text of a prompt, which is the user's.
func (m *Message) Text() string { return m.Params.Prompt[len(m.Params.Prompt)-1].Text }

// Respond sends the result of a request, a JSON value. It may be called later, and from any goroutine, as may the
// other methods.
func (m *Message) Respond(result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
}

// Refuse sends an error as the response to a request.
func (m *Message) Refuse(code int, text string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", m.ID, code, text)
}

// Update sends an update of the message's session, a JSON object.
func (m *Message) Update(update string) {
	fmt.Printf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`+"\n", m.Params.SessionID, update)
}

// Say sends a chunk of text.
func (m *Message) Say(text string) {
	m.Update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}`, text))
}
