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

// Form is how a text file is encoded on disk.
type Form struct {
	Ends     string // "lf" or "crlf" if all lines end so; "" if there are none or they differ
	Encoding string // "utf-8", "utf-16le", "utf-16be", or "" for anything else
	BOM      bool   // it begins with a byte order mark
}

// FormRequest is the form that an agent requests for a text that it writes. Empty fields are unspecified.
type FormRequest struct {
	Ends     string
	Encoding string
	BOM      *bool
}

// Text is the text of a file, or of some of its lines, without a byte order mark.
type Text struct {
	Content string
	Form    Form // of the file
}

// Written is a text in the form in which it will be written.
type Written struct {
	Text string // as it will be read back
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
	return text, !strings.ContainsRune(text, utf8.RuneError) && !strings.ContainsRune(text, 0) // otherwise it isn't text and only begins like a byte order mark
}

// endsOf returns how all lines of a text end.
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

// Prepare encodes a text that an agent wants to write to a file, in the form that it requests. If it requests none,
// and it has read the file through Weft (read), the file keeps its line endings and byte order mark. A UTF-16 file
// stays UTF-16. Errors: not_text if Weft can't write the file in that form, and those of [Files.ReadText].
func (f *Files) Prepare(path, text string, said FormRequest, read bool) (*Written, error) {
	own, err := withDeadline(f, path, func() (*Form, error) { return f.form(path) })
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
				said.Ends = "" // other endings in the agent's text are intended
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

// encodings maps the encoding names that agents use.
var encodings = map[string]string{
	"utf-8": "utf-8", "utf8": "utf-8", "utf-8-bom": "utf-8", "utf8bom": "utf-8", "ascii": "utf-8", "us-ascii": "utf-8",
	"utf-16": "utf-16", "utf16": "utf-16", "utf-16le": "utf-16le", "utf16le": "utf-16le", "utf-16-le": "utf-16le", "ucs-2": "utf-16le", "utf-16be": "utf-16be", "utf16be": "utf-16be",
	"utf-16-be": "utf-16be", "iso-8859-1": "latin1", "latin1": "latin1", "latin-1": "latin1", "windows-1252": "latin1", "cp1252": "latin1", "windows1252": "latin1",
}

// encode returns the bytes of a text. ok is false if the encoding lacks one of its characters.
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
			if r > 0xff || r >= 0x80 && r < 0xa0 { // the characters in 0x80–0x9f depend on the standard
				return nil, false
			}
			out = append(out, byte(r))
		}
		return out, true
	}
	return []byte(text), true
}

// form returns the present form of a file, or nil if it doesn't exist or can't have been read as a whole.
func (f *Files) form(path string) (*Form, error) {
	rel, err := f.relative(path)
	if err != nil {
		return nil, err
	}
	file, info, err := f.openRegular(rel, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // a new file has no form yet
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info.Size() > MaxRead || info.Size() == 0 {
		return nil, nil //nolint:nilnil // Weft didn't read it as a whole
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
