package update

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"weft/backend/quantity"
)

var errStalled = errors.New("nothing was sent for a while")

// Download writes a file of a manifest to w and checks its size and its checksum. progress is told how many bytes there are, often.
// Errors: download_failed, wrong_checksum, cancelled, and those of w.
func (s *Source) download(ctx context.Context, f File, w io.Writer, progress func(done int64)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(s.limit.stall, func() { cancel(errStalled) }) // ends a server that sends nothing
	defer stall.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, http.NoBody)
	if err != nil {
		return fail(codeDownload, "Couldn't download the update: its address isn't valid.", err)
	}
	res, err := s.client().Do(req)
	if err != nil {
		return interrupted(ctx, req.URL.Host, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fail(codeDownload, fmt.Sprintf("Couldn't download the update: %s answered with “%s”. Try again later.", req.URL.Host, res.Status), nil)
	}
	if res.ContentLength >= 0 && res.ContentLength != f.Size {
		return wrongSize(f, res.ContentLength)
	}
	hash := sha256.New()
	buf := make([]byte, 128<<10)
	for done := int64(0); ; {
		n, readErr := res.Body.Read(buf)
		if n > 0 {
			stall.Reset(s.limit.stall)
			if done += int64(n); done > f.Size {
				return wrongSize(f, done)
			}
			hash.Write(buf[:n])
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
			progress(done)
		}
		if errors.Is(readErr, io.EOF) {
			if done != f.Size {
				return wrongSize(f, done)
			}
			break
		}
		if readErr != nil {
			return interrupted(ctx, req.URL.Host, readErr)
		}
	}
	if hex.EncodeToString(hash.Sum(nil)) != f.SHA256 {
		return fail(codeChecksum, "The download of "+f.Name+" has the wrong checksum, so it wasn't installed. Try again later.", nil)
	}
	return nil
}

func wrongSize(f File, got int64) error {
	if got > f.Size {
		return fail(codeDownload, fmt.Sprintf("The download of %s is longer than the %s it should have, so it wasn't installed. Try again later.", f.Name, quantity.Bytes(f.Size)), nil)
	}
	return fail(codeDownload, fmt.Sprintf("The download of %s ended early: %s of %s. Try again.", f.Name, quantity.Bytes(got), quantity.Bytes(f.Size)), nil)
}

func interrupted(ctx context.Context, host string, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStalled):
		err = context.DeadlineExceeded
	case cause != nil:
		return fail("cancelled", "The download of the update was canceled.", err)
	}
	return fail(codeDownload, "Couldn't download the update: "+because(host, err), err)
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
