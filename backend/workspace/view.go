package workspace

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// View is a stretch of a file for a user to look at.
type View struct {
	Text      string `json:"text"`      // whole lines; bytes that are no UTF-8 are shown as U+FFFD
	From      int    `json:"from"`      // its first line, from 1
	Lines     int    `json:"lines"`     // that it has
	Total     int    `json:"total"`     // lines of the whole file; at least these, where More
	Size      int64  `json:"size"`      // bytes of the whole file
	ChangedAt int64  `json:"changedAt"` // unix ms
	Binary    bool   `json:"binary"`    // then there is no text
	Image     string `json:"image"`     // the media type of a picture that can be shown; then it is binary
	More      bool   `json:"more"`      // the file is so large that its end was not looked at
}

const (
	maxView   = 512 << 10 // bytes of a file that are shown as a whole, and of a stretch
	aroundTop = 2000      // lines of a larger file before the one that is looked at
	viewLines = 5000      // lines of a stretch
	maxLook   = 64 << 20  // bytes that are read to find a line
	longLine  = 4 << 10   // bytes of a line that are shown
)

// View reads what is around a line of a file (from 1; 0 is its beginning): all of it where it is small. It reads
// at most 64 MB and returns at most about 512 KB. The errors are those of [Files.ReadText].
func (f *Files) View(path string, line int) (View, error) {
	return quickly(f, path, func() (View, error) { return f.view(path, line) })
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

// readLine reads one line, of which the beginning is kept, and returns its bytes.
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
