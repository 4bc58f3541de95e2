package outline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// describeGo parses the file; a file with syntax errors is described as far as it could be parsed.
func describeGo(o *Outline, text string) {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil {
		return
	}
	if file.Name != nil {
		o.Package = file.Name.Name
	}
	o.About = firstSentence(file.Doc.Text())
	for _, spec := range file.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			o.imports(name)
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			name, kind := d.Name.Name, "func"
			if d.Recv != nil && len(d.Recv.List) > 0 {
				name, kind = receiver(d.Recv.List[0].Type)+"."+name, "method"
			}
			if d.Name.Name == "_" {
				continue // what the parser calls a function it could not read
			}
			o.declare(kind, name, fset.Position(d.Pos()).Line, firstSentence(d.Doc.Text()))
		case *ast.GenDecl:
			declareGo(o, fset, d)
		}
	}
}

func declareGo(o *Outline, fset *token.FileSet, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			doc := s.Doc.Text()
			if doc == "" {
				doc = d.Doc.Text()
			}
			o.declare("type", s.Name.Name, fset.Position(s.Pos()).Line, firstSentence(doc))
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.Name != "_" {
					o.declare(d.Tok.String(), name.Name, fset.Position(name.Pos()).Line, firstSentence(s.Doc.Text()))
				}
			}
		}
	}
}

func receiver(expr ast.Expr) string {
	switch t := expr.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}
