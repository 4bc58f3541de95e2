package opencode_test

import (
	"fmt"
	"os"
	"testing"

	"weft/backend/sessionfiles/opencode"
	"weft/backend/sessionfiles/sessiontest"
)

func TestZZ(t *testing.T) {
	for _, src := range sessiontest.Find(t, &opencode.Program{}, os.Getenv("ZZHOME")) {
		paths, notes, err := sessiontest.Read(t, &opencode.Program{}, src)
		fmt.Println("==", src.Path, err, notes)
		for _, p := range paths {
			fmt.Print(p.Draw())
		}
	}
}
