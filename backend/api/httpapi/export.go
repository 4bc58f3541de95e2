package httpapi

import (
	"net/http"
	"time"

	"weft/backend/api/service/permissions"
)

// exportPermissions streams the history of permissions as a file, because it may be long.
func (s *Server) exportPermissions(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	format := q.Get("format")
	kinds := map[string]string{"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
	if kinds[format] == "" {
		writeError(w, http.StatusBadRequest, "invalid", "The export format must be jsonl or csv.")
		return
	}
	w.Header().Set("Content-Type", kinds[format])
	w.Header().Set("Content-Disposition", `attachment; filename="`+permissions.ExportName(format, time.Now())+`"`)
	w.Header().Set("Cache-Control", "no-store")
	req := permissions.HistoryRequest{Query: q.Get("query"), SpaceID: q.Get("spaceId"), Outcome: q.Get("outcome")}
	if err := s.opt.Service.Rules().ExportHistory(r.Context(), req, format, w); err != nil {
		s.opt.Log.Warn().Err(err).Msg("the history of permissions could not be exported")
		panic(http.ErrAbortHandler) // so that the client doesn't take the file for complete
	}
}
