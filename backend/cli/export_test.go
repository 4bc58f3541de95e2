package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/api/service"
)

// told runs f and returns its output.
func told(t *testing.T, f func() int) (code int, out, complaint string) {
	t.Helper()
	var files [2]*os.File
	for i, f := range []**os.File{&os.Stdout, &os.Stderr} {
		file, err := os.CreateTemp(t.TempDir(), "out")
		if err != nil {
			t.Fatal(err)
		}
		files[i] = *f
		*f = file
	}
	code = f()
	read := func(file *os.File) string {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
		return string(text)
	}
	out, complaint = read(os.Stdout), read(os.Stderr)
	os.Stdout, os.Stderr = files[0], files[1]
	return code, out, complaint
}

// TestExportMakesNoDatabase: an export doesn't create a missing database.
func TestExportMakesNoDatabase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	for _, what := range []string{"--list", "Pears"} {
		code, out, complaint := told(t, func() int {
			return run([]string{"export", "--data", dir, "--settings", dir + ".json", what})
		})
		if want := "weft: There is no database at " + filepath.Join(dir, "weft.db") + ".\n"; code != 1 || out != "" || complaint != want {
			t.Errorf("%s: %d, %q, %q", what, code, out, complaint)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was created")
	}
}

// TestExportWithAndWithoutARunningWeft runs the command while the data folder has an owner, and afterwards: the files
// are the same.
func TestExportWithAndWithoutARunningWeft(t *testing.T) {
	dir := t.TempDir()
	data, settings := filepath.Join(dir, "data"), filepath.Join(dir, "settings.json")
	file := filepath.Join(dir, "in.json")
	text := `{"title":"Pears","messages":[{"role":"user","content":"How long do they keep?"},{"role":"agent","content":"Two weeks.","toolCalls":[{"name":"Read","result":"14 days"}]}]}
{"title":"Pears and apples","messages":[{"role":"user","content":"a"}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	usual := []string{"--data", data, "--settings", settings}
	if code, _, complaint := told(t, func() int { return run(append([]string{"import", file}, usual...)) }); code != 0 {
		t.Fatal(complaint)
	}
	export := func(args ...string) (int, string, string) {
		return told(t, func() int { return run(append(append([]string{"export"}, usual...), args...)) })
	}
	all := func() (files map[string]string) {
		files = map[string]string{}
		for _, format := range []string{"md", "html", "json", "jsonl"} {
			out := t.TempDir()
			code, path, complaint := export("pears", "--format", format, "--out", out)
			if code != 0 || filepath.Dir(strings.TrimSpace(path)) != out || !strings.HasPrefix(complaint, "2 messages, ") {
				t.Fatalf("%d, %q, %q", code, path, complaint)
			}
			body, err := os.ReadFile(strings.TrimSpace(path))
			if err != nil {
				t.Fatal(err)
			}
			code, piped, _ := export("Pears", "--format", format, "--out", "-")
			if code != 0 || piped != string(body) {
				t.Errorf("%s: standard output differs from the file", format)
			}
			files[format] = string(body)
		}
		return files
	}
	alone := all()
	for name, part := range map[string]string{"md": "# Pears\n", "html": "<h1>Pears</h1>", "json": `"format":"weft-conversation"`, "jsonl": `"type":"message_start"`} {
		if !strings.Contains(alone[name], part) {
			t.Errorf("%s has no %q", name, part)
		}
	}
	s, err := service.Open(t.Context(), service.Options{DataDir: data, SettingsPath: settings, Mode: "serve", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	if code, _, complaint := export("Pears"); code != 1 || !strings.Contains(complaint, "another") {
		t.Errorf("where the owner takes nothing: %d, %q", code, complaint)
	}
	done := TakeCommands(s, Shows{}, zerolog.Nop())
	for name, body := range all() {
		if body != alone[name] {
			t.Errorf("%s of the running Weft differs", name)
		}
	}
	code, list, _ := export("--list")
	if code != 0 || strings.Count(list, "\n") != 2 || !strings.Contains(list, "  Pears and apples\n") {
		t.Errorf("%d, %q", code, list)
	}
	out := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{}, 2, "name the space"},
		{[]string{"pea"}, 1, "2 spaces have this in their title"},
		{[]string{"plums"}, 1, "No space with the id or title"},
		{[]string{"Pears", "--format", "pdf"}, 1, "md, html, json or jsonl"},
		{[]string{"Pears", "--from", "nothing"}, 1, "wasn't found"},
		{[]string{"Pears", "--out", filepath.Join(out, "gone", "x.md")}, 1, "doesn't exist"},
		{[]string{"--nonsense"}, 2, "See weft export --help"},
	} {
		if code, _, complaint := export(c.args...); code != c.code || !strings.Contains(complaint, c.want) {
			t.Errorf("%q: %d, %q", c.args, code, complaint)
		}
	}
	// The file's name determines the format, and an existing file is replaced.
	page := filepath.Join(out, "talk.html")
	if err := os.WriteFile(page, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, complaint := export("Pears", "--out", page); code != 0 {
		t.Error(complaint)
	}
	if body, err := os.ReadFile(page); err != nil || !bytes.HasPrefix(body, []byte("<!doctype html>")) {
		t.Errorf("%.40q, %v", body, err)
	}
	if list, err := os.ReadDir(out); err != nil || len(list) != 1 {
		t.Errorf("the folder has %v, %v", list, err)
	}
	// In a folder, it gets an unused name.
	for _, name := range []string{"Pears.md", "Pears 2.md"} {
		code, path, complaint := export("Pears", "--out", out)
		if code != 0 || strings.TrimSpace(path) != filepath.Join(out, name) {
			t.Errorf("%d, %q, %q", code, path, complaint)
		}
	}
	done()
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestExportToAFullStandardOutput: a partial output is not reported as complete.
func TestExportToAFullStandardOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no device that is always full")
	}
	defer full.Close()
	dir := t.TempDir()
	data, settings := filepath.Join(dir, "data"), filepath.Join(dir, "settings.json")
	file := filepath.Join(dir, "in.json")
	if err := os.WriteFile(file, []byte(`{"title":"Pears","messages":[{"role":"user","content":"How long do they keep?"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	usual := []string{"--data", data, "--settings", settings}
	if code, _, complaint := told(t, func() int { return run(append([]string{"import", file}, usual...)) }); code != 0 {
		t.Fatal(complaint)
	}
	refused := func() {
		t.Helper()
		for _, args := range [][]string{{"--list"}, {"Pears", "--out", "-"}, {"Pears", "--out", "-", "--format", "json"}} {
			code, _, complaint := told(t, func() int {
				out := os.Stdout
				os.Stdout = full
				defer func() { os.Stdout = out }()
				return run(append(append([]string{"export"}, usual...), args...))
			})
			if code != 1 || complaint != "weft: The disk is full. Free some space and try again. What was written so far isn't complete.\n" {
				t.Errorf("%q: %d, %q", args, code, complaint)
			}
		}
	}
	refused()
	s, err := service.Open(t.Context(), service.Options{DataDir: data, SettingsPath: settings, Mode: "serve", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer TakeCommands(s, Shows{}, zerolog.Nop())()
	refused()
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
