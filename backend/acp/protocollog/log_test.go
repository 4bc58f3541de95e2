package protocollog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/acp/recording"
	"weft/backend/settings/secret"
)

// Known secrets don't reach the log, and whatever they are, every line stays valid JSON.
func TestLogHidesSecrets(t *testing.T) {
	hide := &secret.Redactor{}
	for _, value := range []string{"s3cret-key", "true", `with"quote`} {
		hide.Add(value)
	}
	path := filepath.Join(t.TempDir(), "log", "a.jsonl")
	p := Open(path, time.Now, zerolog.Nop(), hide)
	p.Line("client->agent", []byte(`{"method":"session/new","headers":[{"value":"s3cret-key"},{"value":"with\"quote"}]}`))
	p.Line("agent->client", []byte(`{"loadSession":true}`))
	p.Line("agent->client", []byte(`{"plain":1}`))
	stderr := Stderr{To: p.Line}
	_, _ = stderr.Write([]byte("my key is s3cr"))
	_, _ = stderr.Write([]byte("et-key\n"))
	p.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "s3cret-key") || strings.Contains(string(text), "quote") {
		t.Errorf("it holds a secret:\n%s", text)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var got []string
	for _, line := range lines {
		var l struct {
			Dir string          `json:"dir"`
			Msg json.RawMessage `json:"msg"`
			Raw string          `json:"raw"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		got = append(got, string(l.Msg)+l.Raw)
		if l.Dir == recording.Stderr && l.Raw != "my key is [secret]" {
			t.Errorf("stderr: %q", l.Raw)
		}
	}
	want := []string{
		`{"method":"session/new","headers":[{"value":"[secret]"},{"value":"[secret]"}]}`, `{"loadSession":[secret]}`, `{"plain":1}`, "my key is [secret]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestStderrIsCutIntoLines(t *testing.T) {
	var got []string
	s := Stderr{To: func(dir string, line []byte) {
		if dir != recording.Stderr || len(line) > maxLine {
			t.Errorf("%d bytes in %q", len(line), dir)
		}
		got = append(got, string(line[:min(len(line), 8)]))
	}}
	for _, part := range []string{"one\r\ntw", "o\n\n", strings.Repeat("x", maxLine), "y\n", "last"} {
		if n, err := s.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	s.End()
	s.End()
	if want := "one|two|xxxxxxxx|y|last"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}

func TestLogThatCantBeWrittenIsGivenUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := Open(filepath.Join(file, "below", "a.jsonl"), time.Now, zerolog.Nop(), nil)
	p.Line("agent->client", []byte(`{}`))
	p.Flush()
	p.Close()
}
