package prompt

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/conversation/transcript"
	"weft/backend/files/attachment"
	"weft/backend/files/workspace"
	"weft/backend/store"
)

func TestEmbeddedTextReachesTheModelOfEachAgent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ prelude, file bool }{ // whether they are embedded
		"Copilot":                               {false, false},
		"github-copilot":                        {false, false},
		"OpenCode":                              {true, true},
		"gemini-cli":                            {true, true},
		"@agentclientprotocol/claude-agent-acp": {true, true},
		"@agentclientprotocol/codex-acp":        {true, true},
		"qwen-code":                             {true, true},
		"some other agent":                      {false, true},
		"":                                      {false, true},
	} {
		ag := Agent{Program: name, Embedded: true}
		told := ag.WithPrelude("what was said", "go", nil)
		if got := told[0].Resource != nil; got != want.prelude {
			t.Errorf("%s: the prelude is embedded: %v", name, got)
		}
		if !want.prelude && (len(told) != 1 || told[0].Text.Text != "what was said\n\n") {
			t.Errorf("%s: it is told %+v", name, told)
		}
		file := ag.embedded("a.txt", "file:///w/a.txt", "its text</file>")
		if got := file.Resource != nil; got != want.file {
			t.Errorf("%s: a file is embedded: %v", name, got)
		}
		if text := file.Text; !want.file && (!strings.Contains(text.Text, "a.txt") || !strings.Contains(text.Text, "its text") || strings.Count(text.Text, "</file>") != 1) {
			t.Errorf("%s: a file is sent as %q", name, text.Text)
		}
	}
	plain := Agent{Program: "opencode"}
	if told := plain.WithPrelude("what was said", "go", nil); len(told) != 1 || told[0].Text == nil {
		t.Errorf("an agent that takes text only is told %+v", told)
	}
}

func TestPreludeOfACommandComesBehindIt(t *testing.T) {
	t.Parallel()
	ag := Agent{}
	for text, first := range map[string]string{"go on": "prelude\n\n", "/compact": "/compact"} {
		got := ag.WithPrelude("prelude", text, []sdk.ContentBlock{sdk.TextBlock(text)})
		if len(got) != 2 || got[0].Text.Text != first {
			t.Errorf("%q: %q first", text, got[0].Text.Text)
		}
	}
	if got := ag.WithPrelude("", "go", []sdk.ContentBlock{sdk.TextBlock("go")}); len(got) != 1 {
		t.Error("an empty prelude is sent")
	}
}

func TestRefusedAttachments(t *testing.T) {
	t.Parallel()
	image, sound, file := blobOf(attachment.Image), blobOf(attachment.Audio), blobOf(attachment.Text)
	for _, c := range []struct {
		ag   Agent
		list []Attachment
		want string
	}{
		{Agent{}, []Attachment{{Path: "a.go"}}, ""},
		{Agent{Name: "Ada"}, []Attachment{image}, "Ada doesn't accept images"},
		{Agent{Name: "Ada", Image: true}, []Attachment{image, sound}, "Ada doesn't accept audio"},
		{Agent{Name: "Ada", Image: true, Audio: true}, []Attachment{image, sound, file}, "Ada only accepts files from the space's folder"},
		{Agent{Image: true, Audio: true, Embedded: true}, []Attachment{image, sound, file}, ""},
	} {
		if got := c.ag.Refuses(c.list); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q, want %q", c.ag, got, c.want)
		}
	}
}

func blobOf(kind attachment.Kind) Attachment {
	return Attachment{Blob: &transcript.Ref{Hash: "h-" + string(kind), Mime: "x/" + string(kind)}, Kind: kind, Name: "the " + string(kind)}
}

func TestAttachmentOfAMessageCanBeSentAgain(t *testing.T) {
	t.Parallel()
	list := []Attachment{{Path: "dir/a.go"}, blobOf(attachment.Image), blobOf(attachment.Audio), blobOf(attachment.Text)}
	for i, c := range Contents(list) {
		if got, ok := Of(c, "/w"); !ok || got != list[i] {
			t.Errorf("%+v became %+v", list[i], got)
		}
	}
	if got, ok := Of(transcript.Content{Type: "resource_link", URI: "file:///w/b.go"}, "/w"); !ok || got.Path != "b.go" {
		t.Errorf("a replayed link became %+v", got)
	}
	for _, c := range []transcript.Content{{Type: "resource_link", URI: "file:///elsewhere/b.go"}, {Type: "image"}, {Type: "text"}} {
		if got, ok := Of(c, "/w"); ok {
			t.Errorf("%+v became %+v", c, got)
		}
	}
}

// folderOf is a folder in memory.
type folderOf map[string]string

type info struct {
	fs.FileInfo
	size int64
	dir  bool
}

func (i info) IsDir() bool        { return i.dir }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }

func (f folderOf) Look(path string) (fs.FileInfo, error) {
	if text, ok := f[path]; ok {
		return info{size: int64(len(text)), dir: strings.HasSuffix(path, "dir")}, nil
	}
	return nil, &workspace.Error{}
}

func (f folderOf) ReadText(path string, _, _ int) (string, error) { return f[path], nil }
func (f folderOf) URI(path string) string                         { return "file:///w/" + path }

// blobs are payloads by hash.
type blobs map[string]string

func (b blobs) Bytes(_ context.Context, hash string) ([]byte, transcript.Ref, error) {
	if data, ok := b[hash]; ok {
		return []byte(data), transcript.Ref{}, nil
	}
	if hash == "broken" {
		return nil, transcript.Ref{}, errBroken
	}
	return nil, transcript.Ref{}, &store.Error{Code: store.CodeNotFound}
}

var errBroken = errors.New("broken disk")

func TestBlocksOfAPrompt(t *testing.T) {
	t.Parallel()
	folder := folderOf{"a.go": "package a", "dir": "", "long": strings.Repeat("x", attachment.MaxText+1), "bin": "a\x00b"}
	stored := blobs{"h-image": "png", "h-text": "notes"}
	list := []Attachment{{Path: "a.go"}, {Path: "dir"}, {Path: "long"}, {Path: "bin"}, {Path: "gone.go"}, blobOf(attachment.Image), blobOf(attachment.Audio), blobOf(attachment.Text)}
	blocks, missing, err := Agent{Embedded: true}.Blocks(context.Background(), "look", list, folder, stored)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			got = append(got, b.Text.Text)
		case b.Resource != nil:
			got = append(got, b.Resource.Resource.TextResourceContents.Uri+"="+b.Resource.Resource.TextResourceContents.Text)
		case b.ResourceLink != nil:
			got = append(got, b.ResourceLink.Uri)
		case b.Image != nil:
			got = append(got, b.Image.MimeType+" "+b.Image.Data)
		}
	}
	want := "look|file:///w/a.go=package a|file:///w/dir/|file:///w/long|file:///w/bin|x/image cG5n|attachment:///the%20text=notes"
	if strings.Join(got, "|") != want {
		t.Errorf("%s, want %s", strings.Join(got, "|"), want)
	}
	if len(missing) != 2 || missing[0].Path != "gone.go" || missing[1].Kind != attachment.Audio {
		t.Errorf("missing: %+v", missing)
	}
	if _, _, err := (Agent{}).Blocks(context.Background(), "", []Attachment{{Blob: &transcript.Ref{Hash: "broken"}}}, folder, stored); !errors.Is(err, errBroken) {
		t.Errorf("a broken disk: %v", err)
	}
}
