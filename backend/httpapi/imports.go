package httpapi

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"weft/backend/service"
	"weft/backend/service/imports"
)

// ImportPath takes a file with conversations: its bytes as the body, its name in the query.
const ImportPath = "/api/imports"

// Imports makes spaces of the conversations in the body of a request. It is read as it comes; what is held of it is bounded.
func Imports(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		report, err := s.Imports().File(r.Context(), q.Get("name"), r.Body, q.Get("dryRun") == "true")
		answerWith(w, report, err)
	})
}

// ConversationsPath imports conversations from where other programs keep them, and answers when that is done. It is for `weft import --from`.
const ConversationsPath = "/api/imports/conversations"

// ConversationsRequest says which conversations of programs to import.
type ConversationsRequest struct {
	imports.ConversationsFilter
	DryRun bool `json:"dryRun"`
}

// Conversations imports conversations of programs.
func Conversations(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req ConversationsRequest
		if err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, 1<<20), &req); err != nil {
			refuse(w, http.StatusBadRequest, "invalid", "The request isn't valid JSON.")
			return
		}
		report, err := s.Imports().Conversations(r.Context(), req.ConversationsFilter, req.DryRun)
		answerWith(w, report, err)
	})
}
