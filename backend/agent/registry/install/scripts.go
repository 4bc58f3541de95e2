package install

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/base/quantity"
)

// The limits of what is read from packages, in bytes.
const (
	maxPackageJSON = 8 << 20
	maxScripts     = 64 << 10 // of all commands together; nobody would read more
)

// npmList is npm's own list of the installed packages.
const npmList = ".package-lock.json"

// The scripts that npm runs for an installed package, in order.
var installEvents = []string{"preinstall", "install", "postinstall"}

// gypScript is the command that npm runs for a package with a binding.gyp but no install script.
const gypScript = "node-gyp rebuild"

// scripts runs the install scripts of packages that were installed without them, if the user allows it. It returns a
// sentence that says why the agent may not work, or "".
func (w *work) scripts(ctx context.Context, npm string) (warning string, err error) {
	scripts, err := findScripts(w.files())
	if err != nil || len(scripts) == 0 {
		return "", err
	}
	names, length := packagesOf(scripts), 0
	for _, s := range scripts {
		length += len(s.Command)
	}
	skipped := fmt.Sprintf("The install scripts of %s (%s) didn't run. What they set up, such as native modules or downloaded programs, may be missing.",
		quantity.Count(len(names), "package", "packages"), few(names))
	if length > maxScripts {
		return skipped + " They are too long to be shown, so Weft didn't ask about them.", nil
	}
	yes, err := w.askScripts(ctx, scripts)
	if err != nil {
		return "", err
	}
	if !yes {
		return skipped + " To run them, remove the agent and install it again.", nil
	}
	return w.rebuild(ctx, npm, scripts)
}

// rebuild runs the install scripts of exactly these packages. Optional packages may fail.
func (w *work) rebuild(ctx context.Context, npm string, scripts []Script) (warning string, err error) {
	var needed, optional []string
	for _, s := range scripts {
		switch {
		case s.optional && !slices.Contains(optional, s.folder):
			optional = append(optional, s.folder)
		case !s.optional && !slices.Contains(needed, s.folder):
			needed = append(needed, s.folder)
		}
	}
	// npm trusts its list if that says that a package has no scripts. Without the list, it checks the packages.
	if err := os.Remove(filepath.Join(w.files(), "node_modules", npmList)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	// npm compares the folders of packages with their real paths.
	real, err := filepath.EvalSymlinks(w.files())
	if err != nil {
		return "", err
	}
	run := func(folders ...string) error {
		args := []string{
			"rebuild", "--prefix", real, "--global=false", "--ignore-scripts=false", "--foreground-scripts", "--no-update-notifier",
			"--progress=false", "--color=false", "--",
		}
		for _, folder := range folders {
			args = append(args, filepath.Join(real, filepath.FromSlash(folder)))
		}
		none := func(string) int64 { return 0 }
		return w.run(ctx, StepScripts, "npm", npm, args, nil, none)
	}
	if len(needed) > 0 {
		if err := run(needed...); err != nil {
			return "", err
		}
	}
	var failed []string
	for _, folder := range optional {
		err := run(folder)
		var own *Error
		if errors.As(err, &own) && own.Code == CodePackage && ctx.Err() == nil {
			failed = append(failed, folder)
		} else if err != nil {
			return "", err
		}
	}
	if len(failed) == 0 {
		return "", nil
	}
	for i, folder := range failed {
		failed[i] = strings.TrimPrefix(folder, "node_modules/")
	}
	return fmt.Sprintf("The install scripts of %s (%s) failed. The agent can start without, but some features may be missing.",
		quantity.Count(len(failed), "optional package", "optional packages"), few(failed)), nil
}

// findScripts returns the scripts that npm would run for the packages below a folder, sorted by folder. It reads the
// installed packages, not a lock file or the package registry.
func findScripts(files string) ([]Script, error) {
	root, err := os.OpenRoot(files)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f := finder{root: root}
	if err := f.modules("node_modules"); err != nil {
		return nil, err
	}
	optional := optionalPackages(root)
	for i := range f.found {
		f.found[i].optional = optional[f.found[i].folder]
	}
	slices.SortStableFunc(f.found, func(a, b Script) int { return cmp.Compare(a.folder, b.folder) })
	return f.found, nil
}

type finder struct {
	root  *os.Root
	found []Script
}

// modules reads a folder of packages.
func (f *finder) modules(folder string) error {
	entries, err := fs.ReadDir(f.root.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."): // .bin and npm's own
		case e.Type()&fs.ModeSymlink != 0:
			// Packages from a registry are folders. A link can lead anywhere, so npm must not run scripts behind one.
		case !e.IsDir():
		case strings.HasPrefix(e.Name(), "@"):
			err = f.modules(name)
		default:
			err = errors.Join(f.pkg(name), f.modules(path.Join(name, "node_modules")))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pkg reads one package.
func (f *finder) pkg(folder string) error {
	raw, err := f.read(path.Join(folder, "package.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// Use maps, because member names are case-sensitive.
	var about, scripts map[string]json.RawMessage
	// An unreadable package has no scripts, so npm never runs any for it.
	_ = json.Unmarshal(bytes.TrimPrefix(raw, []byte("\uFEFF")), &about)
	_ = json.Unmarshal(about["scripts"], &scripts)
	s := Script{Package: strings.TrimPrefix(folder[strings.LastIndex(folder, "node_modules/"):], "node_modules/"), folder: folder}
	_ = json.Unmarshal(about["version"], &s.Version)
	commands := map[string]string{}
	for _, event := range installEvents {
		var command string
		if json.Unmarshal(scripts[event], &command) == nil && command != "" {
			commands[event] = command
		}
	}
	if _, err := f.root.Lstat(filepath.FromSlash(path.Join(folder, "binding.gyp"))); err == nil &&
		commands["install"] == "" && commands["preinstall"] == "" && string(about["gypfile"]) != "false" {
		commands["install"] = gypScript
	}
	for _, s.Event = range installEvents {
		if s.Command = commands[s.Event]; s.Command != "" {
			f.found = append(f.found, s)
		}
	}
	return nil
}

func (f *finder) read(name string) ([]byte, error) {
	file, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxPackageJSON {
		return nil, fault.New(CodePackage, "The package has a file that Weft can't read ({{name}}), so it wasn't installed.", clip(name)).Because(err)
	}
	return io.ReadAll(io.LimitReader(file, maxPackageJSON))
}

// optionalPackages returns the folders of optional packages in npm's own list.
func optionalPackages(root *os.Root) map[string]bool {
	raw, err := root.ReadFile(filepath.Join("node_modules", npmList))
	if err != nil {
		return nil
	}
	var lock struct {
		Packages map[string]struct {
			Optional bool `json:"optional"`
		} `json:"packages"`
	}
	if json.Unmarshal(raw, &lock) != nil {
		return nil
	}
	optional := map[string]bool{}
	for folder, p := range lock.Packages {
		optional[folder] = p.Optional
	}
	return optional
}
