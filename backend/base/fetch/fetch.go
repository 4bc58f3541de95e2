// Package fetch takes in what a server sends, which may be too long, never end, or send nothing for good.
package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"time"
)

var (
	// ErrStalled is the cause of a context of [Watch] that has ended because nothing was sent.
	ErrStalled = errors.New("nothing was sent for a while")
	// ErrTooLong says that more was sent than is taken.
	ErrTooLong = errors.New("more was sent than is taken")
)

// ReadError is an error of what is read, and not of where it is written.
type ReadError struct{ Err error }

// Error implements error.
func (e *ReadError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the reader.
func (e *ReadError) Unwrap() error { return e.Err }

// Watch returns a context that ends with the cause [ErrStalled] if alive isn't called for longer than timeout. done
// must be called at the end.
func Watch(parent context.Context, timeout time.Duration) (ctx context.Context, alive, done func()) {
	ctx, cancel := context.WithCancelCause(parent)
	timer := time.AfterFunc(timeout, func() { cancel(ErrStalled) })
	return ctx, func() { timer.Reset(timeout) }, func() {
		timer.Stop()
		cancel(nil)
	}
}

// Copy writes what is sent to w, at most so many bytes, and returns how many were sent, and their SHA-256 in
// hexadecimal digits. piece is told how many there are after each piece, often. Errors: [ErrTooLong], a *[ReadError],
// and those of w.
func Copy(w io.Writer, sent io.Reader, most int64, piece func(n int64)) (n int64, sum string, err error) {
	hash := sha256.New()
	buf := make([]byte, 128<<10)
	for {
		k, readErr := sent.Read(buf)
		if k > 0 {
			n += int64(k)
			if n > most {
				return n, "", ErrTooLong
			}
			hash.Write(buf[:k])
			if _, err := w.Write(buf[:k]); err != nil {
				return n, "", err
			}
			piece(n)
		}
		if errors.Is(readErr, io.EOF) {
			return n, hex.EncodeToString(hash.Sum(nil)), nil
		}
		if readErr != nil {
			return n, "", &ReadError{readErr}
		}
	}
}
