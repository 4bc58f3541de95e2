package httpapi

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"weft/backend/api/service"
	"weft/backend/api/service/interchange"
)

// ImportPath imports a file with conversations: the content is the body, the name is in the query.
const ImportPath = "/api/imports"

// Imports creates spaces from the conversations in a request's body. It streams the body with bounded memory.
func Imports(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		report, err := s.Imports().File(r.Context(), q.Get("name"), r.Body, q.Get("dryRun") == "true")
		writeResult(w, report, err)
	})
}

// ConversationsPath imports conversations from other programs' files, and responds when that is done. `weft import
// --from` uses it.
const ConversationsPath = "/api/imports/conversations"

// ConversationsRequest selects the conversations to import.
type ConversationsRequest struct {
	interchange.ConversationsFilter
	DryRun bool `json:"dryRun"`
}

// Conversations imports conversations from other programs.
func Conversations(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req ConversationsRequest
		if err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, 1<<20), &req); err != nil {
			writeError(w, http.StatusBadRequest, "invalid", "The request isn't valid JSON.")
			return
		}
		report, err := s.Imports().Conversations(r.Context(), req.ConversationsFilter, req.DryRun)
		writeResult(w, report, err)
	})
}
