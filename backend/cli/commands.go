package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/backend/acp/recording"
	"weft/backend/agent/flags"
	"weft/backend/base/beside"
	"weft/backend/base/commandline"
	"weft/backend/desktop"
	"weft/backend/gateway"
	"weft/backend/llm/provider"
)

// commands returns the root command with its subcommands. stop restores the signal handling that untilStopped changed.
func commands(args []string, stop func(), window Window) *cobra.Command {
	root := windowCommand(window)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if asked, err := cmd.Flags().GetBool("version"); asked && err == nil {
			return exitError(printVersion())
		}
		return nil
	}
	root.AddCommand(serveCommand(), openCommand(window), importCommand(), exportCommand(), backupCommand(), restoreCommand(), updateCommand(),
		agentCommand(args, stop), replayCommand(), recordCommand(), stdioCommand(), foldCommand(), versionCommand())
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // shells show descriptions of options without the markup of the help
		for _, cmd := range append(root.Commands(), root) {
			cmd.Flags().VisitAll(func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) })
		}
	}
	return root
}

// exitError is the exit code of a command that has already printed its errors.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Common are the flags of the window and of the commands that work with the data folder.
type Common struct {
	Data, Settings string // "" for the defaults
}

func (c *Common) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.Data, "data", "", "`FOLDER` of the database and the logs (default: the usual place for app data)")
	f.StringVar(&c.Settings, "settings", "", "the settings `FILE` (default: the usual place for configuration)")
	f.Bool("version", false, "print the version")
	_ = cmd.MarkFlagDirname("data")
}

// does adapts a function that returns an exit code to cobra.
func does(run func(ctx context.Context, words []string) int) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, words []string) error { return exitError(run(cmd.Context(), words)) }
}

// atMost allows up to n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, words []string) error {
		if len(words) > n {
			return fmt.Errorf("unexpected argument %q", words[n])
		}
		return nil
	}
}

// values makes shells complete the value of a flag with these words instead of files.
func values(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func printVersion() (code int) {
	fmt.Fprintln(stdout(), "weft", Version)
	return 0
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: atMost(0), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: does(func(context.Context, []string) int { return printVersion() }),
	}
}

// windowCommand is Weft without a command.
func windowCommand(window Window) *cobra.Command {
	var c Common
	behind := false
	cmd := &cobra.Command{
		Use: "weft", Short: "Work with coding agents",
		Long: `Weft works with coding agents: it launches any agent that speaks the Agent Client
Protocol, shows what it says and does in the order it happened, and keeps all of it.
Without a command, it opens the window.`,
		Example: `  weft serve                  the same for a browser on this machine
  weft weft://space/ID        show a conversation, as weft open does
  weft import --from all      import the conversations that agents on this machine have kept
  weft export SPACE           write a conversation to a file, as Markdown, HTML or JSON
  weft record -- COMMAND …    record what a client and an agent send each other`,
		RunE: does(func(ctx context.Context, _ []string) int { return openThere(ctx, c, Opening{Behind: behind}, window) }),
	}
	c.flags(cmd)
	cmd.Flags().BoolVar(&behind, strings.TrimLeft(desktop.BackgroundFlag, "-"), false, "start without showing the window, as the system does when you sign in")
	return cmd
}

// agentCommand starts weft-agent. Its flags are declared here only for the help and the shell completions.
func agentCommand(args []string, stop func()) *cobra.Command {
	var f flags.Flags
	cmd := &cobra.Command{
		Use: "agent [flags] [login | logout]", DisableFlagsInUseLine: true, Short: "The built-in agent, over stdin and stdout, for any ACP client", Long: flags.Help,
		ValidArgs: []string{"login", "logout"}, Args: cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			stop()
			return exitError(beside.HandOver(args[slices.Index(args, "agent")+1:], Stderr()))
		},
	}
	f.Add(cmd.Flags())
	_ = cmd.MarkFlagDirname("data")
	values(cmd, "provider", strings.Split(provider.IDs(), ", ")...)
	values(cmd, "mode", flags.Modes...)
	values(cmd, "api", flags.APIs...)
	for _, name := range []string{"model", "base-url", "context", "max-tokens"} {
		values(cmd, name)
	}
	return cmd
}

func replayCommand() *cobra.Command {
	speed := ""
	cmd := &cobra.Command{
		Use: "replay FILE.jsonl", Short: "An agent that plays a recording back", Args: cobra.ExactArgs(1),
		Long: `Runs an agent that replays a recording. It responds to the requests of each method in the order
of the recording, and divides the recorded pauses by N (default 1; max skips them). It waits for
the client where the recorded agent did, for session/cancel at most 5 s.`,
		RunE: does(func(_ context.Context, files []string) int {
			return recording.Replay(files[0], speed, os.Stdin, os.Stdout, Stderr())
		}),
	}
	cmd.Flags().StringVar(&speed, "speed", "1", "how many times faster than recorded: `N` or max")
	values(cmd, "speed", "max")
	return cmd
}

func recordCommand() *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use: "record [--out FILE] -- COMMAND [ARGUMENT …]", DisableFlagsInUseLine: true, Short: "Record what a client and an agent send each other", Args: cobra.MinimumNArgs(1),
		Long: `Runs an agent and records all messages between it and its client. Put it in a client's
settings in place of the agent's command line.`,
		RunE: does(func(_ context.Context, command []string) int {
			return recording.Record(out, command, os.Stdin, os.Stdout, os.Stderr) // the unchanged traffic of the agent and the client
		}),
	}
	cmd.Flags().SetInterspersed(false) // options after the command belong to the command
	cmd.Flags().StringVar(&out, "out", "", "the `FILE` to write (default weft-recording-TIME.jsonl in the current folder)")
	return cmd
}

func foldCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "fold FILE.jsonl", Short: "Print the conversation that a recording holds", Args: cobra.ExactArgs(1),
		Long: "Folds a recording and prints the conversation that it holds. FILE - is standard input.",
		RunE: does(func(_ context.Context, files []string) int {
			return recording.PrintFolded(files[0], asJSON, os.Stdin, commandline.Shown(os.Stdout), Stderr())
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON: messages, plan, usage, opaque")
	return cmd
}

func stdioCommand() *cobra.Command {
	return &cobra.Command{
		Use: "mcp-stdio", Short: "The gateway of a running Weft, for agents that only support MCP over stdio", Args: atMost(0), ValidArgsFunction: cobra.NoFileCompletions,
		Long: `Passes MCP messages between stdin and stdout and the gateway of a running Weft, for agents
that only support MCP servers over stdio. Weft starts it by itself.
WEFT_GATEWAY_URL and WEFT_GATEWAY_TOKEN set the address and the token.`,
		RunE: does(func(ctx context.Context, _ []string) int { return gateway.Stdio(ctx, os.Stdin, os.Stdout, Stderr()) }),
	}
}
