package commit

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/fault"
	"weft/backend/git"
)

// Choice is a file to commit, as it was shown.
type Choice struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// Made is a commit that was made.
type Made struct {
	Commit  string `json:"commit"` // its full name
	Short   string `json:"short"`
	Branch  string `json:"branch"`
	Subject string `json:"subject"`
	Files   int    `json:"files"`
	// Note is what the user should know, a sentence; mostly "".
	Note string `json:"note"`
}

// Identity is who makes a commit. The zero value is whom git knows.
type Identity struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// maxMessage bounds a commit message, in bytes.
const maxMessage = 64 << 10

// Make commits the accepted changes of the chosen files. by becomes the name and the email of the repository. Either the commit is made and checked out, or nothing is. It blocks for git.
// Errors: invalid (no message, nothing chosen), changed (a file is no longer as it was shown), locked, git (git's own words), and those of
// [Look].
func Make(ctx context.Context, folder string, from Source, chosen []Choice, message string, by Identity) (Made, error) {
	message = tidy(message)
	switch {
	case message == "":
		return Made{}, fault.New(fault.Invalid, "A commit message is required.")
	case len(message) > maxMessage || strings.ContainsRune(message, 0):
		return Made{}, fault.New(fault.Invalid, "This commit message is too long, or isn't text.")
	case len(chosen) == 0:
		return Made{}, fault.New(fault.Invalid, "Choose at least one file to commit.")
	}
	r, err := open(ctx, folder)
	if err != nil {
		return Made{}, err
	}
	all, err := r.plan(ctx, folder, from)
	if err != nil {
		return Made{}, err
	}
	list, err := pick(all, chosen)
	if err != nil {
		return Made{}, err
	}
	if err := r.identify(ctx, by); err != nil {
		return Made{}, err
	}
	work, err := os.MkdirTemp("", "weft-commit-")
	if err != nil {
		return Made{}, fault.New("io", "A temporary file can't be created: {{reason}}", err)
	}
	defer os.RemoveAll(work)
	id, entries, err := r.build(ctx, filepath.Join(work, "commit"), list, message)
	if err != nil {
		return Made{}, err
	}
	// From here on it is all or nothing, also when the user closes the window.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), git.Timeout)
	defer cancel()
	subject, _, _ := strings.Cut(message, "\n")
	if err := r.checkOut(ctx, filepath.Join(work, "index"), list, entries, id, subject); err != nil {
		return Made{}, err
	}
	out := Made{Commit: id, Short: id[:min(8, len(id))], Branch: r.branch, Subject: subject, Files: len(list)}
	if short, err := r.line(ctx, r.top, "rev-parse", "--short", id); err == nil {
		out.Short = short
	}
	return out, nil
}

// identify tells git who makes commits in the repository.
func (r *repository) identify(ctx context.Context, by Identity) error {
	by.Name, by.Email = strings.TrimSpace(by.Name), strings.TrimSpace(by.Email)
	if by == (Identity{}) {
		return nil
	}
	if by.Name == "" || by.Email == "" || strings.ContainsAny(by.Name+by.Email, "<>\r\n\x00") || strings.Trim(by.Name, " .,:;\"\\'") == "" {
		return fault.New(fault.Invalid, "Enter your name and your email.")
	}
	for _, s := range [][2]string{{"user.name", by.Name}, {"user.email", by.Email}} {
		if _, err := r.line(ctx, r.top, "config", "--local", s[0], s[1]); err != nil {
			return git.Explain(err, "save your name and email")
		}
	}
	return nil
}

// tidy removes what git removes of a message: space at the ends of lines, empty lines at both ends.
func tidy(message string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(message, "\r\n", "\n"), "\n") {
		lines = append(lines, strings.TrimRight(line, " \t\r"))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

func pick(all []made, chosen []Choice) (list []made, err error) {
	for _, c := range chosen {
		at := slices.IndexFunc(all, func(f made) bool { return f.Path == c.Path })
		switch {
		case slices.ContainsFunc(list, func(f made) bool { return f.Path == c.Path }):
			continue
		case at < 0 || all[at].Problem == "" && all[at].Version != c.Version:
			return nil, fault.New("changed", "{{path}} has changed since the list was shown. Check the list and try again.", c.Path)
		case all[at].Problem != "":
			return nil, fault.New(fault.Conflict, "{{path}} can't be committed. {{problem}}", c.Path, all[at].Problem)
		}
		list = append(list, all[at])
	}
	return list, nil
}

// build makes the commit and its tree, which nothing refers to yet. index is a file to work with.
func (r *repository) build(ctx context.Context, index string, list []made, message string) (id string, entries map[string]entry, err error) {
	first := []string{"read-tree", "--empty"}
	if r.head != "" {
		first = []string{"read-tree", r.head}
	}
	if _, _, err := git.Run(ctx, r.top, git.Options{Index: index}, first...); err != nil {
		return "", nil, git.Explain(err, "read the last commit")
	}
	entries = map[string]entry{}
	for _, f := range list {
		if entries[f.name], err = r.store(ctx, f.new, f.name, index); err != nil {
			return "", nil, err
		}
	}
	if err := r.put(ctx, index, entries); err != nil {
		return "", nil, err
	}
	tree, _, err := git.Run(ctx, r.top, git.Options{Index: index}, "write-tree")
	if err != nil {
		return "", nil, git.Explain(err, "write the files of the commit")
	}
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", strings.TrimSpace(tree), "-F", "-"}
	if r.head != "" {
		args = append(args, "-p", r.head)
	}
	out, _, err := git.Run(ctx, r.top, git.Options{Input: strings.NewReader(message + "\n")}, args...)
	if namelessError(err) {
		return "", nil, fault.New("git", "Git doesn't know who you are. Set your name and email with git config --global user.name and user.email, then try again.").Because(err)
	}
	return strings.TrimSpace(out), entries, git.Explain(err, "create the commit")
}

// namelessError reports whether git misses the name or the address of the user.
func namelessError(err error) bool {
	var refused *git.Error
	if !errors.As(err, &refused) {
		return false
	}
	stderr := refused.Stderr
	return strings.Contains(stderr, "tell me who you are") || strings.Contains(stderr, "empty ident name") || strings.Contains(stderr, "unable to auto-detect email")
}

// checkOut makes the commit the last one of the branch, and the index hold its files as they were committed: as git itself does it, with the
// index locked meanwhile. work is a file to work with.
func (r *repository) checkOut(ctx context.Context, work string, list []made, entries map[string]entry, id, subject string) error {
	lock, err := os.OpenFile(r.index+".lock", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fault.New("locked", "Another git process is using this repository. Wait until it has finished, or remove {{path}}.lock if it has crashed.", r.index)
	}
	if err != nil {
		return fault.New("io", "The index of the repository can't be locked: {{reason}}", err)
	}
	defer os.Remove(r.index + ".lock")
	defer lock.Close()
	if err := duplicate(r.index, work); err != nil {
		return fault.New("io", "The index of the repository can't be read: {{reason}}", err)
	}
	if err := r.stage(ctx, work, list, entries); err != nil {
		return err
	}
	staged, err := os.Open(work)
	if err != nil {
		return fault.New("io", "The index of the repository can't be written: {{reason}}", err)
	}
	defer staged.Close()
	if _, err := io.Copy(lock, staged); err != nil {
		return fault.New("disk", "The index of the repository can't be written: {{reason}}", err)
	}
	if err := errors.Join(lock.Sync(), lock.Close()); err != nil {
		return fault.New("disk", "The index of the repository can't be written: {{reason}}", err)
	}
	old := r.head
	if old == "" {
		old = strings.Repeat("0", len(id))
	}
	kind := "commit: "
	if r.head == "" {
		kind = "commit (initial): "
	}
	if _, _, err := git.Run(ctx, r.top, git.Options{}, "update-ref", "-m", kind+subject, "HEAD", id, old); err != nil {
		return git.Explain(err, "move the branch to the commit")
	}
	if err := os.Rename(r.index+".lock", r.index); err != nil {
		return fault.New("io", "The commit {{id}} was made, but the index couldn't be updated. Run git reset to update it.", id)
	}
	return nil
}

// duplicate copies the index. There is none before the first file is added.
func duplicate(index, to string) error {
	from, err := os.Open(index)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer from.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Close())
}

// stage changes a copy of the index. What the user has staged of a file stays staged.
func (r *repository) stage(ctx context.Context, index string, list []made, entries map[string]entry) error {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.name
	}
	staged, _, err := r.staged(ctx, names)
	if err != nil {
		return err
	}
	next := map[string]entry{}
	for _, f := range list {
		has := staged[f.name]
		if has == f.was {
			next[f.name] = entries[f.name]
			continue
		}
		merged, err := r.restage(ctx, f, has, index)
		if err != nil {
			return err
		}
		next[f.name] = merged
	}
	return r.put(ctx, index, next)
}

// restage applies what is committed of a file to what the user has staged of it.
func (r *repository) restage(ctx context.Context, f made, has entry, index string) (entry, error) {
	staged, err := r.content(ctx, has, f.name, func(b []byte) bool { return f.new.Text || f.old.Text || len(b) == 0 })
	if err != nil {
		return entry{}, err
	}
	merged, ok := staged.With(Change{Before: f.old, After: f.new})
	if !ok && f.old.Kind == Absent && len(staged.Bytes) == 0 {
		merged, ok = f.new, true // it was only announced, by git add --intent-to-add
	}
	if !ok {
		return entry{}, fault.New(fault.Conflict, "{{path}} has staged changes in the same lines. Commit or unstage them first, then try again.", f.Path)
	}
	return r.store(ctx, merged, f.name, index)
}
