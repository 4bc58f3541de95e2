package workspace

import (
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
)

// Look returns what path is: a file or a folder inside of the root, links followed as far as they
// stay there. Errors: outside, not_found, not_text for what is neither.
func (f *Files) Look(path string) (fs.FileInfo, error) {
	return quickly(f, path, func() (fs.FileInfo, error) { return f.look(path) })
}

func (f *Files) look(path string) (fs.FileInfo, error) {
	rel, err := f.relative(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	info, err := f.root.Stat(rel)
	if err != nil {
		return nil, wrap(path, "Couldn't read {{path}}: {{why}}.", err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, refusal("not_text", nil, "{{path}} isn't a regular file.", path)
	}
	return info, nil
}

// URI is the file:// address of a path in the folder.
func (f *Files) URI(path string) string {
	p := filepath.ToSlash(filepath.Join(f.dirs[0], filepath.FromSlash(path)))
	if strings.HasSuffix(path, "/") && !strings.HasSuffix(p, "/") {
		p += "/"
	}
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/…
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// Within returns the path in dir that a file:// address means, slash-separated, "" if it means
// something else.
func Within(dir, uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	p := u.Path
	if len(p) > 2 && p[2] == ':' {
		p = p[1:] // /C:/…
	}
	rel, err := filepath.Rel(dir, filepath.FromSlash(p))
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return ""
	}
	rel = filepath.ToSlash(rel)
	if strings.HasSuffix(u.Path, "/") {
		rel += "/"
	}
	return rel
}

// Exists reports whether there is a file or a folder at a path inside of the root.
func (f *Files) Exists(path string) bool {
	_, err := f.Look(path)
	return err == nil
}

// Text returns the text of the file at a path. ok is false if there is none.
func (f *Files) Text(path string) (text string, ok bool) {
	text, err := f.ReadText(path, 0, 0)
	return text, err == nil
}
