package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/llm"
	"weft/backend/permission"
	"weft/backend/settings/secret"
)

// The default and the maximum timeout of a command if the session has none.
const (
	shellTimeout = 2 * time.Minute
	shellLimit   = 10 * time.Minute
)

const maxCommand = 64 << 10 // bytes

type shellInput struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	TimeoutMS   int    `json:"timeout_ms"`
}

func shellTool() Tool {
	shell := "bash"
	if runtime.GOOS == "windows" {
		shell = "cmd.exe, or PowerShell where that is missing"
	}
	p := params{
		{name: "command", kind: stringField, required: true, doc: "The command line."},
		{name: "description", kind: stringField, doc: "What it does, in five to ten words, for the user."},
		{name: "timeout_ms", kind: numberField, least: 1, doc: fmt.Sprintf("Milliseconds until it is ended. Default %d, at most %d unless the session says otherwise.", shellTimeout.Milliseconds(), shellLimit.Milliseconds())},
	}
	t := described("shell", "Run a command line with "+shell+" in the session's folder. Each call is a new shell without input; what it leaves running is ended with it. Keys of model providers aren't in its environment. Use list, glob, search, read, edit and write for files instead of commands where they do.",
		acp.ToolKindExecute, Executes, p)
	t.Look = func(_ *Env, fields map[string]json.RawMessage) Look {
		command, _ := textField(fields, "command")
		return Look{Title: shellTitle(command)}
	}
	t.Prepare = func(_ context.Context, env *Env, input json.RawMessage) (Prepared, error) {
		var in shellInput
		if err := p.read(input, &in); err != nil {
			return Prepared{}, err
		}
		return prepareShell(env, in)
	}
	return t
}

func shellTitle(command string) string { return strings.TrimSpace("Run " + oneLine(command, 100)) }

func prepareShell(env *Env, in shellInput) (Prepared, error) {
	switch {
	case needFolder(env) != nil:
		return Prepared{}, needFolder(env)
	case strings.TrimSpace(in.Command) == "":
		return Prepared{}, failf("`command` is empty.")
	case len(in.Command) > maxCommand:
		return Prepared{}, failf("The command is longer than %s. Write it to a script and run that.", quantity.Bytes(maxCommand))
	case strings.ContainsRune(in.Command, 0):
		return Prepared{}, failf("The command contains a NUL character.")
	}
	limit := cmp.Or(env.ShellLimit, shellLimit)
	timeout := min(cmp.Or(env.ShellTimeout, shellTimeout), limit)
	if in.TimeoutMS > 0 {
		timeout = min(time.Duration(min(in.TimeoutMS, 1<<40))*time.Millisecond, limit)
	}
	p := Prepared{Look: Look{Title: shellTitle(in.Command)}, Effect: Executes}
	if prefix := grantOf(env.Folder.Path(), in.Command); prefix != "" {
		p.Grant, p.GrantName = "shell:"+prefix, fault.Say("Allow “{{command}}” in this session", prefix)
	}
	what := fenced("sh", in.Command)
	if in.Description != "" {
		what = oneLine(in.Description, 200) + "\n\n" + what
	}
	p.Content = []acp.ToolCallContent{textContent(what)}
	p.Run = func(ctx context.Context, report func(Progress)) (Result, error) {
		if err := needFolder(env); err != nil { // the user may have taken long to answer
			return Result{}, err
		}
		if env.Client != nil && env.Client.HasTerminals() {
			return runTerminal(ctx, env, in.Command, timeout, report)
		}
		return runShell(ctx, env, in.Command, timeout, report)
	}
	return p, nil
}

// grantOf returns the command prefix that "always" would allow, the same as for the user's own rules. It returns "" for
// several commands, for commands that write to a file, and for commands that Weft can't analyze.
func grantOf(dir, command string) string {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return ""
	}
	s := permission.Describe(&permission.Call{Kind: "execute", Input: input}, permission.Place{Folder: dir})
	if s.Unclear != "" || len(s.Commands) != 1 || len(s.Writes) > 0 || strings.Contains(command, "&") {
		return ""
	}
	if prefixes := permission.Suggest(s).Commands; len(prefixes) == 1 {
		return prefixes[0]
	}
	return ""
}

// shellOf returns the path and the arguments of the shell that runs a command line.
func shellOf(command string) (string, []string, error) {
	if runtime.GOOS == "windows" {
		if path, err := exec.LookPath("cmd.exe"); err == nil {
			return path, []string{"/d", "/s", "/c", command}, nil
		}
		path, err := exec.LookPath("powershell.exe")
		return path, []string{"-NoProfile", "-NonInteractive", "-Command", command}, err
	}
	if path, err := exec.LookPath("bash"); err == nil {
		return path, []string{"-c", command}, nil
	}
	path, err := exec.LookPath("sh")
	return path, []string{"-c", command}, err
}

// exited is how a command ended.
type exited struct {
	code     int
	signal   string
	timedOut bool
	after    time.Duration // the timeout
}

// result returns the result of a command. content is nil if a terminal shows the output.
func (e exited) result(env *Env, out string, content []acp.ToolCallContent) (Result, error) {
	n := lines(out)
	facts := map[string]any{"exitCode": e.code, "lines": n, "bytes": len(out)}
	summary := fault.Text("No output")
	if n > 0 {
		summary = fault.Counted(n, "1 line of output", "{{n}} lines of output").String()
	}
	var note string
	switch {
	case e.timedOut:
		facts["timedOut"] = true
		summary = fault.Text("Timed out after {{time}}", e.after)
		note = fmt.Sprintf("The command was ended because it took longer than %s. Its output until then:\n", e.after)
	case e.signal != "":
		facts["signal"] = e.signal
		summary = fault.Text("Ended by {{signal}}", e.signal)
		note = summary + "\n"
	case e.code != 0:
		summary = fault.Text("Exit code {{n}}", e.code)
		note = summary + "\n"
	}
	shown := out
	if strings.TrimSpace(out) == "" {
		shown = "(no output)"
	}
	parts := modelText(env, "shell.txt", note+shown, true)
	if note == "" {
		return Result{Parts: parts, Content: content, Summary: summary, Count: n, Output: facts}, nil
	}
	return Result{}, &Error{Message: strings.TrimSuffix(summary, ".") + ".", Parts: parts, Content: content, Summary: summary, Output: facts}
}

// runShell runs a command as a child process. It returns when all its processes have ended.
func runShell(ctx context.Context, env *Env, command string, timeout time.Duration, report func(Progress)) (Result, error) {
	path, args, err := shellOf(command)
	if err != nil {
		return Result{}, &Error{Message: "No shell found: neither bash nor sh is on PATH.", Err: err}
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out := newCapture()
	p := newProcess(limited, path, args, env.Folder.Path(), out)
	if err := p.start(); err != nil {
		return Result{}, &Error{Message: fmt.Sprintf("Couldn't start the command: %v.", err), Err: err}
	}
	done := make(chan struct{})
	told := make(chan struct{})
	go func() {
		defer close(told)
		out.tell(done, report)
	}()
	end := p.wait()
	close(done)
	<-told
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	end.timedOut, end.after = errors.Is(limited.Err(), context.DeadlineExceeded) && p.stopped, timeout
	all := out.all()
	return end.result(env, all, shellContent(all))
}

// The size of the shown part of an output, and the interval of updates.
const (
	maxStreamed = 32 << 10
	streamEvery = 100 * time.Millisecond
)

func shellContent(out string) []acp.ToolCallContent {
	if strings.TrimSpace(out) == "" {
		return []acp.ToolCallContent{textContent("(no output)")}
	}
	if len(out) > maxShownText {
		out = wholeLines(head(out, maxShownText/4)) + "…\n" + tail(out, maxShownText*3/4)
	}
	return []acp.ToolCallContent{textContent(fenced("", out))}
}

// tell reports the end of the output when it changes, at most every streamEvery, until done is closed.
func (c *capture) tell(done <-chan struct{}, report func(Progress)) {
	for {
		select {
		case <-done:
			return
		case <-c.changed:
		}
		report(Progress{Content: []acp.ToolCallContent{textContent(fenced("", c.last(maxStreamed)))}})
		pause := time.NewTimer(streamEvery)
		select {
		case <-done:
			pause.Stop()
			return
		case <-pause.C:
		}
	}
}

// emptied returns the secret variables of the agent's environment with empty values. The client may have the same
// variables, and its terminals must not get them.
func emptied() []acp.EnvVariable {
	env := []acp.EnvVariable{}
	_, secrets := secret.Split(os.Environ(), nil)
	for _, pair := range append(secrets, secret.Withheld()...) {
		name, _, _ := strings.Cut(pair, "=")
		env = append(env, acp.EnvVariable{Name: name, Value: ""})
	}
	return env
}

// textPart returns a text for the model.
func textPart(s string) []llm.Part { return []llm.Part{llm.Text{Text: s}} }
