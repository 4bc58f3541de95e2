package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
	"time"
)

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestCopyTakesAllOrSaysWhy(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(51, 0))
	for range 50 {
		text := make([]byte, r.IntN(300<<10))
		for i := range text {
			text[i] = byte(r.IntN(256))
		}
		length := int64(len(text))
		var out bytes.Buffer
		last := int64(0)
		n, sum, err := Copy(&out, iotest.HalfReader(bytes.NewReader(text)), length, func(n int64) {
			if n <= last {
				t.Errorf("%d bytes after %d", n, last)
			}
			last = n
		})
		want := sha256.Sum256(text)
		if err != nil || n != length || last != length || !bytes.Equal(out.Bytes(), text) || sum != hex.EncodeToString(want[:]) {
			t.Fatalf("%d of %d bytes: %v", n, length, err)
		}
		if length == 0 {
			continue
		}
		if n, _, err := Copy(io.Discard, bytes.NewReader(text), length-1, func(int64) {}); !errors.Is(err, ErrTooLong) || n < length {
			t.Errorf("one byte too long: %d, %v", n, err)
		}
		var read *ReadError
		if _, _, err := Copy(full{}, bytes.NewReader(text), length, func(int64) {}); err == nil || errors.As(err, &read) {
			t.Errorf("a full disk: %v", err)
		}
	}
	var read *ReadError
	if _, _, err := Copy(io.Discard, iotest.ErrReader(io.ErrUnexpectedEOF), 9, func(int64) {}); !errors.As(err, &read) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a broken connection: %v", err)
	}
}

func TestWatchEndsWhatStalls(t *testing.T) {
	t.Parallel()
	ctx, _, done := Watch(t.Context(), time.Millisecond)
	defer done()
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), ErrStalled) {
		t.Error(context.Cause(ctx))
	}
	ctx, alive, done := Watch(t.Context(), time.Hour)
	alive()
	done()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) || errors.Is(cause, ErrStalled) {
		t.Error(cause)
	}
}
