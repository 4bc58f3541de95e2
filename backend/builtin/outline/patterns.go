package outline

import (
	"regexp"
	"strings"
)

// rule recognises one kind of line. Group 1 of an import rule is the imported name; group "name" of a
// declaration rule is what is declared, and group "kind", if there is one, overrides kind.
type rule struct {
	kind string // "" for an import
	re   *regexp.Regexp
}

func imports(pattern string) rule        { return rule{re: regexp.MustCompile(pattern)} }
func declares(kind, pattern string) rule { return rule{kind: kind, re: regexp.MustCompile(pattern)} }

// family groups languages that share their patterns.
func family(language string) string {
	switch language {
	case "TypeScript", "TypeScript (JSX)", "JavaScript", "JavaScript (JSX)", "Vue", "Svelte":
		return "js"
	case "C", "C++", "Objective-C":
		return "c"
	case "Java", "Kotlin", "C#", "Scala":
		return "java"
	case "Makefile":
		return "make"
	}
	return strings.ToLower(language)
}

var patterns = map[string][]rule{
	"js": {
		imports(`^\s*import\s+(?:type\s+)?(?:[^'"]*\sfrom\s+)?['"]([^'"]+)['"]`),
		imports(`^\}\s*from\s+['"]([^'"]+)['"]`),
		imports(`^\s*(?:const|let|var)\s.*=\s*(?:await\s+)?(?:require|import)\(\s*['"]([^'"]+)['"]`),
		declares("function", `^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*(?P<name>[\w$]+)`),
		declares("class", `^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+(?P<name>[\w$]+)`),
		declares("", `^(?:export\s+)?(?:declare\s+)?(?:const\s+)?(?P<kind>interface|type|enum|namespace)\s+(?P<name>[\w$]+)`),
		declares("function", `^(?:export\s+)?const\s+(?P<name>[\w$]+)(?:\s*:[^=]+)?\s*=\s*(?:async\s*)?(?:\([^)]*\)|[\w$]+)\s*(?::[^=]+)?=>`),
		declares("", `^(?:export\s+)?(?P<kind>const|let|var)\s+(?P<name>[\w$]+)`),
	},
	"python": {
		imports(`^import\s+([\w.]+)`), imports(`^from\s+([\w.]+)\s+import\b`),
		declares("function", `^(?:async\s+)?def\s+(?P<name>\w+)`), declares("class", `^class\s+(?P<name>\w+)`),
		declares("constant", `^(?P<name>[A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=[^=]`),
	},
	"rust": {
		imports(`^(?:pub\s+)?use\s+([\w:]+)`),
		declares("", `^(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:unsafe\s+)?(?:const\s+)?(?P<kind>fn|struct|enum|trait|mod|type|union)\s+(?P<name>\w+)`),
		declares("", `^(?:pub(?:\([^)]*\))?\s+)?(?P<kind>const|static)\s+(?:mut\s+)?(?P<name>\w+)\s*:`),
		declares("impl", `^impl(?:<[^>]*>)?\s+(?P<name>[^{]+?)\s*(?:\{|$)`),
		declares("macro", `^macro_rules!\s*(?P<name>\w+)`),
	},
	"java": {
		imports(`^(?:import|using)\s+(?:static\s+)?([\w.*]+)`),
		declares("", `^\s{0,4}(?:(?:public|protected|private|internal|abstract|final|sealed|static|data|open|partial)\s+)*(?P<kind>class|interface|enum|record|object|trait|struct)\s+(?P<name>\w+)`),
		declares("method", `^(?:\t| {2,4})(?:(?:public|protected|private|internal|static|final|abstract|synchronized|override|async|virtual)\s+)+[\w<>\[\],.? ]+\s(?P<name>\w+)\s*\([^;]*$`),
		declares("function", `^(?:(?:public|private|internal|suspend|inline)\s+)*fun\s+(?:<[^>]*>\s*)?(?P<name>[\w.]+)`),
	},
	"c": {
		imports(`^\s*#\s*(?:include|import)\s*[<"]([^>"]+)[>"]`),
		declares("macro", `^\s*#\s*define\s+(?P<name>\w+)`),
		declares("", `^(?:typedef\s+)?(?P<kind>struct|union|enum|class|namespace)\s+(?P<name>\w+)\s*(?:[:{]|$)`),
		declares("type", `^typedef\s+.*?(?P<name>\w+)\s*;`),
		declares("function", `^[A-Za-z_][\w\s*&:<>,]*?[\s*&](?P<name>[\w:~]+)\s*\([^;]*$`),
	},
	"ruby": {
		imports(`^require(?:_relative)?\s+['"]([^'"]+)['"]`),
		declares("", `^(?P<kind>class|module|def)\s+(?P<name>[\w:.?!]+)`),
	},
	"php": {
		imports(`^use\s+([\w\\]+)`),
		declares("", `^(?:abstract\s+|final\s+)?(?P<kind>class|interface|trait|enum|function)\s+(?P<name>\w+)`),
	},
	"swift": {
		imports(`^import\s+(\w+)`),
		declares("", `^(?:(?:public|private|internal|open|final|fileprivate)\s+)*(?P<kind>class|struct|enum|protocol|extension|func|actor)\s+(?P<name>\w+)`),
	},
	"shell": {
		imports(`^(?:source|\.)\s+(\S+)`),
		declares("function", `^(?:function\s+)?(?P<name>[\w-]+)\s*\(\)`),
	},
	"make": {
		imports(`^-?include\s+(\S+)`),
		declares("target", `^(?P<name>[A-Za-z0-9][\w./-]*)\s*:(?:[^=]|$)`),
	},
	"dockerfile": {imports(`^FROM\s+(?:--\S+\s+)?(\S+)`)},
	"yaml":       {declares("key", `^(?P<name>[\w.-]+)\s*:`)},
	"toml":       {declares("table", `^\[+(?P<name>[^\]]+)\]`)},
	"css":        {imports(`^@import\s+(?:url\()?['"]?([^'")]+)`), declares("rule", `^(?P<name>[.#:@a-z][^{]*?)\s*\{`)},
	"sql":        {declares("", `(?i)^create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?P<kind>table|view|index|function|trigger)\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w."]+)`)},
	"protocol buffers": {
		imports(`^import\s+(?:public\s+)?"([^"]+)"`),
		declares("", `^(?P<kind>message|service|enum)\s+(?P<name>\w+)`),
	},
	"go module file": {declares("module", `^module\s+(?P<name>\S+)`), imports(`^\s+(\S+) v[\w.+-]+$`), imports(`^require\s+(\S+) v`)},
}

// notDeclared are words that look like a function name to the C pattern.
var notDeclared = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "return": true, "else": true, "sizeof": true}

func describeLines(o *Outline, lines []string, rules []rule) {
	for i, line := range lines {
		for _, r := range rules {
			m := r.re.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if at := r.re.SubexpIndex("name"); at > 0 {
				kind := r.kind
				if k := r.re.SubexpIndex("kind"); k > 0 {
					kind = m[k]
				}
				if !notDeclared[m[at]] {
					o.declare(kind, strings.TrimSpace(m[at]), i+1, "")
				}
			} else {
				o.imports(m[1])
			}
			break
		}
	}
}
