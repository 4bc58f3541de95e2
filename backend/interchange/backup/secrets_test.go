package backup

import (
	"archive/zip"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/settings"
	"weft/backend/settings/secret"
)

// backedUp backs up settings and returns the ones in the backup, its manifest and its path.
func backedUp(t *testing.T, text []byte, r *secret.Redactor) (string, Manifest, string) {
	t.Helper()
	from := t.TempDir()
	newSpace(t, openStore(t, from), "one")
	file := filepath.Join(from, "settings.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "b.zip")
	m, err := Write(ctx, Source{DataDir: from, Settings: file, Redactor: r, Now: now}, path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	in, err := z.Open(settingsName)
	if err != nil {
		return "", m, path
	}
	defer in.Close()
	got, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(got), m, path
}

// A key comes in many forms, and so do the places of the settings that it is written to.
func TestBackupHasNoSecretsOfTheSettings(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(39, 1))
	const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789"
	var values []string
	// key returns a value that is in no other place.
	key := func(begin string) string {
		b := []byte(begin)
		for range 24 {
			b = append(b, letters[random.IntN(len(letters))])
		}
		values = append(values, string(b[len(begin):]))
		return string(b)
	}
	word := func(text string) string { values = append(values, text); return text }
	type object = map[string]any
	env := object{
		"OPENAI_API_KEY": key("sk-"), "openai_api_key": key(""), "DB_PASSWORD": word("hunter2"), "GITHUB_TOKEN": key("ghp_"), "APP_AUTH": key(""), "SENTRY_DSN": "https://" + key("") + "@o1.ingest.example/2",
		"DATABASE_URL": "postgres://me:" + key("") + "@db:5432/x", "HARMLESS": key("sk-ant-"), "PLAIN_NAME": key(""), "HTTPS_PROXY": "http://u:" + word("pw%40x1") + "@proxy:1",
		"OPTS": "--verbose --token " + key(""), "JSON": `{"apiKey":"` + key("") + `"}`, "CONNECTION": "Server=x;User Id=sa;Password=" + word("s3cr3t!x") + ";",
		"PEM":  "-----BEGIN PRIVATE KEY-----\n" + key("") + "\n-----END PRIVATE KEY-----",
		"LANG": "de_DE.UTF-8", "MAX_OUTPUT_TOKENS": "32000", "PATH": "/usr/local/bin:/usr/bin", "BASE_URL": "https://api.example.com/v1", "MODEL": "claude-sonnet-4-5-20250929",
	}
	args := []string{
		"--api-key", key("sk-"), "--api-key=" + key(""), "--model", "gpt-5-codex-2026", "-H", "Authorization: Bearer " + key(""), "--header", "X-Api-Key:" + key(""), "-e", "API_TOKEN=" + key(""),
		"https://mcp.example/sse?token=" + key("") + "&x=1", "--password", word("letmein"), "--clientSecret", key(""), key("glpat-"), "run", "/home/me/projects/weft", "-c", "TOKEN='" + key("") + "' exec agent --port 8080",
		"--config", `{\"auth\":{\"access_token\":\"` + key("") + `\"}}`, "Basic " + key(""), "--user", "me:" + key(""), "postgresql://:" + key("") + "@h/d", word("AKIAQ7RZ2MX4KP9TW3LB"), key(""), word("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
	}
	all := object{
		"agents": []any{
			object{"id": "mine", "name": "Mine", "command": "agent", "args": args, "env": env, "hooks": object{"start": "curl -u me:" + key("") + " https://x.example", "apiKeys": []string{key("")}}},
			object{"id": "own", "name": "Own", "model": object{"provider": "openai", "baseUrl": "https://x.example/v1?key=" + key("AIza")}},
		},
		"agentSecrets": object{"mine": object{"KEPT": "keychain:mine-KEPT-ABC", "TYPED": word("by hand")}},
		"mcpServers": []any{
			object{
				"name": "docs", "url": "https://user:" + key("") + "@mcp.example/" + "?api_key=" + key("") + "&v=2#" + "access_token=" + key(""), "via": "direct",
				"headers":       object{"Authorization": "Bearer " + key(""), "X-Api-Key": key(""), "Cookie": "sid=" + key(""), "Accept": "application/json", "PRIVATE-TOKEN": key("")},
				"secretHeaders": object{"X-Kept": "file:docs-X-Kept-1"},
			},
			object{"name": "git", "command": "npx", "args": []string{"-y", "@modelcontextprotocol/server-github", "--token=" + key("")}, "env": object{"GITHUB_PERSONAL_ACCESS_TOKEN": key("github_pat_"), "LOG": "debug"}},
		},
		"registry":      "https://u:" + key("") + "@registry.example/list.json",
		"editor":        object{"use": "custom", "command": "edit --token " + key("") + " {path}"},
		"memberPresets": []any{object{"name": "p", "members": []any{object{"name": "a", "agent": "mine", "role": "Use the key " + key("sk-proj-") + " for tests."}}}},
		"later":         object{"password": 12345678901, "webhook": "https://hooks.example/services/T0/B0/" + key(""), "deep": []any{object{"client_secret": key("")}}, "https://u:" + key("") + "@h": true, "keys": object{"next": "Ctrl+Shift+Down"}},
	}
	values = append(values, "12345678901")
	known := &secret.Redactor{}
	known.Add("open sesame, weft")
	all["note"] = "the words are open sesame, weft"
	values = append(values, "open sesame")
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range values {
		if !strings.Contains(string(text), value) {
			t.Fatalf("%q isn't in the settings of the test", value)
		}
	}
	got, m, path := backedUp(t, text, known)
	for _, value := range values {
		if strings.Contains(got, value) {
			t.Errorf("%q is in the backup", value)
		}
	}
	for _, kept := range []string{
		`"keychain:mine-KEPT-ABC"`, `"file:docs-X-Kept-1"`, `"de_DE.UTF-8"`, `"32000"`, `"/usr/local/bin:/usr/bin"`, `"https://api.example.com/v1"`, `"claude-sonnet-4-5-20250929"`, `"gpt-5-codex-2026"`,
		`"/home/me/projects/weft"`, `"application/json"`, `"@modelcontextprotocol/server-github"`, `"debug"`, `"Ctrl+Shift+Down"`, "exec agent --port 8080", "&v=2", "@mcp.example/", "Use the key ",
	} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s isn't in the backup: nothing says that it is a secret", kept)
		}
	}
	for _, place := range []string{"agents.mine.env.OPENAI_API_KEY", "agents.mine.args.2", "mcpServers.docs.url", "mcpServers.docs.headers.Authorization", "agentSecrets.mine.TYPED", "later.password"} {
		if !slices.Contains(m.LeftOut, place) {
			t.Errorf("%s isn't named: %q", place, m.LeftOut)
		}
	}
	// What was left out is asked for: the settings are as good as before, and refer to it.
	to := t.TempDir()
	file := filepath.Join(to, "settings.json")
	r, err := Restore(ctx, Target{DataDir: to, Settings: file, Now: now}, path)
	if err != nil || !r.Settings || !slices.Equal(r.LeftOut, m.LeftOut) {
		t.Fatalf("%+v, %v", r, err)
	}
	f, err := settings.Open(file, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Problem() != nil {
		t.Fatalf("the settings are broken: %+v\n%s", f.Problem(), got)
	}
	s := f.Get()
	if ref := s.AgentSecrets["mine"]["OPENAI_API_KEY"]; secret.Ref(ref).Place() != secret.LeftOut {
		t.Errorf("the key is %q", ref)
	}
	if refs := s.MCPServers[0].SecretHeaders; secret.Ref(refs["Authorization"]).Place() != secret.LeftOut || refs["X-Kept"] != "file:docs-X-Kept-1" {
		t.Errorf("the headers are %v", refs)
	}
	if left := settings.Missing(s); !slices.Equal(left, slices.Sorted(slices.Values(left))) || !slices.Contains(left, "agents.mine.args.2") || !slices.Contains(left, "agentSecrets.mine.OPENAI_API_KEY") {
		t.Errorf("missing: %q", left)
	}
	// Nothing more is left out of a backup of that.
	again, m2, _ := backedUp(t, []byte(got), known)
	if again != got || len(m2.LeftOut) != 0 {
		t.Errorf("a second backup leaves out %q", m2.LeftOut)
	}
}

// Whatever the settings are, those that can be read can be read after it.
func TestBackupKeepsAnySettingsReadable(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(39, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	piece := func() string {
		return pick("sk-abcDEF1234567890abcd", "token=", "\"", "'", "\\", " ", "\n", "https://", "u:p@", "key", ":", "=", "Bearer ", "é苹", "--api-key", "{", "}", "%40", "&", "?", "${X}", "abc", "/", "@")
	}
	text := func() (s string) {
		for range random.IntN(8) {
			s += piece()
		}
		return s
	}
	for n := range 400 {
		env, headers, free := map[string]string{}, map[string]string{}, map[string]any{}
		for range random.IntN(4) {
			env[pick("A", "A_TOKEN", "API_KEY", "a.b", "MY-KEY")] = text()
			headers[pick("Authorization", "authorization", "X-A", "Cookie")] = strings.Map(func(r rune) rune {
				if r < ' ' {
					return -1
				}
				return r
			}, text())
			free[text()] = []any{text(), 1, nil, true, map[string]any{text(): text()}}
		}
		if len(headers) > 1 {
			delete(headers, "authorization")
		}
		args := []string{text(), text(), text()}
		s, err := json.Marshal(map[string]any{
			"agents":     []any{map[string]any{"id": "a", "name": text(), "command": "x" + text(), "args": args, "env": env, "free": free}},
			"mcpServers": []any{map[string]any{"name": "m", "url": "https://h.example/" + pick("", "?token=abcdef123456", "#"+"key=1234567890"), "headers": headers}, map[string]any{"name": "s", "command": "y", "args": args, "env": env}},
			"free":       free,
		})
		if err != nil {
			t.Fatal(err)
		}
		if problem := settings.Check(s); problem != nil {
			continue
		}
		out, left, err := settings.WithoutSecrets(s, nil)
		if err != nil {
			t.Fatalf("case %d: %v\n%s", n, err, s)
		}
		if problem := settings.Check(out); problem != nil {
			t.Fatalf("case %d: %+v\n%s\n%s", n, problem, s, out)
		}
		again, more, err := settings.WithoutSecrets(out, nil)
		if err != nil || len(more) > 0 || string(again) != string(out) {
			t.Fatalf("case %d: a second time leaves out %q after %q: %v\n%s\n%s\n%s", n, more, left, err, s, out, again)
		}
	}
}

// Settings in which secrets can't be told from the rest are not in the backup, which says so.
func TestBackupLeavesOutSettingsThatCantBeRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"broken": `{"agents":[{"env":{"OPENAI_API_KEY":"sk-broken-0123456789"}`, "huge": `{"x":"` + strings.Repeat("x", 17<<20) + `"}`} {
		got, m, path := backedUp(t, []byte(text), nil)
		if got != "" || !slices.Equal(m.LeftOut, []string{settingsName}) {
			t.Errorf("%s: %.60s, %q", name, got, m.LeftOut)
		}
		to := t.TempDir()
		if r, err := Restore(ctx, Target{DataDir: to, Settings: filepath.Join(to, "settings.json"), Now: now}, path); err != nil || r.Settings {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}
