package files

import (
	"os"
	"path/filepath"
	"strings"

	"weft/backend/base/fault"
)

// ResolveFolder returns the absolute path of an existing folder. "" and "~" mean the home folder.
func ResolveFolder(folder string) (string, error) {
	home, homeErr := os.UserHomeDir()
	if folder == "" || folder == "~" {
		if homeErr != nil {
			return "", fault.New("folder_not_found", "Couldn't find your home folder. Choose a folder.").Because(homeErr)
		}
		return home, nil
	}
	if rest, ok := strings.CutPrefix(folder, "~/"); ok && homeErr == nil {
		folder = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(folder) {
		return "", fault.New(fault.Invalid, "The folder must be an absolute path, such as /home/me/project.")
	}
	folder = filepath.Clean(folder)
	info, err := os.Stat(folder)
	if err != nil {
		return "", fault.New("folder_not_found", "The folder {{folder}} can't be opened. Choose another one.", folder).Because(err)
	}
	if !info.IsDir() {
		return "", fault.New(fault.Invalid, "{{folder}} is a file. Choose a folder.", folder)
	}
	return folder, nil
}

// IsFolder reports whether path is a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
