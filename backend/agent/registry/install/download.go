package install

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"weft/backend/agent/registry"
	"weft/backend/base/fault"
	"weft/backend/base/fetch"
	"weft/backend/files/regular"
)

// headTime is the timeout of a size request.
const headTime = 10 * time.Second

// Size returns the size of an archive without downloading it, or 0 if the server doesn't report it. It blocks for at
// most 10 s.
func Size(ctx context.Context, address string, local bool) int64 {
	ctx, cancel := context.WithTimeout(ctx, headTime)
	defer cancel()
	u, err := url.Parse(address)
	if err != nil || !registry.MayFetch(u, local) {
		return 0
	}
	if u.Scheme == "file" {
		if info, err := os.Stat(registry.FilePath(u)); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
		return 0
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return 0
	}
	client := registry.Client(local)
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0
	}
	return max(res.ContentLength, 0)
}

// download fetches the target's archive into a file and returns its SHA-256.
func (w *work) download(ctx context.Context, to *os.File) (sum string, n int64, err error) {
	ctx, alive, end := fetch.Watch(ctx, w.in.opt.Limits.Stall)
	defer end()
	body, total, err := w.open(ctx)
	if err != nil {
		return "", 0, w.broken(ctx, err)
	}
	defer func() { _ = body.Close() }()
	limit := w.in.opt.Limits.Download
	if total > limit {
		return "", 0, tooLarge(limit)
	}
	n, sum, err = fetch.Copy(to, body, limit, func(n int64) {
		alive()
		w.progress(Progress{Step: StepDownload, Done: n, Total: total})
	})
	var read *fetch.ReadError
	switch {
	case errors.Is(err, fetch.ErrTooLong):
		return "", n, tooLarge(limit)
	case errors.As(err, &read):
		return "", n, w.broken(ctx, read.Err)
	case err != nil:
		return "", n, err
	}
	if total > 0 && n != total {
		return "", n, w.broken(ctx, io.ErrUnexpectedEOF)
	}
	return sum, n, nil
}

// open starts the download. total is 0 if the server doesn't report the size.
func (w *work) open(ctx context.Context) (body io.ReadCloser, total int64, err error) {
	u, err := url.Parse(w.target.Archive)
	if err != nil || !registry.MayFetch(u, w.local) {
		return nil, 0, forbidden(err)
	}
	if u.Scheme == "file" {
		return openFile(registry.FilePath(u))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Accept", "application/octet-stream, */*")
	req.Header.Set("Accept-Encoding", "identity") // so that the length is that of the hashed data
	res, err := registry.Client(w.local).Do(req)
	if err != nil {
		return nil, 0, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, 0, fault.New(CodeDownload, "{{host}} answered with {{status}} {{text}}. The registry may be out of date: refresh it, or try again later.", u.Hostname(), res.StatusCode, http.StatusText(res.StatusCode))
	}
	return res.Body, max(res.ContentLength, 0), nil
}

func forbidden(err error) error {
	return fault.New(CodeDownload, "The address of the archive isn't allowed.").Because(err)
}

func openFile(path string) (io.ReadCloser, int64, error) {
	f, info, err := regular.OpenPath(path)
	if err != nil {
		return nil, 0, fault.New(CodeDownload, "{{path}} can't be read.", path).Because(err)
	}
	return f, info.Size(), nil
}

// broken returns the error for an incomplete download.
func (w *work) broken(ctx context.Context, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return err
	}
	var host any = fault.Say("The server")
	if u, perr := url.Parse(w.target.Archive); perr == nil && u.Hostname() != "" {
		host = u.Hostname()
	}
	message := fault.Say("{{host}} can't be reached. Check the network.", host)
	switch {
	case errors.Is(context.Cause(ctx), fetch.ErrStalled):
		message = fault.Say("{{host}} stopped sending. Try again.", host)
	case errors.Is(err, io.ErrUnexpectedEOF):
		message = fault.Say("The download ended before it was complete. Try again.")
	}
	return fault.Saying(CodeDownload, message).With(err.Error()).Because(err)
}

func tooLarge(limit int64) error {
	return fault.New(CodeDownload, "The download is larger than {{limit}} MB. Weft doesn't install that.", limit>>20)
}

// webPage reports whether a download is a web page, which some servers send instead of a file.
func webPage(head []byte) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF")))
	return len(head) > 0 && (head[0] == '<' || head[0] == '{')
}
