package registry

import "weft/backend/fault"

// Codes of [Error].
const (
	CodeUnreachable = "registry_unreachable" // the source did not answer
	CodeUnreadable  = "registry_unreadable"  // what it answered is not a registry
	CodeSource      = "registry_source"      // the source is not one that may be asked
)

// Error is a failure that a user can act on.
type Error = fault.Error
