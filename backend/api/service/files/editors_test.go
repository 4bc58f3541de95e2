//go:build unix

package files_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/api/service"
	"weft/backend/api/service/files"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
	"weft/backend/base/fault"
	"weft/backend/base/simtest"
)

// world is a service with a space in a folder, and an editor that writes its arguments into a file.
type world struct {
	*service.Service
	t              *testing.T
	space, folder  string
	program, wrote string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Setenv("SHELL", "/bin/false") // so that nobody's start-up files run
	t.Setenv("HOME", t.TempDir())
	w := &world{t: t, folder: t.TempDir(), program: filepath.Join(t.TempDir(), "my ed")}
	w.wrote = filepath.Join(t.TempDir(), "wrote")
	if err := simtest.WriteProgram(w.program, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" >'"+w.wrote+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.Service = servicetest.Open(t, t.TempDir())
	sp, err := servicetest.Call[spaces.Space](t, w.Service, "CreateSpace", map[string]any{"agentId": "guide", "folder": w.folder})
	if err != nil {
		t.Fatal(err)
	}
	w.space = sp.ID
	return w
}

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) open(path string, line, column int) error {
	w.t.Helper()
	_ = os.Remove(w.wrote)
	_, err := servicetest.Call[files.OpenedEditor](w.t, w.Service, "OpenInEditor", files.OpenRequest{SpaceID: w.space, Path: path, Line: line, Column: column})
	return err
}

func (w *world) choose(use, command string) (files.EditorSettings, error) {
	w.t.Helper()
	return servicetest.Call[files.EditorSettings](w.t, w.Service, "SaveEditor", files.SaveEditorRequest{Use: use, Command: command})
}

func (w *world) args() string {
	w.t.Helper()
	text, err := os.ReadFile(w.wrote)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(text)
}

func TestEditorOpensAPlaceOfTheSpace(t *testing.T) {
	w := newWorld(t)
	if _, err := w.choose("custom", `"`+w.program+`" --at {line}:{column} {path}`); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(w.folder, "sub")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sub", filepath.Join(w.folder, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a b.go", "ü 漢.go", "-rf", "--help", "{line}.go", "x;touch y", "$(x)\"'`.go", "*"} {
		w.write(filepath.Join(inside, name), "text")
		w.write(filepath.Join(w.folder, name), "text")
		for _, path := range []string{name, filepath.Join(w.folder, name), filepath.Join("sub", name), filepath.Join("link", name), "sub/../" + name} {
			if err := w.open(path, 3, 7); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			want := path
			if !filepath.IsAbs(path) {
				want = filepath.Join(w.folder, path)
			}
			if got := w.args(); got != "--at\n3:7\n"+want+"\n" {
				t.Errorf("%s: the editor was given %q", path, got)
			}
		}
	}
	if err := w.open("*", 0, 0); err != nil || !strings.Contains(w.args(), "1:1") {
		t.Errorf("without a line: %q, %v", w.args(), err)
	}
}

func TestEditorOpensNothingOutsideOfTheSpace(t *testing.T) {
	w := newWorld(t)
	if _, err := w.choose("custom", `"`+w.program+`" {path}`); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	w.write(filepath.Join(outside, "secret"), "text")
	for link, target := range map[string]string{"file": filepath.Join(outside, "secret"), "folder": outside, "up": "../" + filepath.Base(outside), "gone": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(w.folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	w.write(filepath.Join(w.folder, "here"), "text")
	for _, c := range []struct{ path, code string }{
		{filepath.Join(outside, "secret"), "outside"},
		{"../" + filepath.Base(outside) + "/secret", "outside"},
		{"file", "outside"},
		{"folder/secret", "outside"},
		{"up/secret", "outside"},
		{"file://" + filepath.Join(w.folder, "here"), "outside"},
		{"gone", "not_found"},
		{"none", "not_found"},
		{".", "is_directory"},
		{"", fault.Invalid},
	} {
		if code, message, _ := service.Explain(w.open(c.path, 1, 1)); code != c.code || w.args() != "" {
			t.Errorf("%s: %s %q, and the editor was given %q", c.path, code, message, w.args())
		}
	}
	if code, _, _ := service.Explain(w.open("here", -1, 0)); code != fault.Invalid {
		t.Errorf("a line before the first: %s", code)
	}
}

func TestEditorThatIsMissingOrFails(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.folder, "a"), "text")
	if _, err := w.choose("custom", "no-such-editor {path}"); err != nil {
		t.Fatal(err)
	}
	code, message, _ := service.Explain(w.open("a", 1, 1))
	if code != "editor_missing" || message != "Couldn't open the editor: no-such-editor wasn't found. Choose an editor in Settings." {
		t.Errorf("%s %q", code, message)
	}
	w.write(w.program, "#!/bin/sh\necho one >&2\necho 'cannot open display' >&2\nexit 1\n")
	if _, err := w.choose("custom", `"`+w.program+`" {path}`); err != nil {
		t.Fatal(err)
	}
	code, message, _ = service.Explain(w.open("a", 1, 1))
	if code != "editor_failed" || message != "Couldn't open the editor: my ed failed: cannot open display." {
		t.Errorf("%s %q", code, message)
	}
}

func TestEditorsAreListedAndChosen(t *testing.T) {
	w := newWorld(t)
	bin := t.TempDir()
	if err := simtest.WriteProgram(filepath.Join(bin, "zed"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	got, err := servicetest.Call[files.EditorSettings](t, w.Service, "Editors", nil)
	if err != nil || got.Use != "auto" {
		t.Fatalf("%+v, %v", got, err)
	}
	found := false
	for _, e := range got.Editors {
		found = found || e.ID == "zed" && e.Found
	}
	if !found {
		t.Errorf("the editor is not found: %+v", got)
	}
	if _, err := w.choose("custom", "ed"); fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), "{path}") {
		t.Errorf("a command without a path: %v", err)
	}
	if _, err := w.choose("ed", ""); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("an unknown editor: %v", err)
	}
	if got, err := w.choose("zed", "ed {path}"); err != nil || got.Use != "zed" || got.Command != "ed {path}" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := w.choose("auto", ""); err != nil || got.Use != "auto" || got.Command != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFilesOfASpaceThatExist(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.folder, "a.go"), "text")
	if err := os.Mkdir(filepath.Join(w.folder, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(w.folder, "out")); err != nil {
		t.Fatal(err)
	}
	paths := []string{"a.go", filepath.Join(w.folder, "a.go"), "./a.go", "b.go", "dir", "out", "/etc/passwd", "../a.go", "", "a\x00"}
	got, err := servicetest.Call[files.ExistingPaths](t, w.Service, "FilesExist", files.PathsRequest{SpaceID: w.space, Paths: paths})
	if err != nil || strings.Join(got.Paths, "|") != strings.Join(paths[:3], "|") {
		t.Errorf("%q, %v", got.Paths, err)
	}
	if got, err := servicetest.Call[files.ExistingPaths](t, w.Service, "FilesExist", files.PathsRequest{SpaceID: w.space, Paths: append(make([]string, 200), "a.go")}); err != nil || len(got.Paths) != 0 {
		t.Errorf("more than the limit: %q, %v", got.Paths, err)
	}
}

func TestImageOfASpaceIsRead(t *testing.T) {
	w := newWorld(t)
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"
	w.write(filepath.Join(w.folder, "a.png"), png)
	w.write(filepath.Join(w.folder, "b.png"), "text")
	w.write(filepath.Join(w.folder, "broken.png"), png[:20])
	got, err := servicetest.Call[files.SpaceImage](t, w.Service, "ReadSpaceImage", files.ImageRequest{SpaceID: w.space, Path: "a.png"})
	if err != nil || got.Type != "image/png" || !strings.HasPrefix(got.Data, "iVBORw0KGgo") {
		t.Errorf("%+v, %v", got, err)
	}
	for path, code := range map[string]string{"b.png": "not_image", "broken.png": "not_image", "none.png": "not_found", "/etc/passwd": "outside"} {
		if _, err := w.Call(context.Background(), "ReadSpaceImage", []byte(`{"spaceId":"`+w.space+`","path":"`+path+`"}`)); fault.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", path, err, code)
		}
	}
}
