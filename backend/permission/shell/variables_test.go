package shell

import (
	"strings"
	"testing"
)

func TestQuietVariables(t *testing.T) {
	t.Parallel()
	for pair, want := range map[string]bool{
		"NO_COLOR=1": true, "PAGER=cat": true, "PAGER=/evil": false, "OPENAI_API_KEY=": true, "OPENAI_API_KEY=x": false, "PATH=": false, "LD_PRELOAD=": false, "GIT_EDITOR=vi": false, "HF_TOKEN=": true,
		"IFS=": false, "BASH_ENV=x": false, "key=": false,
	} {
		name, value, _ := strings.Cut(pair, "=")
		if got := QuietVariable(name, value); got != want {
			t.Errorf("%s is quiet: %v", pair, got)
		}
	}
	want := "PAGER=cat GIT_PAGER=cat MANPAGER=cat GIT_TERMINAL_PROMPT=0 GIT_EDITOR=true NO_COLOR=1"
	if got := strings.Join(Quiet(), " "); got != want {
		t.Errorf("%s", got)
	}
}
