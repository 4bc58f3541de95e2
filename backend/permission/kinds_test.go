package permission

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// Agents choose the kind of their tools, so a rule about a kind that runs nothing applies only if every argument is
// known to run nothing.
func TestRulesAboutKindsCoverKnownArgumentsOnly(t *testing.T) {
	dir := project(t)
	var rules []Rule
	for _, kind := range Kinds {
		rules = append(rules, rule(Allow, "kind:"+kind))
	}
	set := NewSet(rules)
	for _, c := range []struct {
		kinds []string
		want  Verdict
		input string
	}{
		{Kinds, Ask, `["ls","touch new"]`},
		{Kinds, Ask, `"touch new"`},
		{Kinds, Ask, `[["sh","-c","touch new"]]`},
		{Kinds, Ask, `[{"x":"touch new"}]`},
		{Kinds, Ask, `[]`},
		{Kinds, Ask, `1`},
		{Kinds, Ask, `true`},
		{[]string{"search", "think", "fetch", "other", "execute"}, Allowed, `null`},
		{[]string{"search", "think", "fetch", "other", "execute"}, Allowed, `{}`},
		{[]string{"read", "edit", "delete", "move"}, Ask, `null`},
		{[]string{"read", "edit", "delete", "move"}, Ask, `{}`},
		{[]string{"edit"}, Ask, `{"content":"x","url":"https://example.org"}`},
		{[]string{"edit"}, Allowed, `"*** Begin Patch\n*** Update File: src/a.go\n+x\n*** End Patch"`},

		{[]string{"read", "search", "think", "fetch"}, Ask, `{"input":"touch new"}`},
		{[]string{"read", "search", "think", "fetch"}, Ask, `{"stdin":"touch new"}`},
		{[]string{"read", "search", "think", "fetch"}, Ask, `{"parsed_cmd":["touch new"]}`},
		{[]string{"read", "search", "think", "fetch"}, Ask, `{"path":["src",["touch new"]]}`},
		{[]string{"read", "search", "think", "fetch"}, Ask, `{"pattern":[["sh","-c","touch new"]]}`},
		{[]string{"read", "search", "think", "fetch"}, Ask, `{"pattern":{"x":"touch new"}}`},
		{[]string{"read", "search", "think", "fetch"}, Ask, `{"edits":[{"old_string":"a"}]}`},
		{[]string{"read", "search"}, Allowed, `{"pattern":"x","path":"src","include":["*.go"],"limit":5,"-n":true}`},
		{[]string{"think"}, Allowed, `{"thought":"x","todos":[{"content":"x","id":"1"}]}`},

		{[]string{"edit", "delete", "move"}, Ask, `{"path":"src/a.go","destination":"src/b.go","payload":"touch new"}`},
		{[]string{"edit", "delete", "move"}, Ask, `{"path":"src/a.go","destination":"src/b.go","to":"docs/x.md"}`},
		{[]string{"edit", "delete", "move"}, Ask, `{"path":"src/a.go","destination":"src/b.go","argv":["touch","new"]}`},
		{[]string{"edit", "delete", "move"}, Ask, `{"path":"src/a.go","destination":"src/b.go","edits":[{"hook":"touch new"}]}`},
		{[]string{"edit", "delete"}, Ask, `{"path":"src/a.go","path":{"value":"docs/x.md"}}`},
		{[]string{"edit"}, Ask, `{"cmd":"touch new","command":"create","path":"src/a.go"}`},
		{[]string{"edit"}, Allowed, `{"command":"create","path":"src/a.go","file_text":"x"}`},
		{[]string{"edit"}, Allowed, `{"file_path":"src/a.go","old_string":"a","new_string":"b","replace_all":false}`},
		{[]string{"edit"}, Allowed, `{"file_path":"src/a.go","edits":[{"old_string":"a","new_string":"b","replace_all":true}]}`},
		{[]string{"edit"}, Allowed, `{"file_path":"src/a.go","instruction":"x","old_string":"a","new_string":"b","expected_replacements":1}`},
		{[]string{"edit"}, Allowed, `{"path":"src/a.go","mode":"overwrite","display_description":"x"}`},
		{[]string{"edit"}, Allowed, `{"notebook_path":"src/a.go","cell_id":"x","new_source":"x","cell_type":"code","edit_mode":"insert"}`},
		{[]string{"edit"}, Allowed, `{"target_file":"src/a.go","instructions":"x","code_edit":"y"}`},
		{[]string{"edit"}, Allowed, `{"changes":{"src/a.go":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b\n","move_path":null}}}`},
		{[]string{"edit"}, Ask, `{"changes":{"src/a.go":{"type":"update","hook":"touch new"}}}`},
		{[]string{"edit"}, Ask, `{"changes":{"src/a.go":"touch new"}}`},
	} {
		for _, kind := range c.kinds {
			sub := Describe(&Call{Kind: kind, Input: jsontext.Value(c.input)}, Place{Folder: dir})
			got := set.Decide(sub, FollowRules).Verdict
			if got != c.want {
				t.Errorf("%s %s: %s, want %s (unclear %q)", kind, c.input, got, c.want, sub.Unclear)
			}
			if got == Ask && sub.Unclear == "" {
				t.Errorf("%s %s: the user isn't told why no rule allows it", kind, c.input)
			}
		}
	}
}

// Files that are named as keys of changes are files of the call, which a rule about files must cover.
func TestFilesOfChanges(t *testing.T) {
	dir := project(t)
	set := NewSet([]Rule{rule(Allow, "kind:edit", "path:src/**"), rule(Reject, "path:**/.env")})
	for input, want := range map[string]Verdict{
		`{"changes":{"src/a.go":{"type":"add","content":"x"}}}`:                                                   Allowed,
		`{"fileChanges":{"src/a.go":{"type":"add","content":"x"},"src/b.go":{"type":"delete"}}}`:                  Allowed,
		`{"changes":{"src/a.go":{"type":"add","content":"x"},"docs/x.md":{"type":"delete"}}}`:                     Ask,
		`{"changes":{"src/a.go":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b","move_path":"docs/x.md"}}}`: Ask,
		`{"path":"src/a.go","changes":{"/etc/passwd":{"type":"delete"}}}`:                                         Ask,
		`{"changes":{"src/a.go":{"type":"delete"},".env":{"type":"delete"}}}`:                                     Rejected,
	} {
		sub := Describe(&Call{Kind: "edit", Input: jsontext.Value(input)}, Place{Folder: dir})
		if got := set.Decide(sub, FollowRules).Verdict; got != want {
			t.Errorf("%s: %s, want %s (unclear %q)", input, got, want, sub.Unclear)
		}
	}
}

// A search is known to read only the files that it names. If it names a folder, a pattern or nothing, no rule allows
// it while a reject rule applies to a file that may be in it.
func TestSearchesMayReachRejectedFiles(t *testing.T) {
	dir := project(t)
	allow := []Rule{rule(Allow, "kind:search"), rule(Allow, "kind:read")}
	for _, c := range []struct {
		reject, input string
		want          Verdict
	}{
		{"**/.env", ``, Ask},
		{"**/.env", `{}`, Ask},
		{"**/.env", `{"pattern":"x"}`, Ask},
		{"**/.env", `{"pattern":"x","path":"."}`, Ask},
		{"**/.env", `{"pattern":"x","path":"src"}`, Ask},
		{"**/.env", `{"path":"src/deep/*"}`, Ask},
		{"**/.env", `{"paths":["src/a.go","**/*"]}`, Ask},
		{"**/.env", `{"pattern":"x","path":"src/a.go"}`, Allowed},
		{"**/.env", `{"path":".env"}`, Rejected},
		{"docs/**", `{"pattern":"x","path":"src"}`, Allowed},
		{"docs/**", `{"pattern":"x","path":"."}`, Ask},
		{"docs/**", `{"pattern":"x","path":"docs"}`, Rejected},
		{"docs/x.md", `{"pattern":"x","path":"docs"}`, Ask},
		{"docs/x.md", `{"pattern":"x","path":"alias"}`, Allowed},
		{"src/deep/**", `{"pattern":"x","path":"alias"}`, Ask},
	} {
		set := NewSet(append([]Rule{rule(Reject, "path:"+c.reject)}, allow...))
		for _, kind := range []string{"search", "read"} {
			sub := Describe(&Call{Kind: kind, Input: jsontext.Value(c.input)}, Place{Folder: dir})
			if got := set.Decide(sub, FollowRules).Verdict; got != c.want {
				t.Errorf("with %s rejected, %s %s: %s, want %s", c.reject, kind, c.input, got, c.want)
			}
		}
	}
	for _, c := range []struct {
		kind, reject, path string
		want               Verdict
	}{
		{"delete", "**/.env", "src", Ask},
		{"delete", "src/deep/**", "src", Ask},
		{"delete", "docs/**", "src", Allowed},
		{"delete", "**/.env", "src/a.go", Allowed},
		{"move", "src/deep/**", "src", Ask},
		{"edit", "**/.env", "src/*", Ask},
	} {
		set := NewSet([]Rule{rule(Reject, "path:"+c.reject), rule(Allow, "kind:"+c.kind)})
		call := Call{Kind: c.kind, Paths: []string{c.path}}
		if c.kind == "move" {
			call.Paths = append(call.Paths, "other")
		}
		if got := set.Decide(Describe(&call, Place{Folder: dir}), FollowRules).Verdict; got != c.want {
			t.Errorf("with %s rejected, %s %s: %s, want %s", c.reject, c.kind, c.path, got, c.want)
		}
	}
	only := NewSet(append([]Rule{rule(Reject, "kind:edit", "path:**/.env")}, allow...))
	if got := only.Decide(Describe(&Call{Kind: "search"}, Place{Folder: dir}), FollowRules).Verdict; got != Allowed {
		t.Errorf("a rule that rejects only edits must leave a search as it is: %s", got)
	}
}

// Whatever kind an agent reports, a reject rule about a file applies to each call that names it, and a rule about a
// kind without files doesn't cover a call that names some.
func TestRejectRulesCoverEveryNamedFile(t *testing.T) {
	dir := project(t)
	rules := []Rule{rule(Reject, "path:**/.env")}
	for _, kind := range Kinds {
		rules = append(rules, rule(Allow, "kind:"+kind))
	}
	set := NewSet(rules)
	for _, kind := range append([]string{"", "strange"}, Kinds...) {
		for _, call := range []Call{{Paths: []string{".env"}}, {Input: jsontext.Value(`{"path":"sub/.env"}`)}, {Diffs: []string{".env"}}} {
			call.Kind = kind
			if got := set.Decide(Describe(&call, Place{Folder: dir}), FollowRules).Verdict; got != Rejected {
				t.Errorf("%q %+v: %s", kind, call, got)
			}
		}
	}
	for _, kind := range []string{"think", "fetch"} {
		for _, call := range []Call{{Paths: []string{"src/a.go"}}, {Input: jsontext.Value(`{"url":"https://example.org","path":"src/a.go"}`)}} {
			call.Kind = kind
			if got := set.Decide(Describe(&call, Place{Folder: dir}), FollowRules).Verdict; got != Ask {
				t.Errorf("%q %+v: %s", kind, call, got)
			}
		}
	}
}

// A file URL is accepted only if all programs resolve it in the same way.
func TestFileURLs(t *testing.T) {
	dir := project(t)
	set := NewSet([]Rule{rule(Allow, "kind:edit", "path:src/**")})
	for path, want := range map[string]Verdict{
		"file://" + dir + "/src/a.go":             Allowed,
		"file://" + dir + "/src/%2e%2e/docs/x":    Ask,
		"file://" + dir + "/src%2Fa.go":           Ask,
		"file://" + dir + "/src/a%20b.go":         Ask,
		"file://src/a.go":                         Ask,
		"file:src/a.go":                           Ask,
		"FILE://" + dir + "/src/a.go":             Ask,
		"file://localhost" + dir + "/src/a.go":    Ask,
		"file://" + dir + "/src/a.go?x#y":         Ask,
		"vscode://" + dir + "/src/a.go":           Ask,
		"https://example.org" + dir + "/src/a.go": Ask,
	} {
		for _, call := range []Call{{Paths: []string{path}}, {Input: raw(t, map[string]string{"path": path, "content": "x"})}, {Diffs: []string{path}}} {
			call.Kind = "edit"
			if got := set.Decide(Describe(&call, Place{Folder: dir}), FollowRules).Verdict; got != want {
				t.Errorf("%s (%d paths, %d diffs): %s, want %s", path, len(call.Paths), len(call.Diffs), got, want)
			}
		}
	}
}

// For a path so deep that no program can open it by name, it can't be determined whether it is in a git folder, so no
// rule allows it.
func TestUnresolvablePathsCountAsOutside(t *testing.T) {
	dir := project(t)
	set := NewSet([]Rule{rule(Allow, "kind:edit")})
	for path, want := range map[string]Verdict{
		"src/" + strings.Repeat("d/", 1000) + "x": Allowed,
		"src/" + strings.Repeat("d/", 3000) + "x": Ask,
	} {
		if got := set.Decide(Describe(&Call{Kind: "edit", Paths: []string{path}}, Place{Folder: dir}), FollowRules).Verdict; got != want {
			t.Errorf("a path of %d bytes is answered %s, want %s", len(path), got, want)
		}
	}
}
