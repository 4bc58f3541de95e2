// Package transcript holds the words of Weft and the one fold that turns what an
// agent sends into an ordered conversation.
//
// Two halves meet here:
//
//   - [Fold] takes domain updates (a text chunk, a tool call, a plan …) and returns
//     the events they cause. It remembers where it is, never what was said:
//     its work per update does not grow with the length of the message.
//   - [Conversation.Apply] takes events and rebuilds messages. The store, the command line
//     and the TypeScript frontend all do the same with the same events.
//
// The package is pure: no I/O, no clock of its own (time comes in as unix
// milliseconds), no ACP types. Payloads that are too
// large for an event leave the fold as content-addressed [Blob]s next to the events
// that refer to them; whoever persists the events persists the blobs with them.
//
// Nothing here is safe for concurrent use; the owner of a Fold serializes its calls.
package transcript
