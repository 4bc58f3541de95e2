package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// packedFiles has the files of a MapFS uncompressed and, of scripts and styles, compressed.
type packedFiles struct {
	fstest.MapFS
	packed map[string][]byte
}

func (p packedFiles) Compressed(name string) ([]byte, bool) {
	content, ok := p.packed[name]
	return content, ok
}

func TestCompressedFilesAreServedAsTheBrowserAcceptsThem(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("let a = 1;\n", 1000)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files := packedFiles{
		fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}, "assets/a.js": {Data: []byte(text)}, "assets/f.woff2": {Data: []byte("wOF2")}},
		map[string][]byte{"assets/a.js": packed.Bytes()},
	}
	handler := frontend(files)
	for accepted, compressed := range map[string]bool{
		"gzip, deflate": true, "gzip, deflate, br, zstd": true, "br, gzip;q=0.5": true, "GZIP": true,
		"": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false, "identity": false, "*": false, "xgzip": false,
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r := httptest.NewRequestWithContext(t.Context(), method, "/assets/a.js", http.NoBody)
			r.Header.Set("Accept-Encoding", accepted)
			got := httptest.NewRecorder()
			handler.ServeHTTP(got, r)
			want, length := text, len(text)
			if compressed {
				want, length = packed.String(), packed.Len()
			}
			if method == http.MethodHead {
				want = ""
			}
			h := got.Header()
			if got.Code != http.StatusOK || got.Body.String() != want || h.Get("Content-Length") != strconv.Itoa(length) || (h.Get("Content-Encoding") == "gzip") != compressed ||
				h.Get("Content-Type") != "text/javascript; charset=utf-8" || h.Get("Vary") != "Accept-Encoding" || !strings.Contains(h.Get("Cache-Control"), "immutable") {
				t.Errorf("%s, %q: %d, %v", method, accepted, got.Code, h)
			}
		}
	}
	for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/assets/f.woff2": "font/woff2"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		r.Header.Set("Accept-Encoding", "gzip")
		got := httptest.NewRecorder()
		handler.ServeHTTP(got, r)
		if got.Code != http.StatusOK || got.Header().Get("Content-Encoding") != "" || got.Header().Get("Content-Type") != kind {
			t.Errorf("%s: %d, %v", path, got.Code, got.Header())
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/assets/a.js", http.NoBody)
	r.Header.Set("Accept-Encoding", "gzip")
	r.Header.Set("Range", "bytes=4-7")
	got := httptest.NewRecorder()
	handler.ServeHTTP(got, r)
	if got.Code != http.StatusPartialContent || got.Body.String() != text[4:8] || got.Header().Get("Content-Encoding") != "" {
		t.Errorf("a part: %d, %q", got.Code, got.Body)
	}
}
