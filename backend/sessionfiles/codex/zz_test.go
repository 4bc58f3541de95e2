package codex_test

import (
	"fmt"
	"os"
	"testing"

	"weft/backend/sessionfiles/codex"
	"weft/backend/sessionfiles/sessiontest"
)

func TestZZ(t *testing.T) {
	for _, src := range sessiontest.Find(t, codex.Program{}, os.Getenv("ZZHOME")) {
		paths, notes, err := sessiontest.Read(t, codex.Program{}, src)
		fmt.Println("==", src.Path, err, notes)
		for _, p := range paths {
			fmt.Print(p.Draw())
		}
	}
}
