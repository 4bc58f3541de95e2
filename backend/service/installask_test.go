package service

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/backend/registry"
	"weft/backend/registry/install"
	"weft/backend/relay"
)

// openUnverified is a service with a registry that lists one agent, Robin, without a checksum.
func openUnverified(t *testing.T) (*Service, InstallAgentRequest) {
	t.Helper()
	t.Setenv("SHELL", "/bin/false") // so that nobody's start-up files run
	var list []byte
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/registry.json" {
			_, _ = w.Write(list)
			return
		}
		_, _ = w.Write([]byte("#!/bin/sh\n"))
	}))
	t.Cleanup(srv.Close)
	list, err := json.Marshal(map[string]any{"version": "1.0.0", "agents": []any{map[string]any{
		"id": "robin", "name": "Robin", "version": "1.0.0", "description": "Sings",
		"distribution": map[string]any{"binary": map[string]any{registry.Platform(): map[string]any{"archive": srv.URL + "/robin", "cmd": "robin"}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{"registry":"`+srv.URL+`/registry.json"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openService(t, dir)
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	view, err := s.RefreshRegistry(t.Context(), none{})
	if err != nil || len(view.Agents) != 1 {
		t.Fatalf("%+v, %v", view, err)
	}
	return s, InstallAgentRequest{ID: "robin", Revision: view.Agents[0].Revision, Kind: registry.KindBinary}
}

// until waits for the state of the one install.
func until(t *testing.T, s *Service, sub *relay.Subscription, state string) Install {
	t.Helper()
	for {
		if list := s.installs.list(); len(list) == 1 && list[0].State == state {
			return list[0]
		}
		if _, err := sub.Next(t.Context()); err != nil {
			t.Fatalf("waiting for %s: %v", state, err)
		}
	}
}

func TestInstallThatNobodyCanConfirmFails(t *testing.T) {
	s, req := openUnverified(t)
	sub := s.relay.Subscribe(relay.AppTopic)
	defer sub.Close()
	if _, err := s.InstallAgent(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	failed := until(t, s, sub, "failed")
	if f, q := failed.Failure, failed.Question; f.Code != install.CodeUnverified || q == nil || !strings.Contains(f.Detail, q.Token) || !strings.Contains(f.Detail, q.Address) {
		t.Fatalf("%+v, %+v", f, q)
	}
	if n := len(s.installer.Installed()); n != 0 {
		t.Fatalf("%d installed", n)
	}
	req.Confirm = []string{failed.Question.Token}
	if _, err := s.InstallAgent(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if done := until(t, s, sub, "done"); len(done.SHA256) != 64 || done.Vouched || done.Question != nil {
		t.Errorf("%+v", done)
	}
}

func TestInstallAsksAndWaits(t *testing.T) {
	s, req := openUnverified(t)
	sub := s.relay.Subscribe(relay.AppTopic)
	defer sub.Close()
	req.Ask = true
	begin := func() install.Question {
		t.Helper()
		if _, err := s.InstallAgent(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		return *until(t, s, sub, "asking").Question
	}
	begin()
	_, err := s.InstallAgent(t.Context(), req)
	if code, _, _ := Explain(err); code != install.CodeBusy {
		t.Errorf("a second install while one asks: %v", err)
	}
	if _, err := s.CancelInstall(t.Context(), RegistryAgentRef{ID: "robin"}); err != nil {
		t.Fatal(err)
	}
	if got := until(t, s, sub, "cancelled"); got.Question != nil {
		t.Errorf("still asks: %+v", got)
	}

	answer := AnswerInstallRequest{ID: "robin", Token: begin().Token}
	other := answer
	other.Token = "other"
	_, err = s.AnswerInstall(t.Context(), other)
	if code, _, _ := Explain(err); code != "not_found" {
		t.Errorf("an answer to another question: %v", err)
	}
	if _, err := s.AnswerInstall(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	until(t, s, sub, "cancelled")

	answer.Token, answer.Yes = begin().Token, true
	if _, err := s.AnswerInstall(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	until(t, s, sub, "done")
	_, err = s.AnswerInstall(t.Context(), answer)
	if code, _, _ := Explain(err); code != "not_found" {
		t.Errorf("a second answer: %v", err)
	}
}
