package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/base/fault"
)

// Folder is a folder in the folder chooser of serve mode.
type Folder struct {
	Path    string   `json:"path"`
	Parent  string   `json:"parent"`
	Folders []string `json:"folders"` // names, sorted
}

// FolderRequest asks for the subfolders of a folder; empty means the home folder.
type FolderRequest struct {
	Path string `json:"path"`
}

// maxFolders is how many subfolders the chooser lists.
const maxFolders = 2000

// ListFolders returns the subfolders of a folder, for a folder chooser without a native dialog. Hidden ones come last.
func (s *Files) ListFolders(_ context.Context, req FolderRequest) (Folder, error) {
	path, err := ResolveFolder(req.Path)
	if err != nil {
		return Folder{}, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		why := "it can't be read"
		if errors.Is(err, fs.ErrPermission) {
			why = "permission was denied"
		}
		return Folder{}, fault.New("folder_not_found", "The folder {{path}} can't be opened: {{why}}.", path, why).Because(err)
	}
	out := Folder{Path: path, Parent: filepath.Dir(path), Folders: []string{}}
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 && IsFolder(filepath.Join(path, e.Name())) {
			out.Folders = append(out.Folders, e.Name())
		}
	}
	slices.SortFunc(out.Folders, func(a, b string) int {
		if ha, hb := strings.HasPrefix(a, "."), strings.HasPrefix(b, "."); ha != hb {
			if ha {
				return 1
			}
			return -1
		}
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	out.Folders = out.Folders[:min(len(out.Folders), maxFolders)]
	return out, nil
}
