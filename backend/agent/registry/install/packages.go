package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/fault"
)

// npmArgs returns the arguments for npm.
func npmArgs(folder, pkg string) []string {
	return []string{
		"install", "--prefix", folder, "--global=false", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--no-update-notifier",
		"--yes", "--progress=false", "--color=false", "--loglevel=http", "--", pkg,
	}
}

// npm installs an exact version of a package with npm. It runs no scripts without the user's confirmation.
func (w *work) npm(ctx context.Context, r *Record) error {
	tool, err := w.tool(ctx, "npm", "It comes with Node.js: https://nodejs.org")
	if err != nil {
		return err
	}
	// Without one, npm would look for a project in the parent folders.
	if err := os.WriteFile(filepath.Join(w.files(), "package.json"), []byte("{\"private\": true}\n"), 0o600); err != nil {
		return err
	}
	r.Origin = w.target.Origin()
	fetched := int64(0)
	engine := engineWarning{pkg: r.Origin}
	counts := func(line string) int64 {
		if strings.Contains(line, "http fetch GET 200") {
			fetched++
		}
		engine.read(line)
		return fetched
	}
	if err := w.run(ctx, StepPackages, "npm", tool, npmArgs(w.files(), r.Origin), nil, counts); err != nil {
		return err
	}
	name, err := w.npmProgram()
	if err != nil {
		return err
	}
	skipped, err := w.scripts(ctx, tool)
	if err != nil {
		return err
	}
	r.Program = path.Join(filesName, "node_modules", ".bin", name)
	r.Warning = strings.TrimSpace(engine.sentence() + " " + skipped)
	r.Bytes = size(w.files())
	return nil
}

// engineWarning parses the warning of npm about a package that requires another version of Node.js: the package, the
// required version and the installed version, on a line each.
type engineWarning struct {
	pkg               string
	about             bool // the lines are about our package, not about a dependency
	required, current string
}

var nodeVersion = lazyregexp.New(`node: '([^']{1,60})'`)

func (e *engineWarning) read(line string) {
	_, said, ok := strings.Cut(line, "EBADENGINE")
	if !ok {
		return
	}
	version := func() string {
		if m := nodeVersion.FindStringSubmatch(said); m != nil {
			return m[1]
		}
		return ""
	}
	switch {
	case strings.Contains(said, "package: "):
		e.about = strings.Contains(said, "'"+e.pkg+"'")
	case e.about && strings.Contains(said, "required: "):
		e.required = version()
	case e.about && strings.Contains(said, "current: "):
		e.current = version()
	}
}

func (e *engineWarning) sentence() string {
	if e.required == "" || e.current == "" {
		return ""
	}
	return fmt.Sprintf("It requires Node.js %s, and this machine has %s. It may not start.", e.required, e.current)
}

var programForm = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)

// npmProgram chooses a program of the package as npx does: the only one, else the one with the name of the package.
func (w *work) npmProgram() (string, error) {
	root, err := os.OpenRoot(w.files())
	if err != nil {
		return "", err
	}
	defer root.Close()
	raw, err := root.ReadFile(filepath.FromSlash(path.Join("node_modules", w.target.Package, "package.json")))
	var about struct {
		Version string          `json:"version"`
		Bin     json.RawMessage `json:"bin"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &about)
	}
	if err != nil {
		return "", w.noProgram(err)
	}
	if about.Version != w.target.Version {
		return "", fault.New(CodePackage, "npm has installed version {{version}} instead of {{version2}}, so it wasn't kept.", about.Version, w.target.Version)
	}
	base := path.Base(w.target.Package)
	bins := map[string]string{}
	var only string
	if json.Unmarshal(about.Bin, &only) == nil && only != "" {
		bins[base] = only
	} else {
		_ = json.Unmarshal(about.Bin, &bins)
	}
	name := base
	if _, ok := bins[base]; !ok {
		names := slices.Sorted(maps.Keys(bins))
		same := len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return bins[n] != bins[names[0]] })
		if !same {
			return "", w.noProgram(fmt.Errorf("programs: %q", names))
		}
		name = names[0]
	}
	if !programForm.MatchString(name) {
		return "", w.noProgram(fmt.Errorf("program: %q", name))
	}
	file := filepath.Join("node_modules", ".bin", name)
	if runtime.GOOS == "windows" {
		file += ".cmd"
	}
	if _, err := root.Stat(file); err != nil {
		return "", w.noProgram(err)
	}
	return name, nil
}

func (w *work) noProgram(err error) error {
	return fault.New(CodeNoProgram, "The package {{package}} was installed, but it has no program to start. Tell the agent's authors.", w.target.Package).With(err.Error()).Because(err)
}

// uv installs an exact version of a package as a uv tool, with all its files in the agent's own folder. It builds
// packages from source only if the user allows it.
func (w *work) uv(ctx context.Context, r *Record) error {
	tool, err := w.tool(ctx, "uv", "See https://docs.astral.sh/uv for how to install it.")
	if err != nil {
		return err
	}
	r.Origin = w.target.Origin()
	env := map[string]string{
		"UV_TOOL_DIR": filepath.Join(w.files(), "tools"), "UV_TOOL_BIN_DIR": filepath.Join(w.files(), "bin"),
		"UV_PYTHON_INSTALL_DIR": filepath.Join(w.files(), "python"), "UV_NO_PROGRESS": "1", "NO_COLOR": "1",
	}
	counts := func(string) int64 { return 0 }
	install := func(options ...string) error {
		return w.run(ctx, StepPackages, "uv", tool, append(append([]string{"tool", "install"}, options...), "--", r.Origin), env, counts)
	}
	err = install("--no-build")
	if packages, ok := needsBuild(err); ok {
		if err := w.askBuild(ctx, packages); err != nil {
			return err
		}
		err = install()
	}
	if err != nil {
		return err
	}
	name, err := w.uvProgram()
	if err != nil {
		return err
	}
	r.Program = path.Join(filesName, "bin", name)
	r.Bytes = size(w.files())
	return nil
}

// uvProgram chooses a program of the tool as uvx does: the one with the name of the package, else the only one.
func (w *work) uvProgram() (string, error) {
	entries, err := os.ReadDir(filepath.Join(w.files(), "bin"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	wanted, _, _ := strings.Cut(w.target.Package, "[")
	var names []string
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".exe")
		if programForm.MatchString(name) {
			names = append(names, e.Name())
		}
		if strings.EqualFold(name, wanted) {
			return e.Name(), nil
		}
	}
	if len(names) != 1 {
		return "", w.noProgram(fmt.Errorf("programs: %q", names))
	}
	return names[0], nil
}
