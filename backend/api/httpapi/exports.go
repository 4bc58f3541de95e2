package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"weft/backend/api/service"
	"weft/backend/api/service/interchange"
	"weft/backend/base/command"
	"weft/backend/base/fault"
)

// ExportPath exports a space as a file. ExportListPath lists the spaces for weft export.
const (
	ExportPath     = "/api/spaces/{id}/export"
	ExportsPath    = "/api/exports"
	ExportListPath = "/api/exports/spaces"
)

// ExportTrailer is the trailer with the result of an export.
const ExportTrailer = "X-Weft-Result"

// Export streams a space as a file. The query has the format, and may have from, to, branches and thoughts.
func Export(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		req := interchange.ExportRequest{Format: q.Get("format"), SpaceID: r.PathValue("id"), From: q.Get("from"), To: q.Get("to"), Thoughts: true}
		for name, to := range map[string]*bool{"branches": &req.Branches, "thoughts": &req.Thoughts} {
			if text := q.Get(name); text != "" {
				value, err := strconv.ParseBool(text)
				if err != nil {
					writeError(w, http.StatusBadRequest, fault.Invalid, "“{{name}}” must be true or false.", name)
					return
				}
				*to = value
			}
		}
		export(s, w, r, req)
	})
}

// ExportMany streams the export that the request's body selects, as the commands do.
func ExportMany(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequest))
		if err != nil {
			writeError(w, http.StatusRequestEntityTooLarge, "too_large", "The request is larger than 16 MB.")
			return
		}
		var req interchange.ExportRequest
		if err := json.Unmarshal(body, &req, command.Wire); err != nil {
			writeError(w, http.StatusBadRequest, fault.Invalid, "The request must be a JSON object. See docs/api.md.")
			return
		}
		export(s, w, r, req)
	})
}

func export(s *service.Service, w http.ResponseWriter, r *http.Request, req interchange.ExportRequest) {
	p, err := s.Exports().Prepare(r.Context(), req, func(hidden int64) {
		w.Header().Set("X-Weft-Secrets-Hidden", strconv.FormatInt(hidden, 10))
	}, nil)
	if err != nil {
		writeFault(w, service.Fault(err))
		return
	}
	h := w.Header()
	h.Set("Content-Disposition", disposition(p.Name))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "no-store")
	h.Set("Trailer", ExportTrailer)
	h.Set("X-Weft-Secrets-Unread", strconv.Itoa(p.Unread))
	h.Set("Content-Type", fileType(req.Format))
	out := &slowWriter{w: w, control: http.NewResponseController(w)}
	result, err := p.Write(r.Context(), out)
	_ = out.control.SetWriteDeadline(time.Time{}) // for the next request on the connection
	if err != nil && !out.wrote {
		for _, name := range []string{"Content-Disposition", "Trailer", "X-Weft-Secrets-Hidden"} {
			h.Del(name)
		}
		writeFault(w, service.Fault(err))
		return
	}
	if err != nil {
		panic(http.ErrAbortHandler) // so that the client doesn't take the file for complete
	}
	if raw, err := json.Marshal(result, command.Wire); err == nil {
		h.Set(ExportTrailer, string(raw))
	}
}

func fileType(format string) string {
	switch format {
	case "md":
		return "text/markdown; charset=utf-8"
	case "html":
		return "text/html; charset=utf-8"
	case "json":
		return "application/json"
	}
	return "application/x-ndjson"
}

// disposition returns the Content-Disposition for a file name, which need not be ASCII.
func disposition(name string) string {
	simple := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	if simple == name {
		return `attachment; filename="` + name + `"`
	}
	if both := mime.FormatMediaType("attachment", map[string]string{"filename": name}); both != "" {
		return `attachment; filename="` + simple + `"; ` + strings.TrimPrefix(both, "attachment; ")
	}
	return `attachment; filename="` + simple + `"`
}

// slowWriter extends the write deadline before each part.
type slowWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	wrote   bool
}

func (s *slowWriter) Write(b []byte) (int, error) {
	s.wrote = true
	if err := s.control.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return s.w.Write(b)
}

// ExportList lists the spaces that can be exported.
func ExportList(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list, err := s.Exports().List(r.Context())
		writeResult(w, list, err, command.Wire)
	})
}

// DownloadName returns the file name in a Content-Disposition header, without a folder.
func DownloadName(h http.Header) string {
	_, params, err := mime.ParseMediaType(h.Get("Content-Disposition"))
	if name := params["filename"]; err == nil && name != "" && !strings.ContainsAny(name, `/\`) {
		return name
	}
	return "conversation"
}
