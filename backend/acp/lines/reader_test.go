package lines

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readLines reads all lines of r; oversize ones as "!size:head".
func readLines(r io.Reader, max int) (lines []string, rest string) {
	l := New(r, max)
	show := func(over *Oversize) string {
		return "!" + string(rune('0'+over.Size%10)) + ":" + string(over.Head)
	}
	for {
		for {
			line, over, ok := l.Next()
			if !ok {
				break
			}
			if over != nil {
				lines = append(lines, show(over))
				continue
			}
			lines = append(lines, string(line))
		}
		if err := l.Fill(); err != nil {
			line, over := l.Rest()
			if over != nil {
				return lines, show(over)
			}
			return lines, string(line)
		}
	}
}

func TestLines(t *testing.T) {
	for _, tc := range []struct{ name, in, want, rest string }{
		{"plain", "a\nbb\n", "a|bb", ""},
		{"CRLF", "a\r\nb\rc\r\n", "a|b\rc", ""},
		{"blank", "\n\na\n", "||a", ""},
		{"half", "a\nhal", "a", "hal"},
		{"at the limit", "12345678\nx\n", "12345678|x", ""},
		{"above the limit", "123456789\nx\n", "!9:123456789|x", ""},
		{"far above", strings.Repeat("z", 34) + "\nx\n", "!4:" + strings.Repeat("z", 34) + "|x", ""},
		{"above at the end", "x\n123456789012", "x", "!2:123456789012"},
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(tc.in), "bytewise": iotest.OneByteReader(strings.NewReader(tc.in)),
			"halves": iotest.HalfReader(strings.NewReader(tc.in)), "with EOF": iotest.DataErrReader(strings.NewReader(tc.in)),
		} {
			lines, rest := readLines(r, 8)
			if got := strings.Join(lines, "|"); got != tc.want || rest != tc.rest {
				t.Errorf("%s, %s: got %q and %q", tc.name, name, got, rest)
			}
		}
	}
}

func TestLongLineIsReleased(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	l := New(strings.NewReader(long+"\nshort\n"+strings.Repeat("y\n", 1<<20)), 64<<20)
	var sizes []int
	for {
		for {
			line, _, ok := l.Next()
			if !ok {
				break
			}
			if len(line) > 1 {
				sizes = append(sizes, len(line))
			}
		}
		if l.Fill() != nil {
			break
		}
	}
	if len(sizes) != 2 || sizes[0] != len(long) || len(l.buf) != bufferSize {
		t.Errorf("lines of %v bytes, a buffer of %d", sizes, len(l.buf))
	}
}

func TestReaderWithoutProgress(t *testing.T) {
	l := New(iotest.ErrReader(nil), 8)
	if err := l.Fill(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\nccccccccccccccccc\n\nd"), uint8(3))
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		const max = 16
		var want []string
		parts := bytes.Split(in, []byte("\n"))
		for i, p := range parts {
			head := string(p[:min(len(p), headSize)])
			switch {
			case len(p) > max:
				want = append(want, "!"+string(rune('0'+len(p)%10))+":"+head)
			case i < len(parts)-1:
				want = append(want, strings.TrimSuffix(string(p), "\r"))
			default:
				want = append(want, string(p))
			}
		}
		lines, rest := readLines(&stepReader{in, int(step)%40 + 1}, max)
		got := append(lines, rest)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q by %d\ngot  %q\nwant %q", in, step, got, want)
		}
	})
}

type stepReader struct {
	b    []byte
	step int
}

func (r *stepReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b[:min(r.step, len(r.b))])
	r.b = r.b[n:]
	return n, nil
}
