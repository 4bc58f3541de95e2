package llm

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestBoundedReaderEndsWithAnErrorAtItsBound(t *testing.T) {
	for text, want := range map[string]error{"": nil, "abc": nil, "abcd": ErrTooLong, "abcde": ErrTooLong} {
		got, err := io.ReadAll(Bounded(strings.NewReader(text), 4))
		if !errors.Is(err, want) || string(got) != text[:min(len(text), 4)] {
			t.Errorf("%q: %q, %v, want %v", text, got, err, want)
		}
	}
}
