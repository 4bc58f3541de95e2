// Package service implements the commands of Weft, for the window and for browsers. Each subject has a package below
// this one with its commands. This package creates, connects and closes the subjects, and lists their commands
// (decision 0035).
//
// Commands are safe for concurrent use and may block for a commit or a file. [Explain] turns their errors into a code
// and a sentence. Times are unix milliseconds, and lists are never null. [Service.Relay] publishes the events of spaces
// and of the app.
package service
