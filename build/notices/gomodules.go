package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// aboutOther are license files about something in a module that isn't compiled.
var aboutOther = map[string][]string{
	"modernc.org/memory": {"LICENSE-LOGO"}, // a picture in its README
}

// listed is a package as go list prints it.
type listed struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// systems are those that Weft is built for. One list of notices is for all of them.
var systems = []string{"linux", "windows", "darwin"}

// goParts are the modules with packages that are linked into programs, and the standard library.
func goParts(ctx context.Context, tags string, programs []string) ([]Part, error) {
	args := append([]string{"list", "-deps", "-tags", tags, "-json=Dir,Standard,Module"}, programs...)
	var out []byte
	for _, system := range systems {
		list, err := commandFor(ctx, system, args...)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	folders := map[string][]string{} // by module: the folders of its packages, up to its root
	modules := map[string]listed{}
	d := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		modules[p.Module.Path] = p
		for dir := p.Dir; ; dir = filepath.Dir(dir) {
			if !slices.Contains(folders[p.Module.Path], dir) {
				folders[p.Module.Path] = append(folders[p.Module.Path], dir)
			}
			if dir == p.Module.Dir || !strings.HasPrefix(dir, p.Module.Dir) {
				break
			}
		}
	}
	parts := make([]Part, 0, len(modules)+1)
	for path, m := range modules {
		slices.Sort(folders[path])
		part, err := goPart(path, m.Module.Version, folders[path])
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", path, m.Module.Version, err)
		}
		parts = append(parts, part)
	}
	std, err := standardLibrary(ctx)
	return append(parts, std), err
}

// goPart reads the license files of a module beside the packages that are linked.
func goPart(path, version string, folders []string) (Part, error) {
	p := Part{Name: path, Version: version, Kind: "go", URL: "https://pkg.go.dev/" + path + "@" + version}
	var ids []string
	for _, dir := range folders {
		f, err := scan(dir, aboutOther[path])
		if err != nil {
			return p, err
		}
		ids, p.texts = append(ids, f.ids...), append(p.texts, f.texts...)
	}
	slices.Sort(ids)
	p.License = strings.Join(slices.Compact(ids), " AND ")
	return p, nil
}

func standardLibrary(ctx context.Context) (Part, error) {
	out, err := command(ctx, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return Part{}, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	f, err := scan(root, nil)
	if err != nil {
		return Part{}, err
	}
	version = strings.TrimPrefix(version, "go")
	return Part{
		Name: "Go standard library", Version: version, Kind: "go", URL: "https://pkg.go.dev/std@go" + version,
		License: strings.Join(f.ids, " AND "), texts: f.texts,
	}, nil
}

func command(ctx context.Context, args ...string) ([]byte, error) {
	return commandFor(ctx, "", args...)
}

// commandFor runs go as if for another system; "" is this one.
func commandFor(ctx context.Context, system string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	if system != "" {
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=1")
	}
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, &problems)
	}
	return out, nil
}
