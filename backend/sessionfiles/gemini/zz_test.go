package gemini_test

import (
	"fmt"
	"os"
	"testing"

	"weft/backend/sessionfiles/gemini"
	"weft/backend/sessionfiles/sessiontest"
)

func TestZZ(t *testing.T) {
	for _, src := range sessiontest.Find(t, gemini.Program{}, os.Getenv("ZZHOME")) {
		paths, notes, err := sessiontest.Read(t, gemini.Program{}, src)
		fmt.Println("==", src.Path, err, notes)
		for _, p := range paths {
			fmt.Print(p.Draw())
		}
	}
}
