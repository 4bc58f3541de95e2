// Package httpapi serves Weft to a browser on this machine: commands as POST /api/<Method>, events as Server-Sent
// Events, blobs, and the same frontend as in the window (docs/api.md).
//
// Every request must name this server in Host and must not come from another origin. All requests except those for the
// frontend's files must carry the key as a bearer token, or both the cookie and the page's secret from POST
// /api/session. The cookie alone gives no access, because browsers send it to every server on this machine. Refused
// requests get 401 (no key) or 403 (Host, Origin) before the body is read.
package httpapi
