package commit

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/git"
)

// repository is the git repository of a folder, in the state in which it was read.
type repository struct {
	top    string // of the working tree
	prefix string // of the folder from there, with slashes; "" or with one at its end
	head   string // the last commit, "" if there is none
	branch string // that is checked out, "" if none is
	index  string // the file of the index
}

// midst maps files to the operation that is in progress if they exist.
var midst = []struct{ file, name string }{
	{"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"BISECT_LOG", "bisect"},
}

// open reads the repository of a folder. Errors: no_repository, no_git, bare, unclear, and busy (during a merge and
// the like).
func open(ctx context.Context, folder string) (*repository, error) {
	args := []string{"rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "index"}
	for _, m := range midst {
		args = append(args, "--git-path", m.file)
	}
	out, _, err := git.Run(ctx, folder, git.Options{}, args...)
	var refused *git.Error
	if errors.As(err, &refused) && refused.Code == 128 && strings.Contains(refused.Stderr, "not a git repository") {
		return nil, fault.New("no_repository", "This folder isn't in a git repository, so there is nothing to commit to.")
	}
	if err != nil {
		return nil, git.Explain(err, "read the repository")
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 2+len(midst) {
		return nil, fault.New("git", "Git's description of this repository can't be read. A folder's name may contain a line break.")
	}
	r := &repository{top: lines[0], index: lines[1]}
	for i, m := range midst {
		if _, err := os.Lstat(lines[2+i]); err == nil {
			return nil, fault.New(fault.Busy, "A {{name}} is in progress in this repository. Finish or abort it, then try again.", m.name)
		}
	}
	prefix, err := r.line(ctx, folder, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, git.Explain(err, "read the repository")
	}
	r.prefix = prefix
	// Both fail if there is nothing, which isn't an error.
	if r.branch, err = r.line(ctx, r.top, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil && !quiet(err) {
		return nil, git.Explain(err, "read the branch")
	}
	if r.head, err = r.line(ctx, r.top, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"); err != nil && !quiet(err) {
		return nil, git.Explain(err, "read the last commit")
	}
	return r, nil
}

// quiet reports whether git failed only because there is nothing to print.
func quiet(err error) bool {
	var refused *git.Error
	return errors.As(err, &refused) && refused.Code == 1
}

func (r *repository) line(ctx context.Context, dir string, args ...string) (string, error) {
	out, _, err := git.Run(ctx, dir, git.Options{}, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// entry is a file as stored by git. The zero value means that there is none.
type entry struct{ mode, object string }

const (
	modeFile       = "100644"
	modeExecutable = "100755"
	modeLink       = "120000"
)

// chunk is the number of paths per command line.
const chunk = 200

// committed returns the entries of the last commit for paths relative to the top.
func (r *repository) committed(ctx context.Context, paths []string) (map[string]entry, error) {
	if r.head == "" {
		return map[string]entry{}, nil
	}
	return r.entries(ctx, paths, func(meta string) (entry, bool) {
		fields := strings.Fields(meta) // mode, type, object
		if len(fields) != 3 {
			return entry{}, false
		}
		return entry{fields[0], fields[2]}, true
	}, "--literal-pathspecs", "ls-tree", "-z", r.head, "--")
}

// staged returns the entries of the index for paths. Paths with conflicts are in unmerged instead.
func (r *repository) staged(ctx context.Context, paths []string) (list map[string]entry, unmerged map[string]bool, err error) {
	unmerged = map[string]bool{}
	list, err = r.entries(ctx, paths, func(meta string) (entry, bool) {
		fields := strings.Fields(meta) // mode, object, stage
		if len(fields) != 3 {
			return entry{}, false
		}
		if fields[2] != "0" {
			return entry{mode: "unmerged"}, true
		}
		return entry{fields[0], fields[1]}, true
	}, "--literal-pathspecs", "ls-files", "--stage", "-z", "--")
	for name, e := range list {
		if e.mode == "unmerged" {
			unmerged[name] = true
			delete(list, name)
		}
	}
	return list, unmerged, err
}

func (r *repository) entries(ctx context.Context, paths []string, read func(meta string) (entry, bool), args ...string) (map[string]entry, error) {
	list := map[string]entry{}
	for from := 0; from < len(paths); from += chunk {
		part := paths[from:min(from+chunk, len(paths))]
		out, whole, err := git.Run(ctx, r.top, git.Options{}, append(args[:len(args):len(args)], part...)...)
		if err != nil {
			return nil, git.Explain(err, "read the repository's files")
		}
		if !whole {
			return nil, fault.New("git", "Git lists too many files.")
		}
		for record := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
			meta, name, ok := strings.Cut(record, "\t")
			if e, fine := read(meta); ok && fine {
				list[name] = e
			}
		}
	}
	return list, nil
}

// ignored returns the paths that git ignores.
func (r *repository) ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	list := map[string]bool{}
	if len(paths) == 0 {
		return list, nil
	}
	out, _, err := git.Run(ctx, r.top, git.Options{Input: strings.NewReader(strings.Join(paths, "\x00") + "\x00")}, "check-ignore", "-z", "--stdin")
	if err != nil && !quiet(err) {
		return nil, git.Explain(err, "read which files are ignored")
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		list[name] = true
	}
	return list, nil
}

// content returns a file with the content that a checkout at name would have.
func (r *repository) content(ctx context.Context, e entry, name string, text func([]byte) bool) (Version, error) {
	if e == (entry{}) {
		return Version{}, nil
	}
	args := []string{"cat-file", "--filters", "--path=" + name, e.object}
	switch e.mode {
	case modeLink:
		args = []string{"cat-file", "blob", e.object}
	case modeFile, modeExecutable:
	default:
		return Version{}, fault.New("unsupported", "Git has a folder or a submodule there.")
	}
	out, whole, err := git.Run(ctx, r.top, git.Options{}, args...)
	if err != nil {
		return Version{}, git.Explain(err, "read the committed file")
	}
	if !whole {
		return Version{}, fault.New("too_large", "The committed file is too large to compare.")
	}
	v := Version{Kind: Regular, Bytes: []byte(out), Executable: e.mode == modeExecutable}
	if v.Text = text(v.Bytes); e.mode == modeLink {
		v.Kind, v.Text = Symlink, false
	}
	return v, nil
}

// store writes a version to the repository's objects and returns its entry.
func (r *repository) store(ctx context.Context, v Version, name, index string) (entry, error) {
	args := []string{"hash-object", "-w", "--stdin"}
	e := entry{mode: modeLink}
	switch {
	case v.Kind == Absent:
		return entry{}, nil
	case v.Kind == Regular && v.Executable:
		e.mode = modeExecutable
	case v.Kind == Regular:
		e.mode = modeFile
	}
	if v.Kind == Regular {
		args = append(args, "--path="+name)
	}
	out, _, err := git.Run(ctx, r.top, git.Options{Index: index, Input: bytes.NewReader(v.Bytes)}, args...)
	e.object = strings.TrimSpace(out)
	return e, git.Explain(err, "store {{name}}", name)
}

// put updates entries of an index.
func (r *repository) put(ctx context.Context, index string, list map[string]entry) error {
	var b strings.Builder
	for name, e := range list {
		if e == (entry{}) {
			e = entry{"0", strings.Repeat("0", max(40, len(r.head)))}
		}
		b.WriteString(e.mode + " " + e.object + " 0\t" + name + "\x00")
	}
	_, _, err := git.Run(ctx, r.top, git.Options{Index: index, Input: strings.NewReader(b.String())}, "update-index", "-z", "--index-info")
	return git.Explain(err, "update the index")
}

// foreign reports whether a path of the folder is in another repository inside of it.
func foreign(folder, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(dir), ".git")); err == nil {
			return true
		}
	}
	return false
}

// setting reports whether a boolean git setting is on. An unreadable setting counts as off.
func (r *repository) setting(ctx context.Context, name string) bool {
	out, err := r.line(ctx, r.top, "config", "--type=bool", "--get", name)
	on, _ := strconv.ParseBool(out)
	return err == nil && on
}

// hooks returns which of the named hooks git would run.
func (r *repository) hooks(ctx context.Context, names ...string) (list []string) {
	dir, err := r.line(ctx, r.top, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil
	}
	dir = filepath.Join(dir, "hooks")
	// Weft overrides core.hooksPath in its own git calls, so read the configuration files.
	for _, scope := range []string{"--local", "--global"} {
		if named, err := r.line(ctx, r.top, "config", scope, "--type=path", "--get", "core.hooksPath"); err == nil && named != "" {
			if dir = named; !filepath.IsAbs(dir) {
				dir = filepath.Join(r.top, dir)
			}
			break
		}
	}
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			list = append(list, name)
		}
	}
	return list
}
