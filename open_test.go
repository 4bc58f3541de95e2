package main

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/link"
	"weft/backend/relay"
	"weft/backend/service"
	"weft/backend/service/transcripts"
	"weft/backend/store/spaces"
)

// printed runs f and returns what it has written to standard output and standard error.
func printed(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = w, w
	defer func() { os.Stdout, os.Stderr = out, errs }()
	f()
	_ = w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOpenShowsThePlaceOfALinkInTheRunningWeft(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	dir := t.TempDir()
	data, settings := filepath.Join(dir, "data"), filepath.Join(dir, "settings.json")
	s, err := service.Open(t.Context(), service.Options{DataDir: data, SettingsPath: settings, Mode: "serve", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	sp, err := s.Store().Spaces.Create(t.Context(), spaces.Space{Title: "A", Folder: dir, AgentID: "guide", AgentName: "Guide"})
	if err != nil {
		t.Fatal(err)
	}
	sub := s.Relay().Subscribe(relay.AppTopic)
	defer sub.Close()
	fronts := 0
	done := takeCommands(s, shows{
		front: func() { fronts++ }, address: func(fragment string) string { return "http://127.0.0.1:1/" + fragment },
	}, zerolog.Nop())
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"weft://space/" + sp.ID + "#m1.2.3"}, 0, "http://127.0.0.1:1/#/space/" + sp.ID + "/m1.2.3"},
		{[]string{"open", "weft://space/" + sp.ID}, 0, "http://127.0.0.1:1/#/space/" + sp.ID + "\n"},
		{[]string{"weft://space/none"}, 1, "wasn't found"},
		{[]string{"weft:nothing"}, 2, "conversation"},
		{[]string{"open", "https://example.com"}, 2, "isn't a Weft link"},
		{[]string{"open"}, 2, "Name a folder, or a link"},
	} {
		args := append(c.args, "--data", data, "--settings", settings)
		code := 0
		if out := printed(t, func() { code = run(args) }); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("weft %s: %d, %q", strings.Join(args, " "), code, out)
		}
	}
	if fronts != 2 {
		t.Errorf("the window came to the front %d times, want 2", fronts)
	}
	var places []string
	for len(places) < 2 {
		batch, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range batch.Raw {
			var event struct {
				Type    string             `json:"type"`
				SpaceID string             `json:"spaceId"`
				Place   *transcripts.Place `json:"place"`
			}
			if err := json.Unmarshal(raw, &event); err != nil {
				t.Fatal(err)
			}
			if event.Type != "show" {
				continue
			}
			p := link.Space(event.SpaceID)
			if event.Place != nil {
				p.MessageID, p.Segment, p.Item = event.Place.MessageID, event.Place.Segment, event.Place.Item
			}
			places = append(places, p.String())
		}
	}
	if want := "weft://space/" + sp.ID; places[0] != want+"#m1.2.3" || places[1] != want {
		t.Errorf("shown: %q", places)
	}
	done()
	// Without a running Weft it starts the window, for which there is no display here.
	code := 0
	if out := printed(t, func() { code = run([]string{"weft://space/" + sp.ID, "--data", data, "--settings", settings}) }); code != 1 || !strings.Contains(out, "no display") {
		t.Errorf("without a running Weft: %d, %q", code, out)
	}
}

func TestOpenBeginsASpaceInAFolder(t *testing.T) {
	dir := t.TempDir()
	data, settings := filepath.Join(dir, "data"), filepath.Join(dir, "settings.json")
	s, err := service.Open(t.Context(), service.Options{DataDir: data, SettingsPath: settings, Mode: "serve", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	names := []string{"plain", "with spaces", "Ärger & 苹果", "100% #1?", "weft:x"}
	for _, name := range names {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "plain"))
	sub := s.Relay().Subscribe(relay.AppTopic)
	defer sub.Close()
	address := ""
	defer takeCommands(s, shows{address: func(fragment string) string {
		address = fragment
		return "http://127.0.0.1:1/" + fragment
	}}, zerolog.Nop())()
	weft := func(args ...string) (string, int) {
		code := 0
		out := printed(t, func() { code = run(append(args, "--data", data, "--settings", settings)) })
		return out, code
	}
	want := []string{}
	for args, folder := range map[string]string{
		"open .": "plain", ".": "plain", "..": "", "open ../with spaces": "with spaces", "../100% #1?": "100% #1?",
		"open " + filepath.Join(dir, "Ärger & 苹果"): "Ärger & 苹果", "./../weft:x/": "weft:x",
	} {
		words := strings.SplitN(args, " ", 2)
		if words[0] != "open" {
			words = []string{args}
		}
		out, code := weft(words...)
		path, err := url.PathUnescape(strings.TrimPrefix(address, "#/new/"))
		if code != 0 || err != nil || path != filepath.Join(dir, folder) || !strings.Contains(out, "http://127.0.0.1:1/#/new/") {
			t.Errorf("weft %s: %d, %q, shown: %q", args, code, out, path)
		}
		want = append(want, filepath.Join(dir, folder))
	}
	for args, says := range map[string]string{
		"open ./none": "can't be opened", "open ../file": "is a file", "../file": "is a file", "open ftp://example.com/x": "isn't a Weft link",
	} {
		if out, code := weft(strings.Fields(args)...); code != 2 || !strings.Contains(out, says) {
			t.Errorf("weft %s: %d, %q", args, code, out)
		}
	}
	if out, code := weft("open", "../with", "spaces"); code != 2 || !strings.Contains(out, "in quotes") {
		t.Errorf("a path without quotes: %d, %q", code, out)
	}
	var got []string
	for len(got) < len(want) {
		batch, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range batch.Raw {
			var event struct{ Type, Folder string }
			if err := json.Unmarshal(raw, &event, json.MatchCaseInsensitiveNames(true)); err != nil {
				t.Fatal(err)
			}
			if event.Type == "show_folder" {
				got = append(got, event.Folder)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("shown: %q, want %q", got, want)
	}
}
