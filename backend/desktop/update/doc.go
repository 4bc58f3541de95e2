// Package update finds, checks and installs newer versions of Weft.
//
// A [Source] has an address and a public key, both set when Weft is built. [Source.Fetch] returns a [Manifest] whose
// signature was checked. A [Place] is where this Weft is installed. [Place.Stage] downloads a version and puts it
// beside the one that is installed; nothing of that is touched while Weft runs. [Place.Start], which is called before
// anything else at a start, puts it in place when no other Weft of the same installation runs, and returns to the old
// version when the new one didn't start (decision 0051).
//
// manifest.go and source.go read what is published and check who signed it, check.go remembers what was said before.
// stage.go, download.go and unpack.go put a version beside the installed one; replace.go and disk.go move files and
// move them back; start.go finishes at a start, with the journal in state.go.
package update

import "weft/backend/base/fault"

// The codes of errors of this package.
const (
	codeUnreachable = "update_unreachable"
	codeUnverified  = "update_unverified"
	codeOlder       = "update_older"
	codeDownload    = "download_failed"
	codeChecksum    = "wrong_checksum"
	codeArchive     = "bad_archive"
	codeUnsupported = "unsupported"
	codeBroken      = "update_broken"
)

func fail(code string, err error, template fault.Template, values ...any) error {
	return fault.New(code, template, values...).Because(err)
}
