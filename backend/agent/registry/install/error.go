package install

import (
	"context"
	"errors"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
)

// Codes of [Error].
const (
	CodeCancelled   = "cancelled"
	CodeDownload    = "download_failed" // the archive could not be downloaded
	CodeChecksum    = "wrong_checksum"
	CodeArchive     = "bad_archive"     // it can't or must not be unpacked
	CodeTool        = "tool_missing"    // npm or uv is not on this machine
	CodePackage     = "package_failed"  // npm or uv did not install it
	CodeNoProgram   = "program_missing" // the installed package lacks its program
	CodeUnsupported = "unsupported"
	CodeDisk        = "disk" // full or not writable
	CodeBusy        = "busy" // the same agent is being installed

	// What the user must confirm first; see [Question].
	CodeUnverified = "unverified_download" // the registry has no checksum
	CodeScripts    = "install_scripts"     // npm packages want to run scripts
	CodeBuild      = "source_build"        // Python packages must be built from source
)

// Error is a failure that a user can act on.
type Error = fault.Error

// explain turns err into an *Error, taking the end of ctx into account.
func explain(ctx context.Context, err error) error {
	var own *Error
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), context.Canceled):
		return fault.New(CodeCancelled, "The installation was canceled. Nothing was installed.").Because(err)
	case errors.As(err, &own):
		return err
	}
	return storage(err)
}

// storage returns the *Error for a file system error.
func storage(err error) error {
	message := fault.Say("Couldn't write to Weft's folder.")
	switch {
	case atomicfile.Full(err):
		message = fault.Say("The disk is full. Free some space and try again. Nothing was installed.")
	case atomicfile.Denied(err):
		message = fault.Say("Couldn't write to Weft's own folder. Check the permissions of the data folder.")
	}
	return fault.Saying(CodeDisk, message).With(err.Error()).Because(err)
}
