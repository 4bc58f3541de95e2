package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/backend/raced"
)

// pattern is wording that readers stumble over, and what to write instead.
type pattern struct {
	re    *regexp.Regexp
	write string
}

func avoid(re, write string) pattern {
	return pattern{regexp.MustCompile(`(?i)\b(?:` + re + `)\b`), write}
}

// proseRules hold for comments and documents, without code and names in backticks. Each is precise enough to have no
// exceptions.
var proseRules = []pattern{
	avoid(`persons?`, "user"),
	avoid(`somebody|anybody`, "someone, anyone"),
	avoid(`shall`, "must, will"),
	avoid(`for ever`, "forever"),
	avoid(`anew`, "again"),
	avoid(`goes on|go on|went on`, "continue"),
	avoid(`stands (?:in|at|on|above|below|before|behind|beside|between|there|under)`, "is in, is at …"),
	avoid(`tells of|told of`, "reports, says"),
	avoid(`(?:is|are|was|were) to be \w+ed`, "must be, will be"),
	avoid(`(?:has|have) not (?:the|a|an|any)`, "doesn't have"),
	avoid(`knows (?:nobody|of nobody)`, "imports nothing, is independent"),
	avoid(`(?:colour|behaviour|honour|favour|neighbour|catalogue|licence|grey)\w*`, "American spelling"),
	avoid(`(?:summar|recogn|organ|normal|serial|initial|minim|maxim)is(?:e[sd]?|ing|ation)`, "American spelling: -ize"),
}

// anyProse finds what any of proseRules finds, so that most lines are looked at once.
var anyProse = func() *regexp.Regexp {
	all := make([]string, len(proseRules))
	for i, rule := range proseRules {
		all[i] = rule.re.String()
	}
	return regexp.MustCompile(strings.Join(all, "|"))
}()

// nameRules hold for the names of tests, which say subject, condition and outcome.
var nameRules = []pattern{
	{regexp.MustCompile(`^Test(?:What|Who|Whose|Which|That)[A-Z]`), "a subject: TestPromptDuringSignInIsQueued"},
	{regexp.MustCompile(`Person|Somebody|Anybody|Shall(?:[A-Z]|$)`), "the field's word"},
	{regexp.MustCompile(`^Test(?:Again|Odd|Nothing)$`), "a subject, a condition and an outcome"},
}

// spoken is a piece of English in a file.
type spoken struct {
	line int
	text string
}

func TestEnglishIsPlain(t *testing.T) {
	if raced.On {
		t.Skip("it reads each file in one goroutine, without the race detector too")
	}
	t.Parallel()
	var found []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if slices.Contains([]string{"node_modules", "dist", "testdata", "test-results", "wailsjs", "bin"}, name) || strings.HasPrefix(name, ".") && name != ".." {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".ts", ".tsx", ".css", ".mjs", ".md"}, filepath.Ext(name)) {
			return nil
		}
		rel := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		if rel == "docs/english_test.go" || rel == "docs/types.md" { // the latter is made of Go comments, which are checked
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found = append(found, wrongIn(rel, string(source))...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) > 0 {
		t.Errorf("%d lines are not plain English:\n%s", len(found), strings.Join(found, "\n"))
	}
}

// wrongIn returns what is wrong in a file, a line for each finding.
func wrongIn(rel, source string) (found []string) {
	var prose, names []spoken
	switch filepath.Ext(rel) {
	case ".go":
		prose, names, found = goEnglish(rel, source)
	case ".ts", ".tsx", ".css", ".mjs":
		prose = scriptComments(source)
	case ".md":
		prose = documentProse(source)
	}
	prose = slices.DeleteFunc(prose, func(s spoken) bool { return !anyProse.MatchString(s.text) })
	check := func(list []spoken, rules []pattern) {
		for _, s := range list {
			for _, rule := range rules {
				if hit := rule.re.FindString(s.text); hit != "" {
					found = append(found, fmt.Sprintf("%s:%d: %q: write %s", rel, s.line, hit, rule.write))
				}
			}
		}
	}
	check(prose, proseRules)
	check(names, nameRules)
	return found
}

// goEnglish returns the comments of a Go file and the names of its tests, and the doc comments that say "answers" of a
// function that returns something.
func goEnglish(rel, source string) (prose, names []spoken, found []string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, rel, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, nil // the compiler says so
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			for i, line := range strings.Split(c.Text, "\n") {
				prose = append(prose, spoken{set.Position(c.Pos()).Line + i, withoutCode(line)})
			}
		}
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		line := set.Position(f.Pos()).Line
		if strings.HasSuffix(rel, "_test.go") && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
			names = append(names, spoken{line, f.Name.Name})
		}
		if f.Type.Results != nil && answersNothing.MatchString(f.Doc.Text()) {
			found = append(found, fmt.Sprintf(`%s:%d: the doc comment of %s says "answers": write returns, reports whether`, rel, line, f.Name.Name))
		}
	}
	return prose, names, found
}

// answersNothing finds a doc comment that uses "answers" for "returns". Prompts, requests, calls and the like are answered.
var answersNothing = regexp.MustCompile(`^\w+ answers (?:whether|if|which|where|how|why|nil|true|false|(?:the|an?) (?:\w+ )?(?:file|path|name|text|list|state|id|place|number|value|event|error|folder|key|bytes?|lines? of)s?)\b`)

var (
	scriptComment = regexp.MustCompile(`^\s*(?://|/?\*)(.*)|\s//\s(.*)`)
	codeSpan      = regexp.MustCompile("`[^`]*`")
	quotedWords   = regexp.MustCompile(`"[^"]*"|“[^”]*”`)
)

// withoutCode blanks code, and words that are quoted, as from an interface.
func withoutCode(line string) string {
	return quotedWords.ReplaceAllString(codeSpan.ReplaceAllString(line, "``"), `""`)
}

// scriptComments returns the comments of a TypeScript or CSS file.
func scriptComments(source string) (out []spoken) {
	for i, line := range strings.Split(source, "\n") {
		if m := scriptComment.FindStringSubmatch(line); m != nil {
			out = append(out, spoken{i + 1, withoutCode(m[1] + m[2])})
		}
	}
	return out
}

// documentProse returns the lines of a Markdown document without its code blocks.
func documentProse(source string) (out []spoken) {
	code := false
	for i, line := range strings.Split(source, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code {
			out = append(out, spoken{i + 1, withoutCode(line)})
		}
	}
	return out
}

func TestEnglishRulesFindAndSpare(t *testing.T) {
	t.Parallel()
	const head = "package x\n\n"
	for source, want := range map[string]int{
		"// f asks the person.\nfunc f() {}\n":                                                  1,
		"// f asks somebody, who shall answer.\nfunc f() {}\n":                                  2,
		"// f answers the path of a file.\nfunc f() string { return `` }\n":                     1,
		"// f answers whether it works.\nfunc f() bool { return true }\n":                       1,
		"// f stands in the way and is to be removed.\nfunc f() {}\n":                           2,
		"// f returns a colour.\nfunc f() int { return 0 }\n":                                   1,
		"func TestWhatIsKnown(*testing.T) {}\n":                                                 1,
		"// f answers a prompt with \"the person\" and `shall`.\nfunc f() {}\n":                 0,
		"// f answers the first request and returns an error.\nfunc f() error { return nil }\n": 0,
		"// A JSON object stands for a value that must be closed.\nfunc f() {}\n":               0,
		"func TestPromptDuringSignInIsQueued(*testing.T) {}\n":                                  0,
		"var person = `the person shall`\n":                                                     0,
	} {
		if got := wrongIn("x_test.go", head+source); len(got) != want {
			t.Errorf("%d findings, want %d, in\n%s%q", len(got), want, source, got)
		}
	}
	for source, want := range map[string]int{
		"Somebody asks.\n\n```\nsomebody\n```\n": 1, "`somebody` asks.": 0, "Behaviour.": 1,
	} {
		if got := wrongIn("x.md", source); len(got) != want {
			t.Errorf("%d findings, want %d, in %q: %q", len(got), want, source, got)
		}
	}
	if got := wrongIn("x.ts", "/** Tells of somebody. */\nconst somebody = 'somebody'; // goes on\nconst url = 'https://example.com/somebody';\n"); len(got) != 3 {
		t.Errorf("%q", got)
	}
}
