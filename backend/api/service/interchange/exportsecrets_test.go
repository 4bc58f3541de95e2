package interchange_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/api/service/interchange"
	"weft/backend/api/service/servicetest"
	"weft/backend/settings/secret"
)

// An export removes a secret that was not read since the start, and reports one that can't be read.
func TestSecretsOfTheSettingsAreReadFirst(t *testing.T) {
	dir := t.TempDir()
	data, path := filepath.Join(dir, "data"), filepath.Join(dir, "settings.json")
	ref, err := secret.Open(secret.Options{Dir: data}).Set(t.Context(), secret.File, "guide-KEY", "sk-quite-secret")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"agentSecrets": map[string]any{"guide": map[string]string{"KEY": string(ref), "GONE": strings.Replace(string(ref), "KEY", "GONE", 1) + "00"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s := servicetest.Open(t, dir)
	id := spaceWith(t, s, "The key is sk-quite-secret.")
	out, err := servicetest.Call[interchange.ExportedText](t, s, "ExportText", interchange.ExportRequest{Format: "md", SpaceID: id})
	if err != nil || strings.Contains(out.Text, "sk-quite") || out.SecretsHidden != 1 || out.SecretsUnread != 1 || !strings.Contains(out.Text, "1 known secret was replaced") {
		t.Errorf("%+v, %v", out, err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The command without a running Weft does the same.
	x, done, err := interchange.OpenExports(t.Context(), interchange.Options{DataDir: data, SettingsPath: path, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := x.Prepare(t.Context(), interchange.ExportRequest{Format: "md", SpaceID: id}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	result, err := p.Write(t.Context(), &file)
	if err != nil || result.SecretsHidden != 1 || strings.Contains(file.String(), "sk-quite") {
		t.Errorf("%+v, %v", result, err)
	}
	if err := done(t.Context()); err != nil {
		t.Fatal(err)
	}
}
