package llm

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"weft/backend/clip"
)

// Endpoint names who is asked, for the sentences of errors.
type Endpoint struct {
	Provider string // for people: "OpenAI"
	URL      string // base address
	KeyFrom  string // where the key comes from: "OPENAI_API_KEY"; "" where none is needed
}

// maxSaid is how much of a provider's own words is in an error, in bytes.
const maxSaid = 400

// StatusError makes an error of an answer that is not 200. said is the provider's own message, or the body where
// the mapper found none; now is used to read Retry-After.
func (e Endpoint) StatusError(status int, header http.Header, said string, now time.Time, cause error) *Error {
	f := &Error{Status: status, After: retryAfter(header, now), Err: cause}
	html := looksLikeHTML(header, said)
	words := e.words(said)
	switch {
	case html && status != http.StatusUnauthorized && status < 500 && status != http.StatusTooManyRequests:
		f.Code, f.Message = CodeUnreachable, fmt.Sprintf("%s answered with a web page (%d), not as an API. Check the base URL, and any proxy in between.", e.at(), status)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.Code, f.Message = CodeAuth, fmt.Sprintf("%s doesn't accept the key (%d)%s. %s", e.Provider, status, words, e.keyHint())
	case status == http.StatusNotFound:
		f.Code, f.Message = CodeModel, fmt.Sprintf("%s doesn't know this model or address (404)%s. Choose another model, or check the base URL %s.", e.Provider, words, e.URL)
	case tooLong(said) && status < 500:
		f.Code, f.Message = CodeContext, fmt.Sprintf("The conversation is too long for this model (%d)%s.", status, words)
	case status == http.StatusTooManyRequests:
		f.Code, f.Retryable = CodeLimit, !outOfCredit(said)
		f.Message = fmt.Sprintf("%s is limiting requests (429)%s. Wait a moment, or check your plan and credit.", e.Provider, words)
	case status == http.StatusPaymentRequired:
		f.Code, f.Message = CodeLimit, fmt.Sprintf("%s requires payment (402)%s. Check your plan and credit.", e.Provider, words)
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooEarly || status >= 500:
		f.Code, f.Retryable = CodeServer, status != http.StatusNotImplemented
		f.Message = fmt.Sprintf("%s failed or is overloaded (%d)%s. Try again later.", e.Provider, status, words)
	case status == http.StatusRequestEntityTooLarge:
		f.Code, f.Message = CodeContext, fmt.Sprintf("The request is too large for %s (413)%s.", e.Provider, words)
	default:
		f.Code, f.Message = CodeRequest, fmt.Sprintf("%s doesn't accept the request (%d)%s.", e.Provider, status, words)
	}
	return f
}

// NetworkError makes an error of a request that got no answer, or whose answer broke off. It returns ctx's
// error if ctx has ended.
func (e Endpoint) NetworkError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var dns *net.DNSError
	var authority x509.UnknownAuthorityError
	var wrongHost x509.HostnameError
	var record tls.RecordHeaderError
	var syntax *json.SyntaxError
	var timeout net.Error
	f := &Error{Code: CodeUnreachable, Err: err}
	switch {
	case errors.Is(err, ErrSilent):
		f.Code, f.Retryable, f.Message = CodeServer, true, e.Provider+" stopped sending, so the connection was closed. Try again."
	case errors.As(err, &dns):
		f.Retryable, f.Message = dns.Temporary() || dns.IsTimeout, fmt.Sprintf("The host %s wasn't found. Check the base URL and the network.", clip.Text(dns.Name, 100))
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Message = fmt.Sprintf("No answer from %s. Check that it is running, and the base URL.", e.at())
	case errors.As(err, &authority), errors.As(err, &wrongHost), errors.As(err, &record):
		f.Message = fmt.Sprintf("This machine doesn't trust the certificate of %s. Check the base URL, and any proxy in between.", e.at())
	case errors.As(err, &timeout) && timeout.Timeout():
		f.Code, f.Retryable, f.Message = CodeServer, true, e.Provider+" took too long to answer. Try again."
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		f.Code, f.Retryable, f.Message = CodeBroken, true, "The connection to "+e.Provider+" was interrupted. Try again."
	case errors.As(err, &syntax):
		f.Code, f.Message = CodeBroken, fmt.Sprintf("The response from %s can't be read%s. Check the base URL, and any proxy in between.", e.at(), e.words(err.Error()))
	default:
		f.Retryable, f.Message = errors.As(err, &timeout), fmt.Sprintf("%s can't be reached%s. Check the network and the base URL.", e.at(), e.words(err.Error()))
	}
	return f
}

// Broken is the error of a stream that ended before the answer did.
func (e Endpoint) Broken() *Error {
	return &Error{Code: CodeBroken, Retryable: true, Err: io.ErrUnexpectedEOF, Message: "The answer of " + e.Provider + " was interrupted. Try again."}
}

// NoKey is the error of a request that was not made because there is no key.
func (e Endpoint) NoKey() *Error {
	return &Error{Code: CodeAuth, Message: "There is no key for " + e.Provider + ". " + e.keyHint()}
}

func (e Endpoint) keyHint() string {
	if e.KeyFrom == "" {
		return "Check the key and the base URL."
	}
	return "Sign in with a valid key, or set " + e.KeyFrom + "."
}

func (e Endpoint) at() string {
	if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return e.Provider
}

var keyLike = regexp.MustCompile(`(?i)\b(sk|pk|key|api|rk|xai|gsk|AIza)[-_A-Za-z0-9*.]{8,}`)

// words are the provider's own, in parentheses of a sentence: one line, without what may be a key.
func (e Endpoint) words(said string) string {
	said = strings.Join(strings.Fields(strings.ToValidUTF8(said, "\uFFFD")), " ")
	if said == "" || looksLikeHTML(nil, said) {
		return ""
	}
	said = keyLike.ReplaceAllString(said, "[key]")
	return ": " + strings.TrimRight(clip.Text(said, maxSaid), ".")
}

func looksLikeHTML(header http.Header, said string) bool {
	if strings.Contains(header.Get("Content-Type"), "text/html") {
		return true
	}
	head := bytes.ToLower([]byte(strings.TrimSpace(said[:min(len(said), 100)])))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

func tooLong(said string) bool {
	said = strings.ToLower(said)
	for _, words := range []string{
		"context_length", "context length", "maximum context", "prompt is too long", "context window", "too many tokens",
		"exceeds the maximum number of tokens", "input token count", "input is too long",
	} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

func outOfCredit(said string) bool {
	said = strings.ToLower(said)
	return strings.Contains(said, "insufficient_quota") || strings.Contains(said, "exceeded your current quota, please check your plan") || strings.Contains(said, "billing")
}

// longestWait bounds what a provider may ask for.
const longestWait = 10 * time.Minute

// retryAfter reads retry-after-ms and Retry-After, in seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	var d time.Duration
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		d = time.Duration(ms * float64(time.Millisecond))
	} else if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil {
		d = time.Duration(s * float64(time.Second))
	} else if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		d = at.Sub(now)
	}
	return max(0, min(d, longestWait))
}
