//go:build linux

package systemtest

import (
	"testing"

	"weft/backend/base/lazyregexp"
)

// TestExpressionsCompile compiles the regular expressions of all of Weft, which the program does only once it needs them.
func TestExpressionsCompile(t *testing.T) {
	t.Parallel()
	if n, err := lazyregexp.Check(); err != nil || n < 100 {
		t.Errorf("%d expressions, %v", n, err)
	}
}
