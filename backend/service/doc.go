// Package service is what a user can do with Weft, the same for the window and for a browser. Each subject has a package below this one,
// with its commands; this package makes the subjects, connects them, lists their commands and closes them (decision 0035).
//
// Commands are safe for concurrent use, may block for a commit or a file, and return errors that [Explain] turns into a code and a sentence.
// Times are unix milliseconds, and lists are never null. Events of spaces and of the app leave through [Service.Relay].
package service
