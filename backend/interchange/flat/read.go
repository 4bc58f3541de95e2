package flat

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
	"weft/backend/conversation/archive"
)

// MaxValue is the maximum size of a JSON document, of a line of JSON Lines, and of all messages of a conversation, in
// bytes.
const MaxValue = 64 << 20

// Read gives up after a line of maxLine bytes, or after maxLost unreadable values without a conversation.
const (
	maxLine = 4 * MaxValue
	maxLost = 1000
)

var errNothing = errors.New("there is no end of what can't be read")

// Read reads the conversations of a file and calls yield with each, in order, including those with faults. lines says
// that the file is JSON Lines; otherwise Read detects the format. Unreadable values are reported as conversations with
// a fault and without messages. Read returns an error only if yield or r does. It stops early in an endless file that
// has no conversations.
func Read(r io.Reader, lines bool, yield func(*Conversation) error) error {
	err := read(r, lines, yield)
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

func read(r io.Reader, lines bool, yield func(*Conversation) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	p := &parser{yield: yield}
	head, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the file: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = in.Discard(3)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return p.lost(1, "The file is in UTF-16. Save it as UTF-8.")
	}
	started := false
	for line := 1; ; line++ {
		text, long, err := readLine(in, MaxValue)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the file: %w", err)
		}
		ended := err != nil
		if long || len(bytes.TrimSpace(text)) > 0 {
			if !started && !lines && !long && !ended && !valid(text) {
				return p.document(in, text, line)
			}
			started = true
			if err := p.line(text, line, long); err != nil {
				return err
			}
		}
		if ended {
			break
		}
	}
	if err := p.end(); err != nil {
		return err
	}
	if !p.found {
		return p.lost(1, "No conversations found in the file.")
	}
	return nil
}

// readLine reads a line. If it has more than limit bytes, long is true and text is nil. After maxLine bytes it returns
// io.EOF.
func readLine(in *bufio.Reader, limit int) (text []byte, long bool, err error) {
	for size := 0; ; {
		piece, err := in.ReadSlice('\n')
		switch {
		case long:
		case len(text)+len(piece) > limit:
			long, text = true, nil
		default:
			text = append(text, piece...)
		}
		if size += len(piece); size > maxLine {
			return nil, true, io.EOF
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return text, long, err
	}
}

// IsDocument reports whether head is the beginning of a JSON document exported by Weft. Package archive reads those.
func IsDocument(head []byte) bool { return archive.Is(head) }

func valid(text []byte) bool {
	return jsontext.Value(bytes.TrimSpace(bytes.ToValidUTF8(text, replacement))).IsValid(lenient)
}

var replacement = []byte("\uFFFD")

// document reads a file with one JSON value of several lines.
func (p *parser) document(in io.Reader, head []byte, line int) error {
	rest, err := io.ReadAll(io.LimitReader(in, int64(MaxValue-len(head)+1)))
	if err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	text := append(head, rest...)
	if len(text) > MaxValue {
		return p.lost(line, "The file is larger than {{max}} MB and isn't JSON Lines. Write one conversation or message per line.", MaxValue>>20)
	}
	if err := p.line(text, line, false); err != nil {
		return err
	}
	return p.end()
}

// line reads one value of the file.
func (p *parser) line(text []byte, line int, long bool) error {
	if long {
		return p.broken(line, "This line is longer than {{max}} MB.", MaxValue>>20)
	}
	for len(text) > 0 && text[0] <= ' ' {
		if text[0] == '\n' {
			line++
		}
		text = text[1:]
	}
	text = bytes.TrimRight(text, " \t\r\n")
	if len(text) == 0 {
		return nil
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, replacement)
		p.replaced = true
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(text), lenient)
	if err := d.SkipValue(); err != nil {
		return p.broken(lineOf(text, line, err, d), "Invalid JSON: {{reason}}", why(err))
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return p.broken(line+bytes.Count(text[:d.InputOffset()], []byte{'\n'}), "Invalid JSON: unexpected text after the end of the value.")
	}
	return p.value(node{text, line}, "")
}

func lineOf(text []byte, line int, err error, d *jsontext.Decoder) int {
	at := d.InputOffset()
	var bad *jsontext.SyntacticError
	if errors.As(err, &bad) {
		at = bad.ByteOffset
	}
	return line + bytes.Count(text[:max(0, min(at, int64(len(text))))], []byte{'\n'})
}

func why(err error) string {
	var bad *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Text("it ends in the middle of a value.")
	case errors.As(err, &bad) && bad.Err != nil:
		return strings.TrimPrefix(bad.Err.Error(), "jsontext: ") + "."
	}
	return strings.TrimPrefix(err.Error(), "jsontext: ") + "."
}
