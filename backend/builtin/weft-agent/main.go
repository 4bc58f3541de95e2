// Command weft-agent is Weft's built-in agent. It is shipped beside the weft binary, which starts it for its own
// agents, for lists of models, and for `weft agent`. It needs no window, so it can be built with CGO_ENABLED=0.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"weft/backend/builtin"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return builtin.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
