// Package sessionfiles reads the conversations that agents keep in files of their own. Each program has a package below
// this one, which finds its conversations and writes them, message by message, with a [Writer].
//
// The files are only read: never locked, written or created. They are read as streams. What is held of a conversation
// is one entry, and of a tree of entries a few numbers for each. An entry that is too large is replaced by a note.
package sessionfiles

import (
	"context"
	"iter"

	"weft/backend/base/fault"
)

// MaxEntry is the size of the largest entry that is read, in bytes. A larger one becomes a note.
const MaxEntry = 16 << 20

// Env is where programs look for their files.
type Env struct {
	Home   string                   // of the user
	Getenv func(name string) string // of the environment
}

// Source is a conversation of a program, as far as it is known without being read.
type Source struct {
	Program string
	Path    string // of its file; of a conversation in a database with "#" and its id behind it
	Session string // its id, "" where only reading it tells
	Title   string // "" where only reading it tells
	Parent  string // the conversation whose sub-agent had this one, "" for most
	Folder  string // in which it took place, "" where only reading it tells
	Size    int64  // bytes
	Changed int64  // unix ms
}

// Program is a program that keeps conversations.
type Program interface {
	// ID returns the id of the agent in Weft's catalog.
	ID() string
	// Name returns what users call it.
	Name() string
	// Find returns its conversations in no particular order, without reading them. Where a file or folder can't be looked
	// at, the source has its path and there is an error, a sentence.
	Find(ctx context.Context, env Env) iter.Seq2[Source, error]
	// Read writes a conversation. Errors that don't come from w are sentences about the file.
	Read(ctx context.Context, src Source, w *Writer) error
}

// names are what users call the programs.
var names = map[string]string{"claude": "Claude Code", "codex": "Codex", "opencode": "OpenCode", "gemini": "Gemini CLI", "qwen": "Qwen Code"}

// NameOf returns what users call a program, "" for one that isn't known.
func NameOf(program string) string { return names[program] }

// FileError is why a conversation can't be read: a sentence for the user.
type FileError struct {
	Message string
	Err     error
}

// Error implements error.
func (e *FileError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// ErrNotJSON is a [FileError].
var ErrNotJSON = &FileError{Message: fault.Text("The file isn't valid JSON. It may be incomplete.")}

// PartOfSubAgent says that the files of a sub-agent are damaged or gone.
var PartOfSubAgent = fault.Say("Part of a sub-agent's work couldn't be read.")

// Compacted says where a program has put a summary in the place of what was said before.
var Compacted = fault.Say("The conversation was compacted here.")
