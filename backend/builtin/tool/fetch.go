package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"
	"golang.org/x/net/html/charset"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/builtin/folder"
	"weft/backend/conversation/transcript"
	"weft/backend/llm"
)

// Limits of one fetch.
const (
	fetchTimeout  = 30 * time.Second
	maxFetched    = 5 << 20
	maxRedirects  = 5
	maxURL        = 2000
	fetchedAccept = "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5"
)

type fetchInput struct {
	URL string `json:"url"`
}

// fetcher is the fetch tool.
type fetcher struct {
	client *http.Client
}

func fetchTool(allowed []string) Tool {
	f := fetcher{client: fetchClient(allowed)}
	p := params{{name: "url", kind: stringField, required: true, doc: "http or https address of a public page."}}
	t := described("fetch", "Get a page of the web. HTML comes as Markdown. Addresses of this machine and of private networks are refused.", acp.ToolKindFetch, Fetches, p)
	t.Look = func(_ *Env, fields map[string]json.RawMessage) Look {
		address, _ := textField(fields, "url")
		return Look{Title: fetchTitle(address)}
	}
	t.Prepare = func(_ context.Context, env *Env, input json.RawMessage) (Prepared, error) {
		var in fetchInput
		if err := p.read(input, &in); err != nil {
			return Prepared{}, err
		}
		at, err := address(in.URL)
		if err != nil {
			return Prepared{}, err
		}
		return Prepared{
			Look: Look{Title: fetchTitle(in.URL)}, Effect: Fetches,
			Grant: "fetch:" + strings.ToLower(at.Host), GrantName: fault.Say("Allow pages of {{host}} in this session", at.Host),
			Content: []acp.ToolCallContent{textContent(fenced("", at.String()))},
			Run:     func(ctx context.Context, _ func(Progress)) (Result, error) { return f.run(ctx, env, at) },
		}, nil
	}
	return t
}

func fetchTitle(address string) string { return strings.TrimSpace("Fetch " + oneLine(address, 100)) }

func address(s string) (*url.URL, error) {
	at, err := url.Parse(strings.TrimSpace(s))
	switch {
	case err != nil || len(s) > maxURL:
		return nil, failf("%q isn't an address that can be fetched.", head(s, 100))
	case at.Scheme != "http" && at.Scheme != "https":
		return nil, failf("Only http and https addresses can be fetched, not %q. Use the read tool for files.", head(s, 100))
	case at.Hostname() == "":
		return nil, failf("%q has no host.", head(s, 100))
	case at.User != nil:
		return nil, failf("An address with a user name or a password isn't fetched.")
	}
	at.Fragment = ""
	return at, nil
}

func fetchClient(allowed []string) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{
		// No proxy: guard couldn't check the address behind it.
		DialContext: func(ctx context.Context, network, at string) (net.Conn, error) {
			guarded := *dialer
			host, _, _ := net.SplitHostPort(at)
			guarded.Control = guard(host, allowed)
			return guarded.DialContext(ctx, network, at)
		},
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 20 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2: true, DisableKeepAlives: true,
	}
	return &http.Client{Transport: transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		switch {
		case len(via) > maxRedirects:
			return errors.New("too many redirects")
		case !strings.EqualFold(bare(req.URL.Hostname()), bare(via[0].URL.Hostname())) || req.URL.Scheme != "https" && req.URL.Scheme != via[0].URL.Scheme:
			// The user wasn't asked about the other host.
			return failf("%s redirects to another host: %s. Fetch that address if it is what you want.", via[0].URL.Host, head(req.URL.String(), maxURL))
		}
		return nil
	}}
}

func bare(host string) string { return strings.TrimPrefix(strings.ToLower(host), "www.") }

func (f fetcher) run(ctx context.Context, env *Env, at *url.URL) (Result, error) {
	limited, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return Result{}, failf("%q isn't an address that can be fetched.", at)
	}
	req.Header.Set("User-Agent", "weft-agent (+https://agentclientprotocol.com)")
	req.Header.Set("Accept", fetchedAccept)
	res, err := f.client.Do(req)
	if err != nil {
		return Result{}, unreachable(ctx, limited, at, err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxFetched+1))
	cut := len(data) > maxFetched
	if err != nil && !cut {
		return Result{}, unreachable(ctx, limited, at, err)
	}
	data = data[:min(len(data), maxFetched)]
	if res.StatusCode >= http.StatusBadRequest {
		return Result{}, refused(res, data)
	}
	return fetched(env, res, data, cut)
}

// unreachable converts the error of a request to one that explains why there is no response.
func unreachable(ctx, limited context.Context, at *url.URL, err error) error {
	var own *Error
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &own): // of guard, or about a redirect
		return own
	case errors.As(err, &dns) && dns.IsNotFound:
		return &Error{Message: fmt.Sprintf("The host %s wasn't found.", at.Hostname()), Err: err}
	case limited.Err() != nil:
		return &Error{Message: fmt.Sprintf("%s didn't answer within %s.", at.Host, fetchTimeout), Retryable: true, Err: err}
	}
	var uerr *url.Error
	if errors.As(err, &uerr) {
		err = uerr.Err
	}
	return &Error{Message: sentence(fmt.Sprintf("Couldn't fetch %s: %v", at.Host, err)), Retryable: true, Err: err}
}

// refused returns the error for an HTTP error status.
func refused(res *http.Response, data []byte) error {
	status := res.StatusCode
	summary := strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, http.StatusText(status)))
	message := fmt.Sprintf("%s answered with %s.", res.Request.URL.Host, summary)
	parts := textPart(message + "\n" + oneLine(string(data), 1000))
	return &Error{
		Message: message, Summary: summary, Parts: parts, Output: map[string]any{"status": status},
		Retryable: transcript.PassingStatus(status),
	}
}

func fetched(env *Env, res *http.Response, data []byte, cut bool) (Result, error) {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(data))
	}
	at := res.Request.URL
	size := quantity.Bytes(int64(len(data)))
	r := Result{
		Summary: fault.Text("Fetched {{size}} from {{host}}", size, at.Host), Count: 1,
		Output: map[string]any{"url": at.String(), "status": res.StatusCode, "contentType": kind, "bytes": len(data), "cut": cut},
	}
	switch sniffed := kindOf(data); {
	case strings.HasPrefix(sniffed, "image/") && !cut && len(data) <= maxImageSent:
		r.Parts = append(textPart(at.String()+":"), llm.Image{MIME: sniffed, Data: data})
		return r, nil
	case sniffed == "application/pdf" && !cut:
		r.Parts = append(textPart(at.String()+":"), llm.File{Name: fileName(path.Base(at.Path)), MIME: sniffed, Data: data})
		return r, nil
	}
	s := string(data)
	if decoded, err := charset.NewReader(strings.NewReader(s), res.Header.Get("Content-Type")); err == nil {
		if all, err := io.ReadAll(decoded); err == nil {
			s = string(all)
		}
	}
	if folder.IsBinary([]byte(s)) {
		return Result{}, failf("%s is a binary file (%s, %s), not text.", at, kind, size)
	}
	if kind == "text/html" || kind == "application/xhtml+xml" {
		s = markdown(s, at)
	}
	if cut {
		s += fmt.Sprintf("\n… the page was cut after %s\n", size)
	}
	r.Content = shownText("", s)
	if strings.TrimSpace(s) == "" {
		s = "(the page has no text; perhaps a script makes it)"
	}
	r.Parts = modelText(env, "fetch.md", at.String()+"\n\n"+s, false)
	return r, nil
}
