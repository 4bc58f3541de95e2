package service

import (
	"errors"

	"weft/backend/command"
	"weft/backend/mcp"
	"weft/backend/permission"
	"weft/backend/registry"
	"weft/backend/registry/install"
	"weft/backend/review"
	"weft/backend/runs"
	"weft/backend/settings"
	"weft/backend/worktree"
)

// Error is a refusal of a command itself.
type Error struct {
	Code    string
	Message string
	Detail  string
	Err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// Explain makes of any error of a command a code for programs, a sentence for the person and
// perhaps details (the last lines of an agent's stderr).
func Explain(err error) (code, message, detail string) {
	var own *Error
	if errors.As(err, &own) {
		return own.Code, own.Message, own.Detail
	}
	var unread *command.InvalidRequestError
	if errors.As(err, &unread) {
		return "invalid", unread.Error(), ""
	}
	var refused *settings.RefusedError
	if errors.As(err, &refused) {
		return "settings_broken", refused.Error(), ""
	}
	var unsaved *settings.WriteError
	if errors.As(err, &unsaved) {
		return unsaved.Code, unsaved.Error(), ""
	}
	var problem *settings.Problem
	if errors.As(err, &problem) {
		return "invalid", problem.Message, ""
	}
	var wrong *permission.InvalidError
	if errors.As(err, &wrong) {
		return "invalid", wrong.Message, ""
	}
	var server *mcp.Error
	if errors.As(err, &server) {
		return server.Code, server.Message, server.Detail
	}
	var changes *review.Error
	if errors.As(err, &changes) {
		return changes.Code, changes.Message, ""
	}
	var tree *worktree.Error
	if errors.As(err, &tree) {
		return tree.Code, tree.Message, ""
	}
	var listed *registry.Error
	if errors.As(err, &listed) {
		return listed.Code, listed.Message, ""
	}
	var installing *install.Error
	if errors.As(err, &installing) {
		return installing.Code, installing.Message, installing.Detail
	}
	f := runs.Failure(err)
	return f.Code, f.Message, f.Detail
}

func invalid(message string) error { return &Error{Code: "invalid", Message: message} }
