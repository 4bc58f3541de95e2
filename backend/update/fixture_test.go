//go:build linux

package update

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aead.dev/minisign"

	"weft/backend/simtest"
)

// Environment variables of this test as a program: it starts the Weft of a place and kills itself before a step.
const (
	envPrefix = "UPDATE_TEST_PREFIX"
	envKill   = "UPDATE_TEST_KILL"
	envUp     = "UPDATE_TEST_UP"
)

func TestMain(m *testing.M) {
	if prefix := os.Getenv(envPrefix); prefix != "" {
		os.Exit(startAndDie(prefix))
	}
	os.Exit(m.Run())
}

// startAndDie starts as Weft does, again where another version is in place, and is killed before a step if it gets there.
func startAndDie(prefix string) int {
	left, err := strconv.Atoi(os.Getenv(envKill))
	if err != nil {
		left = -1
	}
	step := func(string) {
		if left--; left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	p := &Place{How: HowArchive, Prefix: prefix}
	for range 5 {
		r := p.start(versionAt(prefix), step, time.Now)
		if r == nil {
			return 3
		}
		if r.Again {
			continue
		}
		if r.Err != nil {
			fmt.Fprintln(os.Stderr, r.Err)
			return 4
		}
		if os.Getenv(envUp) != "" {
			if _, err := r.Up(); err != nil {
				return 5
			}
		}
		r.Close()
		return 0
	}
	return 6
}

// run starts the Weft at a prefix in a process of its own. killed is whether it was killed before step kill, 0 for none.
func run(t *testing.T, prefix string, kill int, up bool) (killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envPrefix+"="+prefix, envKill+"="+strconv.Itoa(kill))
	if up {
		cmd.Env = append(cmd.Env, envUp+"=1")
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		t.Fatalf("the start failed: %v: %s", err, out)
	}
	return false
}

// content are the files of a version. Each names its version.
func content(version string, more ...string) map[string]string {
	files := map[string]string{
		program:                                 "#!/bin/sh\necho weft " + version + "\n",
		lib + "/weft-agent":                     "agent of " + version,
		lib + "/weft-supervise":                 "supervise of " + version,
		"bin/weft":                              "-> ../lib/weft/weft",
		desktopEntry:                            "[Desktop Entry]\nName=Weft\nExec=weft %u\nIcon=weft\nX-Version=" + version + "\n",
		"share/man/man1/weft.1.gz":              "manual of " + version,
		"share/doc/weft/only-" + version:        version,
		"share/icons/hicolor/64/weft.png":       "icon of " + version,
		"share/doc/weft/deep/" + version + "/x": version,
	}
	for _, name := range more {
		files[name] = name + " of " + version
	}
	return files
}

func names(files map[string]string) (list []string) {
	for name := range files {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// installed makes a place in which a version is installed, as install.sh does.
func installed(t testing.TB, files map[string]string) *Place {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "a prefix")
	for name, text := range files {
		path := filepath.Join(prefix, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = simtest.WriteProgram(path, []byte(text), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p := Find(filepath.Join(prefix, program))
	if err := (&Place{Prefix: prefix}).writeList(names(files)); err != nil {
		t.Fatal(err)
	}
	if p.Replaces() {
		t.Fatal("a folder without a list of files is taken for an installation")
	}
	if p = Find(filepath.Join(prefix, "bin/weft")); !p.Replaces() || p.Prefix != prefix {
		t.Fatalf("the installation isn't found: %+v", p)
	}
	return p
}

// versionAt returns what the program at a prefix would say.
func versionAt(prefix string) string {
	raw, err := os.ReadFile(filepath.Join(prefix, program))
	if err != nil {
		return ""
	}
	_, version, _ := strings.Cut(strings.TrimSpace(string(raw)), "echo weft ")
	return version
}

// whole fails unless exactly the files of a version are at a place, and nothing of an update but what left names.
func (w *world) whole(t *testing.T, files map[string]string, left ...string) {
	t.Helper()
	var found []string
	err := filepath.WalkDir(w.place.Prefix, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(w.place.Prefix, path)
		if d.IsDir() {
			if name == filepath.FromSlash(lib+"/"+folder) {
				entries, err := os.ReadDir(path)
				for _, e := range entries {
					if !slices.Contains(left, e.Name()) {
						t.Errorf("%s is left of the update", e.Name())
					}
				}
				if err != nil {
					return err
				}
				return filepath.SkipDir
			}
			if entries, err := os.ReadDir(path); err == nil && len(entries) == 0 {
				t.Errorf("the folder %s is left", name)
			}
			return nil
		}
		if name != list {
			found = append(found, name)
		}
		return nil
	})
	slices.Sort(found)
	if err != nil || !slices.Equal(found, names(files)) {
		t.Fatalf("there are %q, %v; want %q", found, err, names(files))
	}
	if listed, err := readList(w.place.Prefix); err != nil || !slices.Equal(listed, names(files)) {
		t.Fatalf("listed are %q, %v", listed, err)
	}
	for name, want := range files {
		path := w.place.at(name)
		if target, ok := strings.CutPrefix(want, "-> "); ok {
			if got, err := os.Readlink(path); got != target {
				t.Errorf("%s leads to %q, %v", name, got, err)
			}
			continue
		}
		raw, err := os.ReadFile(path)
		if name == desktopEntry {
			want, _, _ = strings.Cut(want, "Exec")
			if !strings.HasPrefix(string(raw), want) {
				t.Errorf("%s holds %q, %v", name, raw, err)
			}
			continue
		}
		if string(raw) != want {
			t.Errorf("%s holds %q, %v; want %q", name, raw, err, want)
		}
		if info, err := os.Stat(path); name == program && (err != nil || info.Mode()&0o111 == 0) {
			t.Errorf("the program can't be run: %v", err)
		}
	}
}

// world is a server with a version, and a place with an older one.
type world struct {
	place    *Place
	source   *Source
	key      minisign.PrivateKey
	server   *httptest.Server
	answers  map[string]http.HandlerFunc
	manifest Manifest
	archive  []byte
}

// newWorld has a server publish the files as 1.1.0.
func newWorld(t testing.TB, old, files map[string]string) *world {
	t.Helper()
	w := &world{place: installed(t, old), answers: map[string]http.HandlerFunc{}}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if answer, ok := w.answers[r.URL.Path]; ok {
			answer(rw, r)
			return
		}
		http.NotFound(rw, r)
	}))
	t.Cleanup(w.server.Close)
	pub, key, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	w.key = key
	if w.source, err = NewSource(w.server.URL+"/weft.json", pub.String()); err != nil {
		t.Fatal(err)
	}
	w.publish(t, "1.1.0", pack(t, files))
	return w
}

// publish has the server offer an archive as a version.
func (w *world) publish(t testing.TB, version string, archive []byte) {
	t.Helper()
	sum := sha256.Sum256(archive)
	name := "weft-" + version + ".tar.gz"
	w.archive = archive
	w.manifest = Manifest{
		Version: version, Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Notes: "* More",
		Files: []File{{OS: runtime.GOOS, Arch: runtime.GOARCH, Kind: KindArchive, Name: name, URL: w.server.URL + "/" + name, Size: int64(len(archive)), SHA256: hex.EncodeToString(sum[:])}},
	}
	w.answers["/"+name] = send(archive)
	w.sign(t)
}

// sign has the server send the manifest as it is now.
func (w *world) sign(t testing.TB) {
	t.Helper()
	raw, signature, err := Sign(w.manifest, w.key)
	if err != nil {
		t.Fatal(err)
	}
	w.answers["/weft.json"], w.answers["/weft.json.minisig"] = send(raw), send(signature)
}

func send(data []byte) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write(data) }
}

// pack makes an archive of these files.
func pack(t testing.TB, files map[string]string) []byte {
	t.Helper()
	return tarball(t, func(w *tar.Writer) {
		root := "weft-1.1.0/"
		entry(t, w, &tar.Header{Name: root, Typeflag: tar.TypeDir, Mode: 0o755}, "")
		entry(t, w, &tar.Header{Name: root + "install.sh", Typeflag: tar.TypeReg, Mode: 0o755}, "exit 1")
		for _, name := range names(files) {
			if target, ok := strings.CutPrefix(files[name], "-> "); ok {
				entry(t, w, &tar.Header{Name: root + name, Typeflag: tar.TypeSymlink, Linkname: target}, "")
				continue
			}
			entry(t, w, &tar.Header{Name: root + name, Typeflag: tar.TypeReg, Mode: 0o755}, files[name])
		}
	})
}

func tarball(t testing.TB, write func(w *tar.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	write(w)
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func entry(t testing.TB, w *tar.Writer, h *tar.Header, text string) {
	t.Helper()
	h.Size = int64(len(text))
	if err := w.WriteHeader(h); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// stage fetches and stages what the server offers, in a place of 1.0.0.
func (w *world) stage(t *testing.T) error {
	t.Helper()
	m, _, err := w.source.Fetch(t.Context())
	if err != nil {
		return err
	}
	return w.place.Stage(t.Context(), w.source, &m, "1.0.0", func(int64) {})
}
