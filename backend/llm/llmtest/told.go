package llmtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/backend/llm"
)

// Told writes deltas down in a line that a test can compare: text(a) call0(id name) input0({}).
func Told(deltas []llm.Delta) string {
	var b strings.Builder
	for _, d := range deltas {
		switch d.Kind {
		case llm.DeltaText:
			fmt.Fprintf(&b, "text(%s) ", d.Text)
		case llm.DeltaThinking:
			fmt.Fprintf(&b, "thinking(%s) ", d.Text)
		case llm.DeltaCallStart:
			fmt.Fprintf(&b, "call%d(%s %s) ", d.Call, d.ID, d.Name)
		case llm.DeltaCallInput:
			fmt.Fprintf(&b, "input%d(%s) ", d.Call, d.Text)
		}
	}
	return strings.TrimSpace(b.String())
}

// Failed checks how a request ended: with an error of that code, or with none if that is "".
func Failed(t testing.TB, err error, code llm.Code, retryable bool) {
	t.Helper()
	if code == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	f, ok := errors.AsType[*llm.Error](err)
	if !ok || f.Code != code || f.Retryable != retryable {
		t.Errorf("%v, want %q, retryable %v", err, code, retryable)
	}
}
