package agents

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/agent/agentproc"
	"weft/backend/agent/registry"
	"weft/backend/agent/registry/install"
	"weft/backend/api/service/jobs"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/settings"
	"weft/backend/space/runs"
	"weft/backend/store"
)

// openInstalls returns installs with settings of a registry, and a channel that receives something after each change of the jobs.
func openInstalls(t *testing.T, source string) (*Installs, <-chan struct{}) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{"registry":"`+source+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	st, _, err := store.Open(t.Context(), filepath.Join(dir, "data"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := settings.Open(filepath.Join(dir, "settings.json"), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	registered := agent.NewRegistry(file, nil)
	manager := runs.NewManager(runs.Options{Store: st, Agent: registered.Get, Private: agentproc.Private{DataDir: filepath.Join(dir, "data")}})
	work := jobs.NewWork(t.Context())
	t.Cleanup(func() {
		work.Stop()
		ctx := context.Background()
		if err := errors.Join(manager.Close(ctx), st.Close(ctx)); err != nil {
			t.Error(err)
		}
		registered.Close()
		file.Close()
		work.Wait()
	})
	changed := make(chan struct{}, 1)
	return NewInstalls(InstallOptions{
		Store: st, Settings: file, Agents: registered, Runs: manager, Work: work,
		DataDir: filepath.Join(dir, "data"), Log: zerolog.Nop(), ListChanged: func() {}, SpaceChanged: func(string) {},
		JobsChanged: func() {
			select {
			case changed <- struct{}{}:
			default: // a change that was not looked at yet
			}
		},
	}), changed
}

// openUnverified returns installs with a registry that lists one agent, Robin, without a checksum.
func openUnverified(t *testing.T) (s *Installs, changed <-chan struct{}, req InstallAgentRequest) {
	t.Helper()
	t.Setenv("SHELL", "/bin/false") // so that no start-up files run
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
	s, changed = openInstalls(t, srv.URL+"/registry.json")
	view, err := s.RefreshRegistry(t.Context(), command.None{})
	if err != nil || len(view.Agents) != 1 {
		t.Fatalf("%+v, %v", view, err)
	}
	return s, changed, InstallAgentRequest{ID: "robin", Revision: view.Agents[0].Revision, Kind: registry.KindBinary}
}

// until waits for the state of the one install.
func until(t *testing.T, s *Installs, changed <-chan struct{}, state string) Install {
	t.Helper()
	for {
		if list := s.Jobs(); len(list) == 1 && list[0].State == state {
			return list[0]
		}
		<-changed
	}
}

func TestInstallThatCannotAskFails(t *testing.T) {
	s, changed, req := openUnverified(t)
	if _, err := s.InstallAgent(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	failed := until(t, s, changed, "failed")
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
	if done := until(t, s, changed, "done"); len(done.SHA256) != 64 || done.Vouched || done.Question != nil {
		t.Errorf("%+v", done)
	}
}

func TestInstallAsksAndWaits(t *testing.T) {
	s, changed, req := openUnverified(t)
	req.Ask = true
	begin := func() install.Question {
		t.Helper()
		if _, err := s.InstallAgent(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		return *until(t, s, changed, "asking").Question
	}
	begin()
	_, err := s.InstallAgent(t.Context(), req)
	if code := fault.CodeOf(err); code != install.CodeBusy {
		t.Errorf("a second install while one asks: %v", err)
	}
	if _, err := s.CancelInstall(t.Context(), RegistryAgentRef{ID: "robin"}); err != nil {
		t.Fatal(err)
	}
	if got := until(t, s, changed, "cancelled"); got.Question != nil {
		t.Errorf("still asks: %+v", got)
	}

	answer := AnswerInstallRequest{ID: "robin", Token: begin().Token}
	other := answer
	other.Token = "other"
	_, err = s.AnswerInstall(t.Context(), other)
	if code := fault.CodeOf(err); code != fault.NotFound {
		t.Errorf("an answer to another question: %v", err)
	}
	if _, err := s.AnswerInstall(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	until(t, s, changed, "cancelled")

	answer.Token, answer.Yes = begin().Token, true
	if _, err := s.AnswerInstall(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	until(t, s, changed, "done")
	_, err = s.AnswerInstall(t.Context(), answer)
	if code := fault.CodeOf(err); code != fault.NotFound {
		t.Errorf("a second answer: %v", err)
	}
}
