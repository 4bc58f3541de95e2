package service_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/api/service/interchange"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
	"weft/backend/store/db"
	"weft/backend/store/schema/schematest"
)

// TestCommandLineOpensADatabaseThatANewerWeftChanged: a newer version has migrated it and was taken back, and no start has put the database back yet.
func TestCommandLineOpensADatabaseThatANewerWeftChanged(t *testing.T) {
	ctx := t.Context()
	settings := filepath.Join(t.TempDir(), "settings.json")
	exported := func(dir string, takenBack time.Time) error {
		x, closing, err := interchange.OpenExports(ctx, interchange.Options{DataDir: dir, SettingsPath: settings, Log: zerolog.Nop(), TakenBack: takenBack})
		if err != nil {
			return err
		}
		list, err := x.List(ctx)
		if err == nil && (len(list) != 1 || list[0].Title != "Before") {
			err = fmt.Errorf("%+v", list)
		}
		return errors.Join(err, closing(ctx))
	}
	imported := func(dir string, takenBack time.Time) error {
		im, err := interchange.OpenImporter(ctx, interchange.Options{DataDir: dir, SettingsPath: settings, Log: zerolog.Nop(), TakenBack: takenBack})
		if err != nil {
			return err
		}
		_, err = im.File(ctx, "empty", strings.NewReader(""), true)
		return errors.Join(err, im.Close(ctx))
	}
	for name, opens := range map[string]func(string, time.Time) error{"export": exported, "import": imported} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			dir := servicetest.Options(root).DataDir
			s := servicetest.Open(t, root)
			if _, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true, Title: "Before"}); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			schematest.Newer(t, dir)
			if err := opens(dir, time.Time{}); db.CodeOf(err) != db.CodeNewerVersion {
				t.Fatalf("without a version that was taken back: %v", err)
			}
			if err := opens(dir, time.Now().Add(-time.Minute)); err != nil {
				t.Error(err)
			}
			if err := opens(dir, time.Time{}); err != nil {
				t.Errorf("once more: %v", err)
			}
		})
	}
}
