// Package httpapi is the face of Weft for a browser on this machine: commands as
// POST /api/<Method>, events as Server-Sent Events, blobs, and the same frontend as the
// window (docs/api.md).
//
// Every request must name this server in Host and must not come from another origin. But for the frontend's own files it
// must carry the key as a bearer token, or both the cookie and the secret of the page that POST /api/session gives: the
// cookie alone, which browsers hand to every server of this machine, is worth nothing. Refusals are 401 (no key) and 403
// (Host, Origin), and come before the body is read.
package httpapi
