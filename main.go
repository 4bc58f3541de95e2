// Weft is a desktop app for working with coding agents.
package main

import (
	"os"
	"runtime"

	"github.com/rs/zerolog"

	"weft/backend/base/fault"
	"weft/backend/cli"
)

// version is set by the linker.
var version = "dev"

// WebKitGTK wants its first object made on the main thread of the process, and newer versions abort where it isn't.
// Only while init runs, the main goroutine is sure to be there: without this, the scheduler has mostly moved it by the
// time there is a window.
func init() { //nolint:gochecknoinits // main comes too late
	runtime.LockOSThread()
	zerolog.ErrorMarshalFunc = fault.ForLog //nolint:reassign // zerolog has no other way
}

func main() {
	cli.Version = version
	os.Exit(cli.Main(os.Args[1:], openWindow))
}
