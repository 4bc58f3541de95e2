//go:build linux

package systemtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// scripts are the agents, by the name that `scripted` is given.
var scripts = map[string]func(*scripted){}

func addScript(name string, script func(*scripted)) {
	if scripts[name] != nil {
		panic("two scripts are called " + name)
	}
	scripts[name] = script
}

func init() {
	for name, script := range map[string]func(*scripted){
		"echo": echo, "exits": exits, "banner": banner, "html": html, "mute": mute, "version": version,
		"half": half, "flood": flood, "huge": huge, "odd": odd, "reorders": reorders, "early": early, "late": late,
		"deaf": deaf, "asks": asks, "withdraws": withdraws, "slow": slow, "stubborn": stubborn, "fails": fails,
		"restarts": restarts, "files": askForFiles, "refuses": refuses, "streams": streams,
		"tree": tree, "closes": closes, "chatty": chatty, "asks late": asksLate, "stoppable": stoppable, "counts": counts,
		"terminals": terminals, "shells": shells, "permits": permits, "edits": edits, "adversary": adversary,
	} {
		addScript(name, script)
	}
}

// echo answers every prompt with its text.
func echo(a *scripted) {
	a.open()
	for {
		a.say("You said: " + a.prompt())
		a.end("end_turn")
	}
}

// exits ends at once, and says why.
func exits(*scripted) {
	fmt.Fprintln(os.Stderr, "starting…\nno API key: set SCRIPTED_KEY")
	os.Exit(3)
}

// banner greets, and prints HTML in the middle of a turn.
func banner(a *scripted) {
	a.raw("Welcome to scripted 1.0!")
	a.raw("\x1b[32m✔ ready\x1b[0m")
	a.raw("")
	a.open()
	a.prompt()
	a.say("before ")
	a.raw("<!DOCTYPE html><html><body>502 Bad Gateway</body></html>")
	a.raw("{not json}")
	a.raw("[]")
	a.raw("null")
	a.raw(`{"jsonrpc":"2.0"}`)
	a.say("after")
	a.end("end_turn")
	a.prompt()
}

// html is not an agent at all.
func html(*scripted) {
	fmt.Println("<!DOCTYPE html>\n<html><body>Please sign in</body></html>")
	os.Exit(1)
}

// mute reads everything and says nothing.
func mute(a *scripted) {
	a.next(func(message) bool { return false })
}

func version(a *scripted) {
	a.respond(a.method("initialize").ID, `{"protocolVersion":`+a.args[0]+`,"agentCapabilities":{}}`)
	a.next(func(message) bool { return false })
}

// half dies in the middle of a line.
func half(a *scripted) {
	a.open()
	a.prompt()
	a.say("what it had said")
	a.call("t1", "A call", "in_progress")
	line := a.updateLine(chunk("never shown"))
	a.buffered(line[:len(line)/2])
	_, _ = os.Stdout.WriteString(line[:len(line)/2])
	fmt.Fprintln(os.Stderr, "Segmentation fault (core dumped)")
	os.Exit(139)
}

// flooded is the text of chunk n of a flood.
func flooded(n int) string { return fmt.Sprintf("%07d\n", n) }

// flood sends as many chunks as the prompt says, as fast as it can.
func flood(a *scripted) {
	a.open()
	for {
		chunks, _ := strconv.Atoi(a.prompt())
		for n := range chunks {
			a.buffered(a.updateLine(chunk(flooded(n))))
		}
		a.end("end_turn")
	}
}

// huge sends a line that is too long to be read.
func huge(a *scripted) {
	a.open()
	a.prompt()
	a.say("before ")
	a.call("t1", "Print everything", "in_progress")
	megabytes, _ := strconv.Atoi(a.args[0])
	head, tail, _ := strings.Cut(a.updateLine(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","content":[{"type":"content","content":{"type":"text","text":"HERE"}}]}`), "HERE")
	_, _ = os.Stdout.WriteString(head)
	block := bytes.Repeat([]byte("0123456789abcde\\n"), 1<<20/17)
	for range megabytes {
		_, _ = os.Stdout.Write(block)
	}
	_, _ = os.Stdout.WriteString(tail + "\n")
	a.callUpdate("t1", "completed", "")
	a.say("after")
	a.end("end_turn")
	a.prompt()
}

// odd sends what is not in the book.
func odd(a *scripted) {
	a.open()
	a.prompt()
	a.raw(a.updateLine(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"bad ` + "\xff\xfe\xc3" + ` bytes"}}`))
	a.update(`{"sessionUpdate":"brand_new_thing","value":{"a":[1,2]}}`)
	a.update(`{"sessionUpdate":"agent_message_chunk"}`)
	a.update(`{"sessionUpdate":42}`)
	a.raw(updateOf("somebody-else", chunk("NOT OURS")))
	a.callUpdate("never-announced", "completed", content("result"))
	a.update(`{"sessionUpdate":"tool_call","toolCallId":"odd","title":"Odd","status":"dancing","kind":"juggle","content":"plain","locations":[{"path":1}]}`)
	a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"odd","status":"completed","title":null,"content":[{"type":"hologram","x":1}]}`)
	a.raw(`{"jsonrpc":"2.0","method":"_vendor/notify","params":{"x":1}}`)
	a.raw(`{"jsonrpc":"2.0","id":999,"result":{}}`)
	a.tell(code(a.request(`"uuid-1"`, "vendor/unknown", `{}`)))
	a.tell(code(a.request(`2`, "terminal/resize", `{"sessionId":"s1","command":"ls"}`)))
	a.tell(code(a.request(`3`, "fs/read_text_file", `["x"]`)))
	a.end("end_turn")
	a.end("refusal")
	a.raw(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
	a.prompt()
}

func code(m message) string {
	if m.Error == nil {
		return "ok " + string(m.Result)
	}
	return strconv.Itoa(m.Error.Code)
}

// reorders does what real agents were seen to do.
func reorders(a *scripted) {
	a.open()
	a.prompt()
	a.callUpdate("early", "in_progress", content("output before the call"))
	a.say("one ")
	a.call("early", "Announced late", "pending")
	a.callUpdate("early", "completed", "")
	a.call("early", "Announced late", "pending")
	a.ask("7", "asked-first", yesNo)
	a.tell("asked")
	a.tell(outcome(a.answer("7")))
	a.call("asked-first", "Asked first", "pending")
	a.callUpdate("asked-first", "completed", "")
	a.call("twice", "Twice", "pending")
	a.call("twice", "Twice, again", "in_progress")
	a.callUpdate("twice", "completed", content("a long output"))
	a.callUpdate("twice", "completed", content("short"))
	a.update(thought("hm"))
	a.say("")
	a.say("two")
	a.call("endless", "Never ends", "in_progress")
	a.end("end_turn")
	a.callUpdate("twice", "failed", "")
	a.say(" and a postscript")
	a.tell("late")
	a.prompt()
	a.callUpdate("endless", "completed", "")
	a.call("early", "The same id, another turn", "completed")
	a.say("three")
	a.end("end_turn")
	a.prompt()
}

func outcome(m message) string {
	var r struct {
		Outcome struct{ Outcome, OptionID string } `json:"outcome"`
	}
	_ = json.Unmarshal(m.Result, &r)
	return strings.TrimSpace(r.Outcome.Outcome + " " + r.Outcome.OptionID)
}

// early reports before it has told which session it is about.
func early(a *scripted) {
	a.initialize("{}")
	m := a.method("session/new")
	a.update(`{"sessionUpdate":"usage_update","used":7,"size":100}`)
	a.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"plan","description":"Plan"}]}`)
	a.say("early words")
	a.raw(updateOf("other", chunk("NOT OURS")))
	a.respond(m.ID, `{"sessionId":"s1"}`)
	a.prompt()
	a.say(", later words")
	a.end("end_turn")
	a.prompt()
}

// late continues after it was stopped.
func late(a *scripted) {
	a.open()
	a.prompt()
	a.call("t1", "Still running", "in_progress")
	a.call("t2", "Never ends", "in_progress")
	a.say("working")
	a.ask("9", "t3", yesNo)
	a.tell("working")
	a.method("session/cancel")
	a.tell(outcome(a.answer("9")))
	a.say(", stopping")
	a.end("cancelled")
	a.callUpdate("t1", "completed", content("done after all"))
	a.say(", stopped")
	a.tell("sent")
	a.prompt()
	a.say("a new turn")
	a.end("end_turn")
	a.prompt()
}

// asksLate asks when nobody is there to answer.
func asksLate(a *scripted) {
	a.open()
	a.prompt()
	a.say("done")
	a.end("end_turn")
	a.await()
	a.ask("1", "t1", yesNo)
	a.tell(outcome(a.answer("1")))
	a.prompt()
}

// closes closes its output, or ends, in the middle of a turn, without a word.
func closes(a *scripted) {
	a.open()
	a.prompt()
	a.say("so far")
	if a.args[0] == "exits" {
		os.Exit(0)
	}
	_ = os.Stdout.Close()
	<-time.After(time.Hour)
}

// chatty writes much more to stderr than anyone reads.
func chatty(a *scripted) {
	a.open()
	a.prompt()
	line := bytes.Repeat([]byte("debug: nothing\n"), 1<<12)
	for range 400 {
		_, _ = os.Stderr.Write(line)
	}
	a.say("done")
	a.end("end_turn")
	a.prompt()
	fmt.Fprintln(os.Stderr, "the last words")
	os.Exit(1)
}

// deaf opens a session and never reads again.
func deaf(a *scripted) {
	a.open()
	a.say("I do not listen")
	a.await()
}

// asks has three requests open at once.
func asks(a *scripted) {
	a.open()
	for {
		a.prompt()
		a.call("t1", "First", "pending")
		a.ask("1", "t1", yesNo)
		a.ask(`"0b5c-uuid"`, "t2", yesNo)
		a.ask("3", "t2", `[{"optionId":"a","name":"Once","kind":"allow_once"},{"optionId":"b","name":"Once, too","kind":"allow_once"}]`)
		a.tell("asked")
		for range 3 {
			m := a.next(func(m message) bool { return m.Method == "" })
			a.tell(string(m.ID) + " " + outcome(m))
		}
		a.callUpdate("t1", "completed", "")
		a.callUpdate("t2", "failed", content("the user said no"))
		a.end("end_turn")
	}
}

// withdraws takes its question back.
func withdraws(a *scripted) {
	a.open()
	a.prompt()
	a.ask(`"q-1"`, "t1", yesNo)
	a.tell("asked")
	a.await()
	a.raw(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"q-1"}}`)
	m := a.answer(`"q-1"`)
	a.tell("answered " + outcome(m) + code(m))
	a.callUpdate("t1", "completed", "")
	a.end("end_turn")
	a.prompt()
}

// slow ends each turn when it is told to.
func slow(a *scripted) {
	a.open()
	for {
		text := a.prompt()
		a.say("working on " + text)
		a.tell(text)
		a.await()
		a.end("end_turn")
	}
}

// stoppable ends its turns only when it is stopped. A stop without a turn is none of its business.
func stoppable(a *scripted) {
	a.open()
	for {
		switch m := a.next(func(message) bool { return true }); m.Method {
		case "session/prompt":
			a.turn = m.ID
		case "session/cancel":
			if a.turn == nil {
				a.tell("stray")
				continue
			}
			a.end("cancelled")
			a.turn = nil
		}
	}
}

// stubborn hears neither session/cancel nor SIGTERM, nor the end of its input.
func stubborn(a *scripted) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	a.open()
	a.prompt()
	a.call("t1", "Stubborn", "in_progress")
	a.say("I will not stop")
	a.tell("working")
	<-time.After(time.Hour)
}

// fails refuses the first prompt, as its argument says.
func fails(a *scripted) {
	a.open()
	a.prompt()
	switch a.args[0] {
	case "model":
		a.say("thinking")
		a.raw(`{"jsonrpc":"2.0","id":` + string(a.turn) + `,"error":{"code":-32603,"message":"Internal error","data":{"details":"model overloaded"}}}`)
	case "auth":
		a.refuse(a.turn, -32000, "Authentication required")
	case "status":
		a.refuse(a.turn, 429, "Too Many Requests")
	}
	for {
		a.say("again: " + a.prompt())
		a.end("end_turn")
	}
}

// restarts crashes in its first turn. Its argument says how it takes the session up again.
func restarts(a *scripted) {
	capabilities := map[string]string{
		"load": `{"loadSession":true}`, "lateload": `{"loadSession":true}`, "forgets": `{"loadSession":true}`,
		"resume": `{"loadSession":true,"sessionCapabilities":{"resume":{}}}`, "none": `{}`,
	}
	a.initialize(capabilities[a.args[0]])
	m := a.next(func(m message) bool { return strings.HasPrefix(m.Method, "session/") })
	a.tell(m.Method)
	replay := func() {
		a.buffered(a.updateLine(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"go"}}`))
		a.buffered(a.updateLine(chunk("first words")))
		a.buffered(a.updateLine(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Crashing","status":"completed"}`))
	}
	switch m.Method {
	case "session/load":
		switch a.args[0] {
		case "forgets":
			a.refuse(m.ID, -32002, "Session not found")
			m = a.method("session/new")
			a.tell(m.Method)
			a.session = "s2"
			a.respond(m.ID, `{"sessionId":"s2"}`)
		case "lateload":
			a.update(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`) // is no replay
			a.buffered(resultLine(m.ID, "null"))
			a.update(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"go"}}`)
			<-time.After(20 * time.Millisecond) // the rest is not there yet when the answer is looked at
			replay()
		default:
			replay()
			a.respond(m.ID, `{}`)
		}
	case "session/resume":
		a.respond(m.ID, `{}`)
	default:
		a.respond(m.ID, `{"sessionId":"s1"}`)
	}
	text := a.prompt()
	if text == "go" {
		a.say("first words")
		a.call("t1", "Crashing", "in_progress")
		fmt.Fprintln(os.Stderr, "out of ideas")
		os.Exit(7)
	}
	a.say("continued")
	a.end("end_turn")
	a.prompt()
}

// askForFiles asks for files; its arguments are pairs of a method and a path.
func askForFiles(a *scripted) {
	a.open()
	a.prompt()
	for i := 0; i < len(a.args); i += 2 {
		m := a.request(strconv.Itoa(i), a.args[i], `{"sessionId":"s1","path":`+quote(a.args[i+1])+`,"content":"written by the agent"}`)
		a.tell(code(m))
	}
	a.end("end_turn")
	a.prompt()
}

// refuses does not open a session.
func refuses(a *scripted) {
	a.initialize("{}")
	a.refuse(a.method("session/new").ID, -32000, "Please run `scripted login`")
	a.next(func(message) bool { return false })
}
