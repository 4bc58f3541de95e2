package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"weft/backend/base/fault"
	"weft/backend/files/regular"
)

// The named sources.
const (
	// Public is the registry of the Agent Client Protocol.
	Public = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
	// Shipped is the list that comes with Weft; it is never refreshed.
	Shipped = "shipped"
)

// fetchTime is the timeout of a refresh.
const fetchTime = 20 * time.Second

// Source is where a list comes from.
type Source struct {
	text string
	at   *url.URL // nil: the shipped list
}

// ParseSource reads the setting: an https address, an http address of this machine, a file://
// address, "shipped", or nothing for the public registry. Error: *Error with CodeSource.
func ParseSource(text string) (Source, error) {
	switch text = strings.TrimSpace(text); text {
	case "":
		text = Public
	case Shipped:
		return Source{text: Shipped}, nil
	}
	u, err := url.Parse(text)
	if err != nil || !MayFetch(u, true) {
		return Source{}, fault.New(CodeSource, "The source of the registry must be an https address, an http address of this machine, or a file:// address. Change `registry` in the settings file.").Because(err)
	}
	return Source{text: text, at: u}, nil
}

// String returns the source as in the settings.
func (s Source) String() string { return s.text }

// Local reports whether the source is on this machine.
func (s Source) Local() bool { return s.at != nil && MayFetch(s.at, true) && !MayFetch(s.at, false) }

// validators identify the version of the list that a server sent.
type validators struct {
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"lastModified,omitempty"`
}

// fetch fetches the list. data is nil if nothing has changed since known. It blocks for at most [fetchTime]. Error:
// *Error with CodeUnreachable.
func (s Source) fetch(ctx context.Context, known validators) (data []byte, now validators, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	if s.at.Scheme == "file" {
		data, err = readFile(FilePath(s.at))
		return data, validators{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.at.String(), nil)
	if err != nil {
		return nil, known, unreachable(err, "Couldn't load the registry from its source.")
	}
	req.Header.Set("Accept", "application/json")
	if known.ETag != "" {
		req.Header.Set("If-None-Match", known.ETag)
	}
	if known.LastModified != "" {
		req.Header.Set("If-Modified-Since", known.LastModified)
	}
	client := Client(s.Local())
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return nil, known, cannotReach(s.at.Hostname(), err)
	}
	defer func() { _ = res.Body.Close() }()
	switch {
	case res.StatusCode == http.StatusNotModified && known != validators{}:
		return nil, known, nil
	case res.StatusCode != http.StatusOK:
		return nil, known, unreachable(nil, "{{host}} answered with {{status}} {{text}}.", s.at.Hostname(), res.StatusCode, http.StatusText(res.StatusCode))
	}
	data, err = readBounded(res.Body)
	if err != nil {
		var own *Error
		if errors.As(err, &own) {
			return nil, known, err
		}
		return nil, known, unreachable(err, "{{host}} stopped while answering.", s.at.Hostname())
	}
	return data, validators{ETag: header(res, "ETag"), LastModified: header(res, "Last-Modified")}, nil
}

// Client returns a client for untrusted addresses. It follows at most five redirects, and only those that [MayFetch]
// allows.
func Client(local bool) *http.Client {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		transport = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	transport = transport.Clone()
	transport.ResponseHeaderTimeout = 30 * time.Second
	transport.MaxResponseHeaderBytes = 64 << 10
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) >= 5 {
				return errors.New("too many redirects")
			}
			if req.URL.Scheme == "file" || !MayFetch(req.URL, local) {
				return fmt.Errorf("redirected to %s, which isn't an https address", req.URL.Redacted())
			}
			return nil
		},
	}
}

// cannotReach returns the error for a host that can't be reached.
func cannotReach(host string, err error) *Error {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return unreachable(err, "{{host}} didn't answer in time.", host)
	}
	if strings.Contains(err.Error(), "redirect") {
		return unreachable(err, "{{host}} leads to an address that isn't allowed.", host)
	}
	return unreachable(err, "{{host}} can't be reached. Check the network.", host)
}

func unreachable(err error, template fault.Template, values ...any) *Error {
	return fault.New(CodeUnreachable, template, values...).Because(err)
}

func header(res *http.Response, name string) string {
	if v := res.Header.Get(name); len(v) <= 1024 {
		return v
	}
	return ""
}

// FilePath returns the path in a file:// address.
func FilePath(u *url.URL) string {
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // file:///C:/…
	}
	return filepath.FromSlash(path)
}

func readFile(path string) ([]byte, error) {
	file, _, err := regular.OpenPath(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, unreachable(err, "{{path}} doesn't exist.", path)
		}
		return nil, unreachable(err, "{{path}} can't be read.", path)
	}
	defer file.Close()
	data, err := readBounded(file)
	var own *Error
	if err != nil && !errors.As(err, &own) {
		err = unreachable(err, "{{path}} can't be read.", path)
	}
	return data, err
}

func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = unreadable(nil, "The source sends more than {{max}} MB.", MaxBytes>>20)
	}
	return data, err
}
