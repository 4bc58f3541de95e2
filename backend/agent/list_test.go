package agent

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"weft/backend/base/simtest"
	"weft/backend/settings"

	"github.com/rs/zerolog"
)

func TestCatalogIsValid(t *testing.T) {
	list := readCatalog()
	if len(list) < 15 {
		t.Errorf("only %d agents", len(list))
	}
	seen := map[string]bool{settings.GuideID: true}
	for _, e := range list {
		if seen[e.ID] {
			t.Errorf("%s is there twice", e.ID)
		}
		seen[e.ID] = true
		if e.ID == "" || e.Name == "" || e.Description == "" || e.Command == "" || e.Args == nil ||
			!strings.HasPrefix(e.Homepage, "https://") || (e.Install == "") == (e.InstallPage == "") {
			t.Errorf("%s is incomplete: %+v", e.ID, e)
		}
	}
}

func entry(t *testing.T, id string) Entry {
	t.Helper()
	i := slices.IndexFunc(readCatalog(), func(e Entry) bool { return e.ID == id })
	if i < 0 {
		t.Fatalf("no %s in the catalog", id)
	}
	return readCatalog()[i]
}

func TestMerge(t *testing.T) {
	found := []Found{{entry(t, "claude"), "/x/claude-agent-acp"}, {entry(t, "gemini"), "/x/gemini"}, {entry(t, "opencode"), "/x/opencode"}}
	list := merge(settings.Settings{
		HiddenAgents: []string{"gemini", "guide"},
		Agents: []settings.Agent{
			{ID: "mine", Command: "mine", Cwd: "home"},
			{ID: "opencode", Name: "My OpenCode", Command: "/opt/opencode", Args: []string{"acp", "--debug"}},
			{ID: "qwen", Command: "qwen", Args: []string{"--acp"}},
			{ID: "guide", Env: map[string]string{"A": "b"}},
		},
	}, found)
	var got []string
	for _, c := range list {
		got = append(got, strings.Join([]string{c.ID, c.Name, string(c.Source), filepath.Base(c.Command), strings.Join(c.Args, " "), c.Cwd}, "|"))
	}
	want := []string{
		"guide|Guide|builtin|" + filepath.Base(os.Args[0]) + "|agent|space",
		"claude|Claude|found|claude-agent-acp||space",
		"opencode|My OpenCode|custom|opencode|acp --debug|space",
		"mine|mine|custom|mine||home",
		"qwen|Qwen Code|custom|qwen|--acp|space",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if list[0].Env["A"] != "b" || list[4].InstallHint != "Install it with `npm i -g @qwen-code/qwen-code`" {
		t.Errorf("guide %+v, qwen %+v", list[0], list[4])
	}
	if d := list[3].Dir("/space"); d == "/space" || !filepath.IsAbs(d) {
		t.Errorf("home is %q", d)
	}
	if d := list[1].Dir("/space"); d != "/space" {
		t.Errorf("space is %q", d)
	}
}

// program puts an executable file into a new folder and gives the folder.
func program(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".bat"
		}
		if err := simtest.WriteProgram(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRegistryFollowsSettingsAndMachine(t *testing.T) {
	file, err := settings.Open(filepath.Join(t.TempDir(), "settings.json"), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	dir := program(t, "opencode", "claude-code-acp", "mine")
	r := NewRegistry(file, testPaths(t, dir))
	defer r.Close()
	if got := r.Agents(); len(got) != 1 || r.Default().ID != "guide" {
		t.Errorf("before a scan: %+v", got)
	}
	told := make(chan []Config, 10)
	defer r.Subscribe(func(list []Config) { told <- list })()

	if err := r.Rescan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ids(<-told); !slices.Equal(got, []string{"guide", "claude", "opencode"}) {
		t.Errorf("after a scan: %v", got)
	}
	if c, err := r.Get("claude"); err != nil || c.Command != filepath.Join(dir, "claude-code-acp") && runtime.GOOS != "windows" {
		t.Errorf("the older name is not found: %+v, %v", c, err)
	}

	err = file.Update(func(s *settings.Settings) error {
		s.DefaultAgent = "mine"
		s.HiddenAgents = []string{"claude"}
		s.Agents = []settings.Agent{{ID: "mine", Command: "mine"}, {ID: "gone", Command: "gone"}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	list := <-told
	if got := ids(list); !slices.Equal(got, []string{"guide", "opencode", "mine", "gone"}) {
		t.Errorf("after an edit: %v", got)
	}
	if !list[2].Installed || list[3].Installed || r.Default().ID != "mine" {
		t.Errorf("mine, gone: %+v; default %s", list[2:], r.Default().ID)
	}
	available := r.Available()
	if len(available) != len(readCatalog())-1 || available[0].ID != "claude" || !available[0].Installed || available[1].Installed {
		t.Errorf("available: %v", ids(available))
	}
	var e *Error
	if _, err := r.Get("claude"); !errors.As(err, &e) || e.Code != CodeUnknown {
		t.Errorf("get a hidden one: %v", err)
	}
	list[1].Args[0] = "changed"
	if c, _ := r.Get("opencode"); c.Args[0] != "acp" {
		t.Error("the list can be changed from outside")
	}
}

func ids(list []Config) (out []string) {
	for _, c := range list {
		out = append(out, c.ID)
	}
	return out
}
