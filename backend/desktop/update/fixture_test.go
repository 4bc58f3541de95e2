//go:build linux

package update

import (
	"archive/tar"
	"archive/zip"
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

	"weft/backend/base/simtest"
)

// Names in the layout of install.sh.
var lib, program = tree.lib, tree.program

// hows are the ways to install Weft that it can replace itself in. Of these tests, that of Windows runs on a disk that behaves as there.
var hows = []string{HowArchive, HowSetup}

// forEachHow runs a test for each of them.
func forEachHow(t *testing.T, test func(t *testing.T, how string)) {
	for _, how := range hows {
		t.Run(how, func(t *testing.T) { test(t, how) })
	}
}

// as names files, which are given as install.sh has them, as they are where Weft was installed in another way.
func as(how string, files map[string]string) map[string]string {
	if how == HowArchive {
		return files
	}
	as := map[string]string{}
	for name, text := range files {
		if !strings.HasPrefix(text, "-> ") && name != desktopEntry {
			as[nameAs(how, name)] = text
		}
	}
	return as
}

func nameAs(how, name string) string {
	if base, ok := strings.CutPrefix(name, lib+"/"); ok && how == HowSetup {
		return base + ".exe"
	}
	return name
}

// testPlace is a place whose disk behaves as its system does.
func testPlace(how, prefix string) *Place {
	p := newPlace(how, prefix)
	if how == HowSetup {
		p.disk = windowsDisk(p, new([]os.FileInfo))
	}
	return p
}

// windowsDisk neither removes nor replaces programs that run, to which it adds the one of p.
func windowsDisk(p *Place, running *[]os.FileInfo) disk {
	if info, err := os.Stat(p.at(p.layout.program)); err == nil {
		*running = append(*running, info)
	}
	runs := func(path string) bool {
		info, err := os.Lstat(path)
		return err == nil && slices.ContainsFunc(*running, func(r os.FileInfo) bool { return os.SameFile(r, info) })
	}
	return disk{
		rename: func(from, to string) error {
			if runs(to) {
				return &os.LinkError{Op: "rename", Old: from, New: to, Err: os.ErrPermission}
			}
			return os.Rename(from, to)
		},
		remove: func(path string) error {
			if runs(path) {
				return &os.PathError{Op: "remove", Path: path, Err: os.ErrPermission}
			}
			return os.Remove(path)
		},
	}
}

// Environment variables of this test as a program: it starts the Weft of a place and kills itself before a step.
const (
	envHow    = "UPDATE_TEST_HOW"
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
	var running []os.FileInfo // each waits for the next one
	for range 5 {
		p := testPlace(os.Getenv(envHow), prefix)
		if p.How == HowSetup {
			p.disk = windowsDisk(p, &running)
		}
		r := p.start(versionAt(p), step, time.Now)
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

// run starts the Weft of a place in a process of its own. killed is whether it was killed before step kill, 0 for none.
func run(t *testing.T, p *Place, kill int, up bool) (killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envHow+"="+p.How, envPrefix+"="+p.Prefix, envKill+"="+strconv.Itoa(kill))
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

// installed makes a place in which a version is installed, as its installer does.
func installed(t testing.TB, how string, files map[string]string) *Place {
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
	found := Find(filepath.Join(prefix, program))
	p := testPlace(how, prefix)
	if err := p.writeList(names(files)); err != nil {
		t.Fatal(err)
	}
	if found.Replaces() {
		t.Fatal("a folder without a list of files is taken for an installation")
	}
	if how == HowArchive {
		if p = Find(filepath.Join(prefix, "bin/weft")); !p.Replaces() || p.Prefix != prefix {
			t.Fatalf("the installation isn't found: %+v", p)
		}
	}
	return p
}

// versionAt returns what the program of a place would say.
func versionAt(p *Place) string {
	raw, err := os.ReadFile(p.at(p.layout.program))
	if err != nil {
		return ""
	}
	_, version, _ := strings.Cut(strings.TrimSpace(string(raw)), "echo weft ")
	return version
}

// whole fails unless exactly the files of a version are at a place, and nothing of an update but what left names.
func (w *world) whole(t *testing.T, files map[string]string, left ...string) {
	t.Helper()
	if w.place.How == HowSetup {
		left = append(left, aside)
	}
	var found []string
	err := filepath.WalkDir(w.place.Prefix, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(w.place.Prefix, path)
		if d.IsDir() {
			if name == filepath.FromSlash(w.place.layout.folder()) {
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
		if name != w.place.layout.list() {
			found = append(found, name)
		}
		return nil
	})
	slices.Sort(found)
	if err != nil || !slices.Equal(found, names(files)) {
		t.Fatalf("there are %q, %v; want %q", found, err, names(files))
	}
	if listed, err := w.place.readList(); err != nil || !slices.Equal(listed, names(files)) {
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
		if info, err := os.Stat(path); name == w.place.layout.program && (err != nil || info.Mode()&0o111 == 0) {
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
	return newWorldOf(t, HowArchive, old, files)
}

func newWorldOf(t testing.TB, how string, old, files map[string]string) *world {
	t.Helper()
	w := &world{place: installed(t, how, old), answers: map[string]http.HandlerFunc{}}
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
	w.publish(t, "1.1.0", w.pack(t, files))
	return w
}

// publish has the server offer an archive as a version.
func (w *world) publish(t testing.TB, version string, archive []byte) {
	t.Helper()
	sum := sha256.Sum256(archive)
	name := "weft-" + version + "." + w.place.layout.kind
	w.archive = archive
	w.manifest = Manifest{
		Version: version, Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Notes: "* More",
		Files: []File{{OS: runtime.GOOS, Arch: runtime.GOARCH, Kind: w.place.layout.kind, Name: name, URL: w.server.URL + "/" + name, Size: int64(len(archive)), SHA256: hex.EncodeToString(sum[:])}},
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
func (w *world) pack(t testing.TB, files map[string]string) []byte {
	t.Helper()
	if w.place.How == HowSetup {
		return zipped(t, func(z *zip.Writer) {
			for _, name := range names(files) {
				f, err := z.Create("weft-1.1.0/" + name)
				if err == nil {
					_, err = f.Write([]byte(files[name]))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
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

func zipped(t testing.TB, write func(z *zip.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	write(z)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
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
