package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/api/service"
	"weft/backend/api/service/conversation"
	"weft/backend/conversation/transcript"
	"weft/backend/store/events"
	"weft/backend/store/spaces"
)

// house is a server with its service and data folder.
type house struct {
	*Server
	s    *service.Service
	base string
	stop func() error // stops the server, like SIGTERM; the end of the test calls it, too
}

func serve(t *testing.T) *house {
	t.Helper()
	t.Setenv("SHELL", "/bin/false") // so that no start-up files run
	dir := t.TempDir()
	s, err := service.Open(t.Context(), service.Options{DataDir: filepath.Join(dir, "data"), SettingsPath: filepath.Join(dir, "settings.json"), Mode: "serve", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"index.html": {Data: []byte("<!doctype html>the app")}, "assets/app.js": {Data: []byte("1")}}
	h := &house{Server: New(Options{Service: s, Frontend: files, Log: zerolog.Nop()}), s: s, base: "http://" + l.Addr().String()}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Serve(ctx, l) }()
	h.stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() {
		if err := h.stop(); err != nil {
			t.Error(err)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// reply is a response with its complete body.
type reply struct {
	*http.Response
	what string
	body []byte
}

// request returns a request with the key. headers are pairs of names and values; an empty value removes the header.
func (h *house) request(t *testing.T, method, path string, body io.Reader, headers ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, h.base+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.Key())
	for i := 0; i < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			r.Host = headers[i+1]
		case headers[i+1] == "":
			r.Header.Del(headers[i])
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return r
}

func (h *house) ask(t *testing.T, method, path string, body io.Reader, headers ...string) reply {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(h.request(t, method, path, body, headers...))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res, method + " " + path, got}
}

// refused checks a status and that the body is a code with a sentence.
func refused(t *testing.T, res reply, status int, code string) {
	t.Helper()
	var e struct{ Code, Message string }
	if err := json.Unmarshal(res.body, &e); err != nil || res.StatusCode != status || e.Code != code || !strings.HasSuffix(e.Message, ".") {
		t.Errorf("%s: %s %s %v, want %d %s with a sentence", res.what, res.Status, res.body, err, status, code)
	}
}

func TestServerRefusesUnauthorizedRequests(t *testing.T) {
	h := serve(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(h.base, "http://"))
	for _, c := range []struct {
		name    string
		headers []string
		status  int
		code    string
	}{
		{"no token", []string{"Authorization", ""}, 401, "unauthorized"},
		{"a wrong token", []string{"Authorization", "Bearer wrong"}, 401, "unauthorized"},
		{"an empty token", []string{"Authorization", "Bearer "}, 401, "unauthorized"},
		{"the token of the link", []string{"Authorization", "Bearer " + h.link}, 401, "unauthorized"},
		{"basic", []string{"Authorization", "Basic " + h.Key()}, 401, "unauthorized"},
		{"a cookie of another port", []string{"Authorization", "", "Cookie", "weft_1=" + h.cookie, pageHeader, h.page}, 401, "unauthorized"},
		{"the key as a cookie", []string{"Authorization", "", "Cookie", "weft_" + port + "=" + h.Key(), pageHeader, h.page}, 401, "unauthorized"},
		{"a cookie alone", []string{"Authorization", "", "Cookie", "weft_" + port + "=" + h.cookie}, 401, "unauthorized"},
		{"the secret of the page alone", []string{"Authorization", "", pageHeader, h.page}, 401, "unauthorized"},
		{"the secret of the page as the key", []string{"Authorization", "Bearer " + h.page}, 401, "unauthorized"},
		{"a foreign host", []string{"Host", "evil.example:" + port}, 403, "foreign_host"},
		{"another port", []string{"Host", "127.0.0.1:1"}, 403, "foreign_host"},
		{"no port", []string{"Host", "127.0.0.1"}, 403, "foreign_host"},
		{"a name that resolves to here", []string{"Host", "127.0.0.1.nip.io:" + port}, 403, "foreign_host"},
		{"a foreign origin", []string{"Origin", "https://evil.example"}, 403, "foreign_origin"},
		{"an origin that only begins like ours", []string{"Origin", h.base + ".evil.example"}, 403, "foreign_origin"},
		{"another port's origin", []string{"Origin", "http://127.0.0.1:1"}, 403, "foreign_origin"},
		{"no origin to name", []string{"Origin", "null"}, 403, "foreign_origin"},
		{"a foreign site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"}, 403, "foreign_origin"},
		{"another server of this machine", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"}, 403, "foreign_origin"},
		{"a link of a foreign site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 403, "foreign_origin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			refused(t, h.ask(t, "POST", "/api/ListSpaces", nil, c.headers...), c.status, c.code)
			refused(t, h.ask(t, "GET", "/api/events", nil, c.headers...), c.status, c.code)
			refused(t, h.ask(t, "GET", "/api/spaces/x/events", nil, c.headers...), c.status, c.code)
			refused(t, h.ask(t, "GET", "/blob/"+strings.Repeat("0", 64), nil, c.headers...), c.status, c.code)
		})
	}
	for name, headers := range map[string][]string{
		"the key": nil, "our own origin": {"Origin", h.base},
		"localhost":          {"Host", "localhost:" + port, "Origin", "http://localhost:" + port},
		"a page":             {"Authorization", "", "Cookie", "weft_" + port + "=" + h.cookie, pageHeader, h.page},
		"a same-site script": {"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"},
	} {
		if res := h.ask(t, "POST", "/api/ListSpaces", nil, headers...); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	if res := h.ask(t, "GET", "/api/health", nil, "Authorization", ""); res.StatusCode != http.StatusOK {
		t.Errorf("health: %s", res.Status)
	}
}

func TestTheLinkWorksOnce(t *testing.T) {
	h := serve(t)
	_, token, ok := strings.Cut(h.Link(h.base), "#token=")
	if !ok {
		t.Fatal(h.Link(h.base))
	}
	session := func(token string) reply {
		body, _ := json.Marshal(map[string]string{"token": token})
		return h.ask(t, "POST", "/api/session", bytes.NewReader(body), "Authorization", "")
	}
	refused(t, session("guess"), 401, "unauthorized")
	refused(t, session(""), 401, "unauthorized")
	res := session(token)
	if res.StatusCode != http.StatusOK || len(res.Cookies()) != 1 {
		t.Fatalf("%s %v", res.Status, res.Cookies())
	}
	c := res.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Domain != "" {
		t.Errorf("the cookie is %s", c)
	}
	refused(t, session(token), 401, "unauthorized")
	var got struct{ Page string }
	if err := json.Unmarshal(res.body, &got); err != nil {
		t.Fatal(err)
	}
	if res := h.ask(t, "POST", "/api/ListSpaces", nil, "Authorization", "", "Cookie", c.Name+"="+c.Value, pageHeader, got.Page); res.StatusCode != http.StatusOK {
		t.Errorf("the cookie and the secret of the page are not taken: %s", res.Status)
	}
	refused(t, h.ask(t, "POST", "/api/session", strings.NewReader("{"), "Authorization", ""), 400, "invalid")
	refused(t, h.ask(t, "POST", "/api/session", strings.NewReader(`{"token":"`+strings.Repeat("x", 8<<10)+`"}`), "Authorization", ""), 400, "invalid")
}

func TestInvalidRequestsReturnErrorCodes(t *testing.T) {
	h := serve(t)
	for _, c := range []struct {
		method, path string
		body         string
		status       int
		code         string
	}{
		{"POST", "/api/NoSuchCommand", "{}", 404, "not_found"},
		{"POST", "/api/Close", "", 404, "not_found"},
		{"GET", "/api/ListSpaces", "", 404, "not_found"},
		{"POST", "/api/spaces/x/events", "", 404, "not_found"},
		{"GET", "/api/", "", 404, "not_found"},
		{"POST", "/api/OpenSpace", "{", 400, "invalid"},
		{"POST", "/api/OpenSpace", `{"spaceId":7}`, 400, "invalid"},
		{"POST", "/api/OpenSpace", `{"spaceId":"nobody"}`, 404, "not_found"},
		{"POST", "/api/OpenSpace", "", 404, "not_found"},
		{"POST", "/api/SendPrompt", `{"spaceId":"nobody","text":"x"}`, 404, "not_found"},
		{"POST", "/api/SendPrompt", `{"text":"` + strings.Repeat("x", 9<<20) + `"}`, 400, "invalid"},
		{"POST", "/api/SendPrompt", strings.Repeat("x", MaxRequest+1), 413, "too_large"},
		{"GET", "/api/spaces/nobody/events", "", 404, "not_found"},
		{"GET", "/api/spaces/nobody/events?epoch=x&since=1", "", 400, "invalid"},
		{"GET", "/blob/nonsense", "", 404, "not_found"},
		{"GET", "/blob/" + strings.Repeat("0", 64), "", 404, "not_found"},
		{"GET", "/blob/..%2f..%2fweft.db", "", 404, "not_found"},
	} {
		refused(t, h.ask(t, c.method, c.path, strings.NewReader(c.body)), c.status, c.code)
	}
	if res := h.ask(t, "DELETE", "/", nil); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("DELETE /: %s", res.Status)
	}
	if res := h.ask(t, "GET", "/", nil, "Authorization", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"); res.StatusCode != http.StatusOK {
		t.Errorf("a link to the page: %s", res.Status)
	}
	for path, want := range map[string]int{"/": 200, "/spaces/x": 200, "/assets/app.js": 200, "/assets/none.js": 404} {
		if res := h.ask(t, "GET", path, nil, "Authorization", ""); res.StatusCode != want {
			t.Errorf("%s: %s, want %d", path, res.Status, want)
		}
	}
	if got := h.ask(t, "GET", "/", nil).Header.Get("Content-Security-Policy"); got != Policy {
		t.Errorf("the policy is %q", got)
	}
}

func TestBlobsAreHarmless(t *testing.T) {
	h := serve(t)
	sp, err := h.s.Store().Spaces.Create(t.Context(), spaces.Space{Folder: "/", AgentID: "guide"})
	if err != nil {
		t.Fatal(err)
	}
	for mime, want := range map[string]string{
		"image/png":                "image/png",
		"IMAGE/PNG; x=y":           "image/png",
		"image/svg+xml":            "text/plain; charset=utf-8",
		"text/html":                "text/plain; charset=utf-8",
		"text/html; charset=utf-7": "text/plain; charset=utf-8",
		"application/xhtml+xml":    "text/plain; charset=utf-8",
		"text/javascript":          "text/plain; charset=utf-8",
		"application/pdf":          "text/plain; charset=utf-8",
		"":                         "text/plain; charset=utf-8",
		"a\r\nSet-Cookie: x":       "text/plain; charset=utf-8",
		"application/json":         "application/json",
		"application/octet-stream": "application/octet-stream",
	} {
		data := []byte("<script>alert(1)</script>" + mime)
		sum := sha256.Sum256(data)
		ref := transcript.Ref{Hash: hex.EncodeToString(sum[:]), Size: int64(len(data)), Mime: mime}
		if _, err := h.s.Store().Events.Append(t.Context(), events.Append{SpaceID: sp.ID, Blobs: []transcript.Blob{{Ref: ref, Data: data}}}); err != nil {
			t.Fatal(err)
		}
		res := h.ask(t, "GET", "/blob/"+ref.Hash, nil)
		if !bytes.Equal(res.body, data) {
			t.Errorf("%q: the body is %q", mime, res.body)
		}
		if got := res.Header.Get("Content-Type"); got != want {
			t.Errorf("%q is served as %q, want %q", mime, got, want)
		}
		if p := res.Header.Get("Content-Security-Policy"); !strings.Contains(p, "sandbox") || res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("Set-Cookie") != "" {
			t.Errorf("%q: the headers are %v", mime, res.Header)
		}
		part := h.ask(t, "GET", "/blob/"+ref.Hash, nil, "Range", "bytes=1-6")
		if string(part.body) != "script" || part.StatusCode != http.StatusPartialContent {
			t.Errorf("%q: a part is %q, %s", mime, part.body, part.Status)
		}
	}
}

func TestUploads(t *testing.T) {
	h := serve(t)
	sp, err := h.s.Store().Spaces.Create(t.Context(), spaces.Space{Folder: t.TempDir(), AgentID: "guide"})
	if err != nil {
		t.Fatal(err)
	}
	at := "/api/spaces/" + sp.ID + "/uploads?name=a.txt"
	res := h.ask(t, "POST", at, strings.NewReader("hello\n"))
	var a conversation.Attachment
	if err := json.Unmarshal(res.body, &a); err != nil || res.StatusCode != http.StatusOK || a.Size != 6 || a.Kind != "text" {
		t.Fatalf("%s %s %v", res.Status, res.body, err)
	}
	if again := h.ask(t, "POST", at, strings.NewReader("hello\n")); !bytes.Equal(again.body, res.body) {
		t.Errorf("the same once more: %s", again.body)
	}
	if blob := h.ask(t, "GET", "/blob/"+a.Hash, nil); string(blob.body) != "hello\n" {
		t.Errorf("stored: %q", blob.body)
	}
	for path, want := range map[string]int{"/api/spaces/none/uploads?name=a": http.StatusNotFound, "/api/spaces/" + sp.ID + "/uploads?name=a.png": http.StatusBadRequest} {
		if res := h.ask(t, "POST", path, strings.NewReader("x")); res.StatusCode != want || !bytes.Contains(res.body, []byte(`"message":"`)) {
			t.Errorf("%s: %s %s, want %d", path, res.Status, res.body, want)
		}
	}
	if res := h.ask(t, "POST", at, strings.NewReader("x"), "Authorization", ""); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a key: %s", res.Status)
	}
	// The next start deletes attachments that no draft uses anymore.
	if err := h.s.Store().Blobs.DropUploads(t.Context(), func(string, string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if blob := h.ask(t, "GET", "/blob/"+a.Hash, nil); blob.StatusCode != http.StatusOK {
		t.Errorf("what waits is dropped: %s", blob.Status)
	}
	if err := h.s.Store().Blobs.DropUploads(t.Context(), func(string, string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if blob := h.ask(t, "GET", "/blob/"+a.Hash, nil); blob.StatusCode != http.StatusNotFound {
		t.Errorf("what nobody wants is kept: %s", blob.Status)
	}
}

// TestTheServerEndsWithOpenStreams stops a server to which browsers are connected.
func TestTheServerEndsWithOpenStreams(t *testing.T) {
	h := serve(t)
	res, err := http.DefaultTransport.RoundTrip(h.request(t, "GET", "/api/events", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("events are %q", got)
	}
	began := time.Now()
	if err := h.stop(); err != nil {
		t.Error(err)
	}
	if d := time.Since(began); d > 2500*time.Millisecond { // the grace period for hanging requests is 3 s
		t.Errorf("it took %s", d)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Errorf("the stream was cut off: %v", err)
	}
}

// TestAppEventsBeatWhileNothingHappens reads the stream that tells a page that Weft responds.
func TestAppEventsBeatWhileNothingHappens(t *testing.T) {
	h := serve(t)
	res, err := http.DefaultTransport.RoundTrip(h.request(t, "GET", "/api/events", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	began, beats := time.Now(), 0
	for lines := bufio.NewScanner(res.Body); beats < 2 && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), ": still here") {
			beats++
		}
	}
	if d := time.Since(began); beats < 2 || d > 10*time.Second { // a page gives up after 3 s; the machine may be busy
		t.Errorf("%d beats in %s", beats, d)
	}
	if err := h.stop(); err != nil {
		t.Error(err)
	}
}

func TestExports(t *testing.T) {
	h := serve(t)
	sp, err := h.s.Store().Spaces.Create(t.Context(), spaces.Space{Title: "Pêches & “pears”", AgentID: "guide", AgentName: "Guide"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.s.Store().Events.Append(t.Context(), events.Append{SpaceID: sp.ID, At: 1, Bodies: []transcript.Body{
		&transcript.MessageStart{MessageID: "m", Role: transcript.RoleAgent, Author: transcript.Author{Kind: "agent"}},
		&transcript.ReasoningDelta{At: transcript.At{MessageID: "m"}, Content: "<script>cold helps"},
		&transcript.TextDelta{MessageID: "m", Segment: 1, Content: "<script>alert(1)</script>"},
		&transcript.MessageEnd{MessageID: "m"},
	}}); err != nil {
		t.Fatal(err)
	}
	address := "/api/spaces/" + sp.ID + "/export"
	for format, kind := range map[string]string{"md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8", "json": "application/json", "jsonl": "application/x-ndjson"} {
		res := h.ask(t, "GET", address+"?format="+format, nil)
		head := res.Header
		if res.StatusCode != http.StatusOK || head.Get("Content-Type") != kind || DownloadName(head) != "Pêches & “pears”."+format || !strings.HasPrefix(head.Get("Content-Disposition"), "attachment; ") {
			t.Errorf("%s: %s %v", res.what, res.Status, head)
		}
		if head.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || head.Get("X-Weft-Secrets-Hidden") != "0" {
			t.Errorf("%s: %v", res.what, head)
		}
		var result struct{ Bytes, Messages int }
		if err := json.Unmarshal([]byte(res.Trailer.Get(ExportTrailer)), &result); err != nil || result.Bytes != len(res.body) || result.Messages != 1 {
			t.Errorf("%s: %+v, %v", res.what, result, err)
		}
		if format == "html" && bytes.Contains(res.body, []byte("<script")) {
			t.Errorf("%s has a script", res.what)
		}
		some := h.ask(t, "POST", ExportsPath, strings.NewReader(`{"format":"`+format+`","places":[{"spaceId":"`+sp.ID+`","messageId":"m"}],"thoughts":false}`))
		if some.StatusCode != http.StatusOK || bytes.Contains(some.body, []byte("cold helps")) || !bytes.Contains(some.body, []byte("alert(1)")) {
			t.Errorf("%s: %s %.200s", some.what, some.Status, some.body)
		}
	}
	refused(t, h.ask(t, "GET", address, nil), 400, "invalid")
	refused(t, h.ask(t, "GET", address+"?format=md&branches=perhaps", nil), 400, "invalid")
	refused(t, h.ask(t, "GET", address+"?format=md&from=nothing", nil), 404, "not_found")
	refused(t, h.ask(t, "GET", "/api/spaces/nobody/export?format=md", nil), 404, "not_found")
	refused(t, h.ask(t, "POST", ExportsPath, strings.NewReader("[")), 400, "invalid")
	refused(t, h.ask(t, "GET", address+"?format=md", nil, "Authorization", "Bearer no"), 401, "unauthorized")
	refused(t, h.ask(t, "POST", ExportsPath, strings.NewReader("{}"), "Authorization", ""), 401, "unauthorized")
}
