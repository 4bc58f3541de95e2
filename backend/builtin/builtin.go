// Package builtin is Weft's own agent: the server side of the Agent Client Protocol over stdio, so that it runs
// under Weft and under any other ACP client alike.
//
// A turn is answered by a provider; the offline guide (package guide) is the one there is. The provider speaks
// and uses tools through a turn, and everything it does is written to the session's log before it is sent, in
// one order. Sessions run at the same time, each with one prompt at a time. Nothing outside a session's folder
// is read or written on its behalf.
package builtin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/guide"
)

// stopGrace is how long open turns may take to end once the client is gone or the process is told to stop.
const stopGrace = 2 * time.Second

const usage = `weft agent: Weft's built-in agent, speaking the Agent Client Protocol on stdin and stdout.

Usage: weft agent [--provider guide] [--data DIR]

It is meant to be launched by an ACP client, such as Weft itself.

`

// Main runs the agent until stdin ends or ctx is done, and returns the process's exit code: 0 after a normal
// end, 1 if it could not start, 2 for wrong arguments. It writes only protocol messages to stdout. It does not
// return while a turn is ending, up to two seconds; a goroutine may stay blocked reading stdin after ctx is done.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("weft agent", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage); flags.PrintDefaults() }
	provider := flags.String("provider", "guide", "who answers: `guide` is the offline guide, which needs no key and no network")
	data := flags.String("data", "", "`folder` in which sessions are kept (default "+defaultData()+")")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "weft agent: unexpected argument %q\n", flags.Arg(0))
		return 2
	}
	if *provider != "guide" {
		fmt.Fprintf(stderr, "weft agent: unknown provider %q; this version has: guide\n", *provider)
		return 2
	}
	if *data == "" {
		*data = defaultData()
	}
	if err := os.MkdirAll(*data, 0o700); err != nil {
		fmt.Fprintf(stderr, "weft agent: sessions cannot be kept in %s: %v. Choose another folder with --data.\n", *data, err)
		return 1
	}
	serve(ctx, newAgent(*data, guide.Answer, slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))), stdin, stdout)
	return 0
}

// serve connects an agent to a client and blocks until the client is gone or ctx is done.
func serve(ctx context.Context, a *agent, stdin io.Reader, stdout io.Writer) {
	out := newOutlet(stdout)
	in := newIntake(stdin, out, a.noMoreAnswers)
	a.in, a.out = in, out
	// The connection starts to read at once, so the agent learns about it before the first message is let in.
	a.conn = acp.NewConnection(a.handle, out, in)
	a.conn.SetLogger(a.log)
	in.open()
	select {
	case <-a.conn.Done():
	case <-ctx.Done():
	}
	a.stop()
	out.waitAnswered(stopGrace)
}

// defaultData is the folder for sessions in the place where the system keeps an application's data.
func defaultData() string {
	home, _ := os.UserHomeDir()
	base := filepath.Join(home, ".local", "share")
	switch runtime.GOOS {
	case "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	case "windows":
		base = filepath.Join(home, "AppData", "Local")
		if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
			base = dir
		}
	default:
		if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			base = dir
		}
	}
	return filepath.Join(base, "weft", "agent-sessions")
}

// version is the module's version as built, or "dev".
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "dev"
}
