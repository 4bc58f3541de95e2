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

	"weft/backend/base/fault"
	"weft/backend/git"
)

// Choice is a file to commit, in the version that was shown.
type Choice struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// Made is a new commit.
type Made struct {
	Commit  string `json:"commit"` // full object name
	Short   string `json:"short"`
	Branch  string `json:"branch"`
	Subject string `json:"subject"`
	Files   int    `json:"files"`
	// Note is a sentence that the user should know, or "".
	Note string `json:"note"`
}

// Identity is the author of a commit. The zero value is git's configured identity.
type Identity struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// maxMessage is the size limit of a commit message, in bytes.
const maxMessage = 64 << 10

// Make commits the accepted changes of the chosen files. by is saved as the name and email of the repository. Either
// the commit is made and the branch points to it, or nothing changes. It blocks on git. Errors: invalid (no message,
// nothing chosen), changed (a file differs from the version that was shown), locked, git (git's own message), and
// those of [Look].
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
	// From here on it is all or nothing, even if the user closes the window.
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

// identify saves the identity in the repository's configuration.
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

// tidy removes what git removes from a message: spaces at the ends of lines, and empty lines at the beginning and end.
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

// build creates the commit and its tree without a reference to them. index is a temporary file.
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

// namelessError reports whether git lacks the name or the email of the user.
func namelessError(err error) bool {
	var refused *git.Error
	if !errors.As(err, &refused) {
		return false
	}
	stderr := refused.Stderr
	return strings.Contains(stderr, "tell me who you are") || strings.Contains(stderr, "empty ident name") || strings.Contains(stderr, "unable to auto-detect email")
}

// checkOut moves the branch to the commit, and sets its files in the index to the committed versions. Like git, it
// locks the index meanwhile. work is a temporary file.
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

// duplicate copies the index, if it exists. It doesn't before the first file is added.
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

// stage updates a copy of the index. What the user has staged in a file stays staged.
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

// restage applies the committed changes of a file to what the user has staged of it.
func (r *repository) restage(ctx context.Context, f made, has entry, index string) (entry, error) {
	staged, err := r.content(ctx, has, f.name, func(b []byte) bool { return f.new.Text || f.old.Text || len(b) == 0 })
	if err != nil {
		return entry{}, err
	}
	merged, ok := staged.With(Change{Before: f.old, After: f.new})
	if !ok && f.old.Kind == Absent && len(staged.Bytes) == 0 {
		merged, ok = f.new, true // only announced, by git add --intent-to-add
	}
	if !ok {
		return entry{}, fault.New(fault.Conflict, "{{path}} has staged changes in the same lines. Commit or unstage them first, then try again.", f.Path)
	}
	return r.store(ctx, merged, f.name, index)
}
