package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"

	"weft/backend/api/service/ref"
	"weft/backend/base/fault"
	"weft/backend/conversation/follow"
	"weft/backend/files/attachment"
	"weft/backend/files/finder"
	"weft/backend/files/workspace"
	"weft/backend/space/runs"
	"weft/backend/store"
)

// FindFilesRequest asks for files and folders of the space's folder.
type FindFilesRequest struct {
	SpaceID string `json:"spaceId"`
	Query   string `json:"query"`
	Limit   int    `json:"limit,omitzero"` // 1 to 100
	Exact   bool   `json:"exact,omitzero"` // only this exact path; fast in any folder
}

type (
	// FileRequest asks for the lines around a line of a file in a space.
	FileRequest struct {
		SpaceID string `json:"spaceId"`
		Path    string `json:"path"` // absolute, or relative to the space's folder
		Line    int    `json:"line"` // from 1; 0: the beginning
	}
	// PathsRequest asks which paths are files in a space.
	PathsRequest struct {
		SpaceID string   `json:"spaceId"`
		Paths   []string `json:"paths"` // absolute, or relative to the space's folder; at most 200
	}
	// ExistingPaths are the given paths that are regular files inside the space's folder.
	ExistingPaths struct {
		Paths []string `json:"paths"`
	}
	// ImageRequest asks for an image in a space.
	ImageRequest struct {
		SpaceID string `json:"spaceId"`
		Path    string `json:"path"` // absolute, or relative to the space's folder
	}
	// SpaceImage is an image.
	SpaceImage struct {
		Type string `json:"type"` // image/png, image/jpeg, image/gif or image/webp
		Data string `json:"data"` // base64
	}
	// Visited has the places that an agent visited, oldest first.
	Visited struct {
		Places []follow.Place `json:"places"`
	}
)

// Files reads the files of the spaces' folders, and lists folders of this machine.
type Files struct {
	store  *store.Store
	runs   *runs.Manager
	finder *finder.Finder
}

// New returns the files of the spaces of a store.
func New(st *store.Store, manager *runs.Manager, find *finder.Finder) *Files {
	return &Files{store: st, runs: manager, finder: find}
}

// FindFiles returns files and folders in the space's folder whose paths match the query, best first. `partial` is set
// if the folder has more files than are searched.
func (s *Files) FindFiles(ctx context.Context, req FindFilesRequest) (finder.Result, error) {
	sp, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return finder.Result{}, err
	}
	var res finder.Result
	if req.Exact {
		res, err = finder.Exact(sp.Folder, req.Query)
	} else {
		res, err = s.finder.Find(ctx, sp.Folder, req.Query, req.Limit)
	}
	if err != nil {
		return res, fault.New("folder_not_found", "The folder {{folder}} can't be read. Choose another folder for this space.", sp.Folder).Because(err)
	}
	return res, nil
}

// ReadSpaceFile reads a small file in the space's folder, or the lines around one line. It reads nothing outside the
// folder. Errors: outside, not_found, is_directory, not_text (not a regular file), too_large.
func (s *Files) ReadSpaceFile(ctx context.Context, req FileRequest) (workspace.View, error) {
	space, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return workspace.View{}, err
	}
	if req.Path == "" || req.Line < 0 {
		return workspace.View{}, fault.New(fault.Invalid, "A path and a line, counted from 1, are required.")
	}
	return in(space.Folder, func(files *workspace.Files) (workspace.View, error) { return files.View(req.Path, req.Line) })
}

// FilesExist returns which of the paths are files inside the space's folder. It omits missing paths, folders and paths
// outside.
func (s *Files) FilesExist(ctx context.Context, req PathsRequest) (ExistingPaths, error) {
	space, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return ExistingPaths{}, err
	}
	paths, err := in(space.Folder, func(files *workspace.Files) ([]string, error) { return files.Exist(req.Paths) })
	return ExistingPaths{Paths: paths}, err
}

// ReadSpaceImage reads a PNG, JPEG, GIF or WebP file of up to 10 MB in the space's folder. It reads nothing outside the
// folder. Errors: outside, not_found, is_directory, not_text (not a regular file), too_large, not_image.
func (s *Files) ReadSpaceImage(ctx context.Context, req ImageRequest) (SpaceImage, error) {
	space, err := s.store.Spaces.Get(ctx, req.SpaceID)
	if err != nil {
		return SpaceImage{}, err
	}
	data, err := in(space.Folder, func(files *workspace.Files) ([]byte, error) { return files.Bytes(req.Path, attachment.MaxImage) })
	if err != nil {
		return SpaceImage{}, err
	}
	kind, media, err := attachment.Look(req.Path, int64(len(data)), bytes.NewReader(data))
	if err != nil || kind != attachment.Image {
		return SpaceImage{}, fault.New("not_image", "{{path}} can't be shown as an image: it is damaged, too large or of another type.", req.Path).Because(err)
	}
	return SpaceImage{Type: media, Data: base64.StdEncoding.EncodeToString(data)}, nil
}

// in runs a read in a folder and converts its errors.
func in[T any](folder string, read func(*workspace.Files) (T, error)) (T, error) {
	files, err := workspace.Open(folder)
	if err != nil {
		var none T
		return none, err
	}
	defer files.Close()
	v, err := read(files)
	var refused *workspace.Error
	if errors.As(err, &refused) {
		return v, fault.Told(refused.Code, refused.Message, refused.Said()).Because(err)
	}
	return v, err
}

// VisitedPlaces returns the places in files that the agent of a space has visited since Weft started, oldest first.
func (s *Files) VisitedPlaces(_ context.Context, req ref.SpaceRef) (Visited, error) {
	return Visited{Places: s.runs.Places(req.SpaceID)}, nil
}
