package guide

import (
	"strings"

	"weft/backend/builtin/outline"
	"weft/backend/quantity"
)

// files finds files by name, and looks into the texts if no name fits.
func (a *answer) files() error {
	pattern := a.in.Subject
	a.para("I’ll look for files named %s.", tick(pattern))
	glob := pattern
	if !strings.ContainsAny(glob, "*?[") && outline.Language(glob) == "" {
		glob = "*" + glob + "*"
	}
	if strings.Contains(glob, "/") {
		glob = "**/" + strings.TrimPrefix(glob, "/")
	}
	found, err := a.Glob(a.ctx, glob)
	if err != nil {
		return a.failed(err, "list the files")
	}
	if len(found.Entries) == 0 {
		if strings.ContainsAny(pattern, "*?[") {
			a.para("No file matches %s.", tick(pattern))
			return nil
		}
		a.para("No file has that name. Perhaps a text mentions it:")
		a.in = Intent{Action: Find, Subject: pattern}
		return a.find()
	}
	a.para("**%s:**", count(len(found.Entries), "file", "files"))
	a.Say("\n")
	for i, e := range found.Entries {
		if i == 40 {
			a.line("- … and %d more", len(found.Entries)-i)
			break
		}
		if e.Dir {
			a.line("- %s", tick(e.Path+"/"))
		} else {
			a.line("- %s (%s)", tick(e.Path), quantity.Bytes(e.Size))
		}
	}
	if found.Stopped {
		a.para("I stopped after %s files, so there may be more.", number(found.Seen))
	}
	return nil
}
