package agent

import (
	"context"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/conpty"
	"golang.org/x/sys/windows"
)

// startTTY starts the program in a pseudo console. If nobody types there, its input ends immediately.
func (p *Process) startTTY(ctx context.Context, l launchSpec) error {
	console, err := conpty.New(int(p.spec.TTY.Cols), int(p.spec.TTY.Rows), 0)
	if err != nil {
		return err
	}
	l.tty = console
	if p.tree, err = launch(ctx, l); err != nil {
		_ = console.Close()
		return err
	}
	// The console has copies of these two. While ours are open, the output doesn't end.
	_ = windows.CloseHandle(windows.Handle(console.InPipeReadFd()))
	_ = windows.CloseHandle(windows.Handle(console.OutPipeWriteFd()))
	p.Stdout = &lineFeeds{r: consoleOutput{console}}
	if p.spec.Typed {
		p.Stdout = consoleOutput{console}
		p.tty = consoleEnd{console}
	}
	p.launched()
	go func() {
		// Not console.Close, which closes the output before it was read to its end. Without its console the pipe ends
		// after its remaining content.
		p.await(func() { windows.ClosePseudoConsole(windows.Handle(console.Fd())) })
		p.gone()
	}()
	return nil
}

// consoleEnd is the user's end of a console.
type consoleEnd struct{ console *conpty.ConPty }

func (c consoleEnd) Type(b []byte) error {
	_, err := c.console.Write(b)
	return err
}

func (c consoleEnd) Resize(size Window) error {
	return c.console.Resize(int(size.Cols), int(size.Rows))
}

// startInConsole starts the program, suspended, in the pseudo console of s.
func startInConsole(s launchSpec) (*os.Process, error) {
	pid, handle, err := s.tty.Spawn(s.path, append([]string{s.path}, s.args...), &syscall.ProcAttr{
		Dir: s.dir, Env: s.env, Sys: &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED},
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = windows.CloseHandle(windows.Handle(handle)) }()
	return os.FindProcess(pid)
}

// consoleOutput reads a console to its end and then closes its pipes.
type consoleOutput struct{ console *conpty.ConPty }

func (o consoleOutput) Read(b []byte) (int, error) {
	n, err := o.console.Read(b)
	if err == nil && n > 0 {
		return n, nil
	}
	_ = windows.CloseHandle(windows.Handle(o.console.InPipeWriteFd()))
	_ = windows.CloseHandle(windows.Handle(o.console.OutPipeReadFd()))
	return n, io.EOF
}

// lineFeeds removes the carriage returns at the ends of lines.
type lineFeeds struct {
	r    io.Reader
	held bool // a carriage return that may precede a line feed
}

func (l *lineFeeds) Read(b []byte) (int, error) {
	if len(b) < 2 {
		return 0, io.ErrShortBuffer
	}
	at := 0
	if l.held {
		b[0], at, l.held = '\r', 1, false
	}
	n, err := l.r.Read(b[at:])
	text := string(b[:at+n])
	if err == nil && strings.HasSuffix(text, "\r") {
		text, l.held = text[:len(text)-1], true
	}
	return copy(b, strings.ReplaceAll(text, "\r\n", "\n")), err
}
