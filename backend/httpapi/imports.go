package httpapi

import (
	"net/http"

	"weft/backend/service"

	"github.com/go-json-experiment/json"
)

// ImportPath takes a file with conversations: its bytes as the body, its name in the query.
const ImportPath = "/api/imports"

// Imports makes spaces of the conversations in the body of a request. It is read as it comes; what is held of it is bounded.
func Imports(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		report, err := s.Imports().File(r.Context(), q.Get("name"), r.Body, q.Get("dryRun") == "true")
		if err != nil {
			refuseWith(w, service.Fault(err))
			return
		}
		result, err := json.Marshal(report)
		if err != nil {
			refuse(w, http.StatusInternalServerError, "internal", "Something went wrong in Weft.")
			return
		}
		answer(w, http.StatusOK, result)
	})
}
