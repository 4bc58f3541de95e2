package httpapi

import (
	"net/http"

	"weft/backend/api/service"
	"weft/backend/files/attachment"
)

// uploadPath receives an attachment of a space: the content is the body, the name is in the query.
const uploadPath = "/api/spaces/{id}/uploads"

// Uploads stores the body of a request as an attachment of a space. It streams the body, and stops at the maximum size
// of an attachment.
func Uploads(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := http.MaxBytesReader(w, r.Body, attachment.MaxTotal+1)
		a, err := s.Attachments().Upload(r.Context(), r.PathValue("id"), r.URL.Query().Get("name"), body)
		writeResult(w, a, err)
	})
}

// Payloads serves blobs, uploads and imports for the window, because they are too large for its bindings.
func Payloads(s *service.Service) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST "+uploadPath, Uploads(s))
	mux.Handle("POST "+ImportPath, Imports(s))
	mux.Handle("GET /", Blobs(s))
	return mux
}
