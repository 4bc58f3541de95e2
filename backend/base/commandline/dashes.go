package commandline

import (
	"strings"

	"github.com/spf13/pflag"
)

// TwoDashes returns args with a second dash before each of these flags that has only one, up to "--". Version 0.1.0
// accepted one dash, so scripts and saved agents may use it.
func TwoDashes(args []string, flags *pflag.FlagSet) []string {
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		option, one := strings.CutPrefix(arg, "-")
		name, _, _ := strings.Cut(option, "=")
		if one && len(name) > 1 && flags.Lookup(name) != nil {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}
