package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
)

// fail turns an error of the SDK or of the stream into one for people. The SDK's own is not kept: it holds the request
// and its key.
func (m *model) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if api, ok := errors.AsType[*sdk.Error](err); ok {
		var header http.Header
		if api.Response != nil {
			header = api.Response.Header
		}
		return m.e.StatusError(api.StatusCode, header, said([]byte(api.RawJSON())), m.opt.Now(), nil)
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
