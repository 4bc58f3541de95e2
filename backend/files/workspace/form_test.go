package workspace

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

func wide(text string, order binary.AppendByteOrder) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\uFEFF" + text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func TestTextsAreWrittenInTheFormOfTheFile(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	bom := "\xef\xbb\xbf"
	for name, c := range map[string]struct {
		disk string // "-": there is no file
		text string
		said FormRequest
		read bool
		want string // "!": refused
	}{
		"LF stays LF":                         {"a\nb\n", "a\nc\n", FormRequest{}, true, "a\nc\n"},
		"CRLF is kept where it was read":      {"a\r\nb\r\n", "a\nc\n", FormRequest{}, true, "a\r\nc\r\n"},
		"a new line in CRLF text":             {"a\r\nb\r\n", "a\r\nx\nb\r\n", FormRequest{}, true, "a\r\nx\r\nb\r\n"},
		"CRLF is not kept where it was not":   {"a\r\nb\r\n", "a\nc\n", FormRequest{}, false, "a\nc\n"},
		"mixed ends are left alone":           {"a\r\nb\n", "a\nc\r\n", FormRequest{}, true, "a\nc\r\n"},
		"no line end at all":                  {"a", "a\nc\r\n", FormRequest{}, true, "a\nc\r\n"},
		"CRLF for a file of LF is meant":      {"a\nb\n", "a\r\nb\r\n", FormRequest{}, true, "a\r\nb\r\n"},
		"CRLF is said":                        {"a\r\nb\r\n", "a\nc\n", FormRequest{Ends: "crlf"}, false, "a\r\nc\r\n"},
		"CRLF is said and sent":               {"-", "a\r\nc\n", FormRequest{Ends: "crlf"}, false, "a\r\nc\r\n"},
		"LF is said":                          {"a\r\nb\r\n", "a\r\nc\n", FormRequest{Ends: "lf"}, true, "a\nc\n"},
		"something else is said":              {"a\r\nb\r\n", "a\nc\n", FormRequest{Ends: "cr"}, true, "a\nc\n"},
		"a mark is kept where it was read":    {bom + "a\n", "b\n", FormRequest{}, true, bom + "b\n"},
		"a mark is not kept where it was not": {bom + "a\n", "b\n", FormRequest{}, false, "b\n"},
		"a mark is sent":                      {"a\n", "\uFEFFb\n", FormRequest{}, true, bom + "b\n"},
		"a mark is said":                      {"-", "b\n", FormRequest{BOM: &yes}, false, bom + "b\n"},
		"a mark is said and sent":             {"-", "\uFEFFb\n", FormRequest{BOM: &yes}, false, bom + "b\n"},
		"no mark is said":                     {bom + "a\n", "b\n", FormRequest{BOM: &no}, true, "b\n"},
		"no mark is said, and one sent":       {"-", "\uFEFFb\n", FormRequest{BOM: &no}, false, "b\n"},
		"mark and CRLF":                       {bom + "a\r\n", "b\n", FormRequest{}, true, bom + "b\r\n"},
		"UTF-16":                              {wide("a\n", binary.LittleEndian), "ü😀\n", FormRequest{}, true, wide("ü😀\n", binary.LittleEndian)},
		"UTF-16, big end first":               {wide("a\r\n", binary.BigEndian), "ü\n", FormRequest{}, true, wide("ü\r\n", binary.BigEndian)},
		"UTF-16 that was not read":            {wide("a\r\n", binary.LittleEndian), "b\n", FormRequest{}, false, wide("b\n", binary.LittleEndian)},
		"UTF-16 is said as such":              {wide("a\n", binary.BigEndian), "b\n", FormRequest{Encoding: "UTF-16"}, true, wide("b\n", binary.BigEndian)},
		"UTF-16 is made UTF-8":                {wide("a\n", binary.BigEndian), "b\n", FormRequest{Encoding: "utf-8"}, true, "b\n"},
		"UTF-16 is made":                      {"-", "b\n", FormRequest{Encoding: "utf-16"}, true, wide("b\n", binary.LittleEndian)},
		"latin-1 is said":                     {"caf\xe9\n", "thé\n", FormRequest{Encoding: "ISO-8859-1"}, false, "th\xe9\n"},
		"latin-1 has no euro":                 {"caf\xe9\n", "€\n", FormRequest{Encoding: "windows-1252"}, false, "!"},
		"an encoding that nobody said":        {"caf\xe9\n", "thé\n", FormRequest{}, false, "!"},
		"an encoding that Weft doesn't know":  {"a\n", "b\n", FormRequest{Encoding: "gb18030"}, false, "!"},
		"an empty file":                       {"", "b\n", FormRequest{}, true, "b\n"},
		"a new file":                          {"-", "b\n", FormRequest{}, false, "b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "a.txt")
			if c.disk != "-" {
				if err := os.WriteFile(file, []byte(c.disk), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			files, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer files.Close()
			w, err := files.Prepare("a.txt", c.text, c.said, c.read)
			if c.want == "!" {
				if err == nil || !strings.HasSuffix(err.Error(), ".") {
					t.Fatalf("it was not refused with a sentence: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := files.Write("a.txt", "a.txt", w); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("%q was written, want %q", got, c.want)
			}
			if again, err := files.ReadText("a.txt", 0, 0); c.said.Encoding != "ISO-8859-1" && (err != nil || again != w.Text) {
				t.Errorf("what is shown is %q, what is read %q, %v", w.Text, again, err)
			}
		})
	}
}

// A text that an agent has read completely and writes unchanged, with the line endings of models, changes no byte.
func TestReadTextsRoundTrip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	file := filepath.Join(dir, "a.txt")
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "naïve", "日本", "😀", " \t"})).Draw(t, "lines"), end)
		disk := map[string]string{"plain": text, "mark": "\uFEFF" + text, "le": wide(text, binary.LittleEndian), "be": wide(text, binary.BigEndian)}[rapid.SampledFrom([]string{"plain", "mark", "le", "be"}).Draw(t, "form")]
		if err := os.WriteFile(file, []byte(disk), 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := files.Read("a.txt", "a.txt", 0, 0)
		if err != nil || read.Content != text {
			t.Fatalf("%q was read, %v", read.Content, err)
		}
		first, err := files.Read("a.txt", "a.txt", 1, 1)
		if line, _, _ := strings.Cut(text, "\n"); err != nil || strings.TrimSuffix(first.Content, "\n") != line || first.Form.BOM != read.Form.BOM {
			t.Fatalf("the first line is read as %q with %+v, %v", first.Content, first.Form, err)
		}
		said := FormRequest{}
		if rapid.Bool().Draw(t, "says") {
			said = FormRequest{Ends: read.Form.Ends, Encoding: read.Form.Encoding, BOM: &read.Form.BOM}
		}
		w, err := files.Prepare("a.txt", strings.ReplaceAll(read.Content, "\r\n", "\n"), said, true)
		if err == nil {
			err = files.Write("a.txt", "a.txt", w)
		}
		if got, _ := os.ReadFile(file); err != nil || string(got) != disk {
			t.Fatalf("%q was written over %q, %v", got, disk, err)
		}
	})
}
