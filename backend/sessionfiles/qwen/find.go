// Package qwen reads what Qwen keeps of its conversations.
package qwen

import (
	"context"
	"iter"

	"weft/backend/sessionfiles"
)

// Program is Qwen.
type Program struct{}

// ID implements [sessionfiles.Program].
func (Program) ID() string { return "qwen" }

// Name implements [sessionfiles.Program].
func (Program) Name() string { return sessionfiles.NameOf("qwen") }

// Find implements [sessionfiles.Program].
func (Program) Find(ctx context.Context, env sessionfiles.Env) iter.Seq2[sessionfiles.Source, error] {
	return func(yield func(sessionfiles.Source, error) bool) {}
}

// Read implements [sessionfiles.Program].
func (Program) Read(ctx context.Context, src sessionfiles.Source, w *sessionfiles.Writer) error {
	return nil
}
