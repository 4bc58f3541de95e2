package tool

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"

	_ "image/gif" // supported formats
	"weft/backend/base/fault"
	"weft/backend/base/quantity"

	acp "github.com/coder/acp-go-sdk"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // another supported format

	"weft/backend/llm"
)

// Limits of images and documents. Providers accept images of up to 5 MB in base64, and scale images larger than about
// 1,600 pixels down.
const (
	maxImageFile   = 20 << 20
	maxImagePixels = 64 << 20 // of the file; a decoded pixel takes four bytes
	maxImageSide   = 1568
	maxImageSent   = 3 << 20 // bytes
	maxPDF         = 10 << 20
)

// kindOf returns the MIME type of a file's first bytes, or a description of the file if models can't read its type.
func kindOf(start []byte) string {
	switch mime := http.DetectContentType(start); mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf":
		return mime
	case "application/octet-stream":
		return "of a kind that isn't known"
	default:
		if len(mime) > 6 && mime[:6] == "image/" {
			return "a picture in a format that models do not read, " + mime
		}
		return mime
	}
}

func readImage(env *Env, rel, mime string) (Result, error) {
	data, err := env.Folder.ReadBytes(rel, maxImageFile)
	if err != nil {
		return Result{}, failure(err)
	}
	size := int64(len(data))
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return Result{}, &Error{Message: fmt.Sprintf("%s begins like a picture (%s) but can't be decoded: %v.", rel, mime, err), Err: err}
	}
	note := fmt.Sprintf("%s: %d × %d pixels", rel, config.Width, config.Height)
	scaled := config.Width > maxImageSide || config.Height > maxImageSide || len(data) > maxImageSent
	if scaled {
		if int64(config.Width)*int64(config.Height) > maxImagePixels {
			return Result{}, failf("%s is too large to be shown: %d × %d pixels. Make a smaller copy of it first.", rel, config.Width, config.Height)
		}
		var to image.Point
		if data, mime, to, err = smaller(data); err != nil {
			return Result{}, &Error{Message: fmt.Sprintf("%s couldn't be scaled down: %v.", rel, err), Err: err}
		}
		note += fmt.Sprintf(", shown at %d × %d", to.X, to.Y)
	}
	return Result{
		Parts:   []llm.Part{llm.Text{Text: note + "."}, llm.Image{MIME: mime, Data: data}},
		Content: []acp.ToolCallContent{acp.ToolContent(acp.ImageBlock(base64.StdEncoding.EncodeToString(data), mime))},
		Summary: fault.Text("Read a picture of {{n}} × {{n2}}", config.Width, config.Height), Count: 1,
		Output: map[string]any{"path": rel, "mime": mime, "width": config.Width, "height": config.Height, "size": size, "scaled": scaled},
	}, nil
}

// smaller converts an image to one that every provider accepts: a PNG if that is small enough, or else a JPEG.
func smaller(data []byte) (out []byte, mime string, size image.Point, err error) {
	from, format, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, "", size, err
	}
	size = from.Bounds().Size()
	if long := max(size.X, size.Y); long > maxImageSide {
		size = image.Pt(max(1, size.X*maxImageSide/long), max(1, size.Y*maxImageSide/long))
	}
	to := image.NewRGBA(image.Rectangle{Max: size})
	draw.ApproxBiLinear.Scale(to, to.Bounds(), from, from.Bounds(), draw.Src, nil)
	var b bytes.Buffer
	if format != "jpeg" {
		if err := png.Encode(&b, to); err == nil && b.Len() <= maxImageSent {
			return b.Bytes(), "image/png", size, nil
		}
	}
	b.Reset()
	err = jpeg.Encode(&b, to, &jpeg.Options{Quality: 85})
	return b.Bytes(), "image/jpeg", size, err
}

func readPDF(env *Env, rel string) (Result, error) {
	data, err := env.Folder.ReadBytes(rel, maxPDF)
	if err != nil {
		return Result{}, failure(err)
	}
	return Result{
		Parts:   []llm.Part{llm.Text{Text: rel + ":"}, llm.File{Name: fileName(rel), MIME: "application/pdf", Data: data}},
		Content: []acp.ToolCallContent{textContent(fmt.Sprintf("PDF document, %s", quantity.Bytes(int64(len(data)))))},
		Summary: fault.Text("Read a PDF of {{size}}", quantity.Bytes(int64(len(data)))), Count: 1,
		Output: map[string]any{"path": rel, "mime": "application/pdf", "size": len(data)},
	}, nil
}
