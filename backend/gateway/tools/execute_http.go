package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"weft/backend/base/clip"
	"weft/backend/conversation/transcript"
)

// MaxOutput is the maximum size of a tool's result in bytes. The rest is cut off.
const MaxOutput = 1 << 20

const (
	executionTime  = 30 * time.Second
	maxRedirects   = 5
	maxFailureText = 2000 // bytes
)

func (e *Execution) timeout() time.Duration {
	return cmp.Or(time.Duration(e.Timeout)*time.Millisecond, executionTime)
}

// Idempotent reports whether the tool uses an idempotent HTTP method.
func (e *Execution) Idempotent() bool {
	if e == nil || e.Mode != ModeHTTP {
		return false
	}
	switch e.Method {
	case "", http.MethodGet, http.MethodPut, http.MethodDelete:
		return true
	}
	return false
}

// values returns arguments as strings: strings unquoted, null as "", and anything else as JSON.
func values(input json.RawMessage) (map[string]string, error) {
	all, err := Members(input)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, m := range all {
		var s string
		if json.Unmarshal(m.Value, &s) != nil {
			s = string(m.Value)
		}
		if string(m.Value) == "null" {
			s = ""
		}
		out[m.Name] = s
	}
	return out, nil
}

// filled replaces the placeholders in a text by escaped values.
func filled(text string, values map[string]string, escape func(string) string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		return escape(values[placeholder.FindStringSubmatch(found)[1]])
	})
}

// callHTTP sends a call to a web service and returns its response.
func (d *Definition) callHTTP(ctx context.Context, input json.RawMessage) (*sdk.CallToolResult, error) {
	e := d.Execution
	limited, cancel := context.WithTimeout(ctx, e.timeout())
	defer cancel()
	req, err := e.request(limited, input)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects || next.URL.Host != req.URL.Host || next.URL.Scheme != req.URL.Scheme {
			return http.ErrUseLastResponse // don't send the headers to another server
		}
		return nil
	}}
	res, err := client.Do(req)
	if err != nil {
		return nil, d.unreachable(ctx, limited, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, MaxOutput+1))
	if err != nil {
		return nil, d.unreachable(ctx, limited, err)
	}
	long := len(body) > MaxOutput
	if long {
		body = body[:MaxOutput]
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, &Error{Code: "failed", Message: strings.TrimSpace(fmt.Sprintf("%s: the service answered with the status %d (%s). %s", d.Name, res.StatusCode, http.StatusText(res.StatusCode), clip.Text(string(body), maxFailureText))), Passing: transcript.PassingStatus(res.StatusCode), Undone: transcript.RefusedStatus(res.StatusCode)}
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	return answered(body, long, kind == "application/json" || strings.HasSuffix(kind, "+json")), nil
}

// request returns the request for a call. The body has all arguments as JSON. If the method has no body, arguments
// without a placeholder go into the query.
func (e *Execution) request(ctx context.Context, input json.RawMessage) (*http.Request, error) {
	all, err := values(input)
	if err != nil {
		return nil, Invalid("The arguments can't be read: %s.", clip.Text(err.Error(), 200))
	}
	front, query, asks := strings.Cut(e.URL, "?")
	front = filled(front, all, pathValue)
	query = filled(query, all, url.QueryEscape)
	method := cmp.Or(e.Method, http.MethodGet)
	var body io.Reader
	if method == http.MethodGet || method == http.MethodDelete {
		rest := url.Values{}
		for name, value := range all {
			if !e.names(name) && value != "" {
				rest.Set(name, value)
			}
		}
		if len(rest) > 0 {
			query = strings.TrimPrefix(query+"&"+rest.Encode(), "&")
			asks = true
		}
	} else {
		body = bytes.NewReader(input)
	}
	if asks {
		front += "?" + query
	}
	req, err := http.NewRequestWithContext(ctx, method, front, body)
	if err != nil {
		return nil, Invalid("The arguments don't make a valid address.")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.1")
	for name, value := range e.Headers {
		value = filled(value, all, func(s string) string { return s })
		if strings.ContainsAny(value, "\r\n\x00") {
			return nil, Invalid("An argument contains a line break, which isn't allowed in the header %s.", name)
		}
		req.Header.Set(name, value)
	}
	return req, nil
}

// pathValue escapes a value as one path segment. It also escapes "." and "..", which would lead to another path.
func pathValue(s string) string {
	if s == "." || s == ".." {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}

// names reports whether the URL or a header has a placeholder for the argument.
func (e *Execution) names(argument string) bool {
	texts := []string{e.URL}
	for _, value := range e.Headers {
		texts = append(texts, value)
	}
	for _, m := range placeholder.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		if m[1] == argument {
			return true
		}
	}
	return false
}

func (d *Definition) unreachable(ctx, limited context.Context, err error) error {
	var u *url.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return &Error{Code: "timeout", Message: fmt.Sprintf("%s didn't answer within %s.", d.Name, d.Execution.timeout()), Err: err} // not Passing: a retry would take as long again
	case errors.As(err, &u): // leave out the URL, which may contain a key
		err = u.Err
	}
	var dial *net.OpError
	return &Error{
		Code: "unreachable", Message: d.Name + " can't be reached: " + clip.Text(err.Error(), 300) + ".", Err: err,
		Passing: true, Undone: errors.As(err, &dial) && dial.Op == "dial",
	}
}

// answered returns the output of a tool as a result: as text, and also as structured content if it is a JSON object.
func answered(body []byte, long, isJSON bool) *sdk.CallToolResult {
	if !utf8.Valid(body) && !long || bytes.IndexByte(body, 0) >= 0 {
		return Text(fmt.Sprintf("(%d bytes that aren't text)", len(body)))
	}
	if long {
		return Text(strings.ToValidUTF8(string(body), "") + "\n(The rest is left out: it is longer than 1 MB.)")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return Text("(nothing)")
	}
	res := Text(string(body))
	if trimmed := bytes.TrimSpace(body); isJSON && trimmed[0] == '{' && json.Valid(trimmed) {
		res.StructuredContent = json.RawMessage(trimmed)
	}
	return res
}
