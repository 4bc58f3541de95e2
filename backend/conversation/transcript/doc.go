// Package transcript defines Weft's conversations, and the fold that turns an agent's
// updates into an ordered conversation.
//
// It has two halves:
//
//   - [Fold] turns updates (a text chunk, a tool call, a plan …) into events. It remembers
//     its position but no text, so its work per update does not grow with the message.
//   - [Conversation.Apply] rebuilds messages from events. The store, the command line
//     and the TypeScript frontend do the same with the same events.
//
// The package is pure: it does no I/O, reads no clock (callers pass unix milliseconds),
// and imports no ACP types. A payload that is too large for an event becomes a
// content-addressed [Blob] next to the event that refers to it; callers must store both
// together.
//
// Nothing here is safe for concurrent use. The owner of a Fold serializes its calls.
//
// event.go has all events, and update.go all updates. fold.go is the fold: segments.go decides what joins what,
// toolcalls.go and call*.go follow calls, requests.go permission requests, terminals.go output; the rules are the table
// in fold_test.go. name.go finds the name of a tool, and passing.go which errors are temporary. prelude.go recognizes
// Weft's own prelude when an agent repeats it.
//
// random_test.go compares folds on random sequences. testdata/kinds.txt is the table of summaries (written by go test
// ./backend/conversation/transcript -run TestSummaries -args -update); servers.json and agents.json there are results
// of published servers and agents.
package transcript
