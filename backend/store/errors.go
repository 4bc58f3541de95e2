package store

import "weft/backend/store/db"

// Error is the type of all errors of the store.
type Error = db.Error

// The codes of an [Error] that callers distinguish. Package db lists them all.
const (
	CodeInUse        = db.CodeInUse
	CodeDiskFull     = db.CodeDiskFull
	CodeDamaged      = db.CodeDamaged
	CodeNewerVersion = db.CodeNewerVersion
	CodeNotFound     = db.CodeNotFound
	CodeInvalid      = db.CodeInvalid
	CodeClosed       = db.CodeClosed
)

// ErrInUse matches, with errors.Is, the error for a folder that another Weft process uses.
var ErrInUse error = &Error{Code: CodeInUse}

// CodeOf returns the code of err, or "" if err is not from the store.
func CodeOf(err error) string { return db.CodeOf(err) }
