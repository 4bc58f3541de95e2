package folder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of one read.
const (
	MaxReadBytes = 256 << 10 // text returned by one Read
	maxScanBytes = 64 << 20  // bytes read to count lines
	sniffBytes   = 8 << 10   // bytes read to distinguish text from binary
)

// ErrBinary is returned when a file that should be text isn't.
var ErrBinary = errors.New("not a text file")

// Text is a part of a file.
type Text struct {
	Path       string `json:"path"`
	Content    string `json:"-"`
	From       int    `json:"from"` // first line of Content, counted from 1; 0 if Content is empty
	To         int    `json:"to"`   // last line of Content
	TotalLines int    `json:"totalLines"`
	Size       int64  `json:"size"`                // bytes of the whole file
	Cut        bool   `json:"cut,omitempty"`       // the asked range was longer than MaxReadBytes
	Uncounted  bool   `json:"uncounted,omitempty"` // the file is too long to count: TotalLines is a lower bound
}

// Whole reports whether Content is all of the file.
func (t Text) Whole() bool { return !t.Cut && !t.Uncounted && t.From <= 1 && t.To == t.TotalLines }

// Read returns lines from..to of a text file, counted from 1 and inclusive; to 0 means the end. It keeps line ends
// and replaces bytes that aren't UTF-8 with U+FFFD. It returns ErrBinary for a file with NUL bytes, and an error
// for anything but a regular file, so it never blocks on a pipe or a device.
func (f *Folder) Read(rel string, from, to int) (Text, error) {
	if err := f.Current(); err != nil {
		return Text{}, err
	}
	file, info, err := f.disk.open(rel)
	if err != nil {
		return Text{}, err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 64<<10)
	if head, _ := in.Peek(sniffBytes); isBinary(head) {
		return Text{}, fmt.Errorf("%s: %w", rel, ErrBinary)
	}
	text, err := readLines(in, rel, info.Size(), from, to)
	if err != nil {
		return Text{}, explain(rel, err)
	}
	return text, nil
}

// TextOf returns what [Folder.Read] would return for a file with that content.
func TextOf(rel, content string, from, to int) Text {
	text, _ := readLines(bufio.NewReaderSize(strings.NewReader(content), 64<<10), rel, int64(len(content)), from, to) // a string never fails
	return text
}

func readLines(in *bufio.Reader, rel string, size int64, from, to int) (Text, error) {
	text := Text{Path: rel, Size: size}
	var content strings.Builder
	err := eachLine(in, func(n int, part []byte, _ bool) {
		text.TotalLines = n
		if n < from || (to > 0 && n > to) || text.Cut {
			return
		}
		if content.Len()+len(part) > MaxReadBytes {
			text.Cut = true
			if content.Len() > 0 {
				return
			}
			part = part[:MaxReadBytes]
		}
		if text.From == 0 {
			text.From = n
		}
		text.To = n
		content.Write(part)
	})
	if err != nil && !errors.Is(err, errScanLimit) {
		return Text{}, err
	}
	text.Uncounted = err != nil
	text.Content = strings.ToValidUTF8(content.String(), "\uFFFD")
	return text, nil
}

// ReadBytes returns a whole file of at most limit bytes, whatever is in it.
func (f *Folder) ReadBytes(rel string, limit int64) ([]byte, error) {
	info, err := f.Stat(rel)
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s is too large (%d bytes, the limit is %d)", rel, info.Size(), limit)
	}
	return f.disk.read(rel, limit)
}

// Head returns the first bytes of a file, enough to detect its type.
func (f *Folder) Head(rel string) ([]byte, error) {
	if err := f.Current(); err != nil {
		return nil, err
	}
	return f.disk.head(rel)
}

// IsBinary reports whether the head of a file is not text.
func IsBinary(head []byte) bool { return isBinary(head[:min(len(head), sniffBytes)]) }

var errScanLimit = errors.New("scan limit")

// eachLine calls fn for each line with its number and including the line end. A line longer than the reader's
// buffer comes in several parts. It returns errScanLimit after maxScanBytes.
func eachLine(in *bufio.Reader, fn func(n int, part []byte, first bool)) error {
	n, seen, first := 1, 0, true
	for {
		part, err := in.ReadSlice('\n')
		if len(part) > 0 {
			fn(n, part, first)
		}
		seen += len(part)
		first = false
		switch {
		case err == nil:
			n, first = n+1, true
		case errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
		if seen > maxScanBytes {
			return errScanLimit
		}
	}
}

// ReadAll returns a whole text file of at most limit bytes, byte for byte.
func (f *Folder) ReadAll(rel string, limit int64) (string, error) {
	text, err := f.ReadBytes(rel, limit)
	if err != nil {
		return "", err
	}
	if isBinary(text[:min(len(text), sniffBytes)]) {
		return "", fmt.Errorf("%s: %w", rel, ErrBinary)
	}
	return string(text), nil
}

func isBinary(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }
