package cli

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/api/service"
	"weft/backend/api/service/conversation"
	"weft/backend/base/link"
	"weft/backend/desktop/handover"
	"weft/backend/store/relay"
	"weft/backend/store/spaces"
)

// run is Main for a command that opens no window.
func run(args []string) int {
	return Main(args, func(context.Context, Common, Opening, error) int { panic("a window was opened") })
}

// printed runs f and returns what it wrote to standard output and standard error.
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

// A killed Weft has left its file, and another program now listens on its port.
func TestCommandsTellNothingToWhoHasThePortOfAWeftThatWasKilled(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	h, err := handover.Open(data, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(data, "handover.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := handover.Find(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.Close(), os.WriteFile(file, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(owner.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"without encryption", "with a certificate of its own"} {
		t.Run(kind, func(t *testing.T) {
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", u.Host)
			if err != nil {
				t.Skip("the port was taken by another program:", err)
			}
			heard := make(chan string, 100)
			fake := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				heard <- r.RequestURI + " " + r.Header.Get("Authorization")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"message":"\u001b]0;owned\u0007"}`)
			}))
			_ = fake.Listener.Close()
			fake.Listener, fake.Config.ErrorLog = l, log.New(io.Discard, "", 0)
			if kind == "without encryption" {
				fake.Start()
			} else {
				fake.StartTLS()
			}
			defer fake.Close()
			for _, args := range [][]string{{"open", "weft://space/secret"}, {"weft://space/secret"}, {"open", dir}, {}, {"--background"}} {
				code := 0
				out := printed(t, func() { code = run(append(args, "--data", data, "--settings", filepath.Join(dir, "settings.json"))) })
				if code != 1 || !strings.Contains(out, "no display") {
					t.Errorf("weft %q: %d, %q", args, code, out)
				}
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://weft/secret", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if res, err := owner.Do(req); err == nil {
				_ = res.Body.Close()
				t.Error("the answer of a stranger was taken")
			}
			if len(heard) > 0 {
				t.Errorf("a stranger heard %q", <-heard)
			}
		})
	}
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
	named, file := filepath.Join(dir, "über & 日本 #1"), filepath.Join(dir, "file")
	if err := errors.Join(os.Mkdir(named, 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	sub := s.Relay().Subscribe(relay.AppTopic)
	defer sub.Close()
	fronts := 0
	done := TakeCommands(s, Shows{
		Front: func() { fronts++ }, Address: func(fragment string) string { return "http://127.0.0.1:1/" + fragment },
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
		{[]string{"open"}, 2, "The link is empty"},
		{[]string{"open", named}, 0, "http://127.0.0.1:1/#/new/" + url.PathEscape(named)},
		{[]string{"open", "x/../" + filepath.Base(named) + "/"}, 0, "http://127.0.0.1:1/#/new/" + url.PathEscape(named)},
		{[]string{(&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(named), "/")}).String()}, 0, "http://127.0.0.1:1/#/new/" + url.PathEscape(named)},
		{[]string{"open", filepath.Join(dir, "none")}, 2, "There is no folder " + filepath.Join(dir, "none")},
		{[]string{"open", file}, 2, "is a file"},
		{[]string{"open", "file://elsewhere.example/tmp"}, 2, "on this machine"},
		{[]string{"open", "file:///%zz"}, 2, "on this machine"},
		{[]string{"open", "a\x00b"}, 2, "isn't valid"},
		{[]string{"open", "two", "words"}, 2, "quotation marks"},
		{[]string{"weft://new?folder=/etc"}, 2, "doesn't lead to a conversation"},
	} {
		args := append(c.args, "--data", data, "--settings", settings)
		code := 0
		if out := printed(t, func() { code = run(args) }); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("weft %s: %d, %q", strings.Join(args, " "), code, out)
		}
	}
	if fronts != 5 {
		t.Errorf("the window came to the front %d times, want 5", fronts)
	}
	if t.Failed() {
		return // waiting for what wasn't opened would block
	}
	var places, folders []string
	for len(places) < 2 || len(folders) < 3 {
		batch, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range batch.Raw {
			var event struct {
				Type    string              `json:"type"`
				SpaceID string              `json:"spaceId"`
				Place   *conversation.Place `json:"place"`
				Folder  string              `json:"folder"`
			}
			if err := json.Unmarshal(raw, &event); err != nil {
				t.Fatal(err)
			}
			if event.Type != "show" {
				continue
			}
			if event.Folder != "" {
				folders = append(folders, event.Folder)
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
	for _, folder := range folders {
		if folder != named {
			t.Errorf("a new space in %q, want %q", folder, named)
		}
	}
	done()
	if display() {
		return
	}
	// Without a running Weft, it opens the window, for which there is no display here.
	code := 0
	if out := printed(t, func() { code = run([]string{"weft://space/" + sp.ID, "--data", data, "--settings", settings}) }); code != 1 || !strings.Contains(out, "no display") {
		t.Errorf("without a running Weft: %d, %q", code, out)
	}
}
