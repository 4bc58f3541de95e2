package anthropic

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"weft/backend/llm"
	"weft/backend/llm/sse"
)

// streamError is an error that came as an event.
type streamError struct{ kind, message string }

func (e *streamError) Error() string { return e.kind + ": " + e.message }

// fail turns an error of the SDK or of the stream into one for people. The SDK's own is not kept: it holds the request
// and its key.
func (m *model) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if known, ok := errors.AsType[*llm.Error](err); ok {
		return known
	}
	if api, ok := errors.AsType[*sdk.Error](err); ok {
		var header http.Header
		if api.Response != nil {
			header = api.Response.Header
		}
		return m.e.StatusError(api.StatusCode, header, said([]byte(api.RawJSON())), m.opt.Now(), nil)
	}
	if s, ok := errors.AsType[*streamError](err); ok {
		return m.e.StatusError(statusOf(s.kind), nil, s.message, m.opt.Now(), err)
	}
	if errors.Is(err, errEnded) {
		return m.e.Broken()
	}
	if errors.Is(err, sse.ErrTooLong) || errors.Is(err, bufio.ErrTooLong) {
		return llm.Fail(llm.CodeBroken, "The answer of {{provider}} is too long to store. Check the base URL.", "Anthropic").Because(err)
	}
	return m.e.NetworkError(ctx, err)
}

// said is the provider's message in the body of an error, or the body.
func said(body []byte) string {
	if _, message := errorIn(body); message != "" {
		return message
	}
	return string(body)
}

func errorIn(body []byte) (kind, message string) {
	var e struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &e) != nil {
		return "", ""
	}
	return e.Error.Type, e.Error.Message
}

// statusOf is the status that the API documents for a type of error, for those that come inside of a stream.
func statusOf(kind string) int {
	switch kind {
	case "invalid_request_error":
		return http.StatusBadRequest
	case "authentication_error":
		return http.StatusUnauthorized
	case "billing_error":
		return http.StatusPaymentRequired
	case "permission_error":
		return http.StatusForbidden
	case "not_found_error":
		return http.StatusNotFound
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	case "rate_limit_error":
		return http.StatusTooManyRequests
	case "timeout_error":
		return http.StatusGatewayTimeout
	case "overloaded_error":
		return 529
	}
	return http.StatusInternalServerError
}
