package llm

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Why an answer was given up.
var (
	ErrSilent  = errors.New("nothing came for too long")
	ErrEnded   = errors.New("the answer ended before it was complete")
	ErrTooLong = errors.New("the answer is too long to store")
)

// Bounded returns a reader of the first n bytes of r. After them it returns [ErrTooLong] instead of the end.
func Bounded(r io.Reader, n int64) io.Reader { return &bounded{r, n} }

type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrTooLong
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// NewClient makes an HTTP client for a provider. There is no bound on how long an answer may take as a whole; the
// request ends with [ErrSilent] if nothing comes for the given time, before the answer or in it. Proxies of the
// environment are used. Redirects to another host are not followed, since the key would go along.
func NewClient(silence time.Duration) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 20 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.DisableCompression = true // a compressed stream may be held back
	return &http.Client{
		Transport: &watched{next: t, silence: silence},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if req.URL.Host != via[0].URL.Host || len(via) > 5 {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// watched gives up on a request when nothing comes.
type watched struct {
	next    http.RoundTripper
	silence time.Duration
}

func (w *watched) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	timer := time.AfterFunc(w.silence, func() { cancel(ErrSilent) })
	res, err := w.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		timer.Stop()
		if errors.Is(context.Cause(ctx), ErrSilent) && req.Context().Err() == nil {
			err = ErrSilent
		}
		cancel(nil)
		return nil, err
	}
	res.Body = &watchedBody{ReadCloser: res.Body, timer: timer, silence: w.silence, ctx: ctx, cancel: cancel}
	return res, nil
}

type watchedBody struct {
	io.ReadCloser
	timer   *time.Timer
	silence time.Duration
	ctx     context.Context //nolint:containedctx // of the request, whose body this is
	cancel  context.CancelCauseFunc
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.timer.Reset(b.silence)
	if err != nil && errors.Is(context.Cause(b.ctx), ErrSilent) {
		err = ErrSilent
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.timer.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
