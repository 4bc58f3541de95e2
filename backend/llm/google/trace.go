package google

import (
	"errors"
	"net/http"
)

// maxPages bounds how often the SDK asks for one thing: a list of models may continue without an end.
const maxPages = 50

var errPages = errors.New("the list doesn't end")

// trace takes streamed answers away from the SDK, and notes what it does not tell.
type trace struct {
	next    http.RoundTripper
	keyless bool
}

type takenKey struct{}

// taken is what trace took of one request.
type taken struct {
	streams bool
	asked   int
	res     *http.Response // whose body the caller closes
	status  int
	header  http.Header
}

// RoundTrip implements http.RoundTripper.
func (t trace) RoundTrip(req *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	if t.keyless {
		req = req.Clone(req.Context())
		req.Header.Del("X-Goog-Api-Key")
	}
	into, ok := req.Context().Value(takenKey{}).(*taken)
	if ok {
		if into.asked++; into.asked > maxPages {
			return nil, errPages
		}
	}
	res, err := next.RoundTrip(req)
	if err != nil || !ok {
		return res, err
	}
	into.status, into.header = res.StatusCode, res.Header
	if !into.streams || res.StatusCode != http.StatusOK {
		return res, nil
	}
	into.res = res
	return &http.Response{
		Status: res.Status, StatusCode: res.StatusCode, Proto: res.Proto, ProtoMajor: res.ProtoMajor, ProtoMinor: res.ProtoMinor,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}, nil
}
