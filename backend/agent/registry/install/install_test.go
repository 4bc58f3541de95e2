package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/backend/agent"
	"weft/backend/agent/registry"
	"weft/backend/base/simtest"
)

var entryA = registry.Entry{ID: "a", Name: "A", Version: "1.0.0"}

func binaryAt(url string) registry.Target {
	return registry.Target{Kind: registry.KindBinary, Archive: url, Cmd: "bin/agent", Args: []string{"acp"}, Env: map[string]string{"K": "v"}}
}

func quiet(Progress) {}

func yes(context.Context, Question) (bool, error) { return true, nil }

func mustFail(t *testing.T, err error, code, words string) {
	t.Helper()
	var own *Error
	if !errors.As(err, &own) || own.Code != code || !strings.Contains(own.Message+own.Detail, words) {
		t.Errorf("%v (%+v), want %s with %q", err, own, code, words)
	}
}

// empty fails if an install has left anything behind.
func empty(t *testing.T, in *Installer) {
	t.Helper()
	if left, _ := os.ReadDir(in.opt.Dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBinaryFromItsServer(t *testing.T) {
	data := gz(tarOf(t, agentItem))
	sum := sha256.Sum256(data)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/a.tar.gz", http.StatusFound)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		if r.Method != http.MethodHead {
			_, _ = w.Write(data)
		}
	}))
	defer server.Close()
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents")})
	target := binaryAt(server.URL + "/moved")
	if n := Size(t.Context(), target.Archive, true); n != int64(len(data)) {
		t.Errorf("size %d", n)
	}
	if n := Size(t.Context(), target.Archive, false); n != 0 {
		t.Errorf("a public list may not ask this machine: %d", n)
	}
	var last Progress
	r, err := in.Install(t.Context(), entryA, target, true, func(p Progress) {
		if p.Step == StepDownload {
			last = p
		}
	}, yes)
	if err != nil {
		t.Fatal(err)
	}
	if r.SHA256 != hex.EncodeToString(sum[:]) || r.Vouched || r.Bytes != int64(len(data)) || last.Done != r.Bytes || last.Total != r.Bytes {
		t.Errorf("%+v, %+v", r, last)
	}
	target.SHA256 = r.SHA256
	second, err := in.Install(t.Context(), entryA, target, true, quiet, yes)
	if err != nil || !second.Vouched || second.Folder == r.Folder {
		t.Fatalf("a second time: %+v, %v", second, err)
	}
	if got, ok := in.Record(second.Command()); !ok || got.Folder != second.Folder || got.Version != "1.0.0" {
		t.Errorf("%+v", got)
	}
	if id, ok := in.Owner("/usr/bin/agent"); ok {
		t.Errorf("%q is ours", id)
	}
	if n := len(in.Installed()); n != 2 {
		t.Errorf("%d installed", n)
	}
	for _, r := range in.Installed() {
		if err := in.Remove(r); err != nil {
			t.Error(err)
		}
	}
	empty(t, in)
	if err := in.Remove(Record{Folder: filepath.Dir(in.opt.Dir)}); err == nil {
		t.Error("a folder that isn't its own was removed")
	}
}

func TestFailedDownloadLeavesNothing(t *testing.T) {
	data := gz(tarOf(t, agentItem, item{name: "noise", body: strings.Repeat("abc", 1<<16)}))
	hold := make(chan struct{})
	defer close(hold)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		half := func() {
			_, _ = w.Write(data[:len(data)/2])
			if f, ok := w.(http.Flusher); ok {
				f.Flush()
			}
		}
		switch r.URL.Path {
		case "/cut":
			w.Header().Set("Content-Length", fmt.Sprint(len(data)))
			half()
		case "/stall":
			half()
			select {
			case <-hold:
			case <-r.Context().Done():
			}
		case "/endless":
			for range 100 {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("  <!DOCTYPE html><title>Sign in</title>"))
		case "/away":
			http.Redirect(w, r, "http://example.com/a.tar.gz", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/good":
			_, _ = w.Write(data)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a port on which nobody answers
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	_ = l.Close()
	dir := filepath.Join(t.TempDir(), "agents")
	in := New(Options{Dir: dir, Limits: Limits{Download: 4 << 20}})
	impatient := New(Options{Dir: dir, Limits: Limits{Download: 4 << 20, Stall: 200 * time.Millisecond}})
	for _, c := range []struct{ url, code, words string }{
		{server.URL + "/cut", CodeDownload, "ended before"},
		{server.URL + "/stall", CodeDownload, "stopped sending"},
		{server.URL + "/endless", CodeDownload, "larger than 4 MB"},
		{server.URL + "/page", CodeArchive, "a page instead"},
		{server.URL + "/none", CodeDownload, "404"},
		{server.URL + "/away", CodeDownload, "can't be reached"},
		{server.URL + "/file", CodeDownload, "can't be reached"},
		{nobody, CodeDownload, "can't be reached"},
		{"file:///none/such", CodeDownload, "can't be read"},
		{"file:///dev/zero", CodeDownload, "can't be read"},
	} {
		one := in
		if strings.HasSuffix(c.url, "/stall") {
			one = impatient
		}
		_, err := one.Install(t.Context(), entryA, binaryAt(c.url), true, quiet, yes)
		t.Run(c.url[strings.LastIndex(c.url, "/"):], func(t *testing.T) { mustFail(t, err, c.code, c.words) })
		empty(t, in)
	}
	_, err = in.Install(t.Context(), entryA, binaryAt(server.URL+"/good"), false, quiet, yes)
	mustFail(t, err, CodeDownload, "isn't allowed")
	wrong := binaryAt(server.URL + "/good")
	wrong.SHA256 = strings.Repeat("0", 64)
	_, err = in.Install(t.Context(), entryA, wrong, true, quiet, yes)
	mustFail(t, err, CodeChecksum, wrong.SHA256)
	empty(t, in)
}

func TestCancelAndOneAtATime(t *testing.T) {
	begun, hold := make(chan struct{}), make(chan struct{})
	data := gz(tarOf(t, agentItem))
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(data[:10])
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		once.Do(func() { close(begun) })
		select {
		case <-hold:
			_, _ = w.Write(data[10:])
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents")})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := in.Install(ctx, entryA, binaryAt(server.URL), true, quiet, yes)
		ended <- err
	}()
	<-begun
	_, err := in.Install(t.Context(), entryA, binaryAt(server.URL), true, quiet, yes)
	mustFail(t, err, CodeBusy, "already")
	cancel()
	mustFail(t, <-ended, CodeCancelled, "was canceled")
	empty(t, in)
	close(hold)
	if _, err := in.Install(t.Context(), entryA, binaryAt(server.URL), true, quiet, yes); err != nil {
		t.Errorf("after that: %v", err)
	}
}

func TestSweepRemovesUnfinishedInstalls(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agents")
	in := New(Options{Dir: dir})
	file := filepath.Join(t.TempDir(), "a.tar")
	if err := os.WriteFile(file, tarOf(t, agentItem), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := in.Install(t.Context(), entryA, binaryAt(address(file)), true, quiet, yes)
	if err != nil {
		t.Fatal(err)
	}
	for _, half := range []string{"a/.new-ABC/files/x", "a/2.0.0/files/x", "b/.new-ABC/files/x", "c/1.0.0/weft.json.tmp/x", "d/1.0.0/files/locked/x"} {
		if err := os.MkdirAll(filepath.Join(dir, half), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "d/1.0.0/files/locked"), 0o500); err != nil {
		t.Fatal(err)
	}
	if err := New(Options{Dir: dir}).Sweep(); err != nil {
		t.Fatal(err)
	}
	ids, _ := os.ReadDir(dir)
	versions, _ := os.ReadDir(filepath.Join(dir, "a"))
	if len(ids) != 1 || len(versions) != 1 || versions[0].Name() != "1.0.0" {
		t.Errorf("%v, %v", ids, versions)
	}
	if _, ok := in.Record(r.Command()); !ok {
		t.Error("what was complete is gone")
	}
}

// tool creates a program that is first in the PATH of an installer.
func tool(t *testing.T, name, body string) *agent.Paths {
	t.Helper()
	dir := t.TempDir()
	if err := simtest.WriteProgram(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("SHELL", "/nonexistent") // otherwise Weft would wait for its PATH
	return agent.NewPaths()
}

const scriptedUV = `
[ "$1 $2 $3 $4" = "tool install --no-build --" ] || exit 9
echo "Resolved 3 packages" >&2
mkdir -p "$UV_TOOL_DIR/fast-agent-acp/bin" "$UV_TOOL_BIN_DIR"
printf '#!/bin/sh\necho %s "$0"\n' "$5" > "$UV_TOOL_DIR/fast-agent-acp/bin/fast-agent-acp"
chmod +x "$UV_TOOL_DIR/fast-agent-acp/bin/fast-agent-acp"
ln -s "$UV_TOOL_DIR/fast-agent-acp/bin/fast-agent-acp" "$UV_TOOL_BIN_DIR/fast-agent-acp"
echo "Installed 1 executable: fast-agent-acp" >&2
`

func uvTarget() registry.Target {
	return registry.Target{Kind: registry.KindUVX, Package: "fast-agent-acp", Version: "0.10.1", Args: []string{"-x"}, Env: map[string]string{}}
}

func TestUVInstallsIntoItsFolder(t *testing.T) {
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents"), Paths: tool(t, "uv", scriptedUV)})
	var mu sync.Mutex
	said := []string{}
	r, err := in.Install(t.Context(), entryA, uvTarget(), false, func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, p.Line)
	}, yes)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), r.Command()).Output()
	if err != nil || !strings.Contains(string(out), "fast-agent-acp==0.10.1 "+in.opt.Dir) {
		t.Errorf("%q, %v", out, err)
	}
	if !strings.Contains(strings.Join(said, "\n"), "Installed 1 executable") {
		t.Errorf("said: %q", said)
	}
}

func TestFailedPackageInstallLeavesNothing(t *testing.T) {
	npm := registry.Target{Kind: registry.KindNPX, Package: "x", Version: "1.0.0"}
	pkg := func(version, bin string) string {
		return fmt.Sprintf(`mkdir -p node_modules/x node_modules/.bin; echo '{"version":%q,"bin":%s}' > node_modules/x/package.json; : > node_modules/.bin/x`, version, bin)
	}
	for _, c := range []struct {
		name, body, code, words string
		target                  registry.Target
	}{
		{"npm", "echo 'npm error code E404' >&2; exit 1", CodePackage, "doesn't know this package", npm},
		{"npm", "echo 'npm error code ENOTFOUND' >&2; exit 1", CodePackage, "Check the network", npm},
		{"npm", "echo 'npm error code ENOSPC' >&2; exit 1", CodePackage, "disk is full", npm},
		{"npm", "echo 'gyp ERR! stack' >&2; exit 7", CodePackage, "gyp ERR! stack", npm},
		{"npm", "kill -9 $$", CodePackage, "killed by SIGKILL", npm},
		{"npm", "exit 0", CodeNoProgram, "no program to start", npm},
		{"npm", pkg("2.0.0", `"x.js"`), CodePackage, "version 2.0.0 instead of 1.0.0", npm},
		{"npm", pkg("1.0.0", `{"a":"a.js","b":"b.js"}`), CodeNoProgram, "no program to start", npm},
		{"npm", pkg("1.0.0", `{"../../sh":"a.js"}`), CodeNoProgram, "no program to start", npm},
		{"npm", pkg("1.0.0", `7`), CodeNoProgram, "no program to start", npm},
		{"npm", pkg("1.0.0", `{"y":"y.js"}`), CodeNoProgram, "no program to start", npm},
		{"uv", "exit 0", CodeNoProgram, "no program to start", uvTarget()},
		{"uv", "echo 'error: No space left on device (os error 28)' >&2; exit 2", CodePackage, "disk is full", uvTarget()},
		{"uv", "mkdir -p $UV_TOOL_BIN_DIR; : > $UV_TOOL_BIN_DIR/a; : > $UV_TOOL_BIN_DIR/b", CodeNoProgram, "no program to start", uvTarget()},
	} {
		t.Run(c.words, func(t *testing.T) {
			in := New(Options{Dir: filepath.Join(t.TempDir(), "agents"), Paths: tool(t, c.name, c.body)})
			_, err := in.Install(t.Context(), entryA, c.target, false, quiet, yes)
			mustFail(t, err, c.code, c.words)
			empty(t, in)
		})
	}
}

func TestAnotherNodeIsWarnedOf(t *testing.T) {
	body := `mkdir -p node_modules/x node_modules/.bin; echo '{"version":"1.0.0","bin":"x.js"}' > node_modules/x/package.json; : > node_modules/.bin/x
cat >&2 <<'X'
npm warn EBADENGINE Unsupported engine {
npm warn EBADENGINE   package: 'other@2.0.0',
npm warn EBADENGINE   required: { node: '>=99' },
npm warn EBADENGINE   current: { node: 'v20.0.0', npm: '10.0.0' }
npm warn EBADENGINE }
npm warn EBADENGINE   package: 'x@1.0.0',
npm warn EBADENGINE   required: { node: '>=22' },
npm warn EBADENGINE   current: { node: 'v20.0.0', npm: '10.0.0' }
X`
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents"), Paths: tool(t, "npm", body)})
	r, err := in.Install(t.Context(), entryA, registry.Target{Kind: registry.KindNPX, Package: "x", Version: "1.0.0"}, false, quiet, yes)
	if err != nil || r.Warning != "It requires Node.js >=22, and this machine has v20.0.0. It may not start." {
		t.Errorf("%q, %v", r.Warning, err)
	}
}

func TestNoToolOnTheMachine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("SHELL", "/nonexistent")
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents"), Paths: agent.NewPaths()})
	if _, err := in.Tool(t.Context(), "uv"); err == nil {
		t.Skip("uv is in a folder that is always looked in")
	}
	_, err := in.Install(t.Context(), entryA, uvTarget(), false, quiet, yes)
	mustFail(t, err, CodeTool, "uv wasn't found")
	empty(t, in)
}

// A package script that runs forever, with child processes, is gone when the install is canceled.
func TestCancelEndsTheWholeTree(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "pids")
	body := fmt.Sprintf("sleep 600 & echo $! >> %[1]s; (setsid sleep 600 & echo $! >> %[1]s); echo $$ >> %[1]s; echo ready >&2; wait", mark)
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents"), Paths: tool(t, "npm", body)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := in.Install(ctx, entryA, registry.Target{Kind: registry.KindNPX, Package: "x", Version: "1.0.0"}, false, func(p Progress) {
		if p.Line == "ready" {
			cancel()
		}
	}, yes)
	mustFail(t, err, CodeCancelled, "was canceled")
	empty(t, in)
	raw, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range strings.Fields(string(raw)) {
		if _, err := os.Stat("/proc/" + pid); err == nil {
			t.Errorf("process %s is still there", pid)
		}
	}
}

// Runs the real npm, with a small published agent.
func TestNPMForReal(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the package registry")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm isn't on this machine")
	}
	const name, version = "pi-acp", "0.0.34"
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "npm", "view", name+"@"+version, "version").CombinedOutput(); err != nil || !strings.Contains(string(out), version) {
		t.Skipf("the package registry can't be reached: %v", err)
	}
	in := New(Options{Dir: filepath.Join(t.TempDir(), "agents")})
	var fetched int64
	r, err := in.Install(t.Context(), entryA, registry.Target{Kind: registry.KindNPX, Package: name, Version: version, Args: []string{}, Env: map[string]string{}}, false,
		func(p Progress) { fetched = max(fetched, p.Done) }, yes)
	if err != nil {
		var own *Error
		_ = errors.As(err, &own)
		t.Fatalf("%v\n%s", err, own.Detail)
	}
	if info, err := os.Stat(r.Command()); err != nil || info.Mode()&0o111 == 0 || r.Bytes == 0 || r.Origin != "pi-acp@0.0.34" {
		t.Errorf("%+v, %v", r, err)
	}
	if fetched == 0 {
		t.Error("no progress was told")
	}
	proc, err := agent.Start(t.Context(), agent.Spec{Command: r.Command(), Args: r.Args, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = proc.Stop(context.WithoutCancel(t.Context())) }()
	if _, err := proc.Stdin.WriteString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n"); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 4096)
	n, err := proc.Stdout.Read(answer)
	if err != nil || !strings.Contains(string(answer[:n]), `"protocolVersion":1`) {
		t.Errorf("%q, %v: %s", answer[:n], err, proc.StderrTail())
	}
	_, err = in.Install(t.Context(), entryA, registry.Target{Kind: registry.KindNPX, Package: name, Version: "0.0.0-none"}, false, quiet, yes)
	mustFail(t, err, CodePackage, "doesn't know")
}
