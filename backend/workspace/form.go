package workspace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Form is how a text file is written on disk.
type Form struct {
	Ends     string // "lf" or "crlf" where all of its lines end so, "" where none does or they differ
	Encoding string // "utf-8", "utf-16le" or "utf-16be"; "" if it is none of these
	BOM      bool   // it begins with a byte order mark
}

// Said is what an agent says about the form of a text that it writes; empty fields say nothing.
type Said struct {
	Ends     string
	Encoding string
	BOM      *bool
}

// Text is what a file holds, or a stretch of its lines, without a byte order mark.
type Text struct {
	Content string
	Form    Form // of what was read
}

// Written is a text as it is about to be written.
type Written struct {
	Text string // as it will be read again
	data []byte
}

const mark = "\uFEFF" // the byte order mark, as text

// decode reads the bytes of a text file.
func decode(data []byte) (t Text, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}) && len(data)%2 == 0:
		t.Content, ok = fromUTF16(data[2:], binary.LittleEndian)
		t.Form = Form{Encoding: "utf-16le", BOM: true}
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}) && len(data)%2 == 0:
		t.Content, ok = fromUTF16(data[2:], binary.BigEndian)
		t.Form = Form{Encoding: "utf-16be", BOM: true}
	default:
		t.Content, t.Form.BOM = strings.CutPrefix(string(data), mark)
		t.Form.Encoding, ok = "utf-8", utf8.Valid(data)
	}
	t.Form.Ends = endsOf(t.Content)
	return t, ok
}

func fromUTF16(data []byte, order binary.ByteOrder) (string, bool) {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	text := string(utf16.Decode(units))
	return text, !strings.ContainsRune(text, utf8.RuneError) && !strings.ContainsRune(text, 0) // else it is something else, which begins so by chance
}

// endsOf is how all lines of a text end.
func endsOf(text string) string {
	all, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	switch {
	case all == 0 || crlf > 0 && crlf < all:
		return ""
	case crlf > 0:
		return "crlf"
	}
	return "lf"
}

// Prepare makes what is written of a text that an agent sends for a file: in the form that it says. Where it says nothing, lines keep the ends, and
// the file its byte order mark, that the file has now, if the agent was given it by Weft (read). A file in UTF-16 stays in it. Errors: not_text where
// the file, or the form, isn't one that Weft can write, and those of [Files.ReadText].
func (f *Files) Prepare(path, text string, said Said, read bool) (*Written, error) {
	own, err := quickly(f, path, func() (*Form, error) { return f.form(path) })
	if err != nil {
		return nil, err
	}
	text, marked := strings.CutPrefix(text, mark)
	encoding := "utf-8"
	if said.Encoding != "" {
		var known bool
		if encoding, known = encodings[strings.ReplaceAll(strings.ToLower(said.Encoding), "_", "-")]; !known {
			return nil, refusal("not_text", nil, "Weft can't write {{path}} as {{encoding}}, so it wasn't written. Send it as utf-8.", path, said.Encoding)
		}
	}
	if own != nil {
		switch {
		case own.Encoding == "" && said.Encoding == "":
			return nil, refusal("not_text", nil, "{{path}} is neither UTF-8 nor UTF-16 text, so it wasn't replaced. Specify its encoding, or remove it first.", path)
		case said.Encoding == "" || encoding == "utf-16" && strings.HasPrefix(own.Encoding, "utf-16"):
			encoding = own.Encoding
		}
		marked = marked || own.BOM && (read || encoding != "utf-8") && own.Encoding == encoding
		if said.Ends == "" && read {
			said.Ends = own.Ends
			if own.Ends == "lf" {
				said.Ends = "" // what the agent sends with other ends, it means
			}
		}
	}
	switch said.Ends {
	case "crlf":
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	case "lf":
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if encoding == "utf-16" {
		encoding, marked = "utf-16le", true
	}
	if said.BOM != nil {
		marked = *said.BOM
	}
	data, ok := encode(text, encoding, marked)
	if !ok {
		return nil, refusal("not_text", nil, "The text for {{path}} has characters that {{encoding}} doesn't have, so it wasn't written.", path, said.Encoding)
	}
	return &Written{Text: text, data: data}, nil
}

// encodings are the names by which agents say one.
var encodings = map[string]string{
	"utf-8": "utf-8", "utf8": "utf-8", "utf-8-bom": "utf-8", "utf8bom": "utf-8", "ascii": "utf-8", "us-ascii": "utf-8",
	"utf-16": "utf-16", "utf16": "utf-16", "utf-16le": "utf-16le", "utf16le": "utf-16le", "utf-16-le": "utf-16le", "ucs-2": "utf-16le", "utf-16be": "utf-16be", "utf16be": "utf-16be",
	"utf-16-be": "utf-16be", "iso-8859-1": "latin1", "latin1": "latin1", "latin-1": "latin1", "windows-1252": "latin1", "cp1252": "latin1", "windows1252": "latin1",
}

// encode makes the bytes of a text. It reports false if the encoding doesn't have one of its characters.
func encode(text, encoding string, marked bool) ([]byte, bool) {
	if marked && encoding != "latin1" {
		text = mark + text
	}
	switch encoding {
	case "utf-16le", "utf-16be":
		var order binary.AppendByteOrder = binary.LittleEndian
		if encoding == "utf-16be" {
			order = binary.BigEndian
		}
		out := make([]byte, 0, 2*len(text))
		for _, unit := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, unit)
		}
		return out, true
	case "latin1":
		out := make([]byte, 0, len(text))
		for _, r := range text {
			if r > 0xff || r >= 0x80 && r < 0xa0 { // what is between these differs by standard
				return nil, false
			}
			out = append(out, byte(r))
		}
		return out, true
	}
	return []byte(text), true
}

// form is that of a file as it is now, nil if there is none, or none that is read as a whole.
func (f *Files) form(path string) (*Form, error) {
	rel, err := f.relative(path)
	if err != nil {
		return nil, err
	}
	file, info, err := f.openRegular(rel, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // a file that is made has no form yet
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info.Size() > MaxRead || info.Size() == 0 {
		return nil, nil //nolint:nilnil // it wasn't read through Weft as a whole
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxRead+1))
	if err != nil {
		return nil, wrap(path, "Couldn't read {{path}}: {{why}}.", err)
	}
	t, ok := decode(data)
	if !ok {
		t.Form = Form{}
	}
	return &t.Form, nil
}
