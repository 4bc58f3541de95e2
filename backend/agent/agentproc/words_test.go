package agentproc

import (
	"fmt"
	"strings"
	"testing"
)

// A program that isn't an agent prints its usage first, and the error last.
func TestNoiseKeepsItsFirstAndItsLastLines(t *testing.T) {
	t.Parallel()
	var n noise
	n.add("Usage: robin [options]")
	n.add("  -h  this")
	if got := n.String(); got != "Usage: robin [options]\n  -h  this\n" {
		t.Errorf("a short one is %q", got)
	}
	for i := range 1000 {
		n.add(fmt.Sprintf("  --option-%d", i))
	}
	n.add("robin: unknown option --acp")
	got := n.String()
	if !strings.HasPrefix(got, "Usage: robin [options]\n") || !strings.HasSuffix(got, "\nrobin: unknown option --acp\n") || !strings.Contains(got, "\n…\n") || len(got) > maxWritten+8 {
		t.Errorf("a long one is %q", got)
	}
	var long noise
	long.add(strings.Repeat("x", 1<<20))
	if got := long.String(); len(got) > maxWritten || !strings.HasSuffix(got, "xx\n") {
		t.Errorf("one line of 1 MB is %d bytes", len(got))
	}
}
