package prompt

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/url"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"weft/backend/conversation/transcript"
	"weft/backend/files/attachment"
	"weft/backend/files/workspace"
	"weft/backend/store"
)

// Folder reads the folder of a space. [workspace.Files] implements it.
type Folder interface {
	Look(path string) (fs.FileInfo, error)
	ReadText(path string, line, limit int) (string, error)
	URI(path string) string
}

// Blobs reads stored blobs. The store implements it.
type Blobs interface {
	Bytes(ctx context.Context, hash string) ([]byte, transcript.Ref, error)
}

// Blocks returns the content blocks of a prompt: its text and then the attachments, each in a form that the agent
// accepts. Attachments that no longer exist are left out and returned as missing. It blocks for reads.
func (ag Agent) Blocks(ctx context.Context, text string, list []Attachment, folder Folder, blobs Blobs) (blocks []sdk.ContentBlock, missing []Attachment, err error) {
	blocks = make([]sdk.ContentBlock, 0, 1+len(list))
	if text != "" {
		blocks = append(blocks, sdk.TextBlock(text))
	}
	for _, a := range list {
		var block sdk.ContentBlock
		if a.Blob == nil {
			block, err = ag.mention(a.Path, folder)
		} else {
			block, err = ag.blob(ctx, a, blobs)
		}
		switch {
		case err == nil:
			blocks = append(blocks, block)
		case isMissing(err):
			missing = append(missing, a)
		default:
			return nil, nil, err
		}
	}
	return blocks, missing, nil
}

func isMissing(err error) bool {
	var files *workspace.Error
	var storage *store.Error
	return errors.As(err, &files) || errors.As(err, &storage) && storage.Code == store.CodeNotFound
}

func (ag Agent) blob(ctx context.Context, a Attachment, blobs Blobs) (sdk.ContentBlock, error) {
	data, _, err := blobs.Bytes(ctx, a.Blob.Hash)
	if err != nil {
		return sdk.ContentBlock{}, err
	}
	switch a.Kind {
	case attachment.Image:
		return sdk.ImageBlock(base64.StdEncoding.EncodeToString(data), a.Blob.Mime), nil
	case attachment.Audio:
		return sdk.AudioBlock(base64.StdEncoding.EncodeToString(data), a.Blob.Mime), nil
	default:
		uri := url.URL{Scheme: "attachment", Path: "/" + a.Shown()}
		return ag.embedded(a.Shown(), uri.String(), string(data)), nil
	}
}

// mention returns a file or folder of the space's folder: the text of a short file if the agent accepts it, otherwise
// a link.
func (ag Agent) mention(rel string, folder Folder) (sdk.ContentBlock, error) {
	info, err := folder.Look(rel)
	if err != nil {
		return sdk.ContentBlock{}, err
	}
	if info.IsDir() && !strings.HasSuffix(rel, "/") {
		rel += "/"
	}
	uri := folder.URI(rel)
	if ag.Embedded && !info.IsDir() && info.Size() <= attachment.MaxText {
		text, err := folder.ReadText(rel, 0, 0)
		if err == nil && len(text) <= attachment.MaxText && !strings.Contains(text, "\x00") {
			return ag.embedded(rel, uri, text), nil
		}
	}
	block := sdk.ResourceLinkBlock(rel, uri)
	if !info.IsDir() {
		size := int(info.Size())
		block.ResourceLink.Size = &size
	}
	return block, nil
}
