//go:build unix

package agent

import (
	"context"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// startTTY launches with a terminal: both outputs go to it, and it is the controlling
// terminal of the program. Nobody can type there, so stdin is the null device: who asks
// for input gets the end of it at once.
func (p *Process) startTTY(ctx context.Context, l launchSpec) error {
	master, slave, err := openTTY(*p.spec.TTY)
	if err != nil {
		return err
	}
	defer slave.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		_ = master.Close()
		return err
	}
	defer null.Close()
	l.stdin, l.stdout, l.stderr, l.tty = null, slave, slave, true
	if p.tree, err = launch(ctx, l); err != nil {
		_ = master.Close()
		return err
	}
	p.Stdout = &output{file: master, ended: p.ended, tty: true}
	p.launched()
	go func() {
		p.await(func() { wake(master) })
		p.gone()
	}()
	return nil
}

// openTTY makes a terminal that neither echoes nor puts carriage returns before line feeds.
// Its master end can be read with a deadline.
func openTTY(size Window) (master, slave *os.File, err error) {
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
	mode.Oflag &^= unix.ONLCR
	mode.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(int(slave.Fd()), setTermios, mode); err != nil {
		return fail(err)
	}
	// Asking for its number has made raw a blocking file; a new one over a copy is not.
	fd, err := unix.FcntlInt(raw.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		return fail(err)
	}
	return os.NewFile(uintptr(fd), "terminal"), slave, nil
}
