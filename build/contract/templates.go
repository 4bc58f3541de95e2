package contract

import (
	"fmt"
	"go/ast"
	"go/build"
	value "go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// templatesPath is the list of the sentences that the backend sends to the window: the keys of their translations.
const templatesPath = "frontend/src/i18n/backend/templates.json"

// callTemplatesPath is the list of those that say what a call has come to, or what it is about. The window looks for no
// others in such a text, which may as well be the tool's own.
const callTemplatesPath = "frontend/src/i18n/backend/calls.json"

// ofCalls are the packages that have them.
var ofCalls = []string{"backend/conversation/transcript/results", "backend/conversation/transcript", "backend/builtin/tool", "backend/space/gatedrafts", "backend/space/requests", "backend/permission/actions", "backend/acp"}

// untold are the folders whose sentences the window doesn't show, so they stay English: commands, benchmarks and tests,
// and what only agents read.
var untold = []string{
	"build", "docs", "backend/base/simtest", "backend/systemtest", "backend/acp/recording",
	"backend/space/agentfiles",
}

// systems are those that Weft runs on. Some files are of one of them.
var systems = []string{"linux", "darwin", "windows"}

// templates returns the constants of type fault.Template in the module, and which of them are in the packages of calls,
// both sorted. It is an error if a message or a template of the module can't be known from the source.
func templates(root string) (list, calls []string, err error) {
	all := map[string]bool{} // true: of calls
	var unknown, unfilled []string
	for _, system := range systems {
		r := &reader{root: root, system: system, files: token.NewFileSet(), packages: map[string]*types.Package{}, found: all}
		if err := r.everything(); err != nil {
			return nil, nil, err
		}
		unknown = append(unknown, r.unknown...)
		unfilled = append(unfilled, r.unfilled...)
	}
	if len(unfilled) > 0 {
		slices.Sort(unfilled)
		return nil, nil, fmt.Errorf("give each place of a template its value: %s", strings.Join(slices.Compact(unfilled), "; "))
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, nil, fmt.Errorf("use fault.New with a template, or fault.Plain: %s", strings.Join(slices.Compact(unknown), "; "))
	}
	for t, ofCall := range all {
		switch {
		case !said(t):
			continue
		case ofCall:
			calls = append(calls, t)
		}
		list = append(list, t)
	}
	slices.Sort(list)
	slices.Sort(calls)
	return list, calls, nil
}

// places are where values go in a template.
var places = regexp.MustCompile(`\{\{\w+\}\}`)

// said reports whether a template has words of its own: one that has only a value needs no translation.
func said(template string) bool {
	return strings.ContainsFunc(places.ReplaceAllString(template, ""), func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' })
}

// reader reads the types of the module's packages for one system. Packages of others are empty: their types aren't
// known, which the types of constants don't depend on.
type reader struct {
	root, system string
	files        *token.FileSet
	packages     map[string]*types.Package
	found        map[string]bool // templates; true: of calls
	unknown      []string        // where a message or a template isn't a constant
	unfilled     []string        // where a place of a template would be shown as it is
}

func (r *reader) everything() error {
	err := filepath.WalkDir(r.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if path != r.root && (name == "testdata" || name == "node_modules" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(r.root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if rel == "frontend" {
			return filepath.SkipDir
		}
		if slices.Contains(untold, rel) {
			return filepath.SkipDir
		}
		_, err = r.Import(module + rel)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the sentences of the module: %w", err)
	}
	return nil
}

// Import reads a package of the module. It implements types.Importer.
func (r *reader) Import(path string) (*types.Package, error) {
	if p, ok := r.packages[path]; ok {
		return p, nil
	}
	if !strings.HasPrefix(path, module) {
		return nil, fmt.Errorf("%s isn't read", path)
	}
	dir := filepath.Join(r.root, filepath.FromSlash(strings.TrimPrefix(path, module)))
	list, err := r.parse(dir)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: r, FakeImportC: true, Error: func(error) {}} // what other packages have is missing, which is as it should be
	p, _ := config.Check(path, r.files, list, info)
	r.packages[path] = p
	if r.translated(path) {
		for e, v := range info.Types {
			if path != faultPath && (untraceable(e, info) || untemplated(e, info)) {
				r.unknown = append(r.unknown, strings.TrimPrefix(r.files.Position(e.Pos()).String(), r.root+"/"))
			}
			if why := unfilled(e, info); why != "" && path != faultPath {
				r.unfilled = append(r.unfilled, strings.TrimPrefix(r.files.Position(e.Pos()).String(), r.root+"/")+" "+why)
			}
			if v.Value != nil && v.Value.Kind() == value.String && isTemplate(v.Type) {
				text := value.StringVal(v.Value)
				r.found[text] = r.found[text] || slices.Contains(ofCalls, strings.TrimPrefix(path, module))
			}
		}
	}
	return p, nil
}

// translated reports whether the sentences of a package are for the window. Others may be read because it imports them.
func (r *reader) translated(path string) bool {
	rel := strings.TrimPrefix(path, module)
	return !slices.ContainsFunc(untold, func(folder string) bool { return rel == folder || strings.HasPrefix(rel, folder+"/") })
}

func (r *reader) parse(dir string) (list []*ast.File, err error) {
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = r.system, "amd64", true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if fits, err := context.MatchFile(dir, name); err != nil || !fits {
			continue
		}
		file, err := parser.ParseFile(r.files, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", name, err)
		}
		list = append(list, file)
	}
	return list, nil
}

// unfilled says what is wrong with a call that is given a template and its values: it has another number of values than
// the template has places, or one of the values is a template itself, whose places nobody fills. "" if nothing is.
func unfilled(e ast.Expr, info *types.Info) string {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return ""
	}
	sig, ok := info.Types[call.Fun].Type.(*types.Signature)
	if !ok || !sig.Variadic() || sig.Params().Len() < 2 {
		return ""
	}
	last := sig.Params().Len() - 1
	list, ok := sig.Params().At(last).Type().(*types.Slice)
	if !ok || !isTemplate(sig.Params().At(last-1).Type()) || !types.IsInterface(list.Elem()) || len(call.Args) < last {
		return ""
	}
	values := call.Args[last:]
	for _, v := range values {
		if isTemplate(info.Types[v].Type) {
			return "has a template for a value: use fault.Say"
		}
	}
	template := info.Types[call.Args[last-1]].Value
	if call.Ellipsis.IsValid() || template == nil || template.Kind() != value.String {
		return ""
	}
	given := len(values)
	if first := sig.Params().At(0).Type(); last == 3 && types.Identical(first, types.Typ[types.Int]) { // fault.Counted: the number is a value of the latter
		given++
	}
	names := slices.Sorted(slices.Values(places.FindAllString(value.StringVal(template), -1)))
	if n := len(slices.Compact(names)); n != given {
		return fmt.Sprintf("has %d values for %d places", given, n)
	}
	return ""
}

// untraceable reports whether an expression makes an error whose message has no template, or a template of a text that
// isn't constant.
func untraceable(e ast.Expr, info *types.Info) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		return len(e.Args) == 1 && info.Types[e.Fun].IsType() && isTemplate(info.Types[e.Fun].Type) && info.Types[e].Value == nil
	case *ast.CompositeLit:
		if !isFault(info.Types[e].Type, "Error") {
			return false
		}
		for _, field := range e.Elts {
			pair, ok := field.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if name, ok := pair.Key.(*ast.Ident); !ok || name.Name == "Message" {
				return true
			}
		}
	}
	return false
}

// untemplated reports whether an expression takes a text for a sentence: a constant in the place of one, or a
// conversion. Only the functions of package fault make sentences.
func untemplated(e ast.Expr, info *types.Info) bool {
	if call, ok := e.(*ast.CallExpr); ok && info.Types[call.Fun].IsType() && isFault(info.Types[call.Fun].Type, "Said") {
		return true
	}
	v := info.Types[e]
	return v.Value != nil && v.Value.Kind() == value.String && value.StringVal(v.Value) != "" && isFault(v.Type, "Said")
}

const faultPath = module + "backend/base/fault"

func isTemplate(t types.Type) bool { return isFault(t, "Template") }

// isFault reports whether a type is one of package fault.
func isFault(t types.Type, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == faultPath
}

// templateLists are the files with all templates, and with those of calls.
func templateLists(root string) (all, calls string, err error) {
	list, ofCall, err := templates(root)
	if err != nil {
		return "", "", err
	}
	if all, err = listOf(list); err == nil {
		calls, err = listOf(ofCall)
	}
	return all, calls, err
}

func listOf(templates []string) (string, error) {
	raw, err := json.Marshal(templates, jsontext.WithIndent("  "))
	if err != nil {
		return "", fmt.Errorf("write the templates: %w", err)
	}
	return string(raw) + "\n", nil
}
