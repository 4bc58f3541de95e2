package agent

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"weft/backend/files/regular"
)

// Paths finds the folders with programs on this machine. An app that is started from the desktop has a shorter PATH
// than the user's terminal, so Paths also runs the login shell, once. Create it with [NewPaths].
type Paths struct {
	getenv func(string) string
	home   string

	once  sync.Once
	ready chan struct{} // closed when login is set
	login []string
}

// NewPaths uses this process's environment. It starts nothing and doesn't block.
func NewPaths() *Paths {
	home, _ := os.UserHomeDir()
	return &Paths{getenv: os.Getenv, home: home, ready: make(chan struct{})}
}

// defaultPaths is used by [Start] if a Spec has no Paths, so that the login shell runs once per app.
var defaultPaths = sync.OnceValue(NewPaths)

// appPaths uses Weft's own PATH and the usual folders, and never runs a shell.
var appPaths = sync.OnceValue(func() *Paths {
	p := NewPaths()
	p.once.Do(func() { close(p.ready) })
	return p
})

// DefaultPaths returns the Paths that the whole app shares.
func DefaultPaths() *Paths { return defaultPaths() }

// Login returns the folders in the login shell's PATH. The first call starts the shell, with a limit of 3 s; every
// call waits for it or until ctx ends. The result is kept, even if there is none.
func (p *Paths) Login(ctx context.Context) []string {
	p.once.Do(func() {
		go func() {
			defer close(p.ready)
			p.login = loginPath(p.getenv("SHELL"))
		}()
	})
	select {
	case <-p.ready:
		return p.login
	case <-ctx.Done():
		return nil
	}
}

// Dirs returns all folders to search, in order and without duplicates: the app's PATH, the login shell's PATH, then
// the usual folders. It may block like [Paths.Login].
func (p *Paths) Dirs(ctx context.Context) []string {
	dirs := filepath.SplitList(p.getenv("PATH"))
	dirs = append(dirs, p.Login(ctx)...)
	dirs = append(dirs, p.usual(dirs)...)
	seen := map[string]bool{}
	return slices.DeleteFunc(dirs, func(dir string) bool {
		drop := !filepath.IsAbs(dir) || seen[dir]
		seen[dir] = true
		return drop
	})
}

// search returns the PATH for an agent in dir. Its own folder comes first, unless the app's PATH contains it: a
// program installed with one of several Node versions must find that version of node.
func (p *Paths) search(ctx context.Context, dir string) string {
	dirs := p.Dirs(ctx)
	if !slices.Contains(filepath.SplitList(p.getenv("PATH")), dir) {
		dirs = append([]string{dir}, slices.DeleteFunc(dirs, func(d string) bool { return d == dir })...)
	}
	return strings.Join(dirs, string(os.PathListSeparator))
}

// usual returns the existing folders where package managers and installers put programs. known are the folders that
// were already searched, where node may be.
func (p *Paths) usual(known []string) []string {
	h := func(parts ...string) string { return filepath.Join(append([]string{p.home}, parts...)...) }
	or := func(variable string, otherwise string, sub ...string) string {
		base := p.getenv(variable)
		if base == "" {
			base = otherwise
		}
		if base == "" {
			return ""
		}
		return filepath.Join(append([]string{base}, sub...)...)
	}
	dirs := []string{
		h(".local", "bin"), h("bin"),
		p.npmPrefix(known),
		h(".npm-global", "bin"), h(".npm-packages", "bin"),
		or("PNPM_HOME", h(".local", "share", "pnpm")), h("Library", "pnpm"),
		h(".yarn", "bin"), h(".config", "yarn", "global", "node_modules", ".bin"),
		or("BUN_INSTALL", h(".bun"), "bin"), or("DENO_INSTALL", h(".deno"), "bin"),
		or("CARGO_HOME", h(".cargo"), "bin"),
		p.getenv("GOBIN"), or("GOPATH", h("go"), "bin"),
		or("VOLTA_HOME", h(".volta"), "bin"),
		or("ASDF_DATA_DIR", h(".asdf"), "shims"),
		or("MISE_DATA_DIR", h(".local", "share", "mise"), "shims"),
		h(".nodenv", "shims"), h(".pyenv", "shims"),
		or("N_PREFIX", h("n"), "bin"),
		h(".local", "share", "fnm", "aliases", "default", "bin"),
		h(".opencode", "bin"), h(".claude", "local"), h(".factory", "bin"),
		h(".nix-profile", "bin"),
		"/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin", "/snap/bin",
		"/usr/bin", "/bin",
	}
	dirs = append(dirs, newestFirst(or("NVM_DIR", h(".nvm"), "versions", "node", "*", "bin"))...)
	if runtime.GOOS == "windows" {
		dirs = append(dirs, or("APPDATA", "", "npm"), or("LOCALAPPDATA", "", "Programs"), h("scoop", "shims"))
	}
	return slices.DeleteFunc(dirs, func(dir string) bool {
		info, err := os.Stat(dir)
		return dir == "" || err != nil || !info.IsDir()
	})
}

// npmPrefix returns npm's folder for global programs, or "". It reads npm's configuration instead of running npm,
// which takes half a second.
func (p *Paths) npmPrefix(known []string) string {
	prefix := p.getenv("npm_config_prefix")
	if prefix == "" {
		prefix = p.getenv("NPM_CONFIG_PREFIX")
	}
	if prefix == "" {
		text, _ := regular.ReadPath(filepath.Join(p.home, ".npmrc"), 1<<20)
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "prefix" {
				prefix = strings.Trim(strings.TrimSpace(value), `"'`)
				prefix = strings.NewReplacer("${HOME}", p.home, "~", p.home).Replace(prefix)
			}
		}
	}
	if prefix == "" {
		node := lookIn(known, "node")
		if node == "" {
			return ""
		}
		if real, err := filepath.EvalSymlinks(node); err == nil {
			node = real
		}
		prefix = filepath.Dir(filepath.Dir(node))
	}
	if runtime.GOOS == "windows" {
		return prefix
	}
	return filepath.Join(prefix, "bin")
}

// newestFirst returns the matching folders, highest version first.
func newestFirst(pattern string) []string {
	list, _ := filepath.Glob(pattern)
	version := func(path string) [3]int {
		var v [3]int
		for i, part := range strings.SplitN(strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "v"), ".", 3) {
			for _, c := range part {
				if c < '0' || c > '9' {
					break
				}
				v[i] = v[i]*10 + int(c-'0')
			}
		}
		return v
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := version(list[i]), version(list[j])
		return slices.Compare(a[:], b[:]) > 0
	})
	return list
}
