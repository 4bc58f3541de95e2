package install

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"weft/backend/agent"
	"weft/backend/base/fault"
)

// The limits of a command's kept output, in bytes.
const (
	maxLog  = 16 << 10
	maxLine = 500
)

// Tool finds npm or uv. Error: *Error with CodeTool.
func (in *Installer) Tool(ctx context.Context, name string) (string, error) {
	found, err := in.opt.Paths.Look(ctx, name)
	if err != nil {
		return "", fault.New(CodeTool, "{{name}} wasn't found, and this agent requires it.", name).Because(err)
	}
	return found, nil
}

func (w *work) tool(ctx context.Context, name, hint string) (string, error) {
	found, err := w.in.Tool(ctx, name)
	if err != nil {
		return "", fault.New(CodeTool, "{{name}} wasn't found, and this agent requires it. {{hint}}", name, hint).Because(err)
	}
	return found, nil
}

// run runs npm or uv and waits until it and all processes that it started have ended. counts gets each line of output
// and returns Done for [Progress].
func (w *work) run(ctx context.Context, step Step, name, command string, args []string, env map[string]string, counts func(line string) int64) error {
	ctx, cancel := context.WithTimeout(ctx, w.in.opt.Limits.Packages)
	defer cancel()
	w.progress(Progress{Step: step})
	proc, err := agent.Start(ctx, agent.Spec{
		Name: name, Command: command, Args: args, Env: env, Dir: w.files(), PidDir: w.in.opt.PidDir, Paths: w.in.opt.Paths,
	})
	if err != nil {
		return fault.New(CodeTool, "{{name}} couldn't be started.", name).With(err.Error()).Because(err)
	}
	_ = proc.Stdin.Close() // prompts can't be answered
	out := &lines{told: func(line string) { w.progress(Progress{Step: step, Done: counts(line), Line: line}) }}
	proc.CopyStderr(out)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(out, proc.Stdout)
	}()
	select {
	case <-proc.Done():
	case <-ctx.Done():
		if err := proc.Stop(ctx); err != nil {
			return fault.New(CodePackage, "Couldn't stop {{name}}.", name).With(err.Error()).Because(err)
		}
	}
	<-drained
	if err := ctx.Err(); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return fault.New(CodePackage, "{{name}} took longer than {{minutes}} minutes.", name, int(w.in.opt.Limits.Packages.Minutes())).With(out.text()).Because(err)
		}
		return err
	}
	if exit := proc.Exit(); exit.Code != 0 || exit.Signal != "" {
		return fault.Saying(CodePackage, failed(name, exit.Said(), out.text())).With(out.text())
	}
	return nil
}

// failed explains why npm or uv failed, as far as known.
func failed(name string, exit fault.Said, log string) fault.Said {
	switch {
	case strings.Contains(log, "ENOSPC"), strings.Contains(log, "No space left"), strings.Contains(log, "os error 28"):
		return fault.Say("The disk is full. Free some space and try again. Nothing was installed.")
	case strings.Contains(log, "E404"), strings.Contains(log, "ETARGET"), strings.Contains(log, "wasn't found in the package registry"), strings.Contains(log, "there is no version of"):
		return fault.Say("{{name}} doesn't know this package or this version. The registry may be out of date: refresh it, or try again later.", name)
	case strings.Contains(log, "ENOTFOUND"), strings.Contains(log, "EAI_AGAIN"), strings.Contains(log, "ECONNREFUSED"), strings.Contains(log, "ENETUNREACH"), strings.Contains(log, "ETIMEDOUT"), strings.Contains(log, "dns error"), strings.Contains(log, "Connect"):
		return fault.Say("{{name}} couldn't reach its package registry. Check the network.", name)
	}
	return fault.Say("{{name}} {{exited}}. See the details for its output.", name, exit)
}

// lines passes output on line by line, and keeps the end of it.
type lines struct {
	told func(line string)

	mu   sync.Mutex
	part []byte
	kept []byte
}

func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	if over := len(l.kept) - maxLog; over > 0 {
		l.kept = append(l.kept[:0], l.kept[over:]...)
	}
	for len(p) > 0 {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		l.part = append(l.part, line[:min(len(line), max(0, maxLine-len(l.part)))]...)
		if whole {
			if text := strings.TrimSpace(strings.ToValidUTF8(string(l.part), "\uFFFD")); text != "" {
				l.told(text)
			}
			l.part = l.part[:0]
		}
		p = rest
	}
	return n, nil
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(l.kept), "\uFFFD"))
}
