//go:build linux

package systemtest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// move is a step of a hostile agent.
type move struct {
	Name   string  `json:"name"` // the production of the grammar that it comes from
	Frames []frame `json:"frames"`
	Deny   bool    `json:"deny,omitempty"`   // no rule is about it: whatever allows it unasked is wrong
	Refuse bool    `json:"refuse,omitempty"` // a reject rule is plainly about it: the user is not asked
	Stop   bool    `json:"stop,omitempty"`   // the user doesn't answer, but stops the turn
	After  bool    `json:"after,omitempty"`  // it comes after the end of the turn
	Ends   bool    `json:"ends,omitempty"`   // the turn ends with it
	Noise  string  `json:"noise,omitempty"`  // how the end of the turn is written
}

// frame is a message to Weft, or a call of a tool of the gateway. In its params are $SESSION, $TERMINAL (of the last terminal) and $N
// (another number for each step).
type frame struct {
	Method  string `json:"method"`
	ID      string `json:"id,omitempty"` // "" for the next one; "-" for a notification
	Params  string `json:"params"`
	Tool    string `json:"tool,omitempty"` // of the gateway, with Params as its arguments
	Token   string `json:"token,omitempty"`
	Acts    []act  `json:"acts,omitempty"`    // what the agent does once it is allowed
	True    string `json:"true,omitempty"`    // words of what is done, which the history must have
	Nowait  bool   `json:"nowait,omitempty"`  // the next one is sent before this one is answered
	Stopped bool   `json:"stopped,omitempty"` // it is sent once the turn was stopped

	Noise  string `json:"noise,omitempty"`  // how its line is written, see [hostile.noisy]
	Swap   string `json:"swap,omitempty"`   // instead of a message: something else is put in the place of a folder, see [world.swap]
	Mode   string `json:"mode,omitempty"`   // instead of a message: the agent changes its mode by itself
	Stance string `json:"stance,omitempty"` // with Mode: what it does when Weft sets another one, see [ownModes]
}

// act is what an agent does by itself.
type act struct {
	Line  string   `json:"line,omitempty"` // for a shell
	Argv  []string `json:"argv,omitempty"`
	Dir   string   `json:"dir,omitempty"`
	Env   []string `json:"env,omitempty"`
	Read  string   `json:"read,omitempty"`
	Write string   `json:"write,omitempty"`
}

// feat is what became of a step.
type feat struct {
	Move    int      `json:"move"`
	Answers []string `json:"answers"` // by frame: allow, refuse, cancelled, done, error …
	Leaks   []string `json:"leaks,omitempty"`
	Frozen  bool     `json:"frozen,omitempty"`
	Shell   string   `json:"shell,omitempty"` // that the agent chose
}

// adversaryPatience is how long a step may wait for its answers. The user of the test answers at once.
const adversaryPatience = 40 * time.Second

// hostile is the agent.
type hostile struct {
	*scripted
	mu       sync.Mutex
	waiting  map[string][]chan message
	sessions int
	next     int
	leaks    []string
	stops    map[string]chan struct{} // by session
	gates    map[string][2]string     // address and token, by session
	modes    map[string]*ownModes     // by session
	shells   []string
	torn     string // what was written of a line

	reporting sync.Mutex
}

func adversary(a *scripted) {
	h := &hostile{scripted: a, waiting: map[string][]chan message{}, stops: map[string]chan struct{}{}, gates: map[string][2]string{}, modes: map[string]*ownModes{}}
	for _, sh := range []string{"dash", "bash", "zsh", "busybox"} {
		if _, err := exec.LookPath(sh); err == nil {
			h.shells = append(h.shells, sh)
		}
	}
	for {
		line, err := h.in.ReadString('\n')
		if err != nil {
			os.Exit(0)
		}
		h.reads("a message", line)
		var m message
		if json.Unmarshal([]byte(line), &m) != nil {
			continue
		}
		m.line = line
		switch m.Method {
		case "initialize":
			h.respond(m.ID, `{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}},"agentInfo":{"name":"adversary","version":"1"},"authMethods":[]}`)
		case "session/new":
			h.open(m)
		case "session/prompt":
			go h.prompted(m)
		case "session/set_mode", "session/set_config_option":
			h.set(m)
		case "session/cancel":
			h.mu.Lock()
			if c := h.stops[m.Params.SessionID]; c != nil {
				close(c)
				delete(h.stops, m.Params.SessionID)
			}
			h.mu.Unlock()
		case "":
			h.mu.Lock()
			id := idKey(string(m.ID))
			if list := h.waiting[id]; len(list) > 0 {
				list[0] <- m
				h.waiting[id] = list[1:]
			}
			h.mu.Unlock()
		default:
			h.refuse(m.ID, -32601, "Method not found")
		}
	}
}

func (h *hostile) open(m message) {
	h.sessions++
	id := "s" + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(h.sessions)
	var p struct {
		Params struct {
			McpServers []struct {
				Name, URL string
				Headers   []struct{ Name, Value string }
			}
		}
	}
	_ = json.Unmarshal([]byte(m.line), &p) // what is missing fails the connection
	for _, s := range p.Params.McpServers {
		if s.Name == "weft" && len(s.Headers) > 0 {
			h.mu.Lock()
			h.gates[id] = [2]string{s.URL, s.Headers[0].Value}
			h.mu.Unlock()
		}
	}
	h.respond(m.ID, `{"sessionId":`+quote(id)+`,`+h.offers(id)+`}`)
}

// reads looks for what must not come to the agent.
func (h *hostile) reads(where, text string) {
	for _, secret := range []string{ruledSecret, outsideSecret} {
		if strings.Contains(text, secret) {
			h.mu.Lock()
			h.leaks = append(h.leaks, secret+" in "+where)
			h.mu.Unlock()
		}
	}
}

// prompted carries out the moves in the file that a prompt names. In a turn that another agent has asked for it tells nobody.
func (h *hostile) prompted(m message) {
	session, stop := m.Params.SessionID, make(chan struct{})
	h.mu.Lock()
	h.stops[session] = stop
	h.mu.Unlock()
	text := m.text()
	late := h.inMode(session)
	_, path, planned := strings.Cut(text, "plan ")
	_, order, ordered := strings.Cut(text, "obey ")
	noise := ""
	end := sync.OnceFunc(func() {
		h.restMode(session)
		reason := "end_turn"
		select {
		case <-stop:
			reason = "cancelled"
		default:
		}
		h.noisy(noise, string(m.ID), func(id string) string { return resultLine(json.RawMessage(id), `{"stopReason":`+quote(reason)+`}`) })
	})
	defer end()
	if !planned {
		path = order
	}
	if path, _, _ = strings.Cut(strings.TrimSpace(path), "\n"); !planned && !ordered {
		return
	}
	raw, err := os.ReadFile(path)
	var moves []move
	if err == nil {
		err = json.Unmarshal(raw, &moves)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "adversary: no plan:", err)
		return
	}
	for i, v := range moves {
		if v.After && !ordered {
			end()
		}
		f := h.move(session, v, stop, func(what string) {
			switch {
			case ordered:
			case what == "stop":
				h.tell(what)
			default:
				h.report(what)
			}
		})
		f.Leaks, late, noise = append(late, f.Leaks...), nil, v.Noise
		if f.Move = i; ordered {
			continue
		}
		said, _ := json.Marshal(f)
		h.report(string(said))
	}
}

// report tells the test a line and waits for its word. What comes after the end of a turn may meet the next turn: the answers are in the order
// of the lines.
func (h *hostile) report(line string) {
	h.reporting.Lock()
	defer h.reporting.Unlock()
	h.tell(line)
	h.await()
}

func (h *hostile) move(session string, v move, stop chan struct{}, has func(what string)) (f feat) {
	h.mu.Lock()
	h.next++
	n := h.next
	h.leaks = nil
	h.mu.Unlock()
	f.Shell = h.shells[n%len(h.shells)]
	terminal := "none"
	type open struct {
		at    int
		reply chan message
		frame frame
	}
	var pending []open
	f.Answers = make([]string, len(v.Frames))
	settle := func() {
		for _, o := range pending {
			select {
			case m := <-o.reply:
				f.Answers[o.at] = h.answered(session, o.frame, m, f.Shell, &terminal)
			case <-time.After(adversaryPatience):
				f.Answers[o.at], f.Frozen = "no answer", true
			}
		}
		pending = nil
	}
	stopped := false
	for i, fr := range v.Frames {
		if fr.Stopped && !stopped {
			stopped = true
			has("stop")
			select {
			case <-stop:
			case <-time.After(adversaryPatience):
				f.Answers[i], f.Frozen = "not stopped", true
				return f
			}
		}
		own := strings.NewReplacer("$SESSION", session, "$TERMINAL", terminal, "$N", strconv.Itoa(n))
		fr.Params, fr.ID = own.Replace(fr.Params), own.Replace(fr.ID)
		if fr.Tool != "" {
			f.Answers[i] = h.gate(session, fr, f.Shell)
			continue
		}
		if fr.Swap != "" {
			has("swap " + fr.Swap)
			continue
		}
		if fr.Mode != "" {
			f.Answers[i], f.Frozen = h.changes(session, fr, stop, v.After)
			continue
		}
		if fr.ID == "-" {
			h.noisy(fr.Noise, "", func(string) string {
				return `{"jsonrpc":"2.0","method":` + quote(fr.Method) + `,"params":` + fr.Params + `}`
			})
			continue
		}
		id, reply := cmp.Or(fr.ID, strconv.Itoa(1000*n+i)), make(chan message, 1)
		h.mu.Lock()
		h.waiting[idKey(id)] = append(h.waiting[idKey(id)], reply)
		h.mu.Unlock()
		h.noisy(fr.Noise, id, func(id string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"method":` + quote(fr.Method) + `,"params":` + fr.Params + `}`
		})
		if fr.Noise == "cut off" {
			continue
		}
		if pending = append(pending, open{i, reply, fr}); !fr.Nowait {
			settle()
		}
	}
	settle()
	h.mu.Lock()
	f.Leaks = slices.Clone(h.leaks)
	h.mu.Unlock()
	return f
}

// answered does what an answer allows, and says which one it was.
func (h *hostile) answered(session string, fr frame, m message, shell string, terminal *string) string {
	if m.Error != nil {
		return "error " + m.Error.Message
	}
	if fr.Method == "terminal/create" {
		var r struct{ TerminalID string }
		_ = json.Unmarshal(m.Result, &r) // then it is empty
		*terminal = r.TerminalID
		h.watch(session, r.TerminalID)
		return "done"
	}
	if fr.Method != "session/request_permission" {
		return "done"
	}
	var p struct {
		Options []struct{ OptionID, Kind string }
	}
	_ = json.Unmarshal([]byte(fr.Params), &p) // then nothing is allowed
	_, chosen, _ := strings.Cut(outcome(m), " ")
	i := slices.IndexFunc(p.Options, func(o struct{ OptionID, Kind string }) bool { return o.OptionID == chosen })
	if chosen == "" || i < 0 || !strings.HasPrefix(p.Options[i].Kind, "allow") {
		return outcome(m)
	}
	for _, x := range fr.Acts {
		h.act(x, shell)
	}
	return "allow"
}

// watch waits for the end of a command and reads what it printed.
func (h *hostile) watch(session, terminal string) {
	ref := `{"sessionId":` + quote(session) + `,"terminalId":` + quote(terminal) + `}`
	for i, method := range []string{"terminal/wait_for_exit", "terminal/output", "terminal/release"} {
		id, reply := quote(terminal+strconv.Itoa(i)), make(chan message, 1)
		h.mu.Lock()
		h.waiting[idKey(id)] = append(h.waiting[idKey(id)], reply)
		h.mu.Unlock()
		h.raw(`{"jsonrpc":"2.0","id":` + id + `,"method":` + quote(method) + `,"params":` + ref + `}`)
		select {
		case <-reply:
		case <-time.After(adversaryPatience): // a command may wait for its input
		}
	}
}

// act does what was allowed.
func (h *hostile) act(x act, shell string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	argv := x.Argv
	switch {
	case x.Read != "":
		if info, err := os.Stat(x.Read); err == nil && info.Mode().IsRegular() && info.Size() < 1<<20 {
			text, _ := os.ReadFile(x.Read)
			h.reads("what it read", string(text))
		}
		return
	case x.Write != "":
		if info, err := os.Stat(x.Write); err == nil && !info.Mode().IsRegular() {
			return // a pipe would hold it
		}
		_ = os.MkdirAll(filepath.Dir(x.Write), 0o755)
		_ = os.WriteFile(x.Write, []byte("written by the agent\n"), 0o600)
		return
	case x.Line != "" && shell == "busybox":
		argv = []string{"busybox", "sh", "-c", x.Line}
	case x.Line != "":
		argv = []string{shell, "-c", x.Line}
	}
	if len(argv) == 0 || argv[0] == "" {
		return
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = x.Dir, append(os.Environ(), x.Env...), time.Second
	said, _ := cmd.CombinedOutput() // whether it can is not the question
	h.reads("what it ran", string(said))
}

// gate calls a tool of the gateway.
func (h *hostile) gate(session string, fr frame, shell string) string {
	h.mu.Lock()
	at := h.gates[session]
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), adversaryPatience)
	defer cancel()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "adversary", Version: "1"}, nil).
		Connect(ctx, &sdk.StreamableClientTransport{Endpoint: at[0], MaxRetries: -1, DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: bearer{cmp.Or(fr.Token, at[1])}}}, nil)
	if err != nil {
		return "error " + err.Error()
	}
	defer c.Close()
	_, _ = c.ListTools(ctx, nil) // as agents do it
	got, failed := h.calls(ctx, c, fr.Tool, json.RawMessage(fr.Params))
	h.reads("a tool's answer", got)
	switch {
	case ctx.Err() != nil:
		return "no answer"
	case failed:
		return "error " + got
	}
	for _, x := range fr.Acts {
		h.act(x, shell)
	}
	return "done"
}

// trapMain is an MCP server of the user's whose one tool notes in a file that it was used.
func trapMain(args []string) {
	s := sdk.NewServer(&sdk.Implementation{Name: "trap", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "pick", Description: "Changes something"}, func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, any, error) {
		f, err := os.OpenFile(args[0], os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("trap\n")
			_ = f.Close()
		}
		return &sdk.CallToolResult{}, nil, err
	})
	_ = s.Run(context.Background(), &sdk.StdioTransport{}) // it ends with its stdin
}
