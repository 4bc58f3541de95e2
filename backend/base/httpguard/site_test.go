package httpguard

import (
	"net/http"
	"testing"
)

func TestForeign(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		origin, site string
		foreign      bool
	}{
		{"", "", false}, // a program
		{"", "none", false},
		{"", "same-origin", false},
		{"", "same-site", true}, // another server of this machine
		{"", "cross-site", true},
		{"http://127.0.0.1:1", "", false},
		{"http://127.0.0.1:1", "same-origin", false},
		{"http://127.0.0.1:1", "cross-site", true},
		{"http://127.0.0.1:2", "", true},
		{"null", "", true},
	} {
		r := &http.Request{Header: http.Header{}}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if got := Foreign(r, "http://127.0.0.1:1"); got != c.foreign {
			t.Errorf("from %q (%q): %v", c.origin, c.site, got)
		}
	}
}

func TestLoopback(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "": false, "10.0.0.1": false, "localhost.example.com": false} {
		if Loopback(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}
