package sessionfiles

import (
	"path/filepath"
	"strings"

	"weft/backend/base/clip"
	"weft/backend/base/patch"
	"weft/backend/conversation/transcript"
)

// kinds are the kinds of the tools of agents, by their names in small letters without "_" and "-".
var kinds = map[string]string{
	"read": "read", "readfile": "read", "readmanyfiles": "read", "notebookread": "read", "viewimage": "read", "listdirectory": "read", "list": "read", "ls": "read",
	"write": "edit", "writefile": "edit", "edit": "edit", "multiedit": "edit", "notebookedit": "edit", "applypatch": "edit", "patch": "edit", "replace": "edit",
	"bash": "execute", "bashoutput": "execute", "killshell": "execute", "shell": "execute", "execcommand": "execute", "localshell": "execute", "writestdin": "execute", "runshellcommand": "execute",
	"grep": "search", "glob": "search", "grepsearch": "search", "searchfilecontent": "search", "websearch": "search", "googlewebsearch": "search", "toolsearch": "search",
	"webfetch": "fetch", "fetch": "fetch",
	"taskcreate": "think", "taskupdate": "think", "tasklist": "think", "todowrite": "think", "todoread": "think", "updateplan": "think", "writetodos": "think", "task": "think", "agent": "think", "spawnagent": "think", "invokeagent": "think", "savememory": "think", "exitplanmode": "switch_mode", "enterplanmode": "switch_mode",
}

// KindOf returns the kind of a tool, "other" for one that isn't known.
func KindOf(tool string) string {
	if kind := kinds[strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(tool))]; kind != "" {
		return kind
	}
	return "other"
}

// Asked is what a call's arguments say about it.
type Asked struct {
	Command, Path, Pattern, URL, Description string
}

// TitleOf returns a line that says what a call does. Paths in the folder are shortened.
func TitleOf(tool, kind string, a Asked, folder string) string {
	path := Short(a.Path, folder)
	switch {
	case kind == "execute" && a.Command != "":
		return line(a.Command)
	case kind == "read" && path != "" && strings.HasPrefix(strings.ToLower(tool), "list"):
		return line("List " + path)
	case kind == "read" && path != "":
		return line("Read " + path)
	case kind == "edit" && path != "":
		if strings.HasPrefix(strings.ToLower(tool), "write") {
			return line("Write " + path)
		}
		return line("Edit " + path)
	case kind == "search" && a.Pattern != "":
		return line("Search for " + a.Pattern)
	case kind == "fetch" && a.URL != "":
		return line("Fetch " + a.URL)
	case a.Description != "":
		return line(a.Description)
	}
	for _, about := range []string{a.Pattern, path, a.URL} {
		if about != "" {
			return line(tool + " " + about)
		}
	}
	return line(tool)
}

func line(s string) string { return clip.Line(s, 200) }

// Short returns a path relative to the folder that it is in.
func Short(path, folder string) string {
	if folder == "" || !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(folder, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

// Diffs returns the diffs of a patch, one for each place that it changes. folder is what relative paths are in.
func Diffs(text, folder string) []transcript.Content {
	var list []transcript.Content
	for _, f := range patch.Parse(text) {
		path := f.Path
		if f.Prefixed && folder != "" && strings.HasPrefix("/"+path, folder+"/") {
			path = "/" + path
		}
		list = append(list, FileDiffs(Absolute(path, folder), f)...)
	}
	return list
}

// Absolute returns a path in the folder, or the path as it is.
func Absolute(path, folder string) string {
	if path == "" || folder == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// FileDiffs returns the diffs of one file of a patch.
func FileDiffs(path string, f patch.File) []transcript.Content {
	var list []transcript.Content
	for i := range f.Hunks {
		h := &f.Hunks[i]
		var before, after strings.Builder
		for _, l := range h.Lines {
			if l.Kind != '+' {
				before.WriteString(l.Text + "\n")
			}
			if l.Kind != '-' {
				after.WriteString(l.Text + "\n")
			}
		}
		list = append(list, transcript.Content{
			Type: "diff", Path: path, OldText: before.String(), NewText: after.String(), NewFile: f.Op == patch.Add, Line: h.At,
		})
	}
	if len(list) == 0 {
		list = append(list, transcript.Content{Type: "diff", Path: path})
	}
	return list
}

// Said returns a text as content of a call.
func Said(s string) transcript.Content { return transcript.Content{Type: "text", Text: s} }
