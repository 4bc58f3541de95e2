package llm

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
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
		f.Code = CodeUnreachable
		f.say("{{host}} answered with a web page ({{status}}), not as an API. Check the base URL, and any proxy in between.", e.at(), status)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.Code = CodeAuth
		f.say("{{provider}} doesn't accept the key ({{status}}){{words}}. {{hint}}", e.Provider, status, words, e.keyHint())
	case status == http.StatusNotFound:
		f.Code = CodeModel
		f.say("{{provider}} doesn't know this model or address (404){{words}}. Choose another model, or check the base URL {{url}}.", e.Provider, words, e.URL)
	case tooLong(said) && status < 500:
		f.Code = CodeContext
		f.say("The conversation is too long for this model ({{status}}){{words}}.", status, words)
	case status == http.StatusTooManyRequests:
		f.Code, f.Retryable = CodeLimit, !outOfCredit(said)
		f.say("{{provider}} is limiting requests (429){{words}}. Wait a moment, or check your plan and credit.", e.Provider, words)
	case status == http.StatusPaymentRequired:
		f.Code = CodeLimit
		f.say("{{provider}} requires payment (402){{words}}. Check your plan and credit.", e.Provider, words)
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooEarly || status >= 500:
		f.Code, f.Retryable = CodeServer, status != http.StatusNotImplemented
		f.say("{{provider}} failed or is overloaded ({{status}}){{words}}. Try again later.", e.Provider, status, words)
	case status == http.StatusRequestEntityTooLarge:
		f.Code = CodeContext
		f.say("The request is too large for {{provider}} (413){{words}}.", e.Provider, words)
	default:
		f.Code = CodeRequest
		f.say("{{provider}} doesn't accept the request ({{status}}){{words}}.", e.Provider, status, words)
	}
	return f
}

// NetworkError makes an error of a request that got no answer, or whose answer broke off. It returns ctx's
// error if ctx has ended, and an [Error] as it is.
func (e Endpoint) NetworkError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	var dns *net.DNSError
	var authority x509.UnknownAuthorityError
	var wrongHost x509.HostnameError
	var record tls.RecordHeaderError
	var syntax *json.SyntaxError
	var timeout net.Error
	f := &Error{Code: CodeUnreachable, Err: err}
	switch {
	case errors.Is(err, ErrEnded):
		return e.Broken()
	case errors.Is(err, ErrTooLong), errors.Is(err, bufio.ErrTooLong):
		f.Code = CodeBroken
		f.say("The answer of {{provider}} is too long to store. Check the base URL.", e.Provider)
	case errors.Is(err, ErrSilent):
		f.Code, f.Retryable = CodeServer, true
		f.say("{{provider}} stopped sending, so the connection was closed. Try again.", e.Provider)
	case errors.As(err, &dns):
		f.Retryable = dns.Temporary() || dns.IsTimeout
		f.say("The host {{host}} wasn't found. Check the base URL and the network.", clip.Text(dns.Name, 100))
	case errors.Is(err, syscall.ECONNREFUSED):
		f.say("No answer from {{host}}. Check that it is running, and the base URL.", e.at())
	case errors.As(err, &authority), errors.As(err, &wrongHost), errors.As(err, &record):
		f.say("This machine doesn't trust the certificate of {{host}}. Check the base URL, and any proxy in between.", e.at())
	case errors.As(err, &timeout) && timeout.Timeout():
		f.Code, f.Retryable = CodeServer, true
		f.say("{{provider}} took too long to answer. Try again.", e.Provider)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		f.Code, f.Retryable = CodeBroken, true
		f.say("The connection to {{provider}} was interrupted. Try again.", e.Provider)
	case errors.As(err, &syntax):
		f.Code = CodeBroken
		f.say("The response from {{host}} can't be read{{words}}. Check the base URL, and any proxy in between.", e.at(), e.words(err.Error()))
	default:
		f.Retryable = errors.As(err, &timeout)
		f.say("{{host}} can't be reached{{words}}. Check the network and the base URL.", e.at(), e.words(err.Error()))
	}
	return f
}

// Broken is the error of a stream that ended before the answer did.
func (e Endpoint) Broken() *Error {
	return Fail(CodeBroken, "The answer of {{provider}} was interrupted. Try again.", e.Provider).Because(io.ErrUnexpectedEOF).Passing()
}

// NoKey is the error of a request that was not made because there is no key.
func (e Endpoint) NoKey() *Error {
	return Fail(CodeAuth, "There is no key for {{provider}}. {{hint}}", e.Provider, e.keyHint())
}

func (e Endpoint) keyHint() fault.Said {
	if e.KeyFrom == "" {
		return fault.Say("Check the key and the base URL.")
	}
	return fault.Say("Sign in with a valid key, or set {{variable}}.", e.KeyFrom)
}

func (e Endpoint) at() string {
	if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
		return u.Host
	}
	return e.Provider
}

var keyLike = lazyregexp.New(`(?i)\b(sk|pk|key|api|rk|xai|gsk|AIza)[-_A-Za-z0-9*.]{8,}`)

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
