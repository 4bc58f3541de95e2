//go:build !linux

package window

import "net/http"

// CloseOnExec returns next: only on Linux do programs inherit the pipes of the web view's responses.
func CloseOnExec(next http.Handler) http.Handler { return next }
