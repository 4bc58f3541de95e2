//go:build unix

package agent

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// startTTY starts the program with a terminal: both outputs go to it, and it is the program's controlling terminal. If
// nobody types there, stdin is the null device, so that a program that asks for input gets its end immediately.
func (p *Process) startTTY(ctx context.Context, l launchSpec) error {
	master, slave, err := openTTY(*p.spec.TTY, p.spec.Typed)
	if err != nil {
		return err
	}
	defer slave.Close()
	l.stdin = slave
	if p.spec.Typed {
		p.tty = terminalEnd{master}
	} else {
		null, err := os.Open(os.DevNull)
		if err != nil {
			_ = master.Close()
			return err
		}
		defer null.Close()
		l.stdin = null
	}
	l.stdout, l.stderr, l.tty = slave, slave, true
	if p.tree, err = launch(ctx, l); err != nil {
		_ = master.Close()
		return err
	}
	p.Stdout = newOutput(master, p.ended, true)
	p.launched()
	go func() {
		p.await(func() { wake(master) })
		p.gone()
	}()
	return nil
}

// typeTimeout limits how long Type waits for the program to read.
const typeTimeout = 2 * time.Second

// terminalEnd is the master end of a terminal.
type terminalEnd struct{ master *os.File }

func (t terminalEnd) Type(b []byte) error {
	_ = t.master.SetWriteDeadline(time.Now().Add(typeTimeout)) // fails only if it is closed, which Write reports
	_, err := t.master.Write(b)
	return err
}

func (t terminalEnd) Resize(size Window) error {
	raw, err := t.master.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) {
		set = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Rows, Col: size.Cols})
	})
	return errors.Join(err, set)
}

// openTTY creates a terminal. If nobody types there, it neither echoes nor writes carriage returns before line feeds.
// Its master end supports read deadlines.
func openTTY(size Window, typed bool) (master, slave *os.File, err error) {
	raw, slave, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer raw.Close()
	fail := func(err error) (*os.File, *os.File, error) {
		_ = slave.Close()
		return nil, nil, err
	}
	if err := pty.Setsize(slave, &pty.Winsize{Rows: size.Rows, Cols: size.Cols}); err != nil {
		return fail(err)
	}
	mode, err := unix.IoctlGetTermios(int(slave.Fd()), getTermios)
	if err != nil {
		return fail(err)
	}
	if !typed {
		mode.Oflag &^= unix.ONLCR
		mode.Lflag &^= unix.ECHO
	}
	if err := unix.IoctlSetTermios(int(slave.Fd()), setTermios, mode); err != nil {
		return fail(err)
	}
	// Getting its descriptor has made raw a blocking file; a new file for a duplicate isn't.
	fd, err := unix.FcntlInt(raw.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		return fail(err)
	}
	return os.NewFile(uintptr(fd), "terminal"), slave, nil
}
