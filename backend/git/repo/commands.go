package repo

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Command is something that a repository makes git run.
type Command struct {
	Key   string // of the setting; "hook NAME" for a hook
	Value string // the configured command line, or the file of a hook
	File  string // the file that defines it
	Use   Use
	Hook  string // the name of the hook; "" for a setting
}

// Filter reports whether the command is a filter, which changes the contents of files.
func (c Command) Filter() bool {
	return strings.HasPrefix(c.Key, "filter.") && c.Hook == ""
}

// Commands returns what the repository's own configuration and hooks would make git run, in the order of the files.
func (r *Repository) Commands() ([]Command, error) {
	entries, err := r.Config()
	if err != nil {
		return nil, err
	}
	var list []Command
	for _, e := range entries {
		if use := e.Use(); use != Never && (e.Value != "" || e.Key == "core.hookspath") {
			list = append(list, Command{Key: e.Key, Value: e.Value, File: e.File, Use: use})
		}
	}
	hooks, err := r.hooks(entries)
	return append(list, hooks...), err
}

// Elsewhere reports whether the configuration sets a working tree other than the folder in which the repository was
// found.
func (r *Repository) Elsewhere() (bool, error) {
	entries, err := r.Config()
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if e.Key != "core.worktree" || r.Dir != r.Common && e.File == filepath.Join(r.Common, "config") {
			continue // a linked worktree's setting isn't in the common file
		}
		top, err := filepath.EvalSymlinks(from(r.Dir, e.Value))
		if err != nil || top != r.Top {
			return true, nil //nolint:nilerr // a folder that is not there is another one
		}
	}
	return false, nil
}

const maxHooks = 256 // files in a hooks folder

// hooks returns the hooks that git would start: the executable files in all folders that may be the hooks folder.
func (r *Repository) hooks(entries []Entry) ([]Command, error) {
	dirs := []string{filepath.Join(r.Common, "hooks")}
	for _, e := range entries {
		if e.Key != "core.hookspath" || e.Value == "" {
			continue
		}
		dir := e.Value
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return nil, ErrUnclear
			}
			dir = from(home, rest)
		} else if strings.HasPrefix(dir, "~") || strings.HasPrefix(dir, "%(") {
			return nil, ErrUnclear
		}
		dirs = append(dirs, from(cmp.Or(r.Top, r.Dir), dir))
	}
	var list []Command
	for _, dir := range dirs {
		files, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		if len(files) > maxHooks {
			return nil, ErrUnclear
		}
		for _, f := range files {
			name := strings.TrimSuffix(f.Name(), ".exe")
			if !hookNames[name] || hookUse(name) == Never {
				continue
			}
			file := filepath.Join(dir, f.Name())
			info, err := os.Stat(file)
			if err == nil && info.Mode().IsRegular() && (info.Mode().Perm()&0o111 != 0 || runtime.GOOS == "windows") {
				list = append(list, Command{Key: "hook " + name, Value: file, File: file, Use: hookUse(name), Hook: name})
			}
		}
	}
	return list, nil
}

// hookNames are the hooks that git starts itself.
var hookNames = map[string]bool{
	"applypatch-msg": true, "pre-applypatch": true, "post-applypatch": true, "pre-commit": true, "pre-merge-commit": true, "prepare-commit-msg": true,
	"commit-msg": true, "post-commit": true, "pre-rebase": true, "post-checkout": true, "post-merge": true, "pre-push": true, "pre-receive": true,
	"update": true, "proc-receive": true, "post-receive": true, "post-update": true, "reference-transaction": true, "push-to-checkout": true,
	"pre-auto-gc": true, "post-rewrite": true, "sendemail-validate": true, "fsmonitor-watchman": true, "p4-changelist": true, "p4-prepare-changelist": true,
	"p4-post-changelist": true, "p4-pre-submit": true, "post-index-change": true,
}

// hookUse returns when git starts a hook. Even git status changes the index.
func hookUse(name string) Use {
	switch name {
	case "post-index-change":
		return Reading
	case "fsmonitor-watchman": // only started by core.fsmonitor
		return Never
	}
	return Writing
}

// readers are the subcommands that only read: they connect to no other repository, open no editor and make no commit.
var readers = map[string]bool{
	"status": true, "diff": true, "log": true, "show": true, "blame": true, "annotate": true, "grep": true, "ls-files": true, "ls-tree": true,
	"rev-parse": true, "rev-list": true, "cat-file": true, "describe": true, "shortlog": true, "name-rev": true, "for-each-ref": true, "show-ref": true,
	"merge-base": true, "diff-tree": true, "diff-index": true, "diff-files": true, "whatchanged": true, "count-objects": true, "check-ignore": true,
	"check-attr": true, "cherry": true, "range-diff": true, "show-branch": true, "symbolic-ref": true, "var": true, "version": true, "help": true,
}

// Runs returns what a subcommand of git could run because of the repository or one of its checked-out submodules.
func (r *Repository) Runs(subcommand string) ([]Command, error) {
	return r.withModules(subcommand, map[string]bool{})
}

const maxModules = 64

func (r *Repository) withModules(subcommand string, seen map[string]bool) ([]Command, error) {
	if len(seen) == maxModules {
		return nil, ErrUnclear
	}
	seen[r.Dir] = true
	list, err := r.runs(subcommand)
	if err != nil || len(list) > 0 || r.Bare() {
		return list, err
	}
	links, err := r.gitlinks()
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		dir := filepath.Join(r.Top, filepath.FromSlash(link))
		if _, err := os.Lstat(filepath.Join(dir, ".git")); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		m, err := at(dir)
		if err != nil {
			return nil, err
		}
		if m == nil || seen[m.Dir] {
			continue
		}
		if list, err := m.withModules(subcommand, seen); err != nil || len(list) > 0 {
			return list, err
		}
	}
	return nil, nil
}

func (r *Repository) runs(subcommand string) ([]Command, error) {
	list, err := r.Commands()
	if err != nil {
		return nil, err
	}
	entries, err := r.Config()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Key == "alias."+strings.ToLower(subcommand) || strings.HasPrefix(e.Key, "alias.") && strings.HasSuffix(e.Key, ".command") {
			list = append(list, Command{Key: e.Key, Value: e.Value, File: e.File, Use: Reading})
		}
	}
	if !readers[subcommand] {
		return list, nil
	}
	lazy := slices.ContainsFunc(entries, func(e Entry) bool {
		_, _, name := e.Split()
		return name == "promisor" || name == "partialclone" // missing objects are fetched when they are read
	})
	return slices.DeleteFunc(list, func(c Command) bool {
		return c.Key == "core.hookspath" || c.Use != Reading && (c.Use != Network || !lazy)
	}), nil
}
