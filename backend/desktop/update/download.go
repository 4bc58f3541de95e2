package update

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"

	"weft/backend/base/fetch"
	"weft/backend/base/quantity"
)

// Download writes a file of a manifest to w and checks its size and its checksum. progress is told how many bytes there
// are, often. Errors: download_failed, wrong_checksum, cancelled, and those of w.
func (s *Source) download(ctx context.Context, f File, w io.Writer, progress func(done int64)) error {
	ctx, alive, end := fetch.Watch(ctx, s.limit.stall)
	defer end()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, http.NoBody)
	if err != nil {
		return fail(codeDownload, err, "Couldn't download the update: its address isn't valid.")
	}
	res, err := s.client().Do(req)
	if err != nil {
		return interrupted(ctx, req.URL.Host, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fail(codeDownload, nil, "Couldn't download the update: {{host}} answered with “{{status}}”. Try again later.", req.URL.Host, res.Status)
	}
	if res.ContentLength >= 0 && res.ContentLength != f.Size {
		return wrongSize(f, res.ContentLength)
	}
	done, sum, err := fetch.Copy(w, res.Body, f.Size, func(done int64) {
		alive()
		progress(done)
	})
	var read *fetch.ReadError
	switch {
	case errors.As(err, &read):
		return interrupted(ctx, req.URL.Host, read.Err)
	case err != nil && !errors.Is(err, fetch.ErrTooLong):
		return err
	case done != f.Size:
		return wrongSize(f, done)
	}
	if sum != f.SHA256 {
		return fail(codeChecksum, nil, "The download of {{name}} has the wrong checksum, so it wasn't installed. Try again later.", f.Name)
	}
	return nil
}

func wrongSize(f File, got int64) error {
	if got > f.Size {
		return fail(codeDownload, nil, "The download of {{name}} is longer than the {{size}} it should have, so it wasn't installed. Try again later.", f.Name, quantity.Bytes(f.Size))
	}
	return fail(codeDownload, nil, "The download of {{name}} ended early: {{size}} of {{size2}}. Try again.", f.Name, quantity.Bytes(got), quantity.Bytes(f.Size))
}

func interrupted(ctx context.Context, host string, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, fetch.ErrStalled):
		err = context.DeadlineExceeded
	case cause != nil:
		return fail("cancelled", err, "The download of the update was canceled.")
	}
	return fail(codeDownload, err, "Couldn't download the update: {{reason}}", because(host, err))
}

// sumOf returns the SHA-256 of a file.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
