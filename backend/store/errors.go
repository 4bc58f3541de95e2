package store

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"weft/backend/atomicfile"
)

// The codes of an [Error].
const (
	CodeInUse        = "in_use"        // another instance of Weft has the folder
	CodeLocked       = "locked"        // another program holds the database file
	CodeReadOnly     = "read_only"     // the file or the folder cannot be written
	CodeDiskFull     = "disk_full"     // nothing was stored; try again when there is space
	CodeDamaged      = "damaged"       // the file does not hold together
	CodeNewerVersion = "newer_version" // written by a later version of Weft
	CodeNotFound     = "not_found"
	CodeConflict     = "conflict"
	CodeInvalid      = "invalid"
	CodeClosed       = "closed"
	CodeCancelled    = "cancelled"
	CodeIO           = "io" // anything else that the disk or SQLite refuses
)

// Error is what every function of the store fails with.
type Error struct {
	Code    string
	Message string // a sentence that a person can act on
	Err     error  // the cause, may be nil
}

// Error implements error with the sentence and its cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + " (" + e.Err.Error() + ")"
}

// Unwrap gives errors.Is and errors.As the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is compare codes: errors.Is(err, &Error{Code: CodeNotFound}).
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Message == "" && t.Err == nil
}

// ErrInUse matches, through errors.Is, the error of a folder that another instance uses.
var ErrInUse error = &Error{Code: CodeInUse}

// CodeOf answers the code of err, or "" if it is not from the store.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func fail(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// wrap gives an error of SQLite or the file system its code and sentence. doing says
// what was tried, e.g. "store what the agent sent".
func wrap(err error, doing string) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	code, advice := classify(err)
	return &Error{Code: code, Message: "Could not " + doing + ": " + advice, Err: err}
}

func classify(err error) (code, advice string) {
	var sq *sqlite.Error
	if errors.As(err, &sq) {
		switch sq.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			return CodeDiskFull, "the disk is full. Free some space and try again."
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return CodeLocked, "another program holds the database. Close it and try again."
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
			return CodeReadOnly, "the database cannot be written. Check the permissions of the data folder."
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
			return CodeDamaged, "the database is damaged. Restart Weft to repair it."
		case sqlite3.SQLITE_CANTOPEN:
			return CodeIO, "the database cannot be opened. Check the permissions of the data folder."
		case sqlite3.SQLITE_CONSTRAINT:
			return CodeConflict, "it is there already."
		}
		return CodeIO, "the database reported a problem."
	}
	var bad *jsontext.SyntacticError
	var odd *json.SemanticError
	if errors.As(err, &bad) || errors.As(err, &odd) {
		return CodeDamaged, "a part of the database is damaged."
	}
	switch {
	case atomicfile.Full(err):
		return CodeDiskFull, "the disk is full. Free some space and try again."
	case errors.Is(err, syscall.EFBIG):
		return CodeDiskFull, "a file may not grow any further here. Raise the limit on the size of files, or move the data folder."
	case atomicfile.Denied(err):
		return CodeReadOnly, "the data folder cannot be written. Check its permissions."
	}
	return CodeIO, "the disk reported a problem."
}
