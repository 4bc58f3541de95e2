package imports_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/rs/zerolog"
	"weft/backend/service/imports"
	"weft/backend/sessionfiles"
)

func TestZZ(t *testing.T) {
	dir := t.TempDir()
	im, err := imports.Open(t.Context(), imports.Options{DataDir: dir + "/data", SettingsPath: dir + "/settings.json", Log: zerolog.Nop(), Env: sessionfiles.Env{Home: os.Getenv("ZZHOME"), Getenv: func(string) string { return "" }}})
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close(t.Context())
	for range 2 {
		r, err := im.Conversations(t.Context(), imports.ConversationsFilter{}, false, func(p imports.ImportProgress) { fmt.Printf("%+v\n", p) })
		fmt.Printf("%+v %v\n", r, err)
	}
}
