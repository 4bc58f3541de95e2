package contract

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// source reads what reflection can't see from the Go files of the module: comments, and the constants of a type.
type source struct {
	root     string // of the module
	packages map[string]*packageSource
}

type packageSource struct {
	types   map[string]string     // comments, by the type's name
	fields  map[string]string     // comments, by "Type.Field"
	funcs   map[string]string     // comments, by "Type.Method"
	strings map[string]string     // values of string constants, by name
	values  map[string][]constant // constants, by the type's name
}

type constant struct{ value, doc string }

const module = "weft/"

func newSource() (*source, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return &source{root: dir, packages: map[string]*packageSource{}}, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, fmt.Errorf("find the module: no go.mod above the working directory")
		}
		dir = parent
	}
}

// of returns what is known of a package of this module; of any other it is empty.
func (s *source) of(path string) (*packageSource, error) {
	if p := s.packages[path]; p != nil {
		return p, nil
	}
	p := &packageSource{types: map[string]string{}, fields: map[string]string{}, funcs: map[string]string{}, strings: map[string]string{}, values: map[string][]constant{}}
	s.packages[path] = p
	if !strings.HasPrefix(path, module) {
		return p, nil
	}
	files, err := filepath.Glob(filepath.Join(s.root, filepath.FromSlash(strings.TrimPrefix(path, module)), "*.go"))
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", path, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", name, err)
		}
		for _, d := range file.Decls {
			p.declaration(d)
		}
	}
	return p, nil
}

func (p *packageSource) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil && len(d.Recv.List) == 1 {
			p.funcs[receiver(d.Recv.List[0].Type)+"."+d.Name.Name] = plain(d.Doc.Text())
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				doc := spec.Doc
				if doc == nil && len(d.Specs) == 1 {
					doc = d.Doc
				}
				p.types[spec.Name.Name] = plain(doc.Text())
				if s, ok := spec.Type.(*ast.StructType); ok {
					p.structFields(spec.Name.Name, s)
				}
			case *ast.ValueSpec:
				if d.Tok == token.CONST {
					p.constants(spec)
				}
			}
		}
	}
}

func (p *packageSource) structFields(name string, s *ast.StructType) {
	for _, f := range s.Fields.List {
		doc := f.Doc.Text()
		if doc == "" {
			doc = f.Comment.Text()
		}
		for _, n := range f.Names {
			p.fields[name+"."+n.Name] = plain(doc)
			if inner := anonymous(f.Type); inner != nil {
				p.structFields(name+"."+n.Name, inner)
			}
		}
	}
}

func anonymous(t ast.Expr) *ast.StructType {
	switch t := t.(type) {
	case *ast.StructType:
		return t
	case *ast.ArrayType:
		return anonymous(t.Elt)
	case *ast.StarExpr:
		return anonymous(t.X)
	}
	return nil
}

func (p *packageSource) constants(spec *ast.ValueSpec) {
	doc := spec.Doc.Text()
	if doc == "" {
		doc = spec.Comment.Text()
	}
	for i, n := range spec.Names {
		if i >= len(spec.Values) {
			return
		}
		of := ""
		if id, ok := spec.Type.(*ast.Ident); ok {
			of = id.Name
		}
		value := spec.Values[i]
		if call, ok := value.(*ast.CallExpr); ok && len(call.Args) == 1 {
			if id, ok := call.Fun.(*ast.Ident); ok {
				of, value = id.Name, call.Args[0]
			}
		}
		lit, ok := value.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			continue
		}
		p.strings[n.Name] = text
		if of != "" {
			p.values[of] = append(p.values[of], constant{text, plain(doc)})
		}
	}
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// function returns the comment of a method by its name as the runtime has it: path.(*Type).Method, or path.Type.Field
// of a function that a struct holds.
func (s *source) function(full string) (string, error) {
	slash := strings.LastIndexByte(full, '/')
	dot := slash + 1 + strings.IndexByte(full[slash+1:], '.')
	p, err := s.of(full[:dot])
	if err != nil {
		return "", err
	}
	name := strings.NewReplacer("(*", "", "(", "", ")", "").Replace(full[dot+1:])
	if doc, ok := p.funcs[name]; ok {
		return doc, nil
	}
	return p.fields[name], nil
}

// values returns the constants of a string type in the order of the source.
func (s *source) constants(t reflect.Type) ([]constant, error) {
	p, err := s.of(t.PkgPath())
	if err != nil {
		return nil, err
	}
	return p.values[t.Name()], nil
}

var links = regexp.MustCompile(`\[(\*?[A-Za-z][A-Za-z0-9_.]*)\]`)

// plain makes one line of a comment, without its links.
func plain(doc string) string {
	return links.ReplaceAllString(strings.Join(strings.Fields(doc), " "), "$1")
}
