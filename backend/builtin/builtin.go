package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"weft/backend/agent/flags"
	"weft/backend/base/commandline"
	"weft/backend/llm/provider"
	"weft/backend/settings/secret"
)

// stopGrace is how long serve waits for the responses of canceled turns before it closes the sessions.
const stopGrace = 2 * time.Second

// settings are the agent's settings from its arguments.
type settings struct {
	provider provider.Provider
	model    string // "" for the provider's default
	baseURL  string
	api      string // for OpenAI: chat or responses
	mode     mode
	data     string // folder of the sessions
	fetch    bool
	context  int64 // tokens; 0 for the model's own limit
	maxOut   int
	login    []string // login or logout and its arguments, which a client appends to the agent's own
}

// Main runs the agent until stdin ends or ctx is done, and returns the process's exit code: 0 after a normal
// end, 1 if it couldn't start, 2 for wrong arguments. Except for its help, it writes only protocol messages to stdout.
// Before it returns, it cancels the open turns and waits for them. A goroutine may stay blocked reading stdin after ctx
// is done.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "login", "logout":
			return loginMain(ctx, args[0], args[1:], stdin, stdout, stderr)
		case "models": // internal: Weft lists models with it
			return listMain(ctx, stdin, stdout, stderr)
		}
	}
	set, code := parse(args, stdout, stderr)
	if code >= 0 {
		return code
	}
	if len(set.login) > 0 {
		return loginMain(ctx, set.login[0], set.login[1:], stdin, stdout, stderr)
	}
	if err := os.MkdirAll(set.data, 0o700); err != nil {
		fmt.Fprintf(stderr, "weft agent: can't store sessions in %s: %v. Choose another folder with --data.\n", set.data, err)
		return 1
	}
	hide := &secret.Redactor{}
	secret.Withhold(hide)
	log := slog.New(slog.NewTextHandler(hide.Writer(stderr), &slog.HandlerOptions{Level: slog.LevelWarn}))
	found := newKeys(set.provider, hide)
	found.elsewhere = set.provider.Compatible(set.baseURL)
	serve(ctx, newAgent(set, found, log), stdin, stdout)
	return 0
}

// parse parses the arguments. code is -1, or the exit code if the agent must not start.
func parse(args []string, stdout, stderr io.Writer) (set settings, code int) {
	var given flags.Flags
	f := pflag.NewFlagSet("weft agent", pflag.ContinueOnError)
	f.Usage = func() { fmt.Fprintf(stdout, "%s\n\nFlags:\n%s", flags.Help, f.FlagUsages()) }
	given.Add(f)
	complain := func(format string, args ...any) (settings, int) {
		fmt.Fprintf(stderr, "weft agent: "+format+"\n", args...)
		return set, 2
	}
	if err := f.Parse(commandline.TwoDashes(args, f)); errors.Is(err, pflag.ErrHelp) {
		return set, 0
	} else if err != nil {
		return complain("%v. See weft agent --help.", err)
	}
	set = settings{
		model: given.Model, baseURL: given.BaseURL, api: given.API, mode: mode(given.Mode), data: given.Data, fetch: given.Fetch, context: given.Context, maxOut: given.MaxTokens,
	}
	var known bool
	if set.provider, known = provider.ByID(given.Provider); !known {
		return complain("unknown provider %q; choose one of: %s", given.Provider, provider.IDs())
	}
	if !set.mode.valid() {
		return complain("unknown mode %q; choose ask, read-only or auto", given.Mode)
	}
	if set.api != "" && !slices.Contains(flags.APIs, set.api) {
		return complain("--api must be chat or responses, not %q", set.api)
	}
	words := f.Args()
	if len(words) > 0 && (words[0] == "login" || words[0] == "logout") {
		set.login = words
		return set, -1
	}
	if len(words) > 0 {
		return complain("unexpected argument %q. See weft agent --help.", words[0])
	}
	return set, -1
}

// serve connects an agent to a client and blocks until the client has disconnected or ctx is done.
func serve(ctx context.Context, a *agent, stdin io.Reader, stdout io.Writer) {
	a.client.open(stdin, stdout, a.handle, a.log)
	select {
	case <-a.client.conn.Done():
	case <-ctx.Done():
	}
	a.stop()
	a.client.out.waitAnswered(stopGrace)
	a.closeAll()
}

// version returns the module's version in the build info, or "dev".
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return strings.TrimPrefix(info.Main.Version, "v")
	}
	return "dev"
}
