package httpguard

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
)

// Foreign reports whether the page of another site makes a browser send a request. Browsers say where a request comes
// from, programs do not. A page from one of the origins is none of another site.
func Foreign(r *http.Request, origins ...string) bool {
	origin := r.Header.Get("Origin")
	return origin != "" && !slices.Contains(origins, origin) || CrossSite(r)
}

// CrossSite reports whether a browser says that another site is behind a request. Following a link there counts, too.
func CrossSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "none" && site != "same-origin"
}

// Loopback reports whether a host, without a port, is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// SameSecret reports whether two secrets are the same. How long that takes tells nothing about either.
func SameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
