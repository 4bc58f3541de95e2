// Package servicetest opens services in tests.
package servicetest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/api/service"
	"weft/backend/base/command"
)

// Options returns options with data and settings below dir.
func Options(dir string) service.Options {
	return service.Options{DataDir: filepath.Join(dir, "data"), SettingsPath: filepath.Join(dir, "settings.json"), Mode: "serve", Log: zerolog.Nop()}
}

// Open opens a service below dir and closes it when the test ends.
func Open(t *testing.T, dir string) *service.Service {
	t.Helper()
	s, err := service.Open(t.Context(), Options(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Call runs a command through its JSON, like a client.
func Call[Answer any](t *testing.T, s *service.Service, name string, request any) (answer Answer, err error) {
	t.Helper()
	body, err := json.Marshal(request, command.Wire)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Call(t.Context(), name, body)
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(out, &answer, command.Wire); err != nil {
		t.Fatal(err)
	}
	return answer, nil
}
