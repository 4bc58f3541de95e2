package db

import (
	"errors"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
)

// The codes of an [Error].
const (
	CodeInUse        = "in_use"        // another instance of Weft uses the folder
	CodeLocked       = "locked"        // another program holds the database file
	CodeReadOnly     = "read_only"     // the file or the folder cannot be written
	CodeDiskFull     = "disk_full"     // nothing was stored; the caller can try again when there is space
	CodeDamaged      = "damaged"       // the file is damaged
	CodeNewerVersion = "newer_version" // the file was written by a later version of Weft
	CodeNotFound     = "not_found"
	CodeConflict     = "conflict"
	CodeInvalid      = "invalid"
	CodeClosed       = "closed"
	CodeCancelled    = "cancelled" // the context ended before the request was accepted
	CodeIO           = "io"        // any other error of the disk or SQLite
)

// Error is the type of all errors of the store.
type Error = fault.Error

// CodeOf returns the code of err, or "" if err has none.
func CodeOf(err error) string { return fault.CodeOf(err) }

// Fail returns an error with a code and a sentence.
func Fail(code string, template fault.Template, values ...any) *Error {
	return fault.New(code, template, values...)
}

// Canceled returns the error of a request whose context ended before it was accepted.
func Canceled(cause error) *Error {
	return fault.New(CodeCancelled, "The request was canceled before it started.").Because(cause)
}

// Closed returns the error of a request to a store that is closed.
func Closed() *Error { return Fail(CodeClosed, "Weft is closing.") }

// Wrap gives an error of SQLite or the file system a code and a sentence. An [Error] is returned unchanged. doing
// completes "Couldn't …", for instance "save the message", and may have values.
func Wrap(err error, doing fault.Template, values ...any) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	code, advice := classify(err)
	return fault.New(code, "Couldn't {{doing}}: {{advice}}", fault.Say(doing, values...), advice).Because(err)
}

func classify(err error) (code string, advice fault.Said) {
	var sq *sqlite.Error
	if errors.As(err, &sq) {
		switch sq.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			return CodeDiskFull, fault.Say("the disk is full. Free some space and try again.")
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return CodeLocked, fault.Say("another program is using the database. Close it and try again.")
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
			return CodeReadOnly, fault.Say("the database is read-only. Check the permissions of the data folder.")
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
			return CodeDamaged, fault.Say("the database is damaged. Restart Weft to repair it.")
		case sqlite3.SQLITE_CANTOPEN:
			return CodeIO, fault.Say("the database can't be opened. Check the permissions of the data folder.")
		case sqlite3.SQLITE_CONSTRAINT:
			return CodeConflict, fault.Say("it already exists.")
		}
		return CodeIO, fault.Say("the database reported an error.")
	}
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	if errors.As(err, &syntax) || errors.As(err, &semantic) {
		return CodeDamaged, fault.Say("part of the database is damaged.")
	}
	switch {
	case atomicfile.Full(err):
		return CodeDiskFull, fault.Say("the disk is full. Free some space and try again.")
	case errors.Is(err, syscall.EFBIG):
		return CodeDiskFull, fault.Say("the file has reached the size limit. Raise the limit on file sizes, or move the data folder.")
	case atomicfile.Denied(err):
		return CodeReadOnly, fault.Say("the data folder is read-only. Check its permissions.")
	}
	return CodeIO, fault.Say("the disk reported an error.")
}
