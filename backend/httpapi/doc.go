// Package httpapi is the face of Weft for a browser on this machine: commands as
// POST /api/<Method>, events as Server-Sent Events, blobs, and the same frontend as the
// window (docs/api.md).
//
// Every request must name this server in Host, must not come from a foreign Origin, and but
// for the frontend's own files must carry the token: as a bearer token, or as the cookie that
// POST /api/session gives for it. Refusals are 401 (no token) and 403 (Host, Origin).
package httpapi
