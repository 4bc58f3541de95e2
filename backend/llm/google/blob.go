package google

import (
	"bytes"
	"image/gif"
	"image/png"
	"strconv"
	"strings"

	"weft/backend/llm"
)

// maxPixels bounds what a GIF may unpack to.
const maxPixels = 50_000_000

// blob maps the data of a picture or file.
func (r *request) blob(mime string, data []byte) (*blob, error) {
	switch {
	case mime == "image/gif":
		still, err := firstFrame(data)
		if err != nil {
			return nil, err
		}
		r.tell("A GIF was converted to a PNG of its first frame: Google doesn't accept GIFs.")
		return &blob{MIME: "image/png", Data: still}, nil
	case mime == "image/png", mime == "image/jpeg", mime == "image/webp", mime == "application/pdf":
		return &blob{MIME: mime, Data: data}, nil
	case strings.HasPrefix(mime, "text/"), mime == "application/json":
		return &blob{MIME: "text/plain", Data: bytes.ToValidUTF8(data, []byte("\uFFFD"))}, nil
	}
	return nil, llm.Fail(llm.CodeUnmappable, "Google doesn't accept files of type {{type}}, only PDF, text and images.", strconv.Quote(mime))
}

func firstFrame(data []byte) ([]byte, error) {
	size, err := gif.DecodeConfig(bytes.NewReader(data))
	if err != nil || size.Width*size.Height > maxPixels {
		return nil, llm.Fail(llm.CodeUnmappable, "Google doesn't accept GIFs, and this one can't be converted to a PNG.")
	}
	frame, err := gif.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, llm.Fail(llm.CodeUnmappable, "Google doesn't accept GIFs, and this one can't be converted to a PNG.")
	}
	var b bytes.Buffer
	if err := png.Encode(&b, frame); err != nil {
		return nil, llm.Fail(llm.CodeUnmappable, "Google doesn't accept GIFs, and this one can't be converted to a PNG.")
	}
	return b.Bytes(), nil
}
