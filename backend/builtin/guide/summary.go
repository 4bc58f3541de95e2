package guide

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"weft/backend/builtin/folder"
	"weft/backend/builtin/outline"
	"weft/backend/builtin/project"
)

// survey lists the folder and reads its manifests. The facts are nil if there is nothing to look at.
func (a *answer) survey(p *plan) (*project.Facts, folder.Listing, error) {
	listing, err := a.List(a.ctx, ".")
	if err != nil {
		return nil, listing, a.failed(err, "list this folder")
	}
	if a.emptyFolder(listing.Files, listing.Ignored) {
		return nil, listing, nil
	}
	p.next()
	facts := project.Learn(a.req.Folder, listing)
	manifests := facts.Manifests()
	if len(manifests) > 0 {
		a.para("%s. Next I read what describes it: %s.", a.extent(listing), listed(manifests))
	} else {
		a.para("%s. There is no README or manifest, so I go by the files themselves.", a.extent(listing))
	}
	for _, file := range manifests {
		text, err := a.Read(a.ctx, file, 1, 0)
		if a.ctx.Err() != nil {
			return nil, listing, a.ctx.Err()
		}
		if err == nil {
			facts.Read(file, text.Content)
		}
	}
	p.next()
	return facts, listing, nil
}

func (a *answer) extent(l folder.Listing) string {
	text := fmt.Sprintf("%s in %s", count(l.Files, "file", "files"), count(l.Dirs, "folder", "folders"))
	if l.Stopped {
		return "At least " + text + " (I stopped counting there)"
	}
	return "There " + plural(l.Files, "is ", "are ") + text
}

func (a *answer) summary() error {
	a.para("I’ll look at the folder, read what describes it, and sum up.")
	p := newPlan(a, "Look at the folder", "Read what describes it", "Look at where the code starts", "Sum up")
	facts, listing, err := a.survey(p)
	if err != nil || facts == nil {
		return err
	}
	entries := entryPoints(listing)
	if len(entries) > 0 {
		a.para("Now where the code starts.")
	}
	starts := map[string]outline.Outline{}
	for _, file := range entries {
		text, err := a.Read(a.ctx, file, 1, 0)
		if a.ctx.Err() != nil {
			return a.ctx.Err()
		}
		if err == nil {
			starts[file] = outline.Describe(file, text.Content)
		}
	}
	p.next()
	a.sumUp(facts, entries, starts)
	p.next()
	return nil
}

func (a *answer) sumUp(f *project.Facts, entries []string, starts map[string]outline.Outline) {
	title := f.Name
	if f.Title != "" {
		title = f.Title
	}
	a.para("## %s", plain(title))
	if f.About != "" {
		a.para("> %s", quote(f.About))
		a.line(">\n> — %s", tick(f.AboutFrom))
	}
	var facts []string
	add := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	var parts []string
	for _, p := range f.Parts {
		parts = append(parts, p.What)
	}
	if len(parts) > 0 {
		add("**What it is:** %s", strings.Join(parts, "; "))
	}
	if len(f.Languages) > 0 {
		var langs []string
		for _, l := range f.Languages[:min(5, len(f.Languages))] {
			langs = append(langs, fmt.Sprintf("%s (%s)", l.Name, count(l.Files, "file", "files")))
		}
		add("**Written in:** %s", strings.Join(langs, ", "))
	}
	if len(f.Folders) > 0 {
		var dirs []string
		for _, d := range f.Folders[:min(6, len(f.Folders))] {
			dirs = append(dirs, fmt.Sprintf("%s (%s)", tick(d.Name+"/"), number(d.Files)))
		}
		add("**Largest folders, by files:** %s", strings.Join(dirs, ", "))
	}
	if f.Tests > 0 {
		add("**Tests:** %s", count(f.Tests, "file that looks like a test", "files that look like tests"))
	} else if len(f.Languages) > 0 {
		add("**Tests:** none that I recognise")
	}
	if len(f.CI) > 0 {
		add("**Automatic checks:** %s", shorten(f.CI, 4))
	}
	if f.License != "" {
		add("**Licence:** %s", f.License)
	}
	if f.Version != "" {
		add("**Version:** %s", plain(f.Version))
	}
	a.Say("\n")
	for _, line := range facts {
		a.line("- %s", line)
	}
	if len(f.Commands) > 0 {
		a.para("**Commands it defines**")
		a.Say("\n")
		a.commandList(f.Commands, 10)
	}
	if len(entries) > 0 {
		a.para("**Where the code starts**")
		a.Say("\n")
		for _, file := range entries {
			about := ""
			if o := starts[file]; o.About != "" {
				about = " — " + quote(o.About)
			} else if n := len(o.Declarations); n > 0 {
				about = fmt.Sprintf(" — %s", count(o.Lines, "line", "lines"))
			}
			a.line("- %s%s", tick(file), about)
		}
	}
	next := "`list TODOs` or `show the tree`"
	if len(entries) > 0 {
		next = fmt.Sprintf("`explain %s` or `list TODOs`", entries[0])
	}
	a.para("To go on, try %s.", next)
}

func (a *answer) commandList(commands []project.Command, limit int) {
	for i, c := range commands {
		if i == limit {
			a.line("- … and %d more", len(commands)-limit)
			return
		}
		a.line("- %s", commandLine(c))
	}
}

func commandLine(c project.Command) string {
	if c.What == "" || strings.HasSuffix(c.Run, c.What) {
		return tick(c.Run)
	}
	if c.Shell {
		return tick(c.Run) + " — " + tick(clip(c.What, 80))
	}
	return tick(c.Run) + " — " + plain(clip(c.What, 100))
}

// entryPoints picks up to three files in which a program usually starts.
func entryPoints(l folder.Listing) []string {
	var out []string
	for _, e := range l.Entries {
		if e.Dir || e.Link || e.Depth() > 3 {
			continue
		}
		base := strings.ToLower(path.Base(e.Path))
		stem := strings.TrimSuffix(base, path.Ext(base))
		if !outline.IsCode(outline.Language(base)) || outline.Language(base) == "HTML" || outline.Language(base) == "CSS" {
			continue
		}
		if stem == "index" && e.Depth() > 1 {
			continue
		}
		if slices.Contains([]string{"main", "index", "app", "server", "cli", "__main__", "program"}, stem) || (stem == "lib" && strings.HasSuffix(base, ".rs")) {
			out = append(out, e.Path)
		}
	}
	slices.SortStableFunc(out, func(x, y string) int { return strings.Count(x, "/") - strings.Count(y, "/") })
	return out[:min(3, len(out))]
}
