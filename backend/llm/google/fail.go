package google

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"weft/backend/llm"
)

// fail turns an error of a request or of its stream into one for people.
func (m *model) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &llm.Error{Code: llm.CodeBroken, Err: kind, Message: "The response from Google can't be read: “" + kind.Field + "” is a " + kind.Value + ". Check the base URL, and any proxy in between."}
	}
	return m.e.NetworkError(ctx, err)
}

// status is the error of an answer that isn't 200, or of one in a stream.
func (m *model) status(code int, header http.Header, api *apiError) error {
	if code < http.StatusMultipleChoices {
		code = http.StatusInternalServerError
	}
	if code == http.StatusBadRequest && (strings.Contains(api.Message, "API key not valid") || api.detail("reason") == "API_KEY_INVALID") {
		code = http.StatusUnauthorized // which Google reports as a bad request
	}
	f := m.e.StatusError(code, header, api.Message, m.opt.Now(), nil)
	if wait := api.retryDelay(); wait > 0 && code == http.StatusTooManyRequests {
		// A limit per minute is worded as if the quota was used up for good, but says when it ends.
		f.After, f.Retryable = max(f.After, min(wait, 10*time.Minute)), true
	}
	return f
}
