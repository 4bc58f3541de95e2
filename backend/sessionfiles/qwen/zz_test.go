package qwen_test

import (
	"fmt"
	"os"
	"testing"

	"weft/backend/sessionfiles/qwen"
	"weft/backend/sessionfiles/sessiontest"
)

func TestZZ(t *testing.T) {
	for _, src := range sessiontest.Find(t, qwen.Program{}, os.Getenv("ZZHOME")) {
		paths, notes, err := sessiontest.Read(t, qwen.Program{}, src)
		fmt.Println("==", src.Path, err, notes)
		for _, p := range paths {
			fmt.Print(p.Draw())
		}
	}
}
