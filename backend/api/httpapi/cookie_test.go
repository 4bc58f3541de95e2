package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// signIn exchanges the token of the printed address as the page does.
func signIn(t *testing.T, h *house) (cookie *http.Cookie, page string) {
	t.Helper()
	_, token, _ := strings.Cut(h.Link(h.base), "#token=")
	body, err := json.Marshal(map[string]string{"token": token})
	if err != nil {
		t.Fatal(err)
	}
	res := h.ask(t, "POST", "/api/session", bytes.NewReader(body), "Authorization", "", "Sec-Fetch-Site", "same-origin", "Origin", h.base)
	var got struct{ Page string }
	if err := json.Unmarshal(res.body, &got); err != nil || res.StatusCode != http.StatusOK || len(res.Cookies()) != 1 {
		t.Fatalf("%s %s %v %v", res.Status, res.body, res.Cookies(), err)
	}
	return res.Cookies()[0], got.Page
}

// Cookies ignore ports: a browser that visits another server on this machine sends it the cookie. That server is a
// program, which can send any request.
func TestCookieOfAnotherServerIsRefused(t *testing.T) {
	h := serve(t)
	cookie, _ := signIn(t, h)
	received := make(chan string, 1)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { received <- r.Header.Get("Cookie") }))
	defer other.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(h.base)
	if err != nil {
		t.Fatal(err)
	}
	jar.SetCookies(at, []*http.Cookie{cookie})
	visit, err := http.NewRequestWithContext(t.Context(), http.MethodGet, other.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Client{Jar: jar}).Do(visit)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	stolen := <-received
	if stolen != cookie.Name+"="+cookie.Value {
		t.Fatalf("the other server received %q", stolen)
	}
	browser := []string{"Origin", h.base, "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors", "X-Requested-With", "XMLHttpRequest"}
	for name, headers := range map[string][]string{
		"as the bearer token":          {"Authorization", "Bearer " + cookie.Value},
		"as it is":                     {"Authorization", "", "Cookie", stolen},
		"with the headers of a page":   append([]string{"Authorization", "", "Cookie", stolen}, browser...),
		"as both":                      append([]string{"Authorization", "Bearer " + cookie.Value, "Cookie", stolen}, browser...),
		"as the secret of the page":    append([]string{"Authorization", "", "Cookie", stolen, "X-Weft-Page", cookie.Value}, browser...),
		"with a secret that is empty":  append([]string{"Authorization", "", "Cookie", stolen, "X-Weft-Page", " "}, browser...),
		"with an address that is open": {"Authorization", "", "Cookie", stolen, "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"},
	} {
		if res := h.ask(t, "POST", "/api/ListSpaces", nil, headers...); res.StatusCode == http.StatusOK {
			t.Fatalf("the cookie %s opens everything", name)
		}
		for _, path := range []string{"/api/events", "/api/spaces/x/events", "/api/permissions/export?format=csv", "/blob/" + strings.Repeat("0", 64)} {
			refused(t, h.ask(t, "GET", path, nil, headers...), 401, "unauthorized")
		}
		for _, path := range []string{"/api/ListSpaces", "/api/spaces/x/uploads"} {
			res := h.ask(t, "POST", path, nil, headers...)
			res.what += " " + name
			refused(t, res, 401, "unauthorized")
		}
	}
	again, err := json.Marshal(map[string]string{"token": cookie.Value})
	if err != nil {
		t.Fatal(err)
	}
	refused(t, h.ask(t, "POST", "/api/session", bytes.NewReader(again), "Authorization", "", "Cookie", stolen), 401, "unauthorized")
}
