package guide

import (
	"fmt"
	"strings"

	"weft/backend/builtin/project"
)

// compose writes a document from facts alone; what is not known is left out.
func compose(doc string, f *project.Facts, styles []indentation) string {
	switch doc {
	case "CONTRIBUTING.md":
		return contributing(f)
	case "README.md":
		return readme(f)
	case ".editorconfig":
		return editorconfig(f, styles)
	case ".gitignore":
		return gitignore(f)
	}
	return changelog(f)
}

// page collects Markdown sections.
type page struct{ strings.Builder }

func (p *page) section(title string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(p, "\n## %s\n\n%s\n", title, strings.Join(lines, "\n"))
}

func commandLines(commands []project.Command) []string {
	var out []string
	for _, c := range commands {
		out = append(out, "- "+commandLine(c))
	}
	return out
}

func projectTitle(f *project.Facts) string {
	if f.Title != "" {
		return f.Title
	}
	return f.Name
}

func contributing(f *project.Facts) string {
	var p page
	fmt.Fprintf(&p, "# Contributing to %s\n\nThank you for helping. This page says how to build, test and propose a change.\n", projectTitle(f))
	p.section("Setting up", setup(f)...)
	p.section("Commands", commandLines(withoutSetup(f.Commands))...)
	p.section("Layout", layout(f)...)
	p.section("Checks", checks(f)...)
	p.section("Proposing a change", proposing(f)...)
	if name, ok := f.Has("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING"); ok {
		what := "the licence"
		if f.License != "" {
			what = "the " + f.License + " licence"
		}
		p.section("Licence", fmt.Sprintf("This project is under %s; see [%s](%s).", what, name, name))
	}
	return p.String()
}

func isSetup(c project.Command) bool { return strings.HasPrefix(c.What, "install") }

func setup(f *project.Facts) []string {
	var out []string
	for _, c := range f.Commands {
		if isSetup(c) {
			out = append(out, "- "+commandLine(c))
		}
	}
	return out
}

func withoutSetup(commands []project.Command) []project.Command {
	var out []project.Command
	for _, c := range commands {
		if !isSetup(c) {
			out = append(out, c)
		}
	}
	return out
}

func layout(f *project.Facts) []string {
	var out []string
	for _, d := range f.Folders[:min(8, len(f.Folders))] {
		out = append(out, fmt.Sprintf("- `%s/` (%s)", d.Name, count(d.Files, "file", "files")))
	}
	return out
}

func checks(f *project.Facts) []string {
	var out []string
	if f.Tests > 0 {
		line := fmt.Sprintf("- The repository has %s.", count(f.Tests, "test file", "test files"))
		if c, ok := f.Find("test", "check"); ok {
			line += fmt.Sprintf(" The tests run with `%s`.", c.Run)
		}
		out = append(out, line)
	}
	if c, ok := f.Find("lint"); ok {
		out = append(out, fmt.Sprintf("- Linting: `%s`.", c.Run))
	}
	if c, ok := f.Find("fmt", "format"); ok {
		out = append(out, fmt.Sprintf("- Formatting: `%s`.", c.Run))
	} else if f.Uses("Go") {
		out = append(out, "- Go code is formatted with `gofmt`.")
	}
	for _, file := range []string{".editorconfig", ".golangci.yml", ".golangci.yaml", "biome.json", ".eslintrc.json", "eslint.config.js", ".prettierrc", "ruff.toml", "rustfmt.toml", ".pre-commit-config.yaml"} {
		if name, ok := f.Has(file); ok {
			out = append(out, fmt.Sprintf("- Style settings: `%s`.", name))
		}
	}
	for _, file := range f.CI {
		out = append(out, fmt.Sprintf("- Automatic checks: `%s`.", file))
	}
	return out
}

func proposing(f *project.Facts) []string {
	steps := []string{"Make a branch and keep the change to one thing."}
	if f.Tests > 0 {
		steps = append(steps, "Add or adapt tests for what you changed.")
	}
	if c, ok := f.Find("test", "check"); ok {
		steps = append(steps, fmt.Sprintf("Run `%s` and make sure it passes.", c.Run))
	}
	if name, ok := f.Has("CHANGELOG.md", "CHANGELOG"); ok {
		steps = append(steps, fmt.Sprintf("Add a line to `%s`.", name))
	}
	steps = append(steps, "Open a pull request that says what changes and why.")
	for i := range steps {
		steps[i] = fmt.Sprintf("%d. %s", i+1, steps[i])
	}
	return steps
}

func readme(f *project.Facts) string {
	var p page
	fmt.Fprintf(&p, "# %s\n", projectTitle(f))
	if f.About != "" {
		fmt.Fprintf(&p, "\n%s\n", f.About)
	}
	p.section("Setting up", setup(f)...)
	p.section("Commands", commandLines(withoutSetup(f.Commands))...)
	p.section("Layout", layout(f)...)
	if name, ok := f.Has("CONTRIBUTING.md", "CONTRIBUTING"); ok {
		p.section("Contributing", fmt.Sprintf("See [%s](%s).", name, name))
	}
	if name, ok := f.Has("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING"); ok {
		p.section("Licence", strings.TrimSpace(f.License+fmt.Sprintf(" ([%s](%s))", name, name)))
	}
	return p.String()
}

func changelog(f *project.Facts) string {
	text := "# Changelog\n\nNotable changes of " + projectTitle(f) + ", newest first.\n\n## Unreleased\n"
	if f.Version != "" {
		text += "\n## " + f.Version + "\n"
	}
	return text
}

func editorconfig(f *project.Facts, styles []indentation) string {
	var b strings.Builder
	b.WriteString("root = true\n\n[*]\ncharset = utf-8\nend_of_line = lf\ninsert_final_newline = true\ntrim_trailing_whitespace = true\n")
	for _, s := range styles {
		if s.tabs {
			fmt.Fprintf(&b, "\n[%s]\nindent_style = tab\n", s.glob)
		} else {
			fmt.Fprintf(&b, "\n[%s]\nindent_style = space\nindent_size = %d\n", s.glob, s.width)
		}
	}
	if _, ok := f.Has("Makefile", "GNUmakefile"); ok {
		b.WriteString("\n[Makefile]\nindent_style = tab\n")
	}
	b.WriteString("\n[*.md]\ntrim_trailing_whitespace = false\n")
	return b.String()
}

func gitignore(f *project.Facts) string {
	var b strings.Builder
	add := func(title string, lines ...string) {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "# %s\n%s\n", title, strings.Join(lines, "\n"))
	}
	if f.Uses("Go") {
		add("Go", "/bin/", "*.test", "*.out")
	}
	if _, ok := f.Has("package.json"); ok {
		add("Node", "node_modules/", "dist/", "coverage/", "*.log")
	}
	if f.Uses("Python") {
		add("Python", "__pycache__/", "*.pyc", ".venv/", ".pytest_cache/")
	}
	if f.Uses("Rust") {
		add("Rust", "target/")
	}
	if f.Uses("Java", "Kotlin") {
		add("Java", "target/", "build/", "*.class")
	}
	if f.Uses("C", "C++") {
		add("C", "*.o", "*.so", "build/")
	}
	add("Local", ".env", ".DS_Store", "*.swp")
	return b.String()
}

// complete adds to an existing text what the composed one has and it lacks: sections by heading for Markdown,
// lines for an ignore list. It says what it adds.
func complete(doc, old, composed string) (string, string) {
	switch doc {
	case ".editorconfig":
		return old, ""
	case ".gitignore":
		return completeLines(old, composed)
	}
	_, rest, _ := strings.Cut(composed, "\n## ")
	have := strings.ToLower(old)
	sections := []string{strings.TrimRight(old, "\n") + "\n"}
	var added []string
	for _, section := range strings.Split(rest, "\n## ") {
		title, _, _ := strings.Cut(section, "\n")
		if title == "" || strings.Contains(have, "# "+strings.ToLower(title)) || strings.Contains(have, "# ["+strings.ToLower(title)) {
			continue
		}
		sections = append(sections, "## "+strings.TrimRight(section, "\n")+"\n")
		added = append(added, "“"+title+"”")
	}
	if len(added) == 0 {
		return old, ""
	}
	return strings.Join(sections, "\n"), plural(len(added), "the section ", "the sections ") + strings.Join(added, ", ")
}

func completeLines(old, composed string) (string, string) {
	have := map[string]bool{}
	for line := range strings.Lines(old) {
		have[strings.Trim(strings.TrimSpace(line), "/")] = true
	}
	var missing []string
	for line := range strings.Lines(composed) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !have[strings.Trim(line, "/")] {
			missing = append(missing, line)
		}
	}
	if len(missing) == 0 {
		return old, ""
	}
	out := strings.TrimRight(old, "\n") + "\n\n" + strings.Join(missing, "\n") + "\n"
	return strings.TrimPrefix(out, "\n\n"), listed(missing)
}
