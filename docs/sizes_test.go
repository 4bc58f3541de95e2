package docs

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The largest that a package and a type of backend may be, without tests.
const (
	maxLines   = 4000 // of a package
	maxFiles   = 30   // of a package
	maxMethods = 25   // of a type
	maxFields  = 15   // of a struct that does something
)

// records are structs with more fields and with methods that nevertheless only hold what is stored or sent.
var records = map[string]string{
	"agent.Config":              "the launch configuration of an agent, as the frontend gets it",
	"store/spaces.Space":        "a row of the table space",
	"transcript.ToolCall":       "a tool call as it is stored and sent",
	"transcript.ToolCallUpdate": "an event as it is stored and sent",
	"worktree.State":            "what git says of a worktree, as the frontend gets it",
}

// recordMethods are the methods with which a struct is still only a record: they name, encode or print it.
var recordMethods = []string{
	"EventType", "String", "MarshalJSON", "MarshalJSONTo", "UnmarshalJSON", "UnmarshalJSONFrom", "MarshalText", "UnmarshalText", "MarshalZerologObject", "Value", "Scan",
}

// sizes are how large the packages of a folder and their types are.
type sizes struct {
	packages map[string]*packageSize
	types    map[string]*typeSize // by package and name
}

type packageSize struct{ files, lines int }

// typeSize is how large a type is. Where files are for different systems, the same method counts once.
type typeSize struct {
	fields  int // of a struct; an embedded one counts once
	methods map[string]bool
}

func newSizes() *sizes {
	return &sizes{packages: map[string]*packageSize{}, types: map[string]*typeSize{}}
}

// add measures a file of a package.
func (s *sizes) add(pkg string, src []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), pkg, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p := s.packages[pkg]
	if p == nil {
		p = &packageSize{}
		s.packages[pkg] = p
	}
	p.files++
	p.lines += bytes.Count(src, []byte("\n"))
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil {
				s.of(pkg, receiver(decl.Recv.List[0].Type)).methods[decl.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					s.declare(pkg, spec)
				}
			}
		}
	}
	return nil
}

// declare counts the fields of a struct.
func (s *sizes) declare(pkg string, spec *ast.TypeSpec) {
	st, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	n := 0
	for _, f := range st.Fields.List {
		n += max(1, len(f.Names))
	}
	t := s.of(pkg, spec.Name.Name)
	t.fields = max(t.fields, n)
}

// of returns the size of a type.
func (s *sizes) of(pkg, name string) *typeSize {
	key := pkg + "." + name
	t := s.types[key]
	if t == nil {
		t = &typeSize{methods: map[string]bool{}}
		s.types[key] = t
	}
	return t
}

// receiver returns the name of the type of a method.
func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// acts reports whether a type has a method beyond those of a record.
func (t *typeSize) acts() bool {
	for name := range t.methods {
		if !slices.Contains(recordMethods, name) {
			return true
		}
	}
	return false
}

// check returns what is too large, and which exceptions are not needed.
func (s *sizes) check(exceptions map[string]string) (faults []string) {
	for pkg, p := range s.packages {
		if p.lines > maxLines {
			faults = append(faults, fmt.Sprintf("package %s has %d lines, more than %d", pkg, p.lines, maxLines))
		}
		if p.files > maxFiles {
			faults = append(faults, fmt.Sprintf("package %s has %d files, more than %d", pkg, p.files, maxFiles))
		}
	}
	needed := map[string]bool{}
	for name, t := range s.types {
		if n := len(t.methods); n > maxMethods {
			faults = append(faults, fmt.Sprintf("type %s has %d methods, more than %d", name, n, maxMethods))
		}
		if t.fields <= maxFields || !t.acts() {
			continue
		}
		if needed[name] = true; exceptions[name] == "" {
			faults = append(faults, fmt.Sprintf("type %s has %d fields and does something, more than %d", name, t.fields, maxFields))
		}
	}
	for name := range maps.Keys(exceptions) {
		if !needed[name] {
			faults = append(faults, "type "+name+" needs no exception")
		}
	}
	slices.Sort(faults)
	return faults
}

// measureBackend measures the packages of backend without their tests.
func measureBackend() (*sizes, error) {
	s := newSizes()
	err := eachGoFile("../backend", false, func(path string, src []byte) error {
		return s.add(filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), filepath.FromSlash("../backend/"))), src)
	})
	return s, err
}

// TestTypesAndPackagesAreBounded keeps the rule that no package has more than 4,000 lines or 30 files, no type more than 25 methods, and no struct that
// does something more than 15 fields. Code that outgrows them has more than one subject: cut it along the lines of its own state.
func TestTypesAndPackagesAreBounded(t *testing.T) {
	t.Parallel()
	s, err := measureBackend()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.packages) < 50 || len(s.types) < 500 {
		t.Fatalf("%d packages with %d types were found", len(s.packages), len(s.types))
	}
	for _, fault := range s.check(records) {
		t.Error(fault)
	}
}

func TestSizesFindWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	fields := func(n int) string {
		return "struct {\n" + strings.Repeat("\ta, b int\n", n/2) + strings.Repeat("\tEmbedded\n", n%2) + "}\n"
	}
	methods := func(n int) (src string) {
		for i := range n {
			src += fmt.Sprintf("func (t *T[A]) m%d() {}\n", i)
		}
		return src
	}
	for name, c := range map[string]struct {
		files      []string
		exceptions map[string]string
		want       string
	}{
		"small":                    {files: []string{"type T[A any] " + fields(15) + methods(25)}},
		"many methods":             {files: []string{"type T[A any] int\n" + methods(20), strings.ReplaceAll(methods(6), "m", "n")}, want: "type p.T has 26 methods, more than 25"},
		"same methods":             {files: []string{"type T[A any] int\n" + methods(20), methods(20)}},
		"many fields":              {files: []string{"type T[A any] " + fields(17) + methods(1)}, want: "type p.T has 17 fields and does something, more than 15"},
		"many fields, no method":   {files: []string{"type T[A any] " + fields(17)}},
		"many fields, printed":     {files: []string{"type T[A any] " + fields(17) + "func (t T[A]) String() string { return \"\" }\n"}},
		"many fields, exception":   {files: []string{"type T[A any] " + fields(17) + methods(1)}, exceptions: map[string]string{"p.T": "stored"}},
		"exception without reason": {files: []string{"type T[A any] " + fields(17) + methods(1)}, exceptions: map[string]string{"p.T": ""}, want: "type p.T has 17 fields and does something, more than 15"},
		"needless exception":       {files: []string{"type T[A any] " + fields(15)}, exceptions: map[string]string{"p.T": "stored"}, want: "type p.T needs no exception"},
		"many lines":               {files: []string{strings.Repeat("\n", 2000), strings.Repeat("\n", 2000)}, want: "package p has 4002 lines, more than 4000"},
		"many files":               {files: make([]string, 31), want: "package p has 31 files, more than 30"},
	} {
		s := newSizes()
		for _, src := range c.files {
			if err := s.add("p", []byte("package p\n"+src)); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(s.check(c.exceptions), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
