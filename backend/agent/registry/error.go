package registry

import "weft/backend/base/fault"

// Codes of [Error].
const (
	CodeUnreachable = "registry_unreachable" // the source did not respond
	CodeUnreadable  = "registry_unreadable"  // the response is not a registry
	CodeSource      = "registry_source"      // the source is not allowed
)

// Error is a failure that a user can act on.
type Error = fault.Error
