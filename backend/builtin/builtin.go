// Package builtin is Weft's own agent: the server side of the Agent Client Protocol over stdio, so that it runs
// under Weft and under any other ACP client alike.
//
// It has two layers below it and none between: package loop keeps the conversation and does what the model calls,
// package llm reaches the model. This package is the rest: sessions and their files, tools as the protocol shows
// them, permissions, options. Whatever happens in a turn is written to the session's file before it is sent, in
// one order. Sessions run at the same time, each with one prompt at a time. Nothing outside a session's folder is
// read or written by the tools that work on files.
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

	"weft/backend/commandline"
	"weft/backend/llm/provider"
	"weft/backend/secret"
)

// stopGrace is how long open turns may take to end once the client is gone or the process is told to stop.
const stopGrace = 2 * time.Second

const usage = `weft agent: Weft's built-in agent, speaking the Agent Client Protocol on stdin and stdout.

Usage: weft agent [--provider openai|anthropic|google|ollama|guide] [--model NAME] [--mode ask|read-only|auto] …
       weft agent login --provider NAME      save a key in the system keychain
       weft agent logout --provider NAME     remove the key from it

An ACP client, such as Weft, starts it and passes the key through a pipe. With other clients, keys
come from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OLLAMA_API_KEY) or from the system
keychain, never from the command line.

`

// settings is what the agent is started with.
type settings struct {
	provider provider.Provider
	model    string // "" for the provider's usual one
	baseURL  string
	api      string // of OpenAI: chat, responses
	mode     mode
	data     string // folder of the sessions
	fetch    bool
	context  int64 // tokens, 0 for what is known of the model
	maxOut   int
	login    []string // login or logout with its arguments; a client puts them behind those that start the agent
}

// Main runs the agent until stdin ends or ctx is done, and returns the process's exit code: 0 after a normal
// end, 1 if it could not start, 2 for wrong arguments. Except for its help, it writes only protocol messages to stdout. It does not
// return while a turn is ending, up to two seconds; a goroutine may stay blocked reading stdin after ctx is done.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "login", "logout":
			return loginMain(ctx, args[0], args[1:], stdin, stdout, stderr)
		case "models": // not for people: Weft asks for lists of models with it
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

// parse reads the arguments. code is the exit code where there is nothing more to do, else -1.
func parse(args []string, stdout, stderr io.Writer) (set settings, code int) {
	flags := commandline.New("weft agent")
	name := flags.String("provider", provider.Guide, "the provider: `NAME` is one of "+provider.IDs()+"; guide is the offline guide, which needs no key and no network")
	flags.StringVar(&set.model, "model", "", "the model's `NAME` (default: depends on the provider)")
	flags.StringVar(&set.baseURL, "base-url", "", "`ADDRESS` of the API, if it isn't the provider's own")
	flags.StringVar(&set.api, "api", "", "`FORM`: chat or responses, for OpenAI and compatible addresses (default: depends on the model and the address)")
	how := flags.String("mode", string(modeAsk), "`MODE`: ask before changes and commands, read-only, or auto for no questions; a session can change it")
	flags.BoolVar(&set.fetch, "fetch", false, "let the model fetch web pages")
	flags.Int64Var(&set.context, "context", 0, "the model's context window in `TOKENS`, if Weft doesn't know it")
	flags.IntVar(&set.maxOut, "max-tokens", 0, "the longest answer, in `TOKENS`")
	flags.StringVar(&set.data, "data", "", "`FOLDER` in which sessions are kept (default "+defaultData()+")")
	complain := func(format string, args ...any) (settings, int) {
		fmt.Fprintf(stderr, "weft agent: "+format+"\n", args...)
		return set, 2
	}
	words, err := commandline.Leading(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		commandline.Options(stdout, flags)
		return set, 0
	} else if err != nil {
		return complain("%v. See weft agent --help.", err)
	}
	var known bool
	if set.provider, known = provider.ByID(*name); !known {
		return complain("unknown provider %q; choose one of: %s", *name, provider.IDs())
	}
	if set.mode = mode(*how); !set.mode.valid() {
		return complain("unknown mode %q; choose ask, read-only or auto", *how)
	}
	if set.api != "" && set.api != "chat" && set.api != "responses" {
		return complain("--api must be chat or responses, not %q", set.api)
	}
	if len(words) > 0 && (words[0] == "login" || words[0] == "logout") {
		set.login = words
		return set, -1
	}
	if len(words) > 0 {
		return complain("unexpected argument %q. See weft agent --help.", words[0])
	}
	if set.data == "" {
		set.data = defaultData()
	}
	return set, -1
}

// serve connects an agent to a client and blocks until the client is gone or ctx is done.
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
