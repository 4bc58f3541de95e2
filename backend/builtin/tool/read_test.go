package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/base/raced"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/llm"
)

// client is an ACP client that offers the methods whose function fields are set.
type client struct {
	read     func(path string) (string, error)
	write    func(path, content string) error
	create   func(context.Context, acp.CreateTerminalRequest) (string, error)
	output   func(id string) (acp.TerminalOutputResponse, error)
	wait     func(ctx context.Context, id string) (acp.WaitForTerminalExitResponse, error)
	kill     func(id string) error
	released func(ctx context.Context, id string) error
}

func (c *client) Permits() bool { return false }

func (c *client) Denied(_ context.Context, _ string, paths []string) ([]bool, error) {
	return make([]bool, len(paths)), nil
}

func (c *client) ReadsFiles() bool   { return c.read != nil }
func (c *client) WritesFiles() bool  { return c.write != nil }
func (c *client) HasTerminals() bool { return c.create != nil }
func (c *client) ReadTextFile(_ context.Context, path string) (string, error) {
	return c.read(path)
}

func (c *client) WriteTextFile(_ context.Context, path, content string) error {
	return c.write(path, content)
}

func (c *client) CreateTerminal(ctx context.Context, req acp.CreateTerminalRequest) (string, error) {
	return c.create(ctx, req)
}

func (c *client) TerminalOutput(_ context.Context, id string) (acp.TerminalOutputResponse, error) {
	return c.output(id)
}

func (c *client) WaitForTerminalExit(ctx context.Context, id string) (acp.WaitForTerminalExitResponse, error) {
	return c.wait(ctx, id)
}
func (c *client) KillTerminal(_ context.Context, id string) error { return c.kill(id) }
func (c *client) ReleaseTerminal(ctx context.Context, id string) error {
	return c.released(ctx, id)
}

func TestReadText(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a.txt": "one\ntwo\r\nthree", "empty": "", "src/server.go": "x", "bin": "a\x00b", "wide": strings.Repeat("w", 5000) + "\n"})
	r := b.ok("read", in{"path": "a.txt"})
	if got := told(r.Parts); got != "     1\tone\n     2\ttwo\n     3\tthree\n" {
		t.Errorf("%q", got)
	}
	var data ReadData
	through(t, r.Data, &data)
	if !data.Whole() || data.Content != "one\ntwo\r\nthree" || data.Path != "a.txt" || data.TotalLines != 3 || r.Summary != "Read 3 lines" {
		t.Errorf("%+v, %q", data, r.Summary)
	}
	r = b.ok("read", in{"path": b.dir + "/a.txt", "from": 2, "to": 2})
	if got := told(r.Parts); got != "     2\ttwo\n(lines 2 to 2 of 3)\n" || r.Summary != "Read 1 line of 3" {
		t.Errorf("%q, %q", got, r.Summary)
	}
	contains(t, told(b.ok("read", in{"path": "a.txt", "from": 9}).Parts), "has only 3 lines")
	contains(t, told(b.ok("read", in{"path": "empty"}).Parts), "empty is empty")
	contains(t, told(b.ok("read", in{"path": "wide"}).Parts), "(3000 more bytes in this line)")
	contains(t, b.fails("read", in{"path": "src"}), "is a folder", "list tool")
	contains(t, b.fails("read", in{"path": "bin"}), "binary file")
	contains(t, b.fails("read", in{"path": "src/servr.go"}), "src/servr.go doesn't exist. Perhaps you mean src/server.go.")
	contains(t, b.fails("read", in{"path": "server.go"}), "Perhaps you mean src/server.go")
	contains(t, b.fails("read", in{"path": "nothing-like-it"}), "glob or list")
	contains(t, b.fails("read", in{"path": "/etc/passwd"}), "outside this session's folder")
	contains(t, b.fails("read", in{"path": "a\x00"}), "NUL")
}

func TestReadIsCut(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&all, "line number %d of a long file\n", i+1)
	}
	b := newBench(t, map[string]string{"long": all.String()})
	next, seen := 1, 0
	for next <= 5000 {
		text := told(b.ok("read", in{"path": "long", "from": next}).Parts)
		if len(text) > maxModelText {
			t.Fatalf("%d bytes", len(text))
		}
		seen += strings.Count(text, "line number")
		_, rest, ok := strings.Cut(text, "Continue with from: ")
		if !ok {
			break
		}
		if _, err := fmt.Sscanf(rest, "%d.", &next); err != nil {
			t.Fatal(err)
		}
	}
	if seen != 5000 {
		t.Errorf("%d lines were read by going on", seen)
	}
}

func TestReadKept(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	at, err := b.env.Keep("shell.txt", []byte("kept\nlines\n"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, told(b.ok("read", in{"path": at, "from": 2}).Parts), "     2\tlines\n")
	if err := os.Remove(b.kept[at]); err != nil {
		t.Fatal(err)
	}
	contains(t, b.fails("read", in{"path": at}), "no longer exists")
}

func TestReadThroughTheClient(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, map[string]string{"a": "disk\n", "b": "disk\n"})
	if err := os.Symlink(outside, b.dir+"/link"); err != nil {
		t.Fatal(err)
	}
	b.env.Client = &client{read: func(path string) (string, error) {
		if filepath.Base(path) == "a" {
			return "unsaved\n", nil
		}
		if filepath.Base(path) == "link" {
			t.Error("the client was asked for what lies outside")
		}
		return "", errors.New("no buffer")
	}}
	contains(t, told(b.ok("read", in{"path": "a"}).Parts), "unsaved")
	contains(t, told(b.ok("read", in{"path": "b"}).Parts), "disk")
	contains(t, b.fails("read", in{"path": "link"}), "outside")
	if seen, same := b.env.Seen.Knows("a", "unsaved\n"); !seen || !same {
		t.Error("what the client has wasn't noted")
	}
}

func picture(w, h int, noise bool) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = 200
		if noise {
			img.Pix[i] = byte(r.Uint32())
		}
	}
	img.Set(0, 0, color.Black)
	return img
}

func TestReadImages(t *testing.T) {
	if raced.On {
		t.Skip("large pictures take minutes with the race detector")
	}
	t.Parallel()
	var small, large, noisy, photo bytes.Buffer
	_ = png.Encode(&small, picture(20, 10, false))
	_ = png.Encode(&large, picture(3000, 1500, false))
	_ = png.Encode(&noisy, picture(1500, 1500, true))
	_ = jpeg.Encode(&photo, picture(2000, 100, true), nil)
	b := newBench(t, map[string]string{
		"small.png": small.String(), "large.png": large.String(), "noisy.png": noisy.String(), "photo.txt": photo.String(),
		"cut.png": small.String()[:30], "pic.gif": "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;",
		"doc.pdf": "%PDF-1.4\n…", "pic.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>\n", "pic.bmp": "BM\x00\x00\x00\x00",
	})
	for _, c := range []struct {
		path, mime, note string
		w, h             int
	}{
		{"small.png", "image/png", "20 × 10 pixels.", 20, 10},
		{"large.png", "image/png", "3000 × 1500 pixels, shown at 1568 × 784", 1568, 784},
		{"noisy.png", "image/jpeg", "shown at 1500 × 1500", 1500, 1500},
		{"photo.txt", "image/jpeg", "shown at 1568 × 78", 1568, 78},
		{"pic.gif", "image/gif", "1 × 1", 1, 1},
	} {
		r := b.ok("read", in{"path": c.path})
		img, ok := r.Parts[1].(llm.Image)
		if !ok || img.MIME != c.mime || len(img.Data) > maxImageSent || r.Content[0].Content.Content.Image == nil {
			t.Fatalf("%s: %+v", c.path, r.Summary)
		}
		config, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
		if err != nil || config.Width != c.w || config.Height != c.h {
			t.Errorf("%s: %+v, %v", c.path, config, err)
		}
		contains(t, told(r.Parts), c.note)
	}
	r := b.ok("read", in{"path": "doc.pdf"})
	if f, ok := r.Parts[1].(llm.File); !ok || f.Name != "doc.pdf" || f.MIME != "application/pdf" {
		t.Errorf("%+v", r)
	}
	contains(t, told(b.ok("read", in{"path": "pic.svg"}).Parts), "<svg")
	contains(t, b.fails("read", in{"path": "cut.png"}), "can't be decoded")
	contains(t, b.fails("read", in{"path": "pic.bmp"}), "binary")
}
