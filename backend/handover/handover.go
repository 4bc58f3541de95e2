// Package handover lets a command hand its work over to the Weft that has the data folder open. That one listens on the loopback and
// writes its address and a key into the folder, which only its user can read.
package handover

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/backend/atomicfile"
	"weft/backend/httpguard"
)

// fileName is the file in the data folder.
const fileName = "handover.json"

// Address is where the owner of a data folder listens.
type Address struct {
	URL string `json:"url"`
	Key string `json:"key"`
}

// Server is an owner that listens.
type Server struct {
	path string
	http *http.Server
	done chan struct{}
}

// Open serves h to those who can read the data folder.
func Open(dir string, h http.Handler) (*Server, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for commands: %w", err)
	}
	a := Address{URL: "http://" + l.Addr().String(), Key: rand.Text()}
	guard := httpguard.New()
	s := &Server{path: filepath.Join(dir, fileName), done: make(chan struct{})}
	s.http = &http.Server{Handler: allowed(a, l.Addr().String(), guard, h), MaxHeaderBytes: 16 << 10} //nolint:gosec // guard sets the deadlines of reading
	guard.Watch(s.http)
	text, err := json.Marshal(a)
	if err == nil {
		err = atomicfile.Write(s.path, text, 0o600)
	}
	if err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("say where commands are taken: %w", err)
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // it ends with Close
	}()
	return s, nil
}

// Close removes the address and ends what is still being served, after 3 s at most.
func (s *Server) Close() error {
	err := os.Remove(s.path)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		err = errors.Join(err, s.http.Close())
	}
	<-s.done
	return err
}

// allowed lets requests of programs through that have the key.
func allowed(a Address, host string, guard *httpguard.Guard, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if r.Host != host || httpguard.Foreign(r) || !httpguard.SameSecret(key, a.Key) {
			httpguard.TurnAway(w)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		guard.Admit(w, r, 0)
		h.ServeHTTP(w, r)
	})
}

// Find returns the address of the owner of a data folder. The error matches [os.ErrNotExist] where there is none.
func Find(dir string) (Address, error) {
	text, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		return Address{}, err
	}
	var a Address
	if err := json.Unmarshal(text, &a); err != nil {
		return Address{}, fmt.Errorf("read where commands are taken: %w", err)
	}
	host, _, err := net.SplitHostPort(strings.TrimPrefix(a.URL, "http://"))
	if err != nil || !httpguard.Loopback(host) {
		return Address{}, fmt.Errorf("%q isn't an address of this machine", a.URL)
	}
	return a, nil
}

// Do sends a request to the owner, at the path and query of r.
func (a Address) Do(r *http.Request) (*http.Response, error) {
	u, err := r.URL.Parse(a.URL + r.URL.RequestURI())
	if err != nil {
		return nil, err
	}
	r.URL, r.Host = u, u.Host
	r.Header.Set("Authorization", "Bearer "+a.Key)
	// Without a proxy, as it is on this machine.
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
}
