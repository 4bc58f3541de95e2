// Package attachment says what the bytes are that a user hands in with a prompt, and how large
// they may be. It goes by the bytes, never by what a name or a browser claims, and refuses what
// is not what it is called. It keeps nothing.
package attachment

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // the formats that are looked into
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"io"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	_ "golang.org/x/image/webp" // likewise

	"weft/backend/fault"
)

// The limits, in bytes but for the last two.
const (
	MaxImage  = 10 << 20  // of one image
	MaxTotal  = 20 << 20  // of all that goes along with one prompt, and so of anything handed in
	MaxText   = 256 << 10 // of a text that is put into a prompt
	MaxParts  = 20        // things that go along with one prompt
	maxPixels = 100 << 20 // of an image: more is a bomb for whoever unpacks it
)

// Kind is what can be done with the bytes.
type Kind string

// The kinds.
const (
	Image Kind = "image" // PNG, JPEG, GIF, WebP
	Audio Kind = "audio"
	Text  Kind = "text"  // UTF-8
	Other Kind = "other" // goes along only as a link to a file of the folder
)

// headSize is how much of the start decides.
const headSize = 512

// Error is a failure that a user can act on.
type Error = fault.Error

var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// imageNames are the endings that promise an image which can be sent.
var imageNames = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true}

// audioNames are the endings of sound whose container may hold a film as well.
var audioNames = map[string]string{
	".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".m4a": "audio/mp4", ".weba": "audio/webm", ".webm": "audio/webm",
}

// Look returns the kind and the media type of the size bytes of r, which was called name. It reads
// from the start as far as it needs. Errors: empty, too_large, not_image, and those of r.
func Look(name string, size int64, r io.Reader) (Kind, string, error) {
	shown := Shown(name)
	if size == 0 {
		return "", "", fault.New("empty", "{{name}} is empty, so it can't be attached.", shown)
	}
	if size > MaxTotal {
		return "", "", fault.New("too_large", "{{name}} is larger than {{max}} MB. Put it in the space's folder and mention it with @.", shown, MaxTotal>>20)
	}
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", "", fmt.Errorf("read the attachment: %w", err)
	}
	head = head[:n]
	end := strings.ToLower(path.Ext(name))
	sniffed, _, _ := strings.Cut(http.DetectContentType(head), ";")
	rest := io.MultiReader(bytes.NewReader(head), r)
	switch {
	case images[sniffed]:
		if size > MaxImage {
			return "", "", fault.New("too_large", "{{name}} is larger than {{max}} MB. Make the image smaller and attach it again.", shown, MaxImage>>20)
		}
		config, _, err := image.DecodeConfig(rest)
		if err != nil {
			return "", "", fault.New("not_image", "{{name}} is a damaged image, so it wasn't attached.", shown)
		}
		if config.Width < 1 || config.Height < 1 || config.Width > maxPixels/config.Height {
			return "", "", fault.New("not_image", "{{name}} has {{width}} × {{height}} pixels, which is too large to show safely, so it wasn't attached.", shown, config.Width, config.Height)
		}
		return Image, sniffed, nil
	case imageNames[end]:
		return "", "", fault.New("not_image", "{{name}} isn't the image type that its name says, so it wasn't attached.", shown)
	case sound(head, sniffed, end) != "":
		return Audio, sound(head, sniffed, end), nil
	}
	whole, err := isText(rest, size)
	if err != nil {
		return "", "", fmt.Errorf("read the attachment: %w", err)
	}
	if whole {
		return Text, textType, nil
	}
	return Other, "application/octet-stream", nil
}

const textType = "text/plain; charset=utf-8"

func sound(head []byte, sniffed, end string) string {
	switch sniffed {
	case "audio/mpeg":
		return sniffed
	case "audio/wave":
		return "audio/wav"
	case "application/ogg", "video/webm", "video/mp4":
		return audioNames[end]
	}
	// MPEG audio without a tag in front.
	if end == ".mp3" && len(head) > 2 && head[0] == 0xFF && head[1]&0xE0 == 0xE0 {
		return "audio/mpeg"
	}
	return ""
}

// isText reports whether r holds nothing but UTF-8 without NUL. What is too large to be put into a
// prompt is judged by its start.
func isText(r io.Reader, size int64) (bool, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxText))
	if err != nil {
		return false, err
	}
	if size > MaxText { // the last character may be cut
		for cut := 0; cut < utf8.UTFMax && len(data) > 0 && !utf8.Valid(data); cut++ {
			data = data[:len(data)-1]
		}
	}
	return utf8.Valid(data) && !bytes.ContainsRune(data, 0), nil
}

// Shown is a file's name for a sentence: one line, without the characters that hide or reorder text.
func Shown(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || r < ' ' || r >= 0x7f && r < 0xa0:
			return ' '
		case r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0x61c || r == 0xfeff || r == 0xad || r >= 0xe0000:
			return -1
		}
		return r
	}, name)
	clean = strings.Join(strings.Fields(clean), " ")
	if runes := []rune(clean); len(runes) > 120 {
		clean = string(runes[:60]) + "…" + string(runes[len(runes)-59:])
	}
	if clean == "" {
		return "The file"
	}
	return clean
}
