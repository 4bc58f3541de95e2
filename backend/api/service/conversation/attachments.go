package conversation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"weft/backend/api/service/spaces"
	"weft/backend/base/fault"
	"weft/backend/conversation/transcript"
	"weft/backend/files/attachment"
	"weft/backend/files/finder"
	"weft/backend/files/regular"
	"weft/backend/files/workspace"
	"weft/backend/space/prompt"
	"weft/backend/space/runs"
	"weft/backend/store"
)

// Attachments stores uploads and checks attachments.
type Attachments struct {
	store   *store.Store
	runs    *runs.Manager
	finder  *finder.Finder
	dataDir string
	log     zerolog.Logger
}

// NewAttachments returns the attachments of a store. Uploads are received in the data folder.
func NewAttachments(st *store.Store, manager *runs.Manager, files *finder.Finder, dataDir string, log zerolog.Logger) *Attachments {
	return &Attachments{store: st, runs: manager, finder: files, dataDir: dataDir, log: log}
}

// PromptPart is an attachment of a prompt: a file or folder in the space's folder, or an upload ([Attachments.Upload]).
// Exactly one of Path and Hash is set.
type PromptPart struct {
	Path string `json:"path,omitzero"` // slash-separated, relative to the space's folder
	Hash string `json:"hash,omitzero"`
	Name string `json:"name,omitzero"` // of an upload, as the user named it
}

// Attachment is an upload that can be attached to a prompt.
type Attachment struct {
	Hash string          `json:"hash"`
	Size int64           `json:"size"` // bytes
	Mime string          `json:"mimeType"`
	Kind attachment.Kind `json:"kind"` // image, audio, text, other
	Name string          `json:"name"`
	// Path is set if the space's folder has the same file. Then the file is mentioned, and Hash is empty.
	Path string `json:"path"`
}

// maxPartPath is the maximum length of an attached path, in bytes. It keeps the event small.
const maxPartPath = 1024

// uploadFiles is the name pattern of files that are being received.
const uploadFiles = "upload-*.tmp"

// Upload stores the content of r as an attachment. It reads r in pieces into a file of the data folder and checks that
// file. If the space's folder has the same file, Upload returns its path instead. Errors: not_found (no such space),
// and those of [attachment.Look].
func (s *Attachments) Upload(ctx context.Context, spaceID, name string, r io.Reader) (Attachment, error) {
	sp, err := s.store.Spaces.Get(ctx, spaceID)
	if err != nil {
		return Attachment{}, err
	}
	file, err := os.CreateTemp(s.dataDir, uploadFiles)
	if err != nil {
		return Attachment{}, fmt.Errorf("make room for the attachment: %w", err)
	}
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, sum), io.LimitReader(r, attachment.MaxTotal+1))
	if err != nil {
		return Attachment{}, fault.New("incomplete", "{{name}} is incomplete. Attach it again.", attachment.Shown(name)).Because(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Attachment{}, err
	}
	a := Attachment{Hash: hex.EncodeToString(sum.Sum(nil)), Size: size, Name: cutName(name)}
	if a.Kind, a.Mime, err = attachment.Look(name, size, file); err != nil {
		return Attachment{}, err
	}
	if a.Kind == attachment.Text || a.Kind == attachment.Other {
		if a.Path, err = s.inFolder(ctx, sp.Folder, name, a); err != nil {
			s.log.Debug().Err(err).Msg("the folder could not be searched for what was attached")
		}
		if a.Path != "" {
			a.Hash = ""
			return a, nil
		}
	}
	if err := whole(a); err != nil {
		return Attachment{}, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Attachment{}, err
	}
	return a, s.store.Blobs.AddUpload(ctx, spaceID, transcript.Ref{Hash: a.Hash, Size: size, Mime: a.Mime}, file)
}

// whole refuses an attachment that can be sent neither inline nor as a link.
func whole(a Attachment) error {
	name := attachment.Shown(a.Name)
	switch {
	case a.Kind == attachment.Other:
		return fault.New("not_text", "{{name}} isn't an image, audio or text. Put it in the space's folder and mention it with @.", name)
	case a.Kind == attachment.Text && a.Size > attachment.MaxText:
		return fault.New("too_large", "{{name}} has more than {{max}} KB of text. Put it in the space's folder and mention it with @.", name, attachment.MaxText>>10)
	}
	return nil
}

// cutName limits the length of a file name in an event.
func cutName(name string) string {
	name = filepath.Base(strings.ToValidUTF8(name, "\uFFFD"))
	if runes := []rune(name); len(runes) > 255 {
		return string(runes[len(runes)-255:])
	}
	return name
}

// inFolder returns the path of a file in the folder with the same name and bytes, or "".
func (s *Attachments) inFolder(ctx context.Context, folder, name string, a Attachment) (string, error) {
	paths, err := s.finder.Named(ctx, folder, name)
	if err != nil || len(paths) == 0 {
		return "", err
	}
	root, err := regular.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, p := range paths {
		if same, _ := sameFile(root, p, a); same {
			return p, nil
		}
	}
	return "", nil
}

func sameFile(root *os.Root, path string, a Attachment) (bool, error) {
	file, info, err := regular.Open(root, path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if info.Size() != a.Size {
		return false, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(file, a.Size+1)); err != nil {
		return false, err
	}
	return hex.EncodeToString(sum.Sum(nil)) == a.Hash, nil
}

// parts checks attachments and returns them for sending. It looks at uploads again and doesn't trust the caller.
func (s *Attachments) parts(ctx context.Context, spaceID string, list []PromptPart) ([]prompt.Attachment, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if len(list) > attachment.MaxParts {
		return nil, fault.New(fault.Invalid, "A prompt can have at most {{max}} attachments; this one has {{list}}. Remove some, or mention their folder.", attachment.MaxParts, len(list))
	}
	sp, err := s.store.Spaces.Get(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	files, err := workspace.Open(sp.Folder)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	out := make([]prompt.Attachment, 0, len(list))
	total := int64(0)
	for _, p := range list {
		part, err := s.part(ctx, files, p)
		if err != nil {
			return nil, err
		}
		if part.Blob != nil {
			total += part.Blob.Size
		}
		out = append(out, part)
	}
	if total > attachment.MaxTotal {
		return nil, fault.New("too_large", "The attachments are larger than {{max}} MB in total. Remove some of them.", attachment.MaxTotal>>20)
	}
	return out, nil
}

func (s *Attachments) part(ctx context.Context, files *workspace.Files, p PromptPart) (prompt.Attachment, error) {
	if p.Hash == "" {
		return mentioned(files, p.Path)
	}
	data, ref, err := s.store.Blobs.Open(ctx, p.Hash)
	if errors.Is(err, &store.Error{Code: store.CodeNotFound}) {
		return prompt.Attachment{}, fault.New(fault.NotFound, "{{name}} is no longer stored. Attach it again.", attachment.Shown(p.Name))
	}
	if err != nil {
		return prompt.Attachment{}, err
	}
	a := Attachment{Size: ref.Size, Name: cutName(p.Name)}
	if a.Kind, a.Mime, err = attachment.Look(p.Name, ref.Size, data); err != nil {
		return prompt.Attachment{}, err
	}
	if err := whole(a); err != nil {
		return prompt.Attachment{}, err
	}
	ref.Mime = a.Mime
	return prompt.Attachment{Blob: &ref, Kind: a.Kind, Name: a.Name}, nil
}

func mentioned(files *workspace.Files, path string) (prompt.Attachment, error) {
	if path == "" || filepath.IsAbs(path) || len(path) > maxPartPath {
		return prompt.Attachment{}, fault.New(fault.Invalid, "A file is mentioned by its path in the space's folder.")
	}
	info, err := files.Look(path)
	if err != nil {
		var refused *workspace.Error
		if errors.As(err, &refused) && refused.Code == "not_found" {
			return prompt.Attachment{}, fault.New(fault.NotFound, "{{path}} no longer exists. Remove the mention, or choose another file.", attachment.Shown(path))
		}
		if errors.As(err, &refused) && refused.Code == "outside" {
			return prompt.Attachment{}, fault.New("outside", "{{path}} is outside the space's folder, so it can't be mentioned.", attachment.Shown(path))
		}
		return prompt.Attachment{}, err
	}
	rel := strings.TrimSuffix(filepath.ToSlash(filepath.Clean(path)), "/")
	if info.IsDir() {
		rel += "/"
	}
	return prompt.Attachment{Path: rel}, nil
}

// DropUploads deletes uploads from before this start that were never sent and are in no draft.
func (s *Attachments) DropUploads(ctx context.Context) error {
	left, _ := filepath.Glob(filepath.Join(s.dataDir, uploadFiles)) // left by a crash during an upload
	for _, file := range left {
		_ = os.Remove(file)
	}
	drafted, err := spaces.DraftUploads(ctx, s.store)
	if err != nil {
		return err
	}
	waiting := map[string]map[string]bool{}
	return s.store.Blobs.DropUploads(ctx, func(spaceID, hash string) bool {
		if waiting[spaceID] == nil {
			hashes, err := s.runs.Prompts().QueuedBlobs(ctx, spaceID)
			if err != nil {
				return true // in doubt, keep it
			}
			waiting[spaceID] = hashes
		}
		if slices.Contains(drafted[spaceID], hash) {
			return true
		}
		return waiting[spaceID][hash]
	})
}
