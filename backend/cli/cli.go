package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"weft/backend/agent"
	"weft/backend/api/service"
	"weft/backend/base/commandline"
	"weft/backend/base/fault"
	"weft/backend/base/link"
	"weft/backend/store"
)

// Version is what weft --version prints.
var Version = "dev"

// Window opens a window, blocks until it is closed, and returns the exit code. If trouble isn't nil, the window only
// explains it.
type Window func(ctx context.Context, c Common, what Opening, trouble error) int

// Main runs the command in args and returns the exit code. weft and weft open use the window.
func Main(args []string, window Window) int {
	cobra.EnableCommandSorting = false           // the list starts with the most common commands
	cobra.MousetrapHelpText = ""                 // on Windows, cobra exits programs that are started from a menu
	if len(args) > 0 && args[0] == "supervise" { // internal: agents are started through it
		return agent.SuperviseMain(args[1:])
	}
	if len(args) > 0 && (link.Is(args[0]) || isFile(args[0])) {
		args = append([]string{"open"}, args...) // how the desktop starts Weft for a link or a folder
	}
	ctx, stop := untilStopped()
	defer stop()
	root := commands(args, stop, window)
	root.SetArgs(twoDashes(root, args))
	root.SetOut(stdout())
	root.SetErr(Stderr())
	command, err := root.ExecuteContextC(ctx)
	var code exitError
	if errors.As(err, &code) {
		return int(code)
	}
	if err != nil {
		fmt.Fprintf(Stderr(), "weft: %s\nSee %s --help.\n", strings.TrimSpace(err.Error()), command.CommandPath())
		return 2
	}
	return 0
}

// twoDashes is [commandline.TwoDashes] with the flags of the command that args name.
func twoDashes(root *cobra.Command, args []string) []string {
	command, _, err := root.Find(args)
	if err != nil {
		command = root
	}
	if command.Name() == "record" && !slices.Contains(args, "--") { // the recorded command has its own flags
		return args
	}
	command.InitDefaultHelpFlag()
	return commandline.TwoDashes(args, command.Flags())
}

// untilStopped returns a context that ends when Weft is asked to stop. A second signal kills Weft immediately.
func untilStopped() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// stdout returns the output for messages to the user. It filters control characters, because titles, file names and
// errors are untrusted.
func stdout() io.Writer { return commandline.Plain(os.Stdout) }

// Stderr returns the same for error messages.
func Stderr() io.Writer { return commandline.Plain(os.Stderr) }

// Complain prints an error and returns the exit code.
func Complain(err error) int {
	_, message, detail := service.Explain(err)
	fmt.Fprintln(Stderr(), "weft:", message)
	if detail != "" {
		fmt.Fprintln(Stderr(), detail)
	}
	return 1
}

// openThere shows something in the Weft that has the data folder open, otherwise in a new window.
func openThere(ctx context.Context, c Common, what Opening, window Window) int {
	done, err := HandOver(ctx, c, what, 0)
	switch {
	case err != nil && (fault.CodeOf(err) != store.CodeInUse || !display()):
		return Complain(err)
	case done && err == nil:
		return 0
	case !display():
		fmt.Fprintln(Stderr(), "weft: no display found. Run `weft serve` and open the address that it prints in a browser.")
		return 1
	}
	return window(ctx, c, what, err)
}

// display reports whether there is a display for a window.
func display() bool {
	return runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
