// House prints how the product is built, a row for each measure. A high number is not a fault by itself, and no test
// limits one. The folder build is left out.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

const (
	module       = "weft/"
	longLine     = 120 // columns; a tab is one
	smallPackage = 300 // lines without tests
	commits      = 100
)

// pkg is a package without its tests.
type pkg struct {
	lines     int
	importers map[string]bool // folders
}

// house is what was counted, without tests unless it says so.
type house struct {
	root, rooms                  int // files with tests; folders
	funcFields, interfaceMethods int // of backend
	errorTypes                   int
	longLines, longTestLines     int
	lines, comments              int // without empty lines and generated files
	packages                     map[string]*pkg
}

// read counts the tree of a module. tree has its root.
func read(tree fs.FS) (*house, error) {
	h := &house{packages: map[string]*pkg{}}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (name == "build" || base == "node_modules" || base == "testdata" || base[0] == '.'):
			return fs.SkipDir
		case d.IsDir() && path.Dir(name) == "backend":
			h.rooms++
		case !d.IsDir() && strings.HasSuffix(name, ".go"):
			src, err := fs.ReadFile(tree, name)
			if err != nil {
				return err
			}
			return h.add(name, src)
		}
		return nil
	})
	return h, err
}

func (h *house) pkg(folder string) *pkg {
	if h.packages[folder] == nil {
		h.packages[folder] = &pkg{importers: map[string]bool{}}
	}
	return h.packages[folder]
}

// add counts a file.
func (h *house) add(name string, src []byte) error {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	folder, test := path.Dir(name), strings.HasSuffix(name, "_test.go")
	if folder == "." {
		h.root++
	}
	if !ast.IsGenerated(f) {
		h.addLines(f, files, src, test)
	}
	if test {
		return nil
	}
	h.pkg(folder).lines += bytes.Count(src, []byte("\n"))
	for _, spec := range f.Imports {
		if imported, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module); ok {
			h.pkg(imported).importers[folder] = true
		}
	}
	h.addDeclarations(f, strings.HasPrefix(name, "backend/"))
	return nil
}

// addLines counts the lines of a file that are long, and those that are comments.
func (h *house) addLines(f *ast.File, files *token.FileSet, src []byte, test bool) {
	lines := bytes.Split(src, []byte("\n"))
	long, filled := 0, 0
	for _, line := range lines {
		if utf8.RuneCount(line) > longLine {
			long++
		}
		if len(bytes.TrimSpace(line)) > 0 {
			filled++
		}
	}
	if test {
		h.longTestLines += long
		return
	}
	h.longLines += long
	h.lines += filled
	for _, group := range f.Comments {
		for _, c := range group.List {
			first, last := files.Position(c.Pos()), files.Position(c.End())
			if len(bytes.TrimSpace(lines[first.Line-1][:first.Column-1])) == 0 {
				h.comments += last.Line - first.Line + 1
			}
		}
	}
}

func (h *house) addDeclarations(f *ast.File, backend bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			if backend {
				h.funcFields += countFuncs(n.Fields)
			}
		case *ast.InterfaceType:
			if backend {
				h.interfaceMethods += countFuncs(n.Methods)
			}
		case *ast.FuncDecl:
			results := n.Type.Results
			if n.Recv != nil && n.Name.Name == "Error" && n.Type.Params.NumFields() == 0 && results.NumFields() == 1 {
				if id, ok := results.List[0].Type.(*ast.Ident); ok && id.Name == "string" {
					h.errorTypes++
				}
			}
		}
		return true
	})
}

// countFuncs counts the names in a list whose type is written as func(…).
func countFuncs(list *ast.FieldList) (n int) {
	for _, field := range list.List {
		if _, ok := field.Type.(*ast.FuncType); ok {
			n += len(field.Names)
		}
	}
	return n
}

// foldersPerCommit returns the mean number of folders with changed files. log has a zero byte before the file names of
// each commit.
func foldersPerCommit(log string) float64 {
	list := strings.Split(log, "\x00")[1:]
	folders := 0
	for _, commit := range list {
		changed := map[string]bool{}
		for name := range strings.Lines(commit) {
			if name = strings.TrimSpace(name); name != "" {
				changed[path.Dir(name)] = true
			}
		}
		folders += len(changed)
	}
	return float64(folders) / float64(max(1, len(list)))
}

// print writes the rows.
func (h *house) print(out io.Writer, folders float64) error {
	names := slices.Sorted(maps.Keys(h.packages))
	lines := func(name string) string { return fmt.Sprintf("%s (%d)", name, h.packages[name].lines) }
	var small []string
	for _, name := range names {
		if p := h.packages[name]; p.lines < smallPackage && len(p.importers) == 1 {
			small = append(small, lines(name))
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name string, values ...any) { fmt.Fprintf(w, "%s\t%s", name, fmt.Sprintln(values...)) }
	row("Go files in the root", h.root)
	row("folders directly in backend", h.rooms)
	row("packages", len(names))
	row("function-typed struct fields in backend", h.funcFields)
	row("interface methods in backend", h.interfaceMethods)
	row("error types", h.errorTypes)
	row("lines over 120 columns", h.longLines)
	row("lines over 120 columns in tests", h.longTestLines)
	row("comment share of lines", fmt.Sprintf("%.1f %%", 100*float64(h.comments)/float64(max(1, h.lines))))
	row("folders per commit, last 100", fmt.Sprintf("%.1f", folders))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(h.packages[b].lines, h.packages[a].lines) })
	for i, name := range names[:min(5, len(names))] {
		row(fmt.Sprintf("largest package, %d", i+1), lines(name))
	}
	row("packages under 300 lines with one importer", len(small))
	for _, one := range small {
		row("", one)
	}
	return w.Flush()
}

func run() error {
	h, err := read(os.DirFS("."))
	if err != nil {
		return err
	}
	log, err := exec.Command("git", "log", fmt.Sprint("-", commits), "--no-merges", "--name-only", "--format=%x00").Output()
	if err != nil {
		return fmt.Errorf("git log: %w", err)
	}
	return h.print(os.Stdout, foldersPerCommit(string(log)))
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}
