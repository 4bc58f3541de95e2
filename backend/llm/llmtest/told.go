package llmtest

import (
	"fmt"
	"strings"

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
