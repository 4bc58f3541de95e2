package commandline

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestKnownOptionsMayHaveOneDash(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, name := range []string{"data", "out", "h"} {
		flags.String(name, "", "")
	}
	for args, want := range map[string]string{
		"serve -data x -data=y":  "serve --data x --data=y",
		"serve --data -x -h -":   "serve --data -x -h -",
		"-out f -- cmd -data -h": "--out f -- cmd -data -h",
		"serve ---data -datas":   "serve ---data -datas",
	} {
		if got := TwoDashes(strings.Fields(args), flags); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", args, got, want)
		}
	}
}
