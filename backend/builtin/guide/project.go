package guide

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/quantity"
	"weft/backend/builtin/folder"
)

// project has what the guide knows about a folder from its listing, its README and its manifests.
type project struct {
	title    string // the first heading of the README
	about    string // the first paragraph of the README, or the description of a manifest
	commands []command
	files    map[string]string // top-level files by their lower-case name
}

// command is a command that a manifest defines; does is what it runs, if the manifest says it.
type command struct{ run, does, from string }

// manifests are the files that describe a project, in the order in which they are read.
var manifests = []string{"readme.md", "readme", "package.json", "go.mod", "cargo.toml", "pyproject.toml", "makefile"}

// survey lists the folder and reads what describes it. The project is nil if there is nothing to look at.
func (a *answer) survey() (*project, folder.Listing, error) {
	l, err := use[folder.Listing](a.turn, "list", listInput{Path: "."})
	if err != nil {
		return nil, l, a.failed("list this folder", err)
	}
	if a.empty(l) {
		return nil, l, nil
	}
	p := &project{files: map[string]string{}}
	for _, e := range l.Entries {
		if !e.Dir && e.Depth() == 0 {
			p.files[strings.ToLower(e.Path)] = e.Path
		}
	}
	a.para("%s.", extent(l))
	for _, name := range manifests {
		file, ok := p.files[name]
		if !ok {
			continue
		}
		text, err := use[readResult](a.turn, "read", readInput{Path: file})
		if err != nil {
			if err := a.failed("read "+file, err); err != nil {
				return nil, l, err
			}
			continue
		}
		p.learn(file, text.Content)
	}
	return p, l, nil
}

var (
	heading = lazyregexp.New(`(?m)^#\s+(.+?)\s*#*$`)
	target  = lazyregexp.New(`(?m)^([A-Za-z][\w-]*):(?:[^=]|$)`)
)

// learn reads one of the manifests. It ignores text that it doesn't understand.
func (p *project) learn(file, text string) {
	add := func(run, does string) { p.commands = append(p.commands, command{run, does, file}) }
	switch strings.ToLower(file) {
	case "readme.md", "readme":
		if m := heading.FindStringSubmatch(text); m != nil {
			p.title = m[1]
		}
		p.about = firstParagraph(text)
	case "package.json":
		var pkg struct {
			Description string
			Scripts     map[string]string
		}
		_ = json.Unmarshal([]byte(text), &pkg) // fields of an unexpected type don't affect the others
		p.about = cmp.Or(p.about, pkg.Description)
		add("npm install", "")
		for _, name := range slices.Sorted(maps.Keys(pkg.Scripts)) {
			run := "npm run " + name
			if name == "test" || name == "start" {
				run = "npm " + name
			}
			add(run, pkg.Scripts[name])
		}
	case "go.mod":
		add("go build ./...", "")
		add("go test ./...", "")
	case "cargo.toml":
		add("cargo build", "")
		add("cargo test", "")
	case "pyproject.toml":
		add("pip install -e .", "")
	case "makefile":
		for _, m := range target.FindAllStringSubmatch(text, 20) {
			add("make "+m[1], "")
		}
	}
}

// firstParagraph returns the first paragraph of a Markdown text that is prose.
func firstParagraph(text string) string {
	for block := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		block = strings.Join(strings.Fields(block), " ")
		if block != "" && !strings.ContainsAny(block[:1], "#![<`-*|>=") {
			return clip(block, 300)
		}
	}
	return ""
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " …"
}

var languages = map[string]string{
	".go": "Go", ".ts": "TypeScript", ".tsx": "TypeScript", ".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".py": "Python", ".rs": "Rust",
	".java": "Java", ".kt": "Kotlin", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cs": "C#", ".rb": "Ruby", ".php": "PHP", ".swift": "Swift",
	".html": "HTML", ".css": "CSS", ".sh": "Shell", ".md": "Markdown", ".sql": "SQL", ".lua": "Lua", ".dart": "Dart", ".vue": "Vue", ".svelte": "Svelte",
}

func (a *answer) summary() error {
	p, l, err := a.survey()
	if err != nil || p == nil {
		return err
	}
	a.para("## %s", plain(cmp.Or(p.title, "This folder")))
	if p.about != "" {
		a.para("> %s", plain(p.about))
	}
	byLanguage, byFolder := map[string]int{}, map[string]int{}
	for _, e := range l.Entries {
		if e.Dir {
			continue
		}
		if name := languages[strings.ToLower(path.Ext(e.Path))]; name != "" {
			byLanguage[name]++
		}
		if top, _, ok := strings.Cut(e.Path, "/"); ok {
			byFolder[tick(top+"/")]++
		}
	}
	var facts []string
	if len(byLanguage) > 0 {
		facts = append(facts, "**Languages:** "+ranked(byLanguage, 5))
	}
	if len(byFolder) > 0 {
		facts = append(facts, "**Largest folders:** "+ranked(byFolder, 6))
	}
	if len(facts) > 0 {
		a.list(facts)
	}
	if len(p.commands) > 0 {
		a.para("**Commands**")
		a.list(p.commandList())
	}
	a.para("Next, try `show the tree`, `list TODOs` or `make a CONTRIBUTING file`. Type `/help` to see what else I can do.")
	return nil
}

// ranked lists the names with the highest counts, such as "Go (3 files), Shell (1 file)".
func ranked(counts map[string]int, n int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(counts[y]-counts[x], strings.Compare(x, y))
	})
	out := make([]string, 0, n)
	for _, name := range names[:min(n, len(names))] {
		out = append(out, fmt.Sprintf("%s (%s)", name, quantity.Count(counts[name], "file", "files")))
	}
	return strings.Join(out, ", ")
}

// commandList returns the commands and what they do, as items of a Markdown list.
func (p *project) commandList() []string {
	var out []string
	for _, c := range p.commands {
		item := tick(c.run)
		if c.does != "" {
			item += " — " + tick(clip(c.does, 80))
		}
		out = append(out, item)
	}
	return out
}
