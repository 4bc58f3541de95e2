package workspace

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// View is a part of a file that is shown to the user.
type View struct {
	Text      string `json:"text"`      // whole lines; invalid UTF-8 is shown as U+FFFD
	From      int    `json:"from"`      // its first line, 1-based
	Lines     int    `json:"lines"`     // number of lines in Text
	Total     int    `json:"total"`     // lines of the whole file; if More, a lower bound
	Size      int64  `json:"size"`      // bytes of the whole file
	ChangedAt int64  `json:"changedAt"` // unix ms
	Binary    bool   `json:"binary"`    // if set, there is no text
	Image     string `json:"image"`     // media type if it is an image that can be shown; Binary is set too
	More      bool   `json:"more"`      // the file is so large that its end wasn't read
}

const (
	maxView   = 512 << 10 // bytes of a file that is shown as a whole, and of a part
	aroundTop = 2000      // lines of a larger file before the requested one
	viewLines = 5000      // lines of a part
	maxLook   = 64 << 20  // bytes that are read to find a line
	longLine  = 4 << 10   // bytes of a line that are shown
)

// View returns the part of a file around a line (1-based; 0 is the beginning), or all of it if it is small. It reads
// at most 64 MB and returns at most about 512 KB. Errors are those of [Files.ReadText].
func (f *Files) View(path string, line int) (View, error) {
	return withDeadline(f, path, func() (View, error) { return f.view(path, line) })
}

func (f *Files) view(path string, line int) (View, error) {
	rel, err := f.relative(path)
	if err != nil {
		return View{}, err
	}
	file, info, err := f.openRegular(rel, path)
	if err != nil {
		return View{}, err
	}
	defer file.Close()
	v := View{From: 1, Size: info.Size(), ChangedAt: info.ModTime().UnixMilli()}
	r := bufio.NewReaderSize(io.LimitReader(file, maxLook), 64<<10)
	if head, _ := r.Peek(8 << 10); bytes.IndexByte(head, 0) >= 0 {
		v.Binary, v.Image = true, imageType(head)
		return v, nil
	}
	if v.Size > maxView {
		v.From = max(1, line-aroundTop)
	}
	var b strings.Builder
	read := int64(0)
	for {
		s, n, err := readLine(r)
		read += n
		if n > 0 {
			v.Total++
			if v.Total >= v.From && v.Lines < viewLines && b.Len() < maxView {
				b.WriteString(s)
				v.Lines++
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return View{}, wrap(path, "Couldn't read {{path}}: {{why}}.", err)
		}
	}
	v.More = read >= maxLook && v.Size > read
	if v.More && v.Lines == 0 {
		return View{}, refusal("too_large", nil, "Line {{line}} of {{path}} is after its first {{max}} MB, so it isn't shown.", line, path, maxLook>>20)
	}
	v.Text = b.String()
	return v, nil
}

// readLine reads one line. It returns the beginning of the line, and the number of bytes read.
func readLine(r *bufio.Reader) (line string, n int64, err error) {
	var b strings.Builder
	for {
		s, err := r.ReadSlice('\n')
		n += int64(len(s))
		end := bytes.HasSuffix(s, []byte{'\n'})
		s = bytes.TrimSuffix(s, []byte{'\n'})
		if room := longLine - b.Len(); room > 0 {
			b.Write(s[:min(len(s), room)])
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		text := b.String()
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "\uFFFD")
		}
		if end {
			text += "\n"
		}
		return text, n, err
	}
}
