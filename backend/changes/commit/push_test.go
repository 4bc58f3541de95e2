package commit

import (
	"errors"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/base/fault"
	"weft/backend/git"
)

// serve makes a repository that can be pushed to over HTTP. It returns its address, and its folder.
func serve(t *testing.T, hook string) (address, dir string) {
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
	return server.URL + "/ada/apples.git", bare.dir
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
	address, _ := serve(t, "")
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
			address, _ := serve(t, "echo 'Create a pull request:'; echo '  "+offer[0]+"'\n")
			c.git("remote", "add", "origin", address)
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
			address, _ := serve(t, "")
			c.git("remote", "add", "origin", address)
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

func TestCommitSavesTheIdentity(t *testing.T) {
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

const unread = "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n"

// A failed push reports what to do, or the message of the program that failed.
func TestPushSaysWhyItFailed(t *testing.T) {
	to := &Remote{Name: "origin", Address: "ssh://git@host.example/ada/apples.git"}
	for name, one := range map[string]struct{ said, want string }{
		"a host that ssh doesn't know":     {"Host key verification failed.\r\n" + unread, "SSH doesn't trust host.example"},
		"a host with another key":          {"@@@@@@@@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@@@@@@@@@\nIT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!\nHost key verification failed.\n" + unread, "SSH doesn't trust host.example"},
		"a key that isn't taken":           {"git@host.example: Permission denied (publickey,keyboard-interactive).\r\n" + unread, "host.example didn't accept an SSH key of yours"},
		"an unknown name":                  {"ssh: Could not resolve hostname host.example: Name or service not known\n" + unread, "Git couldn't push to origin: ssh: Could not resolve hostname host.example: Name or service not known."},
		"nobody listens":                   {"ssh: connect to host host.example port 22: Connection refused\n" + unread, "Git couldn't push to origin: ssh: connect to host host.example port 22: Connection refused."},
		"a banner and no repository":       {"Welcome!\nERROR: Repository not found.\n" + unread, "Git couldn't push to origin: ERROR: Repository not found."},
		"no folder":                        {"fatal: '/srv/x' does not appear to be a git repository\n" + unread, "Git couldn't push to origin: '/srv/x' does not appear to be a git repository."},
		"no words at all":                  {unread, "Git couldn't push to origin: Could not read from remote repository."},
		"no password":                      {"fatal: could not read Username for 'https://host.example': terminal prompts disabled\n", "Git has no password that host.example accepts"},
		"no password for a user":           {"fatal: could not read Password for 'https://ada@host.example': terminal prompts disabled\n", "Git has no password that host.example accepts"},
		"a wrong password":                 {"remote: Invalid username or token.\nfatal: Authentication failed for 'https://host.example/ada/apples.git/'\n", "Git has no password that host.example accepts"},
		"a protected branch":               {"remote: error: GH006: Protected branch update failed for refs/heads/main.        \nremote: \nremote: - Changes must be made through a pull request.        \nTo host.example:x.git\n ! [remote rejected] main -> main (protected branch hook declined)\nerror: failed to push some refs to 'x'\n", "Git couldn't push to origin: error: GH006: Protected branch update failed for refs/heads/main. - Changes must be made through a pull request."},
		"refused without words":            {"To host.example:x.git\n ! [remote rejected] main -> main (pre-receive hook declined)\nerror: failed to push some refs to 'x'\n", "Git couldn't push to origin: pre-receive hook declined."},
		"a branch that isn't one":          {"To host.example:x.git\n ! [remote rejected] main -> main (branch is currently checked out)\nerror: failed to push some refs to 'x'\n", "Git couldn't push to origin: branch is currently checked out."},
		"commits of others":                {" ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'x'\n", "origin has commits that your branch doesn't have"},
		"commits of others that git knows": {" ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'x'\n", "origin has commits that your branch doesn't have"},
	} {
		t.Run(name, func(t *testing.T) {
			err := unpushed(&git.Error{Stderr: one.said, Err: errors.New("exit status 128")}, to)
			if !strings.HasPrefix(err.Error(), one.want) || fault.CodeOf(err) == "" {
				t.Errorf("%q, want %q", err, one.want)
			}
		})
	}
}

func TestPushThatIsRefusedSaysWhy(t *testing.T) {
	c := newCheckout(t)
	c.commit(map[string]string{"a.txt": "1\n"})
	address, bare := serve(t, "")
	c.git("remote", "add", "origin", address)
	if _, err := Push(t.Context(), c.dir); err != nil {
		t.Fatal(err)
	}
	c.commit(map[string]string{"a.txt": "2\n"})
	hook := filepath.Join(bare, "hooks", "pre-receive")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho 'No one pushes on Sundays.' >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Push(t.Context(), c.dir); err == nil || err.Error() != "Git couldn't push to origin: No one pushes on Sundays." {
		t.Errorf("refused by a hook: %v", err)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	other := newCheckout(t)
	other.git("pull", "--quiet", address, "main")
	other.commit(map[string]string{"b.txt": "1\n"})
	other.git("push", "--quiet", address, "main")
	if _, err := Push(t.Context(), c.dir); fault.CodeOf(err) != fault.Conflict || !strings.HasPrefix(err.Error(), "origin has commits") {
		t.Errorf("behind the remote: %v", err)
	}
}
