package workspace

import (
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
)

// Look describes a file or folder inside of the root. Symbolic links are followed as long as they stay inside. Errors:
// outside, not_found, and not_text for anything else.
func (f *Files) Look(path string) (fs.FileInfo, error) {
	return withDeadline(f, path, func() (fs.FileInfo, error) { return f.look(path) })
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

// URI returns the file:// URL of a path in the folder.
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

// Within returns the slash-separated path in dir of a file:// URL, or "" if the URL isn't one of a path in dir.
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

// Exists reports whether a file or folder exists at a path inside of the root.
func (f *Files) Exists(path string) bool {
	_, err := f.Look(path)
	return err == nil
}

// Text returns the text of a file. ok is false if it can't be read as text.
func (f *Files) Text(path string) (text string, ok bool) {
	text, err := f.ReadText(path, 0, 0)
	return text, err == nil
}
