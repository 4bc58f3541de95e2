package recording

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ask sends a request of the agent with a new id.
func (p *player) ask(t *turn, s *step) {
	p.mu.Lock()
	p.fresh++
	id := fmt.Sprintf("%d", p.fresh)
	if s.msg.ID.Kind() == '"' {
		id = fmt.Sprintf(`"replay-%d"`, p.fresh)
	}
	a := &asked{id: id, answer: make(chan jsontext.Value, 1)}
	t.asks[s.ask], p.asked[id] = a, a
	p.mu.Unlock()
	params := s.msg.Params
	if params == nil {
		params = jsontext.Value("{}")
	}
	if s.msg.Method == "terminal/create" {
		params = harmless(params)
	}
	method, _ := json.Marshal(s.msg.Method)
	p.send(p.translate(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, id, method, params)))
}

// harmless replaces the command of a terminal with one that only prints it. A recording is
// untrusted, so playing it must not run its commands.
func harmless(params jsontext.Value) jsontext.Value {
	var was struct {
		SessionID jsontext.Value `json:"sessionId,omitzero"`
		Command   string         `json:"command"`
		Args      []string       `json:"args"`
	}
	if json.Unmarshal(params, &was, lenient) != nil || was.Command == "" {
		return params // the client refuses it
	}
	line := strings.Join(append([]string{was.Command}, was.Args...), " ")
	out, err := json.Marshal(struct {
		SessionID jsontext.Value `json:"sessionId,omitzero"`
		Command   string         `json:"command"`
		Args      []string       `json:"args"`
	}{was.SessionID, "echo", []string{"Not run again by a replay: " + line}}, lenient)
	if err != nil {
		return params
	}
	return out
}

// listen waits for the client's answer to a request of the agent.
func (p *player) listen(t *turn, s *step) {
	stopped := t.cancelled
	if t.cancel {
		stopped = nil
	}
	select {
	case result := <-t.asks[s.ask].answer:
		p.learn(s.told, result)
	case <-stopped:
	case <-p.closing:
	case <-p.ctx.Done():
	}
}

// answer handles an answer of the client.
func (p *player) answer(m envelope) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := p.asked[string(m.ID)]; a != nil {
		delete(p.asked, string(m.ID))
		a.answer <- m.Result
	}
}

// learn records the client's id of a terminal.
func (p *player) learn(told, result jsontext.Value) {
	was, is := terminalOf(told), terminalOf(result)
	if was != "" && is != "" && was != is {
		p.mu.Lock()
		p.terminals[was] = is
		p.mu.Unlock()
	}
}

func terminalOf(result jsontext.Value) string {
	var r struct {
		TerminalID jsontext.Value `json:"terminalId"`
	}
	_ = json.Unmarshal(result, &r, lenient)
	return string(r.TerminalID)
}

// translate replaces recorded terminal ids with the client's.
func (p *player) translate(line []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	for was, is := range p.terminals {
		line = bytes.ReplaceAll(line, []byte(`"terminalId":`+was), []byte(`"terminalId":`+is))
	}
	return line
}

// reply answers the client's request as recorded.
func (p *player) reply(t *turn, s *step) {
	member, value := "result", s.msg.Result
	if len(s.msg.Error) > 0 {
		member, value = "error", s.msg.Error
	}
	if value == nil {
		value = jsontext.Value("null")
	}
	if t.opens != "" && member == "result" {
		id, _ := json.Marshal(t.opens)
		opened := fmt.Appendf(nil, `{"sessionId":%s`, id)
		if rest := bytes.TrimSpace(value); len(rest) > 2 && rest[0] == '{' {
			opened = append(append(opened, ','), rest[1:]...)
		} else {
			opened = append(opened, '}')
		}
		value = opened
	}
	p.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"%s":%s}`, t.id, member, value))
}

func (p *player) fail(id jsontext.Value, code int, message string) {
	text, _ := json.Marshal(message)
	p.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text))
}

// send writes a line. If that fails, the replay ends.
func (p *player) send(line []byte) {
	p.outMu.Lock()
	defer p.outMu.Unlock()
	if p.ctx.Err() != nil {
		return
	}
	if _, err := p.out.Write(append(slices.Clip(line), '\n')); err != nil {
		p.gone(errClientGone)
	}
}
