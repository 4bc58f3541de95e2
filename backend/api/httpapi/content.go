package httpapi

import (
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"weft/backend/api/service"
)

// Policy is the content security policy of the window and the browser: scripts, styles, fonts and connections only from
// Weft, nothing remote.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Secure adds the headers that keep untrusted text harmless.
func Secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// Blobs serves /blob/{hash}. It never serves an agent's content as something that a browser runs: images keep their
// type, everything else is text or bytes.
func Blobs(s *service.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hash := path.Base(r.URL.Path)
		content, ref, err := s.Store().Blobs.Open(r.Context(), hash)
		if err != nil {
			writeFault(w, service.Fault(err))
			return
		}
		w.Header().Set("Content-Type", safeMediaType(ref.Mime))
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
		w.Header().Set("ETag", `"`+ref.Hash+`"`)
		http.ServeContent(w, r, "", zeroTime, content)
	})
}

// safeMediaType returns a media type that no browser executes.
func safeMediaType(mime string) string {
	kind, _, _ := strings.Cut(strings.ToLower(mime), ";")
	switch strings.TrimSpace(kind) {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp",
		"audio/mpeg", "audio/wav", "audio/ogg", "audio/webm", "application/json":
		return kind
	case "application/octet-stream":
		return kind
	}
	return "text/plain; charset=utf-8"
}

// frontend serves the built frontend. A path that isn't a file serves the app itself.
func frontend(files fs.FS) http.Handler {
	serve := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "Only GET and HEAD are supported here.", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if name == "" {
			name = "index.html"
		}
		if _, err := fs.Stat(files, name); err != nil {
			if path.Ext(name) != "" {
				http.NotFound(w, r)
				return
			}
			name = "index.html"
		}
		if name == "index.html" {
			page, err := fs.ReadFile(files, name)
			if err != nil {
				http.Error(w, "The frontend wasn't built into this binary. Build it with make build.", http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Cache-Control", "no-cache")
			_, _ = w.Write(page)
			return
		}
		if strings.HasPrefix(name, "assets/") {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		if stored, ok := files.(Compressed); ok && serveCompressed(w, r, stored, name) {
			return
		}
		serve.ServeHTTP(w, r)
	})
}

// Compressed is a frontend whose files are stored with gzip. Open decompresses them.
type Compressed interface {
	Compressed(name string) (content []byte, ok bool)
}

// serveCompressed serves a file in its compressed form. It returns false if the file isn't compressed or the browser
// doesn't accept gzip.
func serveCompressed(w http.ResponseWriter, r *http.Request, files Compressed, name string) bool {
	content, ok := files.Compressed(name)
	if !ok {
		return false
	}
	w.Header().Add("Vary", "Accept-Encoding")
	switch path.Ext(name) { // not package mime, which reads the system's settings
	case ".js":
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	case ".css":
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
	default:
		return false
	}
	if r.Header.Get("Range") != "" || !acceptsGzip(r.Header) {
		return false
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(content)
	}
	return true
}

// acceptsGzip reports whether a request names gzip in Accept-Encoding with a quality other than zero.
func acceptsGzip(header http.Header) bool {
	for _, line := range header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(line, ",") {
			name, quality, _ := strings.Cut(coding, ";")
			_, q, _ := strings.Cut(quality, "=")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				return quality == "" || strings.Trim(q, "0. ") != ""
			}
		}
	}
	return false
}
