package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"weft/backend/base/httpguard"
)

const (
	path     = "/mcp"
	maxBody  = 4 << 20 // bytes
	bodyTime = 30 * time.Second
)

// ServeHTTP passes a request on to the session of its token. It refuses requests from web pages, for other host names,
// and without a valid token.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch {
	case !e.hosts[r.Host]: // DNS rebinding: a foreign name that resolves to this machine
		httpguard.TurnAway(w)
		refuse(w, http.StatusForbidden, "The gateway of Weft answers only to its own address on this machine.")
		return
	case httpguard.Foreign(r, "http://"+r.Host):
		httpguard.TurnAway(w)
		refuse(w, http.StatusForbidden, "Web pages can't use the gateway of Weft.")
		return
	case r.URL.Path != path:
		httpguard.TurnAway(w)
		refuse(w, http.StatusNotFound, "Not found. The gateway of Weft is at "+path+".")
		return
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		httpguard.TurnAway(w)
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, "The gateway of Weft needs the token of a session: Authorization: Bearer TOKEN. Weft hands it to an agent with each session.")
		return
	}
	s := e.find(strings.TrimSpace(token))
	if s == nil {
		httpguard.TurnAway(w)
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, "This token is invalid, or its session has ended.")
		return
	}
	e.guard.Admit(w, r, bodyTime)
	if r.Method == http.MethodPost && !receive(w, r) {
		return
	}
	s.serve(w, r)
}

// receive reads and checks the body. If it is invalid, receive answers the request and returns false.
func receive(w http.ResponseWriter, r *http.Request) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		refuse(w, http.StatusRequestEntityTooLarge, "The message is longer than 4 MB, the limit of Weft's gateway.")
		return false
	case err != nil:
		refuse(w, http.StatusBadRequest, "The message is incomplete.")
		return false
	case !json.Valid(body):
		refuse(w, http.StatusBadRequest, "The message isn't JSON.")
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return true
}

// refuse answers with a JSON-RPC error, whose message MCP clients show.
func refuse(w http.ResponseWriter, status int, message string) {
	code := -32600 // invalid request
	if status == http.StatusBadRequest {
		code = -32700 // parse error
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": message}})
	if err != nil {
		text = nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
