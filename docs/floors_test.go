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

// floors are the packages of backend by floor, the highest floor first. A name that ends with "/…" means what is below that folder and named nowhere else.
type floors [][]string

var (
	floorRow = regexp.MustCompile(`(?m)^\| \*\*[^|]*\| (.*) \|$`)
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// readFloors reads the table of floors in ARCHITECTURE.md.
func readFloors(text string) (f floors) {
	for _, row := range floorRow.FindAllStringSubmatch(text, -1) {
		var names []string
		for _, name := range quoted.FindAllStringSubmatch(row[1], -1) {
			names = append(names, name[1])
		}
		f = append(f, names)
	}
	return f
}

// of returns the floor of a package, counted from the highest one; -1 if no row has it.
func (f floors) of(pkg string) int {
	if i := slices.IndexFunc(f, func(row []string) bool { return slices.Contains(row, pkg) }); i >= 0 {
		return i
	}
	for dir := filepath.Dir(pkg); dir != "."; dir = filepath.Dir(dir) {
		if i := slices.IndexFunc(f, func(row []string) bool { return slices.Contains(row, dir+"/…") }); i >= 0 {
			return i
		}
	}
	return -1
}

// check returns the faults of packages, by name, with what each imports.
func (f floors) check(imports map[string][]string) (faults []string) {
	for pkg, list := range imports {
		own := f.of(pkg)
		if own < 0 {
			faults = append(faults, pkg+" is on no floor of ARCHITECTURE.md")
			continue
		}
		for _, imported := range list {
			if above := f.of(imported); above >= 0 && above < own {
				faults = append(faults, pkg+" imports "+imported+", which is on a higher floor")
			}
		}
	}
	for _, row := range f {
		for _, name := range row {
			if _, found := imports[name]; !found && !strings.HasSuffix(name, "/…") {
				faults = append(faults, name+" is on a floor of ARCHITECTURE.md, and is no package")
			}
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

func TestPackagesImportOnlyLowerFloors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	f := readFloors(string(text))
	if len(f) < 5 {
		t.Fatalf("the table of floors has %d rows", len(f))
	}
	imports, err := backendImports()
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range f.check(imports) {
		t.Error(fault)
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

func TestFloorsFindArrowsThatRunUp(t *testing.T) {
	t.Parallel()
	f := readFloors("| **Top**: the user | `face`, `app/…` |\n| **Below** | `tool`, `app/deep` |\n")
	for name, c := range map[string]struct {
		imports map[string][]string
		want    string
	}{
		"down":          {map[string][]string{"face": {"tool"}, "tool": nil, "app/x": {"app/deep"}, "app/deep": nil}, ""},
		"up":            {map[string][]string{"face": nil, "tool": {"face"}, "app/deep": {"app/x"}, "app/x": nil}, "app/deep imports app/x, which is on a higher floor; tool imports face, which is on a higher floor"},
		"on no floor":   {map[string][]string{"face": nil, "tool": nil, "app/deep": nil, "odd": nil}, "odd is on no floor of ARCHITECTURE.md"},
		"no package":    {map[string][]string{"tool": nil, "app/deep": nil}, "face is on a floor of ARCHITECTURE.md, and is no package"},
		"deeper folder": {map[string][]string{"face": nil, "tool": {"app/x/y"}, "app/deep": nil, "app/x/y": nil}, "tool imports app/x/y, which is on a higher floor"},
	} {
		if got := strings.Join(f.check(c.imports), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
