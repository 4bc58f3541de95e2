// Weft is a desktop app for working with coding agents.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"gopkg.in/natefinch/lumberjack.v2"

	"weft/backend/agent"
	"weft/backend/beside"
	"weft/backend/commandline"
	"weft/backend/desktop"
	"weft/backend/fault"
	"weft/backend/gateway"
	"weft/backend/httpapi"
	"weft/backend/link"
	"weft/backend/recording"
	"weft/backend/rest"
	"weft/backend/secret"
	"weft/backend/service"
	"weft/backend/update"
	"weft/frontend"
)

// version is set by the linker.
var version = "dev"

const usage = `Weft works with coding agents: it launches any agent that speaks the Agent Client
Protocol, shows what it says and does in the order it happened, and keeps all of it.

  weft                        open the window
  weft serve                  the same for a browser on this machine
  weft open LINK              show a place in a conversation, such as weft://space/ID#MESSAGE
  weft open FOLDER            begin a new space in a folder
  weft import FILE …          import conversations that other programs have exported
  weft import --from all      import the conversations that agents on this machine have kept
  weft export SPACE           write a conversation to a file, as Markdown, HTML or JSON
  weft backup [FILE]          write all that Weft keeps to one file
  weft restore FILE           put a backup in the place of what Weft keeps
  weft update                 install a newer version of Weft, if there is one
  weft agent                  the built-in agent, over stdin and stdout, for any ACP client
  weft replay FILE.jsonl      an agent that plays a recording back
  weft record -- COMMAND …    record what a client and an agent send each other
  weft mcp-stdio              the gateway of a running Weft, for agents that only support MCP over stdio
  weft fold FILE.jsonl        print the conversation that a recording holds

  weft COMMAND --help         show the options of a command
  weft --version

The window, serve, open, import, export, backup, restore and update take --data FOLDER (where the database and the logs are)
and --settings FILE.
`

// WebKitGTK wants its first object made on the main thread of the process, and newer versions abort where it isn't. Only while init runs, the main goroutine is
// sure to be there: without this, the scheduler has mostly moved it by the time there is a window.
func init() { //nolint:gochecknoinits // main comes too late
	runtime.LockOSThread()
	zerolog.ErrorMarshalFunc = fault.ForLog //nolint:reassign // zerolog has no other way
}

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	command := ""
	if len(args) > 0 && (link.Is(args[0]) || isFile(args[0])) {
		args = append([]string{"open"}, args...) // as the desktop starts it for a link or a folder
	}
	if len(args) > 0 && (args[0] == "" || args[0][0] != '-') {
		command, args = args[0], args[1:]
	}
	ctx, stop := untilStopped()
	defer stop()
	switch command {
	case "supervise": // not for people: agents are started through it
		return agent.SuperviseMain(args)
	case "agent":
		stop()
		return beside.HandOver(args, stderr())
	case "mcp-stdio":
		return gateway.StdioMain(ctx, args, os.Stdin, os.Stdout, stderr())
	case "replay":
		return recording.ReplayMain(args, os.Stdin, os.Stdout, stderr())
	case "record":
		return recording.RecordMain(args, os.Stdin, os.Stdout, os.Stderr) // what the agent and the client say, as it is
	case "fold":
		return recording.FoldMain(args, os.Stdin, commandline.Shown(os.Stdout), stderr())
	case "serve":
		return serve(ctx, args)
	case "open":
		return openWhat(ctx, args)
	case "import":
		return importFiles(ctx, args)
	case "export":
		return exportSpaces(ctx, args)
	case "backup":
		return backUp(ctx, args)
	case "restore":
		return restore(ctx, args)
	case "update":
		return updateWeft(ctx, args)
	case "":
		return window(ctx, args)
	case "help":
		fmt.Fprint(stdout(), usage)
		return 0
	case "version":
		fmt.Fprintln(stdout(), "weft", version)
		return 0
	}
	fmt.Fprintf(stderr(), "weft: unknown command %q. See weft --help.\n", command)
	return 2
}

// untilStopped returns a context that ends when Weft is asked to end. When it is asked once more, it ends at once, whatever it waits for.
func untilStopped() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// windowName is the name of the flags of the window, which has no command.
const windowName = "weft"

// common are the flags of the window and of serve.
type common struct {
	data, settings string
	showVersion    bool
}

func (c *common) flags(name string) *flag.FlagSet {
	f := commandline.New(name)
	f.StringVar(&c.data, "data", "", "`FOLDER` of the database and the logs (default: the usual place for app data)")
	f.StringVar(&c.settings, "settings", "", "the settings `FILE` (default: the usual place for configuration)")
	f.BoolVar(&c.showVersion, "version", false, "print the version")
	return f
}

// parse returns false with an exit code where there is nothing more to do.
func parse(f *flag.FlagSet, c *common, args []string, help string) (ok bool, code int) {
	words, ok, code := parseWords(f, c, args, help)
	if ok && len(words) > 0 {
		return false, unexpected(f.Name(), words[0])
	}
	return ok, code
}

// parseWords is parse for commands that take words, too, before, between and behind the options.
func parseWords(f *flag.FlagSet, c *common, args []string, help string) (words []string, ok bool, code int) {
	words, err := commandline.Words(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout(), help)
		commandline.Options(stdout(), f)
		return nil, false, 0
	case err != nil:
		fmt.Fprintf(stderr(), "weft: %v. See %s --help.\n", err, withName(f.Name()))
		return nil, false, 2
	case c.showVersion:
		fmt.Fprintln(stdout(), "weft", version)
		return nil, false, 0
	}
	return words, true, 0
}

// withName is a command as it is written.
func withName(command string) string { return strings.TrimSuffix("weft "+command, " "+windowName) }

// unexpected says that a command doesn't take a word.
func unexpected(command, word string) (code int) {
	fmt.Fprintf(stderr(), "weft: unexpected argument %q. See %s --help.\n", word, withName(command))
	return 2
}

// dataDir is the absolute path of the data folder.
func (c *common) dataDir() (string, error) {
	dir := c.data
	if dir == "" {
		var err error
		if dir, err = service.DefaultDataDir(); err != nil {
			return "", err
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	return dir, nil
}

// autostart is the entry that starts this Weft, with these flags, when the user signs in.
func (c *common) autostart() *desktop.Autostart {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	if image := os.Getenv("APPIMAGE"); filepath.IsAbs(image) {
		program = image
	}
	var args []string
	for name, path := range map[string]string{"--data": c.data, "--settings": c.settings} {
		if path == "" {
			continue
		}
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		args = append(args, name+"="+path)
	}
	slices.Sort(args)
	return desktop.NewAutostart(program, args...)
}

// serviceMode is what a face opens the service with. All but the name may be nil, see [service.Options].
type serviceMode struct {
	name                    string // window or serve
	active, restart, locked func()
	quiet                   <-chan struct{}
}

// openService opens the data folder with a log that rotates inside it.
func openService(ctx context.Context, c common, mode serviceMode) (*service.Service, zerolog.Logger, error) {
	dir, err := c.dataDir()
	if err != nil {
		return nil, zerolog.Nop(), err
	}
	logs := filepath.Join(dir, "logs")
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return nil, zerolog.Nop(), fault.New("io", "Couldn't create the folder for the log: {{reason}}.", err).Because(err)
	}
	hide := &secret.Redactor{}
	secret.Withhold(hide)
	log := zerolog.New(hide.Writer(&lumberjack.Logger{Filename: filepath.Join(logs, "weft.log"), MaxSize: 8, MaxBackups: 3})).
		With().Timestamp().Logger()
	s, err := service.Open(ctx, service.Options{
		DataDir: dir, SettingsPath: c.settings, Mode: mode.name, Version: version, Log: log, Active: mode.active, Locked: mode.locked, Quiet: mode.quiet, Redactor: hide,
		Updates: updateOptions(mode.restart),
	})
	if err != nil {
		return nil, log, err
	}
	log.Info().Str("version", version).Str("mode", mode.name).Msg("started")
	return s, log, nil
}

// closesIn is how long the service may take to close.
const closesIn = 20 * time.Second

// closeService closes the service, or leaves it as it is after the limit: what it holds is safe without that, as after a power cut.
func closeService(end func(ctx context.Context) error, log zerolog.Logger, limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- end(ctx) }()
	var err error
	select {
	case err = <-closed:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		log.Error().Err(err).Msg("closed with errors")
		return
	}
	log.Info().Msg("closed")
}

// stdout and stderr are where commands tell the user something. Titles, names of files and errors in it come from elsewhere.
func stdout() io.Writer { return commandline.Plain(os.Stdout) }
func stderr() io.Writer { return commandline.Plain(os.Stderr) }

func complain(err error) int {
	_, message, detail := service.Explain(err)
	fmt.Fprintln(stderr(), "weft:", message)
	if detail != "" {
		fmt.Fprintln(stderr(), detail)
	}
	return 1
}

// restAfter is how long nothing must have happened before memory is given back. A user who reads has not left yet.
const restAfter = 30 * time.Second

const serveHelp = `weft serve runs Weft for a browser on this machine and prints its address with a
token that works once.

`

func serve(ctx context.Context, args []string) int {
	var c common
	f := c.flags("serve")
	addr := f.String("addr", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 picks a free one")
	expose := f.Bool("allow-remote", false, "allow an address that other machines can reach")
	if ok, code := parse(f, &c, args, serveHelp); !ok {
		return code
	}
	remote, err := checkAddr(*addr)
	if err != nil {
		return complain(err)
	}
	if remote && !*expose {
		fmt.Fprintf(stderr(), "weft: %s can be reached from other machines. Anyone with the token could run agents and commands as you, and the connection isn't encrypted. If that is what you want, add --allow-remote.\n", *addr)
		return 2
	}
	running := begin(inPlace(heldSession))
	again, code := serveAt(ctx, c, *addr, remote, running)
	running.Close()
	if again != nil {
		restartAs(inPlace(func() []*os.File { return passSession(again.session) }), append(slices.Clone(os.Args[1:]), "--addr", again.addr))
	}
	return code
}

// served is what a server has when it restarts itself, and keeps.
type served struct {
	addr    string
	session []byte // its secrets
}

// serveAt serves until ctx ends, or until a restart is asked for: then it returns what to serve again.
func serveAt(ctx context.Context, c common, addr string, remote bool, running *update.Running) (again *served, code int) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var restart atomic.Bool
	idle := rest.New(restAfter)
	defer idle.Stop()
	s, log, err := openService(ctx, c, serviceMode{name: "serve", active: idle.Active, restart: func() { restart.Store(true); end() }})
	if err != nil {
		if notItsFault(err) {
			running.Excuse()
		}
		return nil, complain(err)
	}
	defer closeService(s.Close, log, closesIn)
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		running.Excuse()
		fmt.Fprintf(stderr(), "weft: couldn't listen on %s: %v. Choose another address with --addr.\n", addr, err)
		return nil, 1
	}
	defer takeCommands(s, shows{address: func(fragment string) string { return "http://" + l.Addr().String() + "/" + fragment }}, log)()
	if remote {
		fmt.Fprintf(stderr(), "Warning: %s can be reached from other machines. Anyone with the token can run agents and commands as you, and the connection isn't encrypted.\n", l.Addr())
	}
	server := httpapi.New(httpapi.Options{
		Service: s, Frontend: frontend.Files().In(func() frontend.Look { return lookOf(s.Appearance(), "") }), Log: log, AnyHost: remote, Session: passedSession(),
	})
	base := "http://" + l.Addr().String()
	fmt.Fprintf(stdout(), "Weft is at %s\nFor programs: %s with the header Authorization: Bearer %s\n", server.Link(base), base, server.Key())
	var up sync.WaitGroup
	up.Go(func() { upWhenServed(ctx, base, running, log) })
	err = server.Serve(ctx, l)
	end()
	up.Wait()
	if err != nil {
		return nil, complain(err)
	}
	if restart.Load() {
		again = &served{l.Addr().String(), server.Session()}
	}
	return again, 0
}

// checkAddr reports whether other machines could reach addr.
func checkAddr(addr string) (remote bool, err error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false, fmt.Errorf("%s isn't an address: use one such as 127.0.0.1:8080", addr)
	}
	if host == "localhost" {
		return false, nil
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback(), nil
}

// window opens the desktop window; see app.go.
func window(ctx context.Context, args []string) int {
	var c common
	f := c.flags(windowName)
	behind := f.Bool(strings.TrimLeft(desktop.BackgroundFlag, "-"), false, "start without showing the window, as the system does when you sign in")
	if ok, code := parse(f, &c, args, usage+"\n"); !ok {
		return code
	}
	return openThere(ctx, c, opening{behind: *behind})
}

// openThere shows something in the Weft that has the data folder open, else in a window of its own.
func openThere(ctx context.Context, c common, what opening) int {
	if code, done := handOver(ctx, c, what, 0); done {
		return code
	}
	if !display() {
		fmt.Fprintln(stderr(), "weft: no display found. Run `weft serve` and open the address that it prints in a browser.")
		return 1
	}
	leaveConsole()
	return openWindow(ctx, c, what)
}

// display reports whether there is a display for a window.
func display() bool {
	return runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
