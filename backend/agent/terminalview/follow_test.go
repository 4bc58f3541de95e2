//go:build unix

package terminalview

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/backend/agent/agenttest"
	"weft/backend/agent/terminal"
	"weft/backend/conversation/transcript"
)

// The test binary is also the supervisor.
func TestMain(m *testing.M) {
	agenttest.Main(m, nil)
}

// shown is the content of a terminal's view. Text that replaced earlier text begins after a gap.
type shown struct {
	text    string
	from    int64
	largest int
	calls   int
	result  *transcript.TerminalResult
}

// follow runs a script. Once the terminal has its own call, its folder contains a file called shown.
func follow(t *testing.T, script string) (s shown) {
	t.Helper()
	dir := t.TempDir()
	term, err := terminal.Start(t.Context(), "t1", terminal.Spec{Command: "sh", Args: []string{"-c", script}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = term.Stop(context.Background()) })
	gone := make(chan struct{})
	Follow(term, View{
		Frame: time.Millisecond, Now: func() int64 { return 7 }, Gone: gone,
		Show: func() {
			s.calls++
			if err := os.WriteFile(filepath.Join(dir, "shown"), nil, 0o600); err != nil {
				t.Error(err)
			}
		},
		Output: func(text string, offset int64) {
			if s.result != nil {
				t.Error("it writes after its end")
			}
			if offset == s.from+int64(len(s.text)) {
				s.text += text
			} else {
				s.text, s.from = text, offset
			}
			s.largest = max(s.largest, len(s.text))
		},
		Ended: func(r transcript.TerminalResult) {
			s.result = &r
			close(gone)
		},
	})
	if s.result == nil {
		t.Fatal("its end is not shown")
	}
	return s
}

func TestOutputOfTerminalIsShownWhole(t *testing.T) {
	t.Parallel()
	s := follow(t, `printf 'one\ntwo é\n'; exit 3`)
	if s.text != "one\ntwo é\n" || s.from != 0 || *s.result.Code != 3 || s.result.Kept != "" || s.result.Size != int64(len(s.text)) || s.result.At != 7 {
		t.Errorf("%q, %+v", s.text, s.result)
	}
}

func TestLongOutputOfTerminalIsShownByItsEnd(t *testing.T) {
	t.Parallel()
	const size = 1_000_000
	s := follow(t, `yes 0123456789abcde | head -c 1000000; printf 'the end'`)
	switch {
	case s.result.Size != size+7:
		t.Errorf("%d bytes were written", s.result.Size)
	case s.largest > streamed:
		t.Errorf("%d bytes are shown", s.largest)
	case int64(len(s.result.Kept)) != s.result.Size || !strings.HasSuffix(s.result.Kept, "the end"):
		t.Errorf("%d bytes are kept", len(s.result.Kept))
	}
}

func TestTerminalThatNoCallNamesIsShown(t *testing.T) {
	t.Parallel()
	if s := follow(t, `until test -e shown; do sleep 0.05; done`); s.calls != 1 {
		t.Errorf("it gets %d calls of its own", s.calls)
	}
}
