package frontend

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCompressedFilesAreReadUnderTheirOwnNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("let a = 1;\n", 10_000)
	files := &FS{files: fstest.MapFS{
		"index.html":         {Data: []byte("<!doctype html>")},
		"assets/app.js.gz":   {Data: packed(t, long)},
		"assets/empty.js.gz": {Data: packed(t, "")},
		"assets/torn.js.gz":  {Data: packed(t, long)[:40]},
		"assets/font.woff2":  {Data: []byte("wOF2")},
	}}
	for name, want := range map[string]string{"index.html": "<!doctype html>", "assets/app.js": long, "assets/empty.js": "", "assets/font.woff2": "wOF2"} {
		content, err := fs.ReadFile(files, name)
		if err != nil || string(content) != want {
			t.Errorf("%s: %d bytes, %v", name, len(content), err)
		}
		info, err := fs.Stat(files, name)
		if err != nil || info.Size() != int64(len(want)) || !strings.HasSuffix(name, info.Name()) {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	file, err := files.Open("assets/app.js")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if at, err := file.(io.Seeker).Seek(-5, io.SeekEnd); err != nil || at != int64(len(long)-5) {
		t.Errorf("%d, %v", at, err)
	}
	if rest, err := io.ReadAll(file); err != nil || string(rest) != "= 1;\n" {
		t.Errorf("%q, %v", rest, err)
	}
	if raw, ok := files.Compressed("assets/app.js"); !ok || len(raw) >= len(long)/10 {
		t.Errorf("%v, %d bytes", ok, len(raw))
	}
	if _, ok := files.Compressed("index.html"); ok {
		t.Error("index.html isn't compressed")
	}
	// The window's asset server asks os.IsNotExist, which sees through no wrapping.
	for _, name := range []string{"assets/other.js", "assets/app.js/x", "../x", ""} {
		if _, err := files.Open(name); err == nil || name[:min(1, len(name))] == "a" && !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := files.Open("assets/torn.js"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a damaged file: %v", err)
	}
	files.files.(fstest.MapFS)["index.html"].Data = []byte(`<!doctype html><html lang="en"><html lang="en">`)
	chosen := "de"
	spoken := files.In(func() Look { return Look{Language: chosen, System: `de-AT,"en`, Theme: "dark"} })
	for _, chosen = range []string{"de", "ja"} {
		want := `<!doctype html><html lang="en" data-language="` + chosen + `" data-system="de-AT,&#34;en" data-theme="dark"><html lang="en">`
		content, err := fs.ReadFile(spoken, "index.html")
		info, statErr := fs.Stat(spoken, "index.html")
		if err != nil || string(content) != want || statErr != nil || info.Size() != int64(len(want)) || info.Name() != "index.html" {
			t.Errorf("%s, %v, %v, %v", content, err, info, statErr)
		}
	}
	if err := fs.WalkDir(files, ".", func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
		t.Error(err)
	}
}

// What the page needs before it can paint: each file takes the window's web view two trips through other processes, and scripts are read at
// some 10 MB a second when the program has just started.
func TestFirstScreenNeedsFewFiles(t *testing.T) {
	t.Parallel()
	files := Files()
	html, err := fs.ReadFile(files, page)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the frontend isn't built")
	}
	names := regexp.MustCompile(`(?:src|href)="\./([^"]+)"`).FindAllSubmatch(html, -1)
	total := 0
	for _, name := range names {
		content, err := fs.ReadFile(files, string(name[1]))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(string(name[1]), ".js") {
			total += len(content)
		}
	}
	const mostFiles, mostScript = 7, 665_000 // with the boxes that keep long texts of others from freezing the first screen
	if len(names) < 4 || len(names) > mostFiles || total > mostScript {
		t.Errorf("%d files with %d bytes of script, wanted at most %d with %d:\n%s", len(names), total, mostFiles, mostScript, html)
	}
}

// TestOnlyWhatIsServedIsCarried: what is written to dist for the build alone would be in every program.
func TestOnlyWhatIsServedIsCarried(t *testing.T) {
	list, err := fs.ReadDir(dist, "dist")
	if err != nil {
		t.Fatal(err)
	}
	served := []string{".gitkeep", "assets", "begin.js", "icon.svg", "index.html", "notices.json.gz"}
	for _, file := range list {
		if !slices.Contains(served, file.Name()) {
			t.Errorf("dist has %s, which no page asks for", file.Name())
		}
	}
}
