package install

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"weft/backend/agent/registry"
)

const script = "#!/bin/sh\necho hello\n"

// item is an entry of an archive.
type item struct {
	name string
	body string
	kind byte   // of tar; 0: a file
	to   string // of a link
	mode int64
}

var agentItem = item{name: "bin/agent", body: script, mode: 0o755}

func tarOf(t *testing.T, items ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, i := range items {
		kind := i.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		h := &tar.Header{Name: i.name, Typeflag: kind, Linkname: i.to, Mode: i.mode, Format: tar.FormatPAX}
		if kind == tar.TypeReg {
			h.Size = int64(len(i.body))
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if kind == tar.TypeReg {
			if _, err := io.WriteString(w, i.body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gz(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

func zipOf(t *testing.T, items ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, i := range items {
		h := &zip.FileHeader{Name: i.name, Method: zip.Deflate}
		h.SetMode(fs.FileMode(i.mode))
		body := i.body
		switch i.kind {
		case tar.TypeSymlink:
			h.SetMode(fs.ModeSymlink | 0o777)
			body = i.to
		case tar.TypeFifo:
			h.SetMode(fs.ModeNamedPipe | 0o644)
		case tar.TypeChar:
			h.SetMode(fs.ModeDevice | fs.ModeCharDevice | 0o644)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// try installs an archive from a file, with small limits. Whatever happens, nothing may be created outside of the
// folder for agents.
func try(t *testing.T, data []byte) (Record, error) {
	t.Helper()
	around := t.TempDir()
	file := filepath.Join(around, "archive")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	in := New(Options{Dir: filepath.Join(around, "agents"), Limits: Limits{Files: 200, Unpacked: 8 << 20}})
	target := registry.Target{Kind: registry.KindBinary, Archive: address(file), Cmd: "bin/agent"}
	r, err := in.Install(t.Context(), registry.Entry{ID: "a", Name: "A", Version: "1.0.0"}, target, true, quiet, yes)
	entries, rerr := os.ReadDir(around)
	if rerr != nil {
		t.Fatal(rerr)
	}
	for _, e := range entries {
		if e.Name() != "archive" && e.Name() != "agents" {
			t.Errorf("%s was made outside", e.Name())
		}
	}
	if err != nil {
		left, rerr := os.ReadDir(filepath.Join(around, "agents"))
		if rerr != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, rerr)
		}
	}
	return r, err
}

func TestValidArchivesAreInstalled(t *testing.T) {
	items := []item{
		{name: "./", kind: tar.TypeDir, mode: 0o755},
		{name: "./bin/", kind: tar.TypeDir, mode: 0o500},
		{name: "./bin/agent", body: script, mode: 0o4755},
		{name: "lib/data", body: strings.Repeat("x", 100_000), mode: 0o666},
		{name: "a name with spaces/ünïcode", body: "y"},
	}
	links := append(items[:len(items):len(items)],
		item{name: "lib/link", kind: tar.TypeSymlink, to: "../bin/agent"},
		item{name: "early/link", kind: tar.TypeSymlink, to: "later/../../bin"},
		item{name: "bin/other", kind: tar.TypeLink, to: "bin/agent"})
	var packed bytes.Buffer
	w, err := xz.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(tarOf(t, items...))
	_ = w.Close()
	good := map[string][]byte{
		"tar": tarOf(t, links...), "tar.gz": gz(tarOf(t, links...)), "zip": zipOf(t, items[2:]...), "tar.xz": packed.Bytes(), "program": []byte(script),
	}
	for _, tool := range []string{"bzip2", "xz"} {
		cmd := exec.CommandContext(t.Context(), tool, "-9", "-c")
		cmd.Stdin = bytes.NewReader(tarOf(t, items...))
		if out, err := cmd.Output(); err == nil {
			good["real "+tool] = out
		} else {
			t.Logf("%s isn't here: that archive is left out", tool)
		}
	}
	for name, data := range good {
		t.Run(name, func(t *testing.T) {
			r, err := try(t, data)
			if err != nil {
				var own *Error
				_ = errors.As(err, &own)
				t.Fatalf("%v: %+v", err, own)
			}
			out, err := exec.CommandContext(t.Context(), r.Command()).Output()
			if err != nil || string(out) != "hello\n" {
				t.Errorf("the program: %q, %v", out, err)
			}
			if info, err := os.Stat(r.Command()); err != nil || info.Mode() != 0o755 {
				t.Errorf("its mode: %v, %v", info.Mode(), err)
			}
			if _, err := os.Lstat(filepath.Join(r.Folder, "download")); err == nil {
				t.Error("the download is still there")
			}
		})
	}
}

// The corpus of archives that must not be unpacked. They must leave nothing behind.
func TestHostileArchives(t *testing.T) {
	long := strings.Repeat("d/", 70)
	sym := func(name, to string) item { return item{name: name, kind: tar.TypeSymlink, to: to} }
	both := map[string]struct {
		items []item
		why   string
	}{
		"absolute":                 {[]item{agentItem, {name: "/tmp/evil", body: "x"}}, "absolute"},
		"parent":                   {[]item{agentItem, {name: "../evil", body: "x"}}, "outside the archive"},
		"parent in the middle":     {[]item{agentItem, {name: "bin/../../evil", body: "x"}}, "outside the archive"},
		"parent that stays":        {[]item{agentItem, {name: "bin/../evil", body: "x"}}, "outside the archive"},
		"parent at the end":        {[]item{agentItem, {name: "bin/..", body: "x"}}, "outside the archive"},
		"backslashes":              {[]item{agentItem, {name: `..\evil`, body: "x"}}, "invalid characters"},
		"drive":                    {[]item{agentItem, {name: "C:/evil", body: "x"}}, "absolute"},
		"control characters":       {[]item{agentItem, {name: "bin/\x1b[31mevil\n", body: "x"}}, "invalid characters"},
		"no UTF-8":                 {[]item{agentItem, {name: "bin/\xff\xfe", body: "x"}}, "invalid characters"},
		"long name":                {[]item{agentItem, {name: strings.Repeat("n", 300), body: "x"}}, "too long"},
		"deep":                     {[]item{agentItem, {name: long + "x", body: "x"}}, "too long"},
		"name twice":               {[]item{agentItem, agentItem}, "twice"},
		"file where a folder is":   {[]item{agentItem, {name: "bin", body: "x"}}, "twice"},
		"folder where a file is":   {[]item{agentItem, {name: "bin/agent/x", body: "x"}}, "twice"},
		"link to the root":         {[]item{agentItem, sym("l", "/")}, "outside the archive"},
		"link to a file outside":   {[]item{agentItem, sym("l", "/etc/passwd")}, "outside the archive"},
		"link to the parent":       {[]item{agentItem, sym("bin/l", "../../../x")}, "outside the archive"},
		"link to nothing":          {[]item{agentItem, sym("l", "")}, "broken link"},
		"link, then through it":    {[]item{agentItem, sym("l", "bin"), {name: "l/x", body: "x"}}, "twice"},
		"links that add up":        {[]item{agentItem, sym("a", "."), sym("b", "a/../../evil")}, "outside the archive"},
		"links that climb":         {[]item{agentItem, {name: "d/e/f", body: "x"}, sym("a", "d/e"), sym("d/e/up", "../.."), sym("b", "a/up/../x")}, "outside the archive"},
		"program that is no file":  {[]item{{name: "bin/agent/", kind: tar.TypeDir, mode: 0o755}}, "which the registry names"},
		"program that is a link":   {[]item{{name: "x", body: script}, sym("bin/agent", "../../../../bin/sh")}, "outside the archive"},
		"links in a ring":          {[]item{agentItem, sym("a", "b"), sym("b", "a")}, "outside the archive"},
		"program that isn't there": {[]item{{name: "bin/other", body: script}}, "which the registry names"},
		"nothing":                  {nil, ""},
		"a pipe":                   {[]item{agentItem, {name: "p", kind: tar.TypeFifo}}, "neither"},
		"a device":                 {[]item{agentItem, {name: "p", kind: tar.TypeChar}}, "neither"},
	}
	archives := map[string][]byte{}
	why := map[string]string{}
	for name, c := range both {
		archives["tar "+name], why["tar "+name] = gz(tarOf(t, c.items...)), c.why
		hasFolder := strings.HasPrefix(name, "program that is no file")
		if !hasFolder && name != "nothing" {
			archives["zip "+name], why["zip "+name] = zipOf(t, c.items...), c.why
		}
	}
	many := make([]item, 300)
	for i := range many {
		many[i] = item{name: fmt.Sprintf("f%d", i)}
	}
	bomb := []item{agentItem, {name: "zeros", body: strings.Repeat("\x00", 9<<20)}}
	add := func(name, reason string, data []byte) { archives[name], why[name] = data, reason }
	add("many files", "more than 200 files", gz(tarOf(t, many...)))
	add("many files zip", "more than 200 files", zipOf(t, many...))
	add("tar bomb", "far more than", gz(tarOf(t, bomb...)))
	add("zip bomb", "far more than", zipOf(t, bomb...))
	add("bomb behind the end", "after its end", gz(append(tarOf(t, agentItem), make([]byte, 3<<20)...)))
	add("hard link to a file outside", "is a hard link", gz(tarOf(t, agentItem, item{name: "h", kind: tar.TypeLink, to: "bin/none"})))
	add("hard link that leads out", "outside the archive", gz(tarOf(t, agentItem, item{name: "h", kind: tar.TypeLink, to: "../../archive"})))
	add("hard link, absolute", "absolute", gz(tarOf(t, agentItem, item{name: "h", kind: tar.TypeLink, to: "/etc/passwd"})))
	add("hard link to itself", "is a hard link", gz(tarOf(t, agentItem, item{name: "h", kind: tar.TypeLink, to: "h"})))
	add("block device", "neither", gz(tarOf(t, agentItem, item{name: "b", kind: tar.TypeBlock})))
	add("a page", "a page", []byte("<!doctype html><html>"))
	add("JSON", "a page", []byte(`{"message":"Not Found"}`))
	add("text", "neither an archive", []byte("hello"))
	add("nothing at all", "neither an archive", nil)
	whole := gz(tarOf(t, agentItem, item{name: "lib", body: strings.Repeat("content ", 50_000)}))
	add("cut off", "damaged", whole[:len(whole)-20])
	add("cut off early", "damaged", whole[:15])
	turned := bytes.Clone(whole)
	turned[len(turned)/2] ^= 0xff
	add("a bit turned", "damaged", turned)
	wrongSum := bytes.Clone(whole)
	wrongSum[len(wrongSum)-6] ^= 0xff
	add("gzip's own checksum", "damaged", wrongSum)
	zipped := zipOf(t, agentItem)
	add("zip cut off", "damaged", zipped[:len(zipped)-30])
	add("gzip of no tar", "damaged", gz([]byte(strings.Repeat("not a tar ", 200))))
	add("xz of nothing", "damaged", []byte("\xfd7zXZ\x00\x00\x04"))
	// A window of 1.5 GiB: dictionary size 37 in the header of the first block.
	add("xz window", "more memory", append([]byte("\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x25\x00\x00\x00"), make([]byte, 64)...))
	add("xz filters", "unknown compression", append([]byte("\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x02\x01\x04\x00\x21\x01\x16\x00"), make([]byte, 64)...))

	t.Logf("%d archives", len(archives))
	for name, data := range archives {
		t.Run(name, func(t *testing.T) {
			r, err := try(t, data)
			var own *Error
			if !errors.As(err, &own) || own.Message == "" {
				t.Fatalf("installed as %+v, %v", r, err)
			}
			if own.Code != CodeArchive && own.Code != CodeNoProgram || !strings.Contains(own.Message, why[name]) {
				t.Errorf("%s: %s (%s), want %q", own.Code, own.Message, own.Detail, why[name])
			}
		})
	}
}

func TestUnpackingEndsWithItsContext(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if b := newBox(t.Context(), root, New(Options{}).opt.Limits, 1000, nil); b.budget != 64<<20+200*1000 {
		t.Errorf("an archive of 1000 bytes may hold %d", b.budget)
	}
	ctx, cancel := context.WithCancel(t.Context())
	b := newBox(ctx, root, New(Options{}).opt.Limits, 1<<30, func(int64) { cancel() })
	much := strings.Repeat("x", 1<<20)
	if err := b.file("f", io.MultiReader(strings.NewReader(much), strings.NewReader(much)), false); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func FuzzUnpack(f *testing.F) {
	var t testing.T
	f.Add(gz(tarOf(&t, agentItem)))
	f.Add(zipOf(&t, agentItem))
	f.Fuzz(func(t *testing.T, data []byte) { _, _ = try(t, data) })
}

func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("needs to mount a small disk, which only root on Linux can")
	}
	disk := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=1m", "none", disk).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted: %s", out)
	}
	t.Cleanup(func() { _ = exec.CommandContext(context.WithoutCancel(t.Context()), "umount", disk).Run() })
	file := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(file, gz(tarOf(t, agentItem, item{name: "big", body: strings.Repeat("x", 8<<20)})), 0o600); err != nil {
		t.Fatal(err)
	}
	in := New(Options{Dir: filepath.Join(disk, "agents")})
	target := registry.Target{Kind: registry.KindBinary, Archive: address(file), Cmd: "bin/agent"}
	_, err := in.Install(t.Context(), registry.Entry{ID: "a", Name: "A", Version: "1.0.0"}, target, true, quiet, yes)
	var own *Error
	if !errors.As(err, &own) || own.Code != CodeDisk || !strings.Contains(own.Message, "disk is full") {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(filepath.Join(disk, "agents")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// address returns the file:// address of a path.
func address(path string) string {
	return "file:///" + strings.TrimPrefix(filepath.ToSlash(path), "/")
}
