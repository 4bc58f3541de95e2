package attachment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"
)

func picture(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// claiming returns a PNG whose header claims more pixels than it has.
func claiming(picture string, width, height uint32) string {
	b := []byte(picture)
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	return string(b)
}

func TestLookGoesByTheBytes(t *testing.T) {
	pic := picture(t)
	webp := "RIFF\x24\x00\x00\x00WEBPVP8L\x18\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	for name, c := range map[string]struct {
		file, data string
		kind       Kind
		mime, code string
	}{
		"a png":                      {"a.png", pic, Image, "image/png", ""},
		"a png by another name":      {"notes.txt", pic, Image, "image/png", ""},
		"a png called jpg":           {"a.jpg", pic, Image, "image/png", ""},
		"a webp":                     {"a.webp", webp, Image, "image/webp", ""},
		"a png that is html":         {"a.png", "<!doctype html><script>alert(1)</script>", "", "", "not_image"},
		"an upper-case ending":       {"A.PNG", "<html>", "", "", "not_image"},
		"an empty image":             {"a.png", "", "", "", "empty"},
		"a broken png":               {"a.png", pic[:20], "", "", "not_image"},
		"a bomb":                     {"a.png", "bomb", "", "", "not_image"},
		"svg is text":                {"a.svg", `<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`, Text, textType, ""},
		"html is text":               {"a.html", "<html></html>", Text, textType, ""},
		"source":                     {"main.go", "package main\n", Text, textType, ""},
		"umlauts":                    {"a.txt", strings.Repeat("ä", MaxText), Text, textType, ""},
		"latin-1":                    {"a.txt", "\xe4\xf6", Other, "application/octet-stream", ""},
		"a pdf":                      {"a.pdf", "%PDF-1.7\x00\xff\xfe", Other, "application/octet-stream", ""},
		"a NUL":                      {"a.txt", "a\x00b", Other, "application/octet-stream", ""},
		"mp3":                        {"a.mp3", "ID3\x04\x00\x00\x00", Audio, "audio/mpeg", ""},
		"mp3 without a tag":          {"a.mp3", "\xff\xfb\x90\x64\x00", Audio, "audio/mpeg", ""},
		"wav":                        {"a.wav", "RIFF\x24\x00\x00\x00WAVEfmt ", Audio, "audio/wav", ""},
		"ogg":                        {"a.ogg", "OggS\x00\x02", Audio, "audio/ogg", ""},
		"an ogg film is not a sound": {"a.ogv", "OggS\x00\x02", Other, "application/octet-stream", ""},
	} {
		if c.data == "bomb" {
			c.data = claiming(pic, 60_000, 60_000)
			// The header's checksum is wrong now, as a real one's would not be: either is refused.
		}
		kind, mime, err := Look(c.file, int64(len(c.data)), strings.NewReader(c.data))
		var refused *Error
		code := ""
		if errors.As(err, &refused) {
			code = refused.Code
			if !strings.HasPrefix(refused.Message, c.file) || !strings.HasSuffix(refused.Message, ".") {
				t.Errorf("%s: no sentence about the file: %q", name, refused.Message)
			}
		}
		if kind != c.kind || mime != c.mime || code != c.code || err != nil && code == "" {
			t.Errorf("%s: %s %s %v, want %s %s %s", name, kind, mime, err, c.kind, c.mime, c.code)
		}
	}
}

func TestLookRefusesLargeFiles(t *testing.T) {
	pic := picture(t)
	for size, code := range map[int64]string{MaxImage: "", MaxImage + 1: "too_large", MaxTotal + 1: "too_large"} {
		_, _, err := Look("a.png", size, strings.NewReader(pic))
		var refused *Error
		if errors.As(err, &refused) != (code != "") {
			t.Errorf("%d bytes: %v, want %q", size, err, code)
		}
	}
}

func TestShownIsOneHarmlessLine(t *testing.T) {
	for in, want := range map[string]string{
		"a.png": "a.png", "a\nb\r\n.png": "a b .png", "\u202egnp.exe": "gnp.exe", "": "The file", "\x00\x1b[31m": "[31m",
		strings.Repeat("x", 300): strings.Repeat("x", 60) + "…" + strings.Repeat("x", 59),
	} {
		if got := Shown(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
