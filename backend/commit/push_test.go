package commit

import (
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/fault"
)

// serve makes a repository that can be pushed to over HTTP. It returns its address.
func serve(t *testing.T, hook string) string {
	t.Helper()
	root := t.TempDir()
	bare := checkout{t, filepath.Join(root, "ada", "apples.git")}
	if err := os.MkdirAll(bare.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	bare.git("init", "--quiet", "--bare", "--initial-branch", "main")
	bare.git("config", "http.receivepack", "true")
	if hook != "" {
		if err := os.WriteFile(filepath.Join(bare.dir, "hooks", "post-receive"), []byte("#!/bin/sh\n"+hook), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"},
	})
	t.Cleanup(server.Close)
	return server.URL + "/ada/apples.git"
}

func (c checkout) remote() *Remote {
	c.t.Helper()
	plan, err := Look(c.t.Context(), c.dir, accepted{})
	if err != nil {
		c.t.Fatal(err)
	}
	return plan.Remote
}

func TestPushSendsTheBranchAndOffersAPullRequest(t *testing.T) {
	c := newCheckout(t)
	c.commit(map[string]string{"a.txt": "1\n"})
	if to := c.remote(); to != nil {
		t.Fatalf("a remote without one: %+v", to)
	}
	if _, err := Push(t.Context(), c.dir); fault.CodeOf(err) != "not_found" {
		t.Errorf("without a remote: %v", err)
	}
	address := serve(t, "")
	c.git("remote", "add", "origin", strings.Replace(address, "://", "://ada:secret@", 1))
	want := Remote{Name: "origin", Address: address, Branch: "main", Ahead: -1}
	if to := c.remote(); to == nil || *to != want {
		t.Fatalf("before: %+v, want %+v", to, want)
	}
	pushed, err := Push(t.Context(), c.dir)
	if want.Ahead = 0; err != nil || pushed != want {
		t.Fatalf("pushed %+v, %v, want %+v", pushed, err, want)
	}
	c.git("checkout", "--quiet", "-b", "feature/x")
	c.commit(map[string]string{"a.txt": "2\n"})
	pushed, err = Push(t.Context(), c.dir)
	if want.Branch = "feature/x"; err != nil || pushed != want {
		t.Fatalf("pushed %+v, %v, want %+v", pushed, err, want)
	}
	if upstream := strings.TrimSpace(c.git("rev-parse", "--abbrev-ref", "@{upstream}")); upstream != "origin/feature/x" {
		t.Errorf("upstream %q", upstream)
	}
	c.commit(map[string]string{"a.txt": "3\n"})
	if to := c.remote(); to.Ahead != 1 {
		t.Errorf("one commit later: %+v", to)
	}
}

func TestPushTakesThePageThatTheServerOffers(t *testing.T) {
	for name, offer := range map[string][2]string{
		"of the same server": {"http://127.0.0.1:1/new?b=x", "http://127.0.0.1:1/new?b=x"},
		"of another server":  {"https://evil.example/new", ""},
		"with a password":    {"https://a:b@127.0.0.1/new", ""},
		"a script":           {"javascript:alert(1)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			c.commit(map[string]string{"a.txt": "1\n"})
			c.git("checkout", "--quiet", "-b", "x")
			c.git("remote", "add", "origin", serve(t, "echo 'Create a pull request:'; echo '  "+offer[0]+"'\n"))
			to, err := Push(t.Context(), c.dir)
			if err != nil || to.Request != offer[1] {
				t.Errorf("%+v, %v, want %q", to, err, offer[1])
			}
		})
	}
}

// What an agent can write into a repository must not run when the user pushes.
func TestPushRunsNothingOfTheRepository(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	for name, one := range map[string]struct {
		prepare func(c checkout)
		code    string
	}{
		"a command for ssh":  {func(c checkout) { c.git("config", "core.sshCommand", "touch "+ran) }, "unclear"},
		"a helper":           {func(c checkout) { c.git("config", "credential.helper", "!touch "+ran) }, "unclear"},
		"another address":    {func(c checkout) { c.git("config", "url.ext::sh -c touch% "+ran+".insteadOf", "http://127") }, fault.Conflict},
		"no certificates":    {func(c checkout) { c.git("config", "http.sslVerify", "false") }, "unclear"},
		"a header":           {func(c checkout) { c.git("config", "http.http://127.0.0.1/.extraHeader", "X: y") }, "unclear"},
		"a command over ssh": {func(c checkout) { c.git("config", "remote.origin.receivepack", "touch "+ran) }, "unclear"},
		"an own protocol": {func(c checkout) {
			c.git("config", "protocol.ext.allow", "always")
			c.git("remote", "set-url", "origin", "ext::sh -c touch% "+ran)
		}, fault.Conflict},
		"a folder with hooks": {func(c checkout) { c.git("remote", "set-url", "origin", c.t.TempDir()) }, fault.Conflict},
		"a file address":      {func(c checkout) { c.git("remote", "set-url", "origin", "file://"+c.t.TempDir()) }, fault.Conflict},
		"a hook": {func(c checkout) {
			if err := os.WriteFile(filepath.Join(c.dir, ".git", "hooks", "pre-push"), []byte("#!/bin/sh\ntouch "+ran), 0o700); err != nil {
				c.t.Fatal(err)
			}
		}, fault.Conflict},
		"an option as a host": {func(c checkout) { c.git("remote", "set-url", "origin", "ssh://-oProxyCommand=touch/"+ran) }, fault.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			c.commit(map[string]string{"a.txt": "1\n"})
			c.git("remote", "add", "origin", serve(t, ""))
			one.prepare(c)
			if _, err := Push(t.Context(), c.dir); fault.CodeOf(err) != one.code {
				t.Errorf("%v, want %q", err, one.code)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("it ran")
			}
		})
	}
}

func TestPullRequestPages(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	for file, content := range map[string]string{"gh/hosts.yml": "code.example.org:\n    user: ada\n", "glab-cli/config.yml": "hosts:\n    lab.example.org:\n        token: x\n"} {
		path := filepath.Join(config, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for address, want := range map[string]string{
		"git@github.com:ada/apples.git":              "https://github.com/ada/apples/pull/new/a%23b/c",
		"https://github.com/ada/apples":              "https://github.com/ada/apples/pull/new/a%23b/c",
		"ssh://git@gitlab.com:2222/g/sub/apples.git": "https://gitlab.com/g/sub/apples/-/merge_requests/new?merge_request%5Bsource_branch%5D=a%23b%2Fc",
		"https://gitlab.example.org:8443/g/a.git":    "https://gitlab.example.org:8443/g/a/-/merge_requests/new?merge_request%5Bsource_branch%5D=a%23b%2Fc",
		"git@bitbucket.org:ada/apples.git":           "https://bitbucket.org/ada/apples/pull-requests/new?source=a%23b%2Fc",
		"https://codeberg.org/ada/apples.git":        "https://codeberg.org/ada/apples/compare/main...a%23b/c",
		"git@code.example.org:ada/apples.git":        "https://code.example.org/ada/apples/pull/new/a%23b/c",
		"git@lab.example.org:ada/apples.git":         "https://lab.example.org/ada/apples/-/merge_requests/new?merge_request%5Bsource_branch%5D=a%23b%2Fc",
		"git@example.org:ada/apples.git":             "",
		"https://github.com/apples":                  "",
	} {
		at, ok := addressOf(address)
		if !ok || requestOf(at, "a#b/c", "main") != want {
			t.Errorf("%s: %v, %q, want %q", address, ok, requestOf(at, "a#b/c", "main"), want)
		}
	}
	for _, address := range []string{"/srv/apples.git", "./a:b", "../a", `C:\apples`, "file:///srv/apples", "ext::sh -c x", "git://example.org/a/b", "-oProxyCommand=x:a/b", "", "host"} {
		if at, ok := addressOf(address); ok {
			t.Errorf("%s: %v", address, at)
		}
	}
}

func TestCommitTellsGitWhoMakesIt(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	c := newCheckout(t)
	c.commit(map[string]string{"a.txt": "1\n"})
	for _, key := range []string{"user.name", "user.email"} {
		c.git("config", "--unset", key)
	}
	c.git("config", "user.useConfigOnly", "true")
	c.write("a.txt", "2\n")
	from := accepted{"a.txt": accept(text("1\n"), text("2\n"))}
	plan, err := Look(t.Context(), c.dir, from)
	if err != nil || !plan.Nameless {
		t.Fatalf("%+v, %v", plan, err)
	}
	list := c.all("", from)
	for _, by := range []Identity{{"Ada", ""}, {"", "ada@example.org"}, {"Ada\nx", "a@b"}, {"Ada <x>", "a@b"}, {" . ", "a@b"}} {
		if _, err := Make(t.Context(), c.dir, from, list, "m", by); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", by, err)
		}
	}
	if _, err := Make(t.Context(), c.dir, from, list, "m", Identity{" Ada Lovelace ", "ada@example.org"}); err != nil {
		t.Fatal(err)
	}
	if said := c.git("log", "-1", "--format=%an %ae %cn %ce"); said != "Ada Lovelace ada@example.org Ada Lovelace ada@example.org\n" {
		t.Errorf("made by %q", said)
	}
	if plan, err := Look(t.Context(), c.dir, from); err != nil || plan.Nameless {
		t.Errorf("afterwards: %+v, %v", plan, err)
	}
}
