package httpapi

import (
	"net/http"

	"weft/backend/attachment"
	"weft/backend/service"
)

// uploadPath is where a space takes what is attached to a prompt: the bytes as the body, the
// file's name in the query.
const uploadPath = "/api/spaces/{id}/uploads"

// Uploads stores the body of a request as an attachment of a space. The body is never held in
// memory, and is cut off where it is larger than any attachment may be.
func Uploads(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := http.MaxBytesReader(w, r.Body, attachment.MaxTotal+1)
		a, err := s.Attachments().Upload(r.Context(), r.PathValue("id"), r.URL.Query().Get("name"), body)
		answerWith(w, a, err)
	})
}

// Payloads serves blobs and takes uploads and imports, for the window: what is too large for its bindings.
func Payloads(s *service.Service) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST "+uploadPath, Uploads(s))
	mux.Handle("POST "+ImportPath, Imports(s))
	mux.Handle("GET /", Blobs(s))
	return mux
}
