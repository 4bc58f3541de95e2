package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/base/pathname"
	"weft/backend/git/repo"
	"weft/backend/permission/unclear"
)

// maxDirs limits the number of folders in which a command of a line may run.
const maxDirs = 8

// repositoriesRun reports whether a git command may run a filter, a file system monitor, a hook or the like because
// the repository that it uses says so. If the line may change that first, the command is marked as Unsettled. dir is
// the folder in which the line begins, relative to the folder of the script. It reads the repositories from disk.
func repositoriesRun(s *Script, dir string, before []change) bool {
	if !slices.ContainsFunc(s.Commands, isGit) {
		return false
	}
	if s.folder.Real == "" {
		return true
	}
	dirs := []string{filepath.Join(s.folder.Real, filepath.FromSlash(dir))}
	known := repositories{}
	for i := range s.Commands {
		cmd := &s.Commands[i]
		switch name := cmd.Words[0]; {
		case name == "cd" && !cmd.Wrapped:
			var ok bool
			if dirs, ok = changeTo(dirs, cmd); !ok {
				return true
			}
		case (name == "pushd" || name == "popd" || name == "chdir") && !cmd.Wrapped:
			return true
		case isGit(*cmd):
			call, ok := readGit(cmd)
			if !ok {
				return true
			}
			for _, dir := range dirs {
				if !call.harmless(dir, known) {
					return true
				}
				if cmd.Use != nil && cmd.Use.rooted && call.above(dir, known, s.folder.Real) {
					s.MarkUnclear(unclear.Outside)
				}
				cmd.Unsettled = cmd.Unsettled || !call.settled(dir, known, before[i])
			}
		}
	}
	return false
}

func isGit(c Command) bool {
	base := strings.ToLower(BaseName(c.Words[0]))
	return strings.TrimSuffix(base, ".exe") == "git"
}

// changeTo returns the folders in which a line may be after a cd, which may not have run or may have failed.
func changeTo(dirs []string, cmd *Command) ([]string, bool) {
	words, fixed := cmd.Words[1:], cmd.Fixed[1:]
	if len(words) == 2 && words[0] == "--" && fixed[0] {
		words, fixed = words[1:], fixed[1:]
	}
	if len(words) != 1 || !fixed[0] || words[0] == "" || strings.HasPrefix(words[0], "-") || strings.HasPrefix(words[0], "~") {
		return nil, false
	}
	out := slices.Clone(dirs)
	for _, dir := range dirs {
		// A shell resolves ".." by the name of the folder, other programs by its real location.
		for _, to := range []string{joinUnclean(dir, words[0]), filepath.Clean(joinUnclean(dir, words[0]))} {
			if !slices.Contains(out, to) {
				out = append(out, to)
			}
		}
	}
	return out, len(out) <= maxDirs
}

// joinUnclean joins dir and path without cleaning: after a symbolic link, ".." isn't the element before it.
func joinUnclean(dir, path string) string {
	full, _ := pathname.From(dir, path)
	return full
}

// gitCall is the part of a git command that selects the repository.
type gitCall struct {
	subcommand string   // "" if it only prints information about git
	dirs       []string // values of its -C options
}

// plainOptions are global options of git that change neither the repository nor what runs.
var plainOptions = map[string]bool{
	"-p": true, "--paginate": true, "-P": true, "--no-pager": true, "--no-optional-locks": true, "--no-replace-objects": true, "--no-lazy-fetch": true,
	"--no-advice": true, "--literal-pathspecs": true, "--glob-pathspecs": true, "--noglob-pathspecs": true, "--icase-pathspecs": true,
}

// readGit reads the options before the subcommand. ok is false if the effect of one isn't certain.
func readGit(cmd *Command) (call gitCall, ok bool) {
	for i := 1; i < len(cmd.Words); i++ {
		word := cmd.Words[i]
		if !cmd.Fixed[i] {
			return call, false
		}
		switch {
		case word == "--version" || word == "-v" || word == "--help" || word == "-h":
			return call, true
		case !strings.HasPrefix(word, "-"):
			call.subcommand = word
			return call, true
		case plainOptions[word]:
			continue
		case word == "-C" || word == "-c":
			if i++; i >= len(cmd.Words) || !cmd.Fixed[i] {
				return call, false
			}
		default: // also --git-dir and --work-tree
			return call, false
		}
		value := cmd.Words[i]
		switch word {
		case "-C":
			call.dirs = append(call.dirs, value)
		case "-c":
			key, value, set := strings.Cut(value, "=")
			e := repo.Entry{Key: strings.ToLower(key), Value: value, Set: set}
			if e.Use() != repo.Never || strings.HasPrefix(e.Key, "alias.") || strings.HasPrefix(e.Key, "include") || e.Key == "core.worktree" {
				return call, false
			}
		}
	}
	return call, true
}

// repositories caches the repositories of folders for one request.
type repositories map[string]*repo.Repository

func (known repositories) find(dir string) (*repo.Repository, error) {
	if found, ok := known[dir]; ok {
		return found, nil
	}
	found, err := repo.Find(dir)
	if err == nil {
		known[dir] = found
	}
	return found, err
}

// harmless reports whether the repository that git would use in dir makes the subcommand run nothing.
func (g *gitCall) harmless(dir string, known repositories) bool {
	if g.subcommand == "" {
		return true
	}
	found, err := known.find(g.in(dir))
	if err != nil {
		return false
	}
	if found == nil {
		return true
	}
	if away, err := found.Elsewhere(); err != nil || away {
		return false
	}
	list, err := found.Runs(g.subcommand)
	return err == nil && len(list) == 0
}

// above reports whether the top of the repository that git would use in dir is outside of folder.
func (g *gitCall) above(dir string, known repositories, folder string) bool {
	found, err := known.find(g.in(dir))
	if err != nil || found == nil {
		return false
	}
	rel, err := filepath.Rel(folder, found.Top)
	return err != nil || !filepath.IsLocal(rel)
}

// in returns the folder in which git, run in dir, looks for its repository.
func (g *gitCall) in(dir string) string {
	for _, to := range g.dirs {
		if to != "" {
			dir = joinUnclean(dir, to)
		}
	}
	return dir
}
