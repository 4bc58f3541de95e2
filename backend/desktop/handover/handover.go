// Package handover lets a command hand its work over to the Weft that has the data folder open. That Weft listens on
// the loopback interface and writes its address, a key and a certificate into the folder, which only its user can read.
// The key authorizes the command. The certificate proves that the server is this Weft before anything is sent, because
// a killed Weft leaves its file behind and another program may get its port.
package handover

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/backend/base/httpguard"
	"weft/backend/files/atomicfile"
	"weft/backend/files/regular"
)

// fileName is the name of the file in the data folder.
const fileName = "handover.json"

// Address is the address of a data folder's owner, with the key and certificate for connecting to it.
type Address struct {
	URL         string `json:"url"`
	Key         string `json:"key"`
	Certificate []byte `json:"certificate"` // of the owner, DER
}

const scheme = "https://"

// provesIn is the timeout for an owner to prove its identity.
const provesIn = 5 * time.Second

// Server serves the owner of a data folder.
type Server struct {
	path string
	http *http.Server
	done chan struct{}
}

// Open serves h to programs that can read the data folder.
func Open(dir string, h http.Handler) (*Server, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for commands: %w", err)
	}
	pair, err := certificate()
	if err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("make a certificate for commands: %w", err)
	}
	a := Address{URL: scheme + l.Addr().String(), Key: rand.Text(), Certificate: pair.Certificate[0]}
	guard := httpguard.New()
	s := &Server{path: filepath.Join(dir, fileName), done: make(chan struct{})}
	s.http = &http.Server{Handler: allowed(a, l.Addr().String(), guard, h), MaxHeaderBytes: 16 << 10} //nolint:gosec // guard sets the deadlines of reading
	s.http.ErrorLog = log.New(io.Discard, "", 0)                                                      // it would log every foreign connection to the terminal
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
		_ = s.http.Serve(tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13})) // it returns after Close
	}()
	return s, nil
}

// certificate returns a new certificate for this machine. It doesn't expire, because it is used only while its process
// runs.
func certificate() (tls.Certificate, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, public, private)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, err
}

// Close removes the address file and waits for open requests, for at most 3 s.
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

// allowed passes on requests from programs that have the key.
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

// maxFile is the maximum size of the file, in bytes.
const maxFile = 64 << 10

// Find returns the address of a data folder's owner. The error matches [os.ErrNotExist] if there is none.
func Find(dir string) (Address, error) {
	text, err := regular.ReadPath(filepath.Join(dir, fileName), maxFile)
	if err != nil {
		return Address{}, err
	}
	var a Address
	if err := json.Unmarshal(text, &a); err != nil {
		return Address{}, fmt.Errorf("read where commands are taken: %w", err)
	}
	at, ok := strings.CutPrefix(a.URL, scheme)
	host, _, err := net.SplitHostPort(at)
	if err != nil || !ok || !httpguard.Loopback(host) {
		return Address{}, fmt.Errorf("%q isn't an address of this machine", a.URL)
	}
	return a, nil
}

// trust returns a TLS configuration that accepts only the owner's certificate.
func (a Address) trust() (*tls.Config, error) {
	cert, err := x509.ParseCertificate(a.Certificate)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of the running Weft: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}, nil
}

// Answers returns an error if the owner is gone, even if another program has its port.
func (a Address) Answers(ctx context.Context) error {
	trust, err := a.trust()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, provesIn)
	defer cancel()
	c, err := (&tls.Dialer{Config: trust}).DialContext(ctx, "tcp", strings.TrimPrefix(a.URL, scheme))
	if err != nil {
		return err
	}
	return c.Close()
}

// Do sends a request to the owner, with the path and query of r. It sends nothing to any other program.
func (a Address) Do(r *http.Request) (*http.Response, error) {
	trust, err := a.trust()
	if err != nil {
		return nil, err
	}
	u, err := r.URL.Parse(a.URL + r.URL.RequestURI())
	if err != nil {
		return nil, err
	}
	r.URL, r.Host = u, u.Host
	r.Header.Set("Authorization", "Bearer "+a.Key)
	// Without a proxy, because the owner is on this machine.
	return (&http.Transport{DisableKeepAlives: true, TLSClientConfig: trust, TLSHandshakeTimeout: provesIn}).RoundTrip(r)
}
