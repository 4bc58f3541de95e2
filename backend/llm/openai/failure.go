package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

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
