package git

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"weft/backend/base/fault"
)

// Sentence returns a [*fault.Error] for the user if err is one of this package and not a refusal by git. Other errors
// are returned unchanged.
func Sentence(err error) error {
	switch {
	case errors.Is(err, ErrMissing):
		return fault.New("no_git", "Git 2.34 or newer wasn't found on PATH. Install it and try again.").Because(err)
	case errors.Is(err, ErrBare):
		return fault.New("bare", "This repository has no working tree. Choose a folder with a checkout of it.").Because(err)
	case errors.Is(err, ErrConnects):
		return fault.New("unclear", "This repository's own configuration changes how git connects to other repositories, so Weft doesn't push. Push from a terminal.").Because(err)
	case errors.Is(err, ErrUnclear):
		return fault.New("unclear", "Weft can't tell which commands this repository's configuration would run, so it doesn't run git there. Check .git/config.").Because(err)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New("timeout", "Git took too long to answer. Try again when the disk is less busy.").Because(err)
	}
	return err
}

// Explain returns a [*fault.Error] for the user if err is one of this package: with git's own message if git refused,
// or that of ssh or the other repository if git only reports a failure. doing ("create the worktree") completes "Git
// couldn't …". Other errors are returned unchanged.
func Explain(err error, doing fault.Template, values ...any) error {
	var e *Error
	if !errors.As(err, &e) || fault.CodeOf(err) != "" {
		return Sentence(err)
	}
	said := reason(e.Stderr)
	if said == "" {
		said = e.Err.Error()
	}
	if len(said) > 300 {
		said = strings.ToValidUTF8(said[:300], "") + "…"
	}
	return fault.New("git", "Git couldn't {{doing}}: {{reason}}.", fault.Say(doing, values...), strings.TrimSuffix(said, ".")).Because(e)
}

// reason returns why git failed, or "".
func reason(stderr string) string {
	said, last := "", ""
	var remote []string // messages of the other repository
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			if strings.HasSuffix(rest, " read from remote repository.") {
				return cmp.Or(last, rest)
			}
			return rest
		}
		if rest, ok := strings.CutPrefix(line, "remote: "); ok {
			remote = append(remote, strings.TrimSpace(rest))
		}
		if _, why, ok := strings.Cut(line, " ("); ok && strings.HasPrefix(line, "! [remote rejected]") {
			return cmp.Or(strings.Join(remote, " "), strings.TrimSuffix(why, ")"))
		}
		if rest, ok := strings.CutPrefix(line, "error: "); ok && said == "" {
			said = rest
		}
		last = line
	}
	return said
}
