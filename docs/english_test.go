package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
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

// sentenceRules hold for what the program says in Go code: errors, notes and its command line. proseRules hold there too.
var sentenceRules = []pattern{
	avoid(`cannot`, "can't"),
	avoid(`(?:could|did|does|is|are|was|were|has|have|had) not`, "a contraction: couldn't, isn't"),
	avoid(`(?:has|have) to be`, "must be"),
	avoid(`(?:in|out)side of`, "inside, outside"),
	avoid(`nobody`, "no one, or say what happened: No answer from …"),
	avoid(`any more|anymore`, "no longer"),
	avoid(`called off`, "canceled"),
	avoid(`(?:can|may|must) stand`, "is allowed, can be"),
	avoid(`whose`, "of which, with"),
	avoid(`makers?`, "authors"),
	avoid(`your rights`, "your permissions"),
	avoid(`vouch(?:es)?`, "verify"),
	avoid(`(?:is|are|was) handed`, "receives, connects to"),
	avoid(`broke off`, "was interrupted"),
	avoid(`(?:\w*[^e\W]|message|file|source|line|value|archive|answer|schema) (?:is|are|was) no (?:[a-km-z]\w*|JSON|URL)`, "isn't a"), // not "there is no", "is no longer"
	{regexp.MustCompile(`\w’\w`), "a straight apostrophe"},
}

// nameRules hold for the names of tests, which say subject, condition and outcome.
var nameRules = []pattern{
	{regexp.MustCompile(`^Test(?:What|Who|Whose|Which|That)[A-Z]`), "a subject: TestPromptDuringSignInIsQueued"},
	{regexp.MustCompile(`Person|Somebody|Anybody|Shall(?:[A-Z]|$)`), "the field's word"},
	{regexp.MustCompile(`^Test(?:Again|Odd|Nothing)$`), "a subject, a condition and an outcome"},
}

var (
	// sentenceStart is how a sentence begins, or the rest of one after a name: "Couldn't open ", " isn't a folder."
	sentenceStart = regexp.MustCompile(`^(?:“|[A-Z][a-z']* |%[sqv] |,? [a-z])`)
	words         = regexp.MustCompile(`\S+`)
	errorText     = []string{"errors.New", "fmt.Errorf"} // which begins with a small letter
)

// spoken is a piece of English in a file.
type spoken struct {
	line int
	text string
}

func TestEnglishIsPlain(t *testing.T) {
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
		if rel == "docs/english_test.go" {
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
	var prose, names, said []spoken
	switch filepath.Ext(rel) {
	case ".go":
		prose, names, said, found = goEnglish(rel, source)
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
	check(said, proseRules)
	check(said, sentenceRules)
	return found
}

// goEnglish returns the comments of a Go file, the names of its tests, the sentences that it says, and the doc comments that
// say "answers" of a function that returns something.
func goEnglish(rel, source string) (prose, names, said []spoken, found []string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, rel, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, nil, nil // the compiler says so
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
	if !strings.HasSuffix(rel, "_test.go") {
		said = sentences(set, file)
	}
	return prose, names, said, found
}

// sentences returns the string literals of a file that are sentences of at least three words, or parts of one. Log messages
// begin with a small letter, and are not among them.
func sentences(set *token.FileSet, file *ast.File) (said []spoken) {
	ast.Inspect(file, func(n ast.Node) bool {
		isError := false
		if call, ok := n.(*ast.CallExpr); ok {
			isError = slices.Contains(errorText, types.ExprString(call.Fun))
			if !isError {
				return true
			}
			n = call.Args[0]
		}
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		if err == nil && (isError || sentenceStart.MatchString(text)) && len(words.FindAllString(text, 3)) == 3 {
			said = append(said, spoken{set.Position(lit.Pos()).Line, text})
		}
		return true
	})
	return said
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
	for text, want := range map[string]int{
		`"The file cannot be read."`: 1, `" could not be opened: "`: 1, `"%s does not exist"`: 1, `"The name has to be unique."`: 1,
		`"It is outside of the folder."`: 1, `"Nobody answers at the address."`: 1, `"This agent isn't there any more."`: 1,
		`"The user called off the request."`: 1, `"A pattern can stand in a path."`: 1, `"Two agents whose ids are equal."`: 1,
		`"Tell the makers of the agent."`: 1, `"It runs with your rights."`: 1, `"Nothing vouches for the download."`: 1,
		`"The agent is handed the key."`: 1, `"The answer broke off early."`: 1, `"This is no JSON."`: 1, `"The message is no JSON."`: 1,
		`"The agent’s name is required."`: 1, `"Somebody else uses it."`: 1, "errors.New(`the key is not valid`)": 1,
		"`\nIt is not the beginning.`": 0, `"a log message that is not checked"`: 0, `"There is no space"`: 0, `"It is no longer there."`: 0,
		`"cannot"`: 0, `"Is not"`: 0, "`SELECT a FROM b WHERE c IS NOT NULL`": 0,
	} {
		if got := wrongIn("x.go", head+"var x = "+text+"\n"); len(got) != want {
			t.Errorf("%d findings, want %d, in %s: %q", len(got), want, text, got)
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
