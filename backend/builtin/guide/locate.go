package guide

import (
	"path"
	"strings"

	"weft/backend/builtin/folder"
)

// locate finds the file a person means by a path or a name. It tells the person when there is none or a
// choice had to be made, and returns "" in the first case. A folder is returned with a final slash.
func (a *answer) locate(name string) (string, error) {
	name = strings.TrimPrefix(strings.TrimPrefix(name, a.req.Root+"/"), "./")
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, "/../") || name == "." {
		return name, nil // the tool itself says why not
	}
	name = strings.TrimSuffix(name, "/")
	found, err := a.Glob(a.ctx, "**/"+escapeGlob(name))
	if err != nil {
		return "", a.failed(err, "list the files")
	}
	if len(found.Entries) == 0 && path.Ext(name) == "" {
		found, err = a.Glob(a.ctx, "**/"+escapeGlob(name)+".*")
		if err != nil {
			return "", a.failed(err, "list the files")
		}
	}
	if len(found.Entries) == 0 {
		a.para("There is no file called %s here.", tick(name))
		return "", nil
	}
	best := found.Entries[0]
	for _, e := range found.Entries {
		if e.Path == name || e.Depth() < best.Depth() && best.Path != name {
			best = e
		}
	}
	if n := len(found.Entries); n > 1 && best.Path != name {
		a.para("%d files have that name; I take %s. The others: %s.", n, tick(best.Path), someEntries(without(found, best.Path)))
	}
	if best.Dir {
		return best.Path + "/", nil
	}
	return best.Path, nil
}

func without(l folder.Listing, p string) folder.Listing {
	var out folder.Listing
	for _, e := range l.Entries {
		if e.Path != p {
			out.Entries = append(out.Entries, e)
		}
	}
	return out
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`).Replace(s)
}
