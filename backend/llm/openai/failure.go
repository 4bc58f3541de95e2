package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/option"

	"weft/backend/llm"
)

// maxError bounds what is read of an error's body.
const maxError = 1 << 20

// refuse turns every answer that is not a success into an error, before the SDK reads it: its own reading has no
// bound and gives up the status where the body is not in OpenAI's form.
func (m *model) refuse(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err != nil || res.StatusCode < http.StatusMultipleChoices {
		return res, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxError))
	if err != nil && len(body) == 0 {
		return nil, err
	}
	return nil, m.statusError(res.StatusCode, res.Header, body)
}

func (m *model) statusError(status int, header http.Header, body []byte) *llm.Error {
	said := spoken(body)
	if m.opt.Key != "" {
		said = strings.ReplaceAll(said, m.opt.Key, "[key]")
	}
	return m.end.StatusError(status, header, said, m.opt.Now(), nil)
}

// failure is the error of a request that brought no events.
func (m *model) failure(ctx context.Context, err error) error {
	var f *llm.Error
	if errors.As(err, &f) && ctx.Err() == nil {
		return f
	}
	return m.end.NetworkError(ctx, err)
}

// said is an error as servers write it: {"error":{"message":…}}, {"error":"…"}, {"message":…}, {"detail":…}.
type said struct {
	Message string          `json:"message"`
	Code    json.RawMessage `json:"code"` // a word or a number
	Type    string          `json:"type"`
	Detail  json.RawMessage `json:"detail"`
	Error   json.RawMessage `json:"error"`
	// Metadata is OpenRouter's: what the provider behind it said.
	Metadata struct {
		Raw string `json:"raw"`
	} `json:"metadata"`
}

func readSaid(body []byte) said { return unwrap(body, 4) }

// unwrap reads an error that is in others, so many deep.
func unwrap(body []byte, levels int) said {
	var s said
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("[{")) { // Google's compatible server
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
	}
	if lenient(json.Unmarshal(body, &s)) != nil || levels == 0 {
		return s
	}
	if inner := given(s.Error); inner != nil {
		if inner[0] == '{' {
			return unwrap(inner, levels-1)
		}
		s.Message = unquoted(inner)
	}
	if s.Message == "" {
		s.Message = unquoted(given(s.Detail))
	}
	if raw := s.Metadata.Raw; raw != "" {
		s.Message += ": " + cmp.Or(unwrap([]byte(raw), levels-1).Message, raw)
	}
	return s
}

// spoken is the message in an error's body, or the body itself.
func spoken(body []byte) string {
	s := readSaid(body)
	if s.Message == "" {
		return unquoted(body)
	}
	if code := s.code(); code != "" && !strings.Contains(s.Message, code) {
		return s.Message + " (" + code + ")"
	}
	return s.Message
}

func (s said) code() string {
	if code := unquoted(given(s.Code)); code != "" {
		return code
	}
	return s.Type
}

// streamError is the error that a stream ends with. A server says in words what would have been the status.
func (m *model) streamError(body []byte) *llm.Error {
	s := readSaid(body)
	var status int
	if json.Unmarshal(s.Code, &status) != nil || status < 400 || status > 599 {
		status = statusOf(s.code() + " " + s.Type)
	}
	return m.statusError(status, nil, body)
}

func statusOf(code string) int {
	for _, known := range []struct {
		word   string
		status int
	}{
		{"rate_limit", http.StatusTooManyRequests},
		{"insufficient_quota", http.StatusTooManyRequests},
		{"context_length", http.StatusBadRequest},
		{"invalid", http.StatusBadRequest},
		{"authentication", http.StatusUnauthorized},
		{"permission", http.StatusForbidden},
		{"not_found", http.StatusNotFound},
	} {
		if strings.Contains(code, known.word) {
			return known.status
		}
	}
	return http.StatusInternalServerError
}

// given is a JSON value that is there and not null.
func given(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

// unquoted is the text of a JSON string, or the JSON itself.
func unquoted(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// lenient passes over a value of another type than expected: the other fields are read all the same.
func lenient(err error) error {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return nil
	}
	return err
}
