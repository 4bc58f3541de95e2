package fault_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/base/fault"
)

func TestErrorsKeepTheirCodeAndCauseWhenWrapped(t *testing.T) {
	cause := errors.New("no space left")
	err := fmt.Errorf("save: %w", &fault.Error{Code: "disk_full", Message: "The disk is full.", Err: cause})
	if fault.CodeOf(err) != "disk_full" || !errors.Is(err, cause) || !errors.Is(err, &fault.Error{Code: "disk_full"}) {
		t.Errorf("%v has the code %q", err, fault.CodeOf(err))
	}
	if errors.Is(err, &fault.Error{Code: "io"}) || errors.Is(err, &fault.Error{Code: "disk_full", Message: "Another."}) {
		t.Error("another error is said to be the same")
	}
	if got := fault.Trace(err); !strings.Contains(got, "no space left") {
		t.Errorf("the log would have %q", got)
	}
	if fault.Of(cause) != nil || fault.CodeOf(cause) != "" {
		t.Error("an error that is no fault has a code")
	}
}

func TestLogLeavesOutErrorThatIsNil(t *testing.T) {
	before := zerolog.ErrorMarshalFunc
	zerolog.ErrorMarshalFunc = fault.ForLog              //nolint:reassign // zerolog has no other way
	defer func() { zerolog.ErrorMarshalFunc = before }() //nolint:reassign // likewise
	var out strings.Builder
	log := zerolog.New(&out)
	log.Info().Err(nil).Msg("ended")
	log.Info().Err(&fault.Error{Message: "Couldn't save.", Err: errors.New("no space left")}).Msg("failed")
	want := `{"level":"info","message":"ended"}
{"level":"info","error":"Couldn't save. (no space left)","message":"failed"}
`
	if out.String() != want {
		t.Errorf("the log has\n%s", out.String())
	}
}

func TestCodesAreListedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range fault.Codes() {
		if seen[c.Code] || c.Status < 400 || c.Doc == "" {
			t.Errorf("%+v", c)
		}
		seen[c.Code] = true
		if fault.Status(c.Code) != c.Status || fault.Passing(c.Code) == c.Lasting {
			t.Errorf("%s is not in the tables", c.Code)
		}
	}
	if fault.Status("never_heard_of") != 400 {
		t.Error("a code that nobody knows is the caller's fault")
	}
}

// own are folders whose errors have codes of another kind: for agents (docs/gateway.md), of protocols, of providers of models, of the command line
// alone. The nearest folder above a file counts.
var own = map[string]bool{
	"acp": true, "acp/protocollog": false, "cli": true, "gateway": true, "llm": true, "llm/modelproxy": false, "llm/usage": false, "builtin": true,
	"agent/terminal": true, "base/fault": true, "base/scan": true, "settings/decode.go": true, "systemtest": true,
}

func isOwn(file string) bool {
	for at := filepath.ToSlash(file); at != "."; at = path.Dir(at) {
		if is, known := own[at]; known {
			return is
		}
	}
	return false
}

// Every code that is written down in the source is in the list, so that docs/api.md has it.
func TestEveryCodeIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, c := range fault.Codes() {
		listed[c.Code] = true
	}
	found := 0
	backend := filepath.Join("..", "..")
	err := filepath.WalkDir(backend, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(backend, name)
		if d.IsDir() {
			if d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || isOwn(rel) {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, code := range codesIn(file) {
			found++
			if !listed[code] {
				t.Errorf("%s has the code %q, which is not in fault.Codes", rel, code)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 150 {
		t.Errorf("only %d codes were found", found)
	}
}

// makers are the functions of this package whose first argument is a code.
var makers = map[string]bool{"New": true, "Saying": true, "Plain": true, "Told": true}

// codesIn returns the codes of literals of errors and failures, and the constants that are called Code….
func codesIn(file *ast.File) (list []string) {
	text := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && !strings.HasSuffix(s, "_") {
				list = append(list, s)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 0 && makers[fn.Sel.Name] {
				if p, ok := fn.X.(*ast.Ident); ok && p.Name == "fault" {
					text(n.Args[0])
				}
			}
		case *ast.CompositeLit:
			if name := typeName(n.Type); name != "Error" && name != "Failure" {
				return true
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Code" {
						text(kv.Value)
					}
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if strings.HasPrefix(name.Name, "Code") && i < len(n.Values) {
					text(n.Values[i])
				}
			}
		}
		return true
	})
	return list
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}
