package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/charmbracelet/x/conpty"
	"golang.org/x/sys/windows"
)

// interruptInConsole starts `weft serve` in a console of its own, as a user does, and presses Ctrl+C once it has said
// its address.
func interruptInConsole(ctx context.Context, program, data string) error {
	console, err := conpty.New(200, 50, 0)
	if err != nil {
		return err
	}
	defer console.Close()
	shell := filepath.Join(os.Getenv("SystemRoot"), "system32", "cmd.exe")
	// CONOUT$ for Wine, which gives programs in a pseudo console no standard output.
	line := fmt.Sprintf(`"%s" /d /s /c ""%s" serve --data "%s" >CONOUT$"`, shell, program, data)
	_, handle, err := console.Spawn(shell, nil, &syscall.ProcAttr{Env: os.Environ(), Sys: &syscall.SysProcAttr{CmdLine: line}})
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(windows.Handle(handle)) }()
	ready, said := make(chan struct{}), make(chan string, 1)
	go func() {
		var all bytes.Buffer
		b := make([]byte, 4096)
		for known := false; ; {
			n, err := console.Read(b)
			all.Write(b[:n])
			if !known && bytes.Contains(all.Bytes(), []byte("Bearer")) {
				known = true
				close(ready)
			}
			if err != nil || n == 0 {
				said <- all.String()
				return
			}
		}
	}()
	select {
	case <-ready:
	case text := <-said:
		return fmt.Errorf("it ended before it was interrupted: %q", text)
	case <-ctx.Done():
		return ctx.Err()
	}
	weft, err := holder(data)
	if err != nil {
		return err
	}
	if _, err := console.Write([]byte{3}); err != nil { // Ctrl+C
		return err
	}
	return waitFor(ctx, weft)
}

// wine reports whether this is Wine: it alone has this function.
func wine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}
