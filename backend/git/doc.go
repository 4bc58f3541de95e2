// Package git is the only place where Weft runs git. Repositories may come from anywhere, so a repository's own
// configuration must not decide what runs.
//
// Guarantees:
//
//   - Nothing that the repository defines is run: no filter, hook, file system monitor, pager, editor, diff or merge
//     program, and no program for keys or passwords. What the user's own configuration defines, such as Git LFS, is
//     used.
//   - A folder that only looks like a repository (HEAD, objects and refs: a bare repository, which a clone may
//     contain) isn't used.
//   - Git doesn't enter submodules, doesn't fetch missing objects and takes no optional locks. It connects to another
//     repository only with [Options.Push], and for what the user's own filters fetch with [Options.Checkout].
//   - Variables of Weft's environment that begin with GIT_ aren't passed on. Git never prompts.
//   - Git is run with arguments, never through a shell. Every call ends with its context or after [Timeout].
//
// [Commands] returns what a repository would run. A filter of the repository is run only with [Options.Agreed].
//
// The configuration is read right before each call. A process that writes to the git folder between this and git's own
// reading could still make git run something; package permission always asks about such writes.
//
// The package knows no spaces and stores nothing: what commits and worktrees mean is in backend/changes. settings.go
// and override.go disable what a configuration names. Package repo, below this one, reads repositories without running
// git; its keys.go is the table of settings that name commands.
package git
