package permission

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"

	"weft/backend/permission/shell"
)

// The command that the frontend shows for a call matches the one in its permission request: if the frontend hides a
// shell, Weft reads the same script from it.
func TestWrappersAreReadAsTheThreadShowsThem(t *testing.T) {
	file, err := os.ReadFile("testdata/wrappers.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Line   string   `json:"line"`
		Words  []string `json:"words"`
		Script *string  `json:"script"`
	}
	if err := json.Unmarshal(file, &cases); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, c := range cases {
		words := c.Words
		if c.Line != "" {
			if words, err = shell.FixedWords(c.Line); err != nil {
				words = nil
			}
		}
		if c.Script == nil || len(words) > 0 && !shell.IsShell(shell.BaseName(words[0])) {
			continue // the broker reads the shells of Windows as programs with their arguments
		}
		read++
		if len(words) == 0 {
			t.Errorf("%s: not read", c.Line)
			continue
		}
		if run := newRun(words); run.Shell == "" || run.Line != *c.Script {
			t.Errorf("%s%q: %q by %q, want %q", c.Line, c.Words, run.Line, run.Shell, *c.Script)
		}
	}
	if read < 10 {
		t.Errorf("only %d wrappers were read", read)
	}
}
