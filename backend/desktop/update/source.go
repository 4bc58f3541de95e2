package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"aead.dev/minisign"

	"weft/backend/base/fault"
)

// Set by the linker where Weft is built for users.
var (
	address string // of the manifest; its signature has ".minisig" behind it
	key     string // the public key of minisign
)

// The environment variables of tests.
const (
	EnvAddress = "WEFT_UPDATE_ADDRESS"
	EnvKey     = "WEFT_UPDATE_SIGNER" // a public key; by a name with KEY it would be taken for a secret
)

// Source is where versions of Weft are published.
type Source struct {
	at    *url.URL
	key   minisign.PublicKey
	local bool // at is a server on this machine
	limit limits
}

type limits struct {
	answer time.Duration // for the manifest and its signature together
	stall  time.Duration // without a byte of a download
}

var usual = limits{answer: 30 * time.Second, stall: 30 * time.Second}

// BuiltIn returns the source that this Weft was built with, nil if with none. getenv may name another address, which
// has to be one of this machine, and a key where none was built in and the address is one of this machine: nobody can
// have another Weft installed by them who couldn't replace its files himself.
func BuiltIn(getenv func(string) string) *Source { return source(address, key, getenv) }

func source(address, key string, getenv func(string) string) *Source {
	if u, err := url.Parse(getenv(EnvAddress)); err == nil && u.Scheme == "http" && loopback(u) {
		address = u.String()
		if key == "" {
			key = getenv(EnvKey)
		}
	}
	s, err := NewSource(address, key)
	if err != nil {
		return nil
	}
	return s
}

// NewSource returns the source at an address.
func NewSource(address, key string) (*Source, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read the address of updates: %w", err)
	}
	s := &Source{at: u, local: u.Scheme == "http" && loopback(u), limit: usual}
	if !mayFetch(u, s.local) {
		return nil, fmt.Errorf("%q isn't an https address", address)
	}
	if err := s.key.UnmarshalText([]byte(key)); err != nil {
		return nil, fmt.Errorf("read the public key of updates: %w", err)
	}
	return s, nil
}

// loopback reports whether an address is one of this machine, whatever names mean here.
func loopback(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback()
}

// mayFetch reports whether something may be fetched from u. local allows servers on this machine without TLS.
func mayFetch(u *url.URL, local bool) bool {
	return u.Host != "" && u.User == nil && (u.Scheme == "https" || local && u.Scheme == "http" && loopback(u))
}

// Host is the name of the server.
func (s *Source) Host() string { return s.at.Host }

// client follows a few redirects, and only to where [mayFetch] allows.
func (s *Source) client() *http.Client {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2: true, DisableKeepAlives: true, DisableCompression: true,
	}
	return &http.Client{Transport: transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		switch {
		case len(via) >= 5:
			return fmt.Errorf("%w too often", errRedirects)
		case !mayFetch(req.URL, s.local):
			return fmt.Errorf("%w to an address that isn't safe (%s)", errRedirects, req.URL.Redacted())
		}
		return nil
	}}
}

var errRedirects = errors.New("it redirects")

// Raw is a manifest as it was sent.
type Raw struct {
	Manifest  []byte `json:"manifest"`
	Signature []byte `json:"signature"`
}

// Verify reads what [Source.Fetch] has returned earlier.
func (s *Source) Verify(raw Raw) (Manifest, error) {
	return Verify(s.key, raw.Manifest, raw.Signature, s.local)
}

// Fetch reads the manifest and checks its signature. It blocks for 30 s at most. Errors: update_unreachable,
// update_unverified.
func (s *Source) Fetch(ctx context.Context) (m Manifest, raw Raw, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit.answer)
	defer cancel()
	client := s.client()
	for range 2 { // a version may be published between the two answers
		if raw.Manifest, err = s.get(ctx, client, "", maxManifest); err != nil {
			return m, raw, err
		}
		if raw.Signature, err = s.get(ctx, client, ".minisig", maxSignature); err != nil {
			return m, raw, err
		}
		if m, err = s.Verify(raw); err == nil {
			break
		}
	}
	return m, raw, err
}

func (s *Source) get(ctx context.Context, client *http.Client, suffix string, most int64) ([]byte, error) {
	u := *s.at
	u.Path += suffix
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, fail(codeUnreachable, err, "The address of updates isn't valid.")
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, s.unreachable(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fail(codeUnreachable, nil, "Couldn't check for updates: {{host}} answered with “{{status}}”. Try again later.", s.at.Host, res.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err != nil {
		return nil, s.unreachable(err)
	}
	if int64(len(raw)) > most {
		return nil, fail(codeUnverified, nil, "The list of versions from {{host}} is too long. Nothing was installed. Try again later.", s.at.Host)
	}
	return raw, nil
}

// unreachable says why a server didn't answer.
func (s *Source) unreachable(err error) error {
	return fail(codeUnreachable, err, "Couldn't check for updates: {{reason}}", because(s.at.Host, err))
}

// because says what became of a request to a host, as the rest of a sentence and what to do.
func because(host string, err error) fault.Said {
	var request *url.Error
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &request) && errors.Is(request.Err, errRedirects):
		return fault.Say("{{host}} can't be used, because {{why}}. Try again later, or download Weft from its web page.", host, request.Err)
	case errors.Is(err, context.Canceled):
		return fault.Say("it was canceled.")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fault.Say("{{host}} didn't answer in time. Try again later.", host)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fault.Say("{{host}} ended the connection early. Try again later.", host)
	}
	return fault.Say("{{host}} can't be reached. Check your network connection and try again.", host)
}
