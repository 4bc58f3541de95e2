package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"
)

// stream writes numbered chunk lines of about 167 bytes. It prepares a block and only changes the
// numbers in it, so that writing costs next to nothing.
type stream struct {
	block []byte
	lines []int // where in block each line ends
	at    []int // where in block each number begins
}

const (
	streamBlock = 1000 // lines
	numberAt    = len("word ")
)

func chunkText(i int) string { return fmt.Sprintf("word %07d ", i%10_000_000) }

func newStream(sessionID string) *stream {
	s := &stream{}
	head := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`, sessionID)
	for i := range streamBlock {
		s.at = append(s.at, len(s.block)+len(head)+numberAt)
		s.block = append(s.block, head+chunkText(i)+`"}}}}`+"\n"...)
		s.lines = append(s.lines, len(s.block))
	}
	return s
}

// write writes n lines, numbered from 0.
func (s *stream) write(w io.Writer, n int) error {
	for from := 0; from < n; from += streamBlock {
		digits := fmt.Sprintf("%04d", from/streamBlock%10_000)
		for _, at := range s.at {
			copy(s.block[at:], digits)
		}
		if _, err := w.Write(s.block[:s.lines[min(n-from, streamBlock)-1]]); err != nil {
			return err
		}
	}
	return nil
}

// digest is what a text is compared by.
type digest struct {
	Bytes int64
	Hash  string
}

// hasher makes a digest of a text that comes in pieces.
type hasher struct {
	bytes int64
	buf   []byte
	sum   interface {
		io.Writer
		Sum(b []byte) []byte
	}
}

func newHasher() *hasher { return &hasher{sum: sha256.New()} }

func (h *hasher) add(b []byte) {
	h.bytes += int64(len(b))
	_, _ = h.sum.Write(b)
}

// addText is add without a copy per piece.
func (h *hasher) addText(s string) {
	h.buf = append(h.buf[:0], s...)
	h.add(h.buf)
}

func (h *hasher) digest() digest {
	return digest{h.bytes, fmt.Sprintf("%x", h.sum.Sum(nil))}
}

// sent is the digest of the text of n lines.
func sent(n int) digest {
	h := newHasher()
	var b []byte
	for i := range n {
		b = append(b, chunkText(i)...)
		if len(b) > 64<<10 || i == n-1 {
			h.add(b)
			b = b[:0]
		}
	}
	return h.digest()
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
