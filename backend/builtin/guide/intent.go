package guide

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"weft/backend/builtin/outline"
)

// Action is what a prompt asks for.
type Action string

// The things the guide can do.
const (
	Help    Action = "help"
	Find    Action = "find"
	Where   Action = "where" // find, with an interest in the definition
	Files   Action = "files" // find files by name
	Explain Action = "explain"
	Summary Action = "summary"
	Todos   Action = "todos"
	Tree    Action = "tree"
	Read    Action = "read"
	Make    Action = "make"
	Tidy    Action = "tidy"
	Replace Action = "replace"
	Thanks  Action = "thanks"
	Unknown Action = "unknown"
)

// Intent is what the guide understood.
type Intent struct {
	Action   Action
	Subject  string // the thing to find, the file, the kind of document, the folder for a tree
	With     string // Replace: the new text
	In       string // Replace: the file
	From, To int    // Read: lines, 0 if not given
	Anew     bool   // Make: replace a file that exists
}

type phrase struct {
	action Action
	re     *regexp.Regexp
}

const please = `^(?:(?:please|now|ok(?:ay)?|hi|hey|hello|can you|could you|would you|will you|i want you to|i(?:'d| would) like (?:you )?to|let'?s|help me(?: to)?|try to|go)[,.!]?\s+)*`

func says(action Action, pattern string) phrase {
	return phrase{action, regexp.MustCompile(`(?is)` + please + `(?:` + pattern + `)\s*[.!?]*$`)}
}

// phrases are tried in order; the first that matches decides. Named groups fill the Intent.
var phrases = []phrase{
	says(Help, `(?:help|what can you do|who are you|what are you|how do (?:you|i use you) .*|commands|(?:hello|hi|hey)(?:[\s,]+(?:there|agent|weft|guide|you|world|everyone))?)(?:\s+me)?`),
	says(Thanks, `(?:many\s+)?(?:thanks?|thx|cheers|great|nice|good|perfect|cool)(?:\s+(?:you|a lot|so much|very much|job|work))*`),
	says(Todos, `(?:list|show|find|search(?: for)?|get|give me|are there|what are|which|where are)?\s*(?:me\s+)?(?:any|all|open)?\s*(?:of\s+)?(?:the\s+|my\s+)?(?:open\s+)?(?:to-?dos?|fixmes?)(?:\s+(?:and|or)\s+(?:to-?dos?|fixmes?))?(?:\s+(?:comments?|notes?|items?|are there))?(?:\s+(?:in|of|here|across|left).*)?`),
	says(Replace, `(?:replace|change|rename)\s+(?P<subject>`+quoted+`|\S+)\s+(?:with|to|by|into)\s+(?P<with>`+quoted+`|\S+)\s+in\s+(?:the\s+)?(?:file\s+)?(?P<in>\S+?)`),
	says(Tidy, `(?:fix|remove|clean(?:\s+up)?|trim|strip|tidy(?:\s+up)?|add)\s+(?:the\s+|a\s+|any\s+|all\s+)?(?:missing\s+)?(?:trailing\s+(?:white\s?space|spaces)|white\s?space|final\s+newline|(?:new\s?line|line end) at (?:the )?end|line\s+end(?:ing)?s?)(?:\s*(?:and|/|,|\+)\s*(?:the\s+)?(?:trailing\s+(?:white\s?space|spaces)|final\s+newline|missing newline))?\s+(?:in|of|from|to|at the end of)\s+(?:the\s+)?(?:file\s+)?(?P<subject>\S+?)`),
	says(Tidy, `(?:tidy|clean)(?:\s+up)?\s+(?:the\s+)?(?:file\s+)?(?P<subject>\S+?)`),
	says(Make, `(?:make|write|create|generate|add|draft|propose|prepare|start|set up|(?P<anew>rewrite|overwrite|replace|redo|regenerate))\s+(?:me\s+|us\s+)?(?:an?\s+|the\s+|some\s+)?(?:new\s+|good\s+|short\s+|simple\s+|small\s+|basic\s+)*(?P<subject>`+documents+`)(?:[\s-]+(?:file|guide|document|doc|page))?(?:\s+(?:for|to|in|of|based|from).*)?`),
	says(Summary, `(?:give me\s+)?(?:an?\s+)?(?:summar(?:y|ise|ize)|overview|describe|explain|introduce|understand|analy[sz]e|tell me about|walk me through)(?:\s+(?:of|me))?\s*(?:the|this|my|our)?\s*(?:whole\s+|entire\s+)?(?:project|repo(?:sitory)?|code\s?base|folder|directory|code|workspace|app|thing|everything|it all)?`),
	says(Summary, `(?:what(?:'s|\s+is|\s+does)|whats|how is)\s+(?:the|this|in)\s*(?:this\s+)?(?:project|repo(?:sitory)?|code\s?base|folder|directory|code|workspace|app)(?:\s+(?:about|for|do|doing|structured|organi[sz]ed))?`),
	says(Tree, `(?:list|show|print|what)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:files|tree|folders?|director(?:y|ies)|structure|file tree|folder structure|directory structure|contents)(?:\s+and\s+folders)?(?:\s+are)?(?:\s+(?:there|here|exist))?(?:\s+(?:in|of|under|below|inside)\s+(?:the\s+|this\s+)?(?:folder\s+|directory\s+)?(?P<subject>\S+?)(?:\s+(?:folder|directory))?)?`),
	says(Tree, `(?:tree|ls|dir)(?:\s+(?P<subject>\S+))?`),
	says(Files, `(?:find|search(?:\s+for)?|list|show|where (?:is|are)|locate)\s+(?:me\s+)?(?:all\s+)?(?:the\s+|every\s+)?files?\s+(?:named|called|matching|like|with (?:the )?name)\s+(?P<subject>.+?)`),
	says(Files, `(?:find|list|show|locate|search for)\s+(?:me\s+)?(?:all\s+)?(?:the\s+|every\s+)?(?P<subject>\.?\w+|\*\.\w+)\s+files`),
	says(Read, `(?:read|open|cat|(?P<loose>show|print|display|view))\s+(?:me\s+)?(?:the\s+)?(?:(?:content|contents|text)\s+of\s+)?(?:the\s+)?(?:file\s+)?(?P<subject>`+quoted+`|\S+?)(?:\s+file)?(?:[\s,:]+(?:from\s+)?lines?\s+(?P<from>\d+)(?:\s*(?:-|–|to|\.\.|until)\s*(?P<to>\d+))?)?`),
	says(Read, `(?:read|show)\s+(?:me\s+)?lines?\s+(?P<from>\d+)(?:\s*(?:-|–|to|\.\.|until)\s*(?P<to>\d+))?\s+(?:of|from|in)\s+(?P<subject>\S+?)`),
	says(Explain, `(?:explain|describe|summari[sz]e|what does|what is in|what's in|walk me through|tell me about)\s+(?:me\s+)?(?:what\s+)?(?:the\s+)?(?:file\s+|folder\s+|module\s+)?(?P<subject>`+quoted+`|\S+?)(?:\s+file)?(?:\s+(?:do|does|mean|contain|is|is about|work|works))?`),
	says(Where, `(?:where|in which file)\s+(?:is|are|do we|does|do|was)\s+(?:the\s+)?(?P<subject>.+?)(?:\s+(?:defined|declared|implemented|located|used|found|come from|live|set|handled))?`),
	says(Where, `(?:find|show|go to|locate|search(?:\s+for)?)\s+(?:me\s+)?(?:the\s+)?(?:definition|declaration|implementation)s?\s+(?:of|for)\s+(?P<subject>.+?)`),
	says(Find, `(?:find|search(?:\s+(?:for|through))?|look\s+(?:for|up)|grep(?:\s+for)?|locate|who uses|what uses|which files (?:use|contain|mention))\s+(?:me\s+)?(?:all\s+|any\s+|every\s+)?(?:the\s+)?(?:(?:uses?|usages?|mentions?|occurrences?|references?|places?)\s+(?:of|to|with)\s+)?(?:the\s+(?:word|text|string|phrase)\s+)?(?P<subject>.+?)(?:\s+in\s+(?:the|this|my)\s+(?:project|repo(?:sitory)?|code\s?base|folder|files|code))?`),
}

var politeTail = regexp.MustCompile(`(?i)(?:[\s,]+(?:please|to me|for me|thanks|thank you|again|now))+[\s.!?]*$`)

const quoted = "\"[^\"]+\"|'[^']+'|`[^`]+`|“[^”]+”"

const documents = `contributing(?:\.md)?|contribution|readme(?:\.md)?|\.?editorconfig|\.?gitignore|git\s?ignore|change\s?log(?:\.md)?`

var slashCommands = map[string]Action{
	"summary": Summary, "summarize": Summary, "summarise": Summary, "find": Find, "search": Find, "todos": Todos, "todo": Todos,
	"explain": Explain, "tree": Tree, "ls": Tree, "help": Help, "read": Read,
}

// Parse works out what a prompt asks for. It is tolerant about case, politeness and punctuation; what it does
// not understand is Unknown with the whole text as the subject.
func Parse(text string) Intent {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "/"); ok {
		name, args, _ := strings.Cut(rest, " ")
		if action, ok := slashCommands[strings.ToLower(name)]; ok {
			return settle(Intent{Action: action, Subject: clean(args)})
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	first = politeTail.ReplaceAllString(first, "")
	if name := clean(first); looksLikeFile(name) {
		return Intent{Action: Explain, Subject: name}
	}
	for _, p := range phrases {
		m := p.re.FindStringSubmatch(strings.TrimSpace(first))
		if m == nil {
			continue
		}
		get := func(name string) string {
			if i := p.re.SubexpIndex(name); i > 0 {
				return m[i]
			}
			return ""
		}
		intent := Intent{Action: p.action, Subject: clean(get("subject")), With: unquote(get("with")), In: clean(get("in")), Anew: get("anew") != ""}
		// "show …" is an everyday word: only a path or a line range makes it a request to read.
		if get("loose") != "" && get("from") == "" && !looksLikeFile(intent.Subject) {
			continue
		}
		if p.action == Replace {
			intent.Subject = unquote(get("subject"))
		}
		intent.From, _ = strconv.Atoi(get("from"))
		intent.To, _ = strconv.Atoi(get("to"))
		return settle(intent)
	}
	return Intent{Action: Unknown, Subject: text}
}

// settle turns combinations that cannot be meant into the nearest one that can.
func settle(in Intent) Intent {
	switch in.Action {
	case Find, Where:
		if in.Subject == "" {
			return Intent{Action: Help}
		}
		// "find main.go" is about a file, "find foo" about text.
		if looksLikeFile(in.Subject) {
			in.Action = Files
		}
	case Read:
		if in.From > 0 && in.To == 0 {
			in.To = in.From
		}
	case Explain:
		switch strings.ToLower(in.Subject) {
		case "", "this", "it", "that":
			in.Subject = ""
		}
	case Make:
		in.Subject = documentName(in.Subject)
	case Files:
		in.Subject = filePattern(in.Subject)
	case Tree:
		switch strings.ToLower(in.Subject) {
		case "here", "this", "it", "project", "repo", "repository", "folder", "the":
			in.Subject = ""
		}
	default: // as it was parsed
	}
	return in
}

func looksLikeFile(s string) bool {
	if s == "" || strings.ContainsAny(s, " \t(){}<>\"'=,;") {
		return false
	}
	if strings.Contains(s, "/") || strings.ContainsAny(s, "*?") {
		return path.Ext(s) != "" || strings.HasSuffix(s, "/") || strings.ContainsAny(s, "*?") || outline.Language(s) != ""
	}
	return outline.Language(s) != "" || strings.HasPrefix(s, ".") && len(s) > 1
}

// filePattern makes a glob of "go", ".go", "*.go" or "main".
func filePattern(s string) string {
	switch {
	case strings.ContainsAny(s, "*?["):
		return s
	case outline.Language("x."+strings.TrimPrefix(s, ".")) != "":
		return "*." + strings.TrimPrefix(s, ".")
	}
	for ext, names := range map[string]string{"go": "go golang", "py": "python", "ts": "typescript", "js": "javascript", "rs": "rust", "md": "markdown doc docs", "java": "java", "yaml": "yaml", "json": "json"} {
		for _, name := range strings.Fields(names) {
			if strings.EqualFold(s, name) {
				return "*." + ext
			}
		}
	}
	return s
}

func documentName(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), ""))
	switch {
	case strings.HasPrefix(s, "contribut"):
		return "CONTRIBUTING.md"
	case strings.HasPrefix(s, "readme"):
		return "README.md"
	case strings.Contains(s, "editorconfig"):
		return ".editorconfig"
	case strings.Contains(s, "gitignore"):
		return ".gitignore"
	}
	return "CHANGELOG.md"
}

// clean drops quotes, a mention's @ and the punctuation a sentence leaves on its last word.
func clean(s string) string {
	s = strings.TrimSpace(s)
	if u := unquote(s); u != s {
		return u
	}
	s = strings.TrimRight(s, "?!,;:")
	if strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "..") && len(s) > 1 {
		s = strings.TrimSuffix(s, ".")
	}
	return unquote(strings.TrimPrefix(s, "@"))
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{`""`, `''`, "``", "“”", "‘’", "«»"} {
		r := []rune(q)
		if strings.HasPrefix(s, string(r[0])) && strings.HasSuffix(s, string(r[1])) && len(s) > len(string(r[0]))+len(string(r[1]))-1 && s != string(r[0]) {
			return strings.TrimSuffix(strings.TrimPrefix(s, string(r[0])), string(r[1]))
		}
	}
	return s
}

// stopWords carry no meaning for a search.
var stopWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`a about all also am an and any are as at be been but by can cannot could did do does doing done down for from get give go
		had has have he help her here him his how i if in into is it its just know let like make me more most my need new no not now of off on one only or other our
		out over please project put really say see she should show so some tell than thank thanks that the their them then there these they thing things think this
		those to too up us use used using very want was way we well were what when where which while who why will with work works would write you your code file files
		folder repo repository add change update explain describe find look read open write create list`) {
		stopWords[w] = true
	}
}

var word = regexp.MustCompile(`[\pL\pN_][\pL\pN_.\-/$]*`)

// Words returns the significant words of a sentence, in order, at most max.
func Words(text string, max int) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range word.FindAllString(text, -1) {
		w = strings.TrimRight(w, ".-/")
		key := strings.ToLower(w)
		if len(key) < 3 || stopWords[key] || seen[key] {
			continue
		}
		seen[key] = true
		if out = append(out, w); len(out) == max {
			break
		}
	}
	return out
}
