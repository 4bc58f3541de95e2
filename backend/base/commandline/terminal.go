// Package commandline keeps what commands print from steering the terminal.
package commandline

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Plain returns a writer that keeps texts from steering the terminal: titles, file names and errors come from
// elsewhere. Lines and tabs stay; other control characters, what turns the direction of text, and what is no UTF-8
// become U+FFFD.
func Plain(w io.Writer) io.Writer { return &plainWriter{w: w, rest: nil} }

// Shown is f where it is no terminal, and else [Plain] of it: what is piped on stays as it is.
func Shown(f *os.File) io.Writer {
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return Plain(f)
	}
	return f
}

type plainWriter struct {
	w    io.Writer
	rest []byte // the beginning of a character
}

// Write implements [io.Writer].
func (p *plainWriter) Write(b []byte) (int, error) {
	text := append(p.rest, b...)
	whole := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if at := len(text) - n; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	p.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(p.w, PlainText(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// PlainText is the text that [Plain] writes.
func PlainText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return utf8.RuneError
		}
		return r
	}, s)
}
