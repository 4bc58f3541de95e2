package docs

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// rooms are the folders directly in backend, the highest first.
type rooms []string

var (
	roomRow = regexp.MustCompile("(?m)^\\| \\*\\*`([^`]+)`\\*\\* \\|")
	quoted  = regexp.MustCompile("`([^`]+)`")
)

// readRooms reads the table of rooms in ARCHITECTURE.md.
func readRooms(text string) (r rooms) {
	for _, row := range roomRow.FindAllStringSubmatch(text, -1) {
		r = append(r, row[1])
	}
	return r
}

// of returns the room of a package, counted from the highest one; -1 if it isn't in the table.
func (r rooms) of(pkg string) int {
	room, _, _ := strings.Cut(pkg, "/")
	return slices.Index(r, room)
}

// check returns the faults of packages, by name, with what each imports.
func (r rooms) check(imports map[string][]string) (faults []string) {
	found := map[int]bool{}
	for pkg, list := range imports {
		own := r.of(pkg)
		if found[own] = true; own < 0 {
			faults = append(faults, pkg+" is in no room of ARCHITECTURE.md")
			continue
		}
		for _, imported := range list {
			if above := r.of(imported); above >= 0 && above < own {
				faults = append(faults, pkg+" imports "+imported+", which is in a higher room")
			}
		}
	}
	for i, room := range r {
		if !found[i] {
			faults = append(faults, room+" is a room of ARCHITECTURE.md, and has no package")
		}
	}
	slices.Sort(faults)
	return faults
}

// backendImports returns what each package of backend imports of backend, without its tests.
var backendImports = sync.OnceValues(func() (map[string][]string, error) {
	const prefix = "weft/backend/"
	imports := map[string][]string{}
	err := eachGoFile("../backend", false, func(path string, src []byte) error {
		file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), filepath.FromSlash("../backend/")))
		list := imports[pkg]
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if inside, ok := strings.CutPrefix(name, prefix); ok && !slices.Contains(list, inside) {
				list = append(list, inside)
			}
		}
		imports[pkg] = list
		return nil
	})
	return imports, err
})

func TestRoomsImportOnlyLowerOnes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	r := readRooms(string(text))
	if len(r) < 5 {
		t.Fatalf("the table of rooms has %d rows", len(r))
	}
	imports, err := backendImports()
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range r.check(imports) {
		t.Error(fault)
	}
}

// The packages of backend build and are tested without a window.
func TestBackendDoesNotImportWails(t *testing.T) {
	t.Parallel()
	err := eachGoFile("../backend", false, func(path string, src []byte) error {
		file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			if strings.HasPrefix(spec.Path.Value, `"github.com/wailsapp/`) {
				t.Errorf("%s imports Wails", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var independentLine = regexp.MustCompile(`(?m)^Independent of each other: (.*)$`)

// entangled returns which packages of a list import, also through others, another one of it.
func entangled(list []string, imports map[string][]string) (faults []string) {
	for _, pkg := range list {
		seen := map[string]bool{}
		var visit func(string)
		visit = func(name string) {
			for _, imported := range imports[name] {
				if !seen[imported] {
					seen[imported] = true
					visit(imported)
				}
			}
		}
		visit(pkg)
		for _, other := range list {
			if seen[other] {
				faults = append(faults, pkg+" depends on "+other)
			}
		}
	}
	return faults
}

func TestPackagesAreIndependent(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	line := independentLine.FindSubmatch(text)
	if line == nil {
		t.Fatal("ARCHITECTURE.md does not say which packages are independent of each other")
	}
	var list []string
	imports, err := backendImports()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range quoted.FindAllSubmatch(line[1], -1) {
		list = append(list, string(name[1]))
		if _, found := imports[string(name[1])]; !found {
			t.Errorf("%s is no package", name[1])
		}
	}
	if len(list) < 3 {
		t.Fatalf("%d packages are independent of each other", len(list))
	}
	for _, fault := range entangled(list, imports) {
		t.Error(fault)
	}
	if got := entangled([]string{"a", "c"}, map[string][]string{"a": {"b"}, "b": {"c"}, "c": nil}); len(got) != 1 {
		t.Errorf("an import through another package: %v", got)
	}
}

func TestRoomsFindArrowsThatRunUp(t *testing.T) {
	t.Parallel()
	r := readRooms("| room | what it is for |\n| --- | --- |\n| **`face`** | what `app` shows |\n| **`app`** | work |\n| **`tool`** | helpers |\n")
	for name, c := range map[string]struct {
		imports map[string][]string
		want    string
	}{
		"down":    {map[string][]string{"face": {"tool/x"}, "tool/x": nil, "app/x": {"app/deep"}, "app/deep": {"tool/x"}}, ""},
		"up":      {map[string][]string{"face": nil, "tool": {"face"}, "app/deep": {"face", "app/x"}, "app/x": nil}, "app/deep imports face, which is in a higher room; tool imports face, which is in a higher room"},
		"no room": {map[string][]string{"face": nil, "tool": nil, "app": nil, "odd": nil}, "odd is in no room of ARCHITECTURE.md"},
		"empty":   {map[string][]string{"tool": nil, "app/deep": nil}, "face is a room of ARCHITECTURE.md, and has no package"},
	} {
		if got := strings.Join(r.check(c.imports), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
