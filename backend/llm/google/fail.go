package google

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"google.golang.org/genai"

	"weft/backend/llm"
	"weft/backend/llm/sse"
)

var (
	// errEnded is a stream that ended before its message did.
	errEnded = errors.New("the stream ended without a finishReason")
	// errNothing is a request that the SDK did not send.
	errNothing = errors.New("nothing was sent")
)

// fail turns an error of the SDK or of the stream into one for people. t is nil once the answer streams.
func (m *model) fail(ctx context.Context, t *taken, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if known, ok := errors.AsType[*llm.Error](err); ok {
		return known
	}
	if api, ok := errors.AsType[genai.APIError](err); ok {
		return m.status(t, api)
	}
	if errors.Is(err, errEnded) {
		return m.e.Broken()
	}
	if errors.Is(err, sse.ErrTooLong) {
		return llm.Fail(llm.CodeBroken, "The answer of {{provider}} is too long to store. Check the base URL.", "Google").Because(err)
	}
	// Only what is inside of the SDK's error: around it is the whole body.
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		err = syntax
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &llm.Error{Code: llm.CodeBroken, Err: kind, Message: "The response from Google can't be read: “" + kind.Field + "” is a " + kind.Value + ". Check the base URL, and any proxy in between."}
	}
	return m.e.NetworkError(ctx, err)
}

func (m *model) status(t *taken, api genai.APIError) error {
	code, header := api.Code, http.Header(nil)
	if t != nil && t.status != 0 {
		code, header = t.status, t.header
	}
	if code < http.StatusMultipleChoices {
		code = http.StatusInternalServerError
	}
	said := said(api.Message)
	if code == http.StatusBadRequest && (strings.Contains(said, "API key not valid") || detail(api, "reason") == "API_KEY_INVALID") {
		code = http.StatusUnauthorized // which Google reports as a bad request
	}
	f := m.e.StatusError(code, header, said, m.opt.Now(), nil)
	if wait, err := time.ParseDuration(detail(api, "retryDelay")); err == nil && wait > 0 && code == http.StatusTooManyRequests {
		// A limit per minute is worded as if the quota was used up for good, but says when it ends.
		f.After, f.Retryable = max(f.After, min(wait, 10*time.Minute)), true
	}
	return f
}

// detail is a field of the error's details.
func detail(api genai.APIError, field string) string {
	for _, d := range api.Details {
		if s, ok := d[field].(string); ok {
			return s
		}
	}
	return ""
}

// said is the message, also where the SDK took a list of one error for a text.
func said(message string) string {
	var list []struct {
		Error genai.APIError `json:"error"`
	}
	if json.Unmarshal([]byte(message), &list) == nil && len(list) > 0 && list[0].Error.Message != "" {
		return list[0].Error.Message
	}
	return message
}
