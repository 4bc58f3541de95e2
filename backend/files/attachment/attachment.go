// Package attachment detects the type of files that a user attaches to a prompt, and limits their
// size. It checks the bytes and doesn't trust a name or a browser, and rejects images whose
// content doesn't match their name. It stores nothing.
package attachment

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // supported formats
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"io"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	_ "golang.org/x/image/webp" // likewise

	"weft/backend/base/fault"
)

// Limits, in bytes except for the last two.
const (
	MaxImage  = 10 << 20  // one image
	MaxTotal  = 20 << 20  // all attachments of one prompt, and so each of them
	MaxText   = 256 << 10 // a text that is included in a prompt
	MaxParts  = 20        // number of attachments of one prompt
	maxPixels = 100 << 20 // pixels of an image; larger ones may be decompression bombs
)

// Kind says how an attachment can be sent to an agent.
type Kind string

// The kinds.
const (
	Image Kind = "image" // PNG, JPEG, GIF, WebP
	Audio Kind = "audio"
	Text  Kind = "text"  // UTF-8
	Other Kind = "other" // only as a link to a file of the folder
)

// headSize is the number of bytes used to detect the type.
const headSize = 512

// Error is a failure that a user can act on.
type Error = fault.Error

var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// imageNames are the extensions of supported images.
var imageNames = map[string]bool{".png": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true}

// audioNames are the extensions of audio files whose container formats can also contain video.
var audioNames = map[string]string{
	".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".m4a": "audio/mp4", ".weba": "audio/webm", ".webm": "audio/webm",
}

// Look returns the kind and the media type of a file with the given name and size. It reads only as
// much of r as it needs. Errors: empty, too_large, not_image, and those of r.
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
	// MPEG audio without an ID3 tag.
	if end == ".mp3" && len(head) > 2 && head[0] == 0xFF && head[1]&0xE0 == 0xE0 {
		return "audio/mpeg"
	}
	return ""
}

// isText reports whether r is UTF-8 without NUL. It checks only the first MaxText bytes.
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

// Shown returns a file's name for a sentence: on one line, without characters that hide or reorder text.
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
