// Package service is what a person can do with Weft: one method per command, the same for
// the window and for a browser. It wires the rooms together and owns their lives.
//
// Commands are safe for concurrent use, may block for a commit or a file, and return errors
// that [Explain] turns into a code and a sentence. Events of spaces and of the app leave through
// [Service.Relay].
package service
