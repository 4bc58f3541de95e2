package commit

import (
	"bufio"
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/git"
)

// Remote is where the current branch can be pushed to.
type Remote struct {
	Name    string `json:"name"`
	Address string `json:"address"` // without a password
	Branch  string `json:"branch"`
	Ahead   int    `json:"ahead"`   // commits that the remote lacks, as far as git knows; -1 if it lacks the branch
	Problem string `json:"problem"` // a sentence that says why Weft doesn't push there, or ""
	Request string `json:"request"` // URL for opening a pull request for the branch, or ""
}

// Push pushes the current branch of a folder. It blocks on git, which doesn't ask for passwords. Errors: not_found (no
// remote), conflict (see [Remote.Problem]), git (its own message), and those of [Look].
func Push(ctx context.Context, folder string) (Remote, error) {
	r, err := open(ctx, folder)
	if err != nil {
		return Remote{}, err
	}
	to := r.remote(ctx)
	switch {
	case to == nil:
		return Remote{}, fault.New("not_found", "This branch has no remote to push to.")
	case to.Problem != "":
		return *to, fault.New(fault.Conflict, "{{problem}}", to.Problem)
	}
	ref := "refs/heads/" + r.branch
	args := []string{"push", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--set-upstream", to.Name, ref + ":" + ref}
	said, err := git.Said(ctx, r.top, git.Options{Push: true}, args...)
	if err != nil {
		return *to, unpushed(err, to)
	}
	if to = r.remote(ctx); to == nil {
		return Remote{}, fault.New("not_found", "This branch has no remote to push to.")
	}
	if to.Request == "" && r.branch != r.main(ctx, to.Name) {
		to.Request = offered(said, to.Address)
	}
	return *to, nil
}

// unpushed returns the error for the user after a failed push: what to do, if that is known.
func unpushed(err error, to *Remote) error {
	e, _ := errors.AsType[*git.Error](err)
	at, ok := addressOf(to.Address)
	if e == nil || !ok {
		return git.Explain(err, "push to {{remote}}", to.Name)
	}
	says := func(words string) bool { return strings.Contains(e.Stderr, words) }
	switch {
	case says("Host key verification failed."):
		err = fault.New("git", "SSH doesn't trust {{host}} yet, or its key has changed. Connect to it in a terminal and check its key, then push again.", at.Hostname()).Because(e)
	case says(": Permission denied ("):
		err = fault.New("git", "{{host}} didn't accept an SSH key of yours. Add the right one with ssh-add, or push from a terminal.", at.Hostname()).Because(e)
	case says("fatal: Authentication failed"), says("fatal: could not read Username"), says("fatal: could not read Password"):
		err = fault.New("git", "Git has no password that {{host}} accepts. Push once from a terminal, where git can ask for it and store it.", at.Hostname()).Because(e)
	case says("! [rejected]"):
		err = fault.New(fault.Conflict, "{{remote}} has commits that your branch doesn't have. Pull them in a terminal, then push again.", to.Name).Because(e)
	}
	return git.Explain(err, "push to {{remote}}", to.Name)
}

// remote returns where the branch is pushed to, or nil.
func (r *repository) remote(ctx context.Context) *Remote {
	if r.branch == "" || r.head == "" {
		return nil
	}
	names, err := r.line(ctx, r.top, "remote")
	list := strings.Fields(names)
	if err != nil || len(list) == 0 {
		return nil
	}
	wanted := []string{"branch." + r.branch + ".pushRemote", "remote.pushDefault", "branch." + r.branch + ".remote"}
	name := list[0]
	if slices.Contains(list, "origin") {
		name = "origin"
	}
	for _, key := range wanted {
		if set, err := r.line(ctx, r.top, "config", "--get", key); err == nil && slices.Contains(list, set) {
			name = set
			break
		}
	}
	address, err := r.line(ctx, r.top, "remote", "get-url", "--push", name)
	if err != nil {
		return nil
	}
	to := &Remote{Name: name, Address: address, Branch: r.branch, Ahead: -1}
	if at, ok := addressOf(address); ok {
		to.Address = at.String()
		if main := r.main(ctx, name); r.branch != main {
			to.Request = requestOf(at, r.branch, main)
		}
	} else {
		to.Problem = fault.Text("Weft pushes over HTTPS and SSH only. Push from a terminal.")
	}
	if hooks := r.hooks(ctx, "pre-push"); len(hooks) > 0 {
		to.Problem = fault.Text("This repository has a pre-push hook, which Weft doesn't run. Push from a terminal.")
	}
	if out, err := r.line(ctx, r.top, "rev-list", "--count", "refs/remotes/"+name+"/"+r.branch+"..HEAD", "--"); err == nil {
		to.Ahead, _ = strconv.Atoi(out)
	}
	return to
}

// main returns the target branch of pull requests, as far as git knows.
func (r *repository) main(ctx context.Context, remote string) string {
	if head, err := r.line(ctx, r.top, "symbolic-ref", "--quiet", "refs/remotes/"+remote+"/HEAD"); err == nil {
		return strings.TrimPrefix(head, "refs/remotes/"+remote+"/")
	}
	for _, name := range []string{"main", "master"} {
		if _, err := r.line(ctx, r.top, "rev-parse", "--quiet", "--verify", "refs/remotes/"+remote+"/"+name); err == nil {
			return name
		}
	}
	return "main"
}

// addressOf parses the URL of a remote and removes its password. ok is false if it is neither HTTP nor SSH.
func addressOf(address string) (at *url.URL, ok bool) {
	if !strings.Contains(address, "://") {
		// "git@example.org:owner/name", but not "C:\name", "./name:a" or "ext::command".
		host, path, cut := strings.Cut(address, ":")
		if !cut || len(host) < 2 || strings.ContainsAny(host, `/\ `) || strings.HasPrefix(path, ":") || strings.HasPrefix(host, "-") {
			return nil, false
		}
		address = "ssh://" + host + "/" + strings.TrimPrefix(path, "/")
	}
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || strings.HasPrefix(at.Host, "-") {
		return nil, false
	}
	switch at.Scheme {
	case "https", "http":
		at.User = nil
	case "ssh":
		if at.User != nil {
			at.User = url.User(at.User.Username())
		}
	default:
		return nil, false
	}
	return at, true
}

// requestOf returns the URL for opening a pull request for a branch, or "" if it can't be derived.
func requestOf(at *url.URL, branch, main string) string {
	path := strings.TrimSuffix(strings.Trim(at.Path, "/"), ".git")
	if !strings.Contains(path, "/") {
		return ""
	}
	host := at.Hostname()
	page := &url.URL{Scheme: "https", Host: host, Path: "/" + path}
	if at.Scheme != "ssh" {
		page.Scheme, page.Host = at.Scheme, at.Host
	}
	switch forge(host) {
	case "github":
		page.Path += "/pull/new/" + branch
	case "gitlab":
		page.Path += "/-/merge_requests/new"
		page.RawQuery = url.Values{"merge_request[source_branch]": {branch}}.Encode()
	case "bitbucket":
		page.Path += "/pull-requests/new"
		page.RawQuery = url.Values{"source": {branch}}.Encode()
	case "gitea":
		page.Path += "/compare/" + main + "..." + branch
	default:
		return ""
	}
	return page.String()
}

// forge returns which software a host runs, according to its name or the configuration of gh and glab, or "".
func forge(host string) string {
	switch name, _, _ := strings.Cut(host, "."); {
	case name == "github", name == "gitlab":
		return name
	case host == "bitbucket.org":
		return "bitbucket"
	case host == "codeberg.org", name == "gitea", name == "forgejo":
		return "gitea"
	}
	config, err := os.UserConfigDir()
	switch {
	case err != nil:
	case knows(filepath.Join(config, "gh", "hosts.yml"), host):
		return "github"
	case knows(filepath.Join(config, "glab-cli", "config.yml"), host):
		return "gitlab"
	}
	return ""
}

// knows reports whether a YAML configuration file has a section for a host.
func knows(file, host string) bool {
	in, err := os.Open(file)
	if err != nil {
		return false
	}
	defer in.Close()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if strings.TrimSpace(lines.Text()) == host+":" {
			return true
		}
	}
	return false
}

// offered returns the pull request URL that a server printed during a push, if it is on that server.
func offered(said, address string) string {
	server, err := url.Parse(address)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(said) {
		rest, ok := strings.CutPrefix(line, "remote:")
		if !ok {
			continue
		}
		for word := range strings.FieldsSeq(rest) {
			page, err := url.Parse(word)
			if err == nil && (page.Scheme == "https" || page.Scheme == "http") && page.User == nil && page.Hostname() == server.Hostname() {
				return page.String()
			}
		}
	}
	return ""
}
