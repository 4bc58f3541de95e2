package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sizes tells how large the programs are that make build has built. Their bounds are in build/programs_test.go.
func (b *bench) sizes() error {
	var reached []string
	for _, name := range []string{"weft", "weft-supervise", "weft-agent"} {
		info, err := os.Stat(filepath.Join(filepath.Dir(b.weft), name))
		if err != nil {
			return err
		}
		reached = append(reached, fmt.Sprintf("%s %.1f MB", name, mega(info.Size())))
	}
	b.add(row{What: "sizes of the programs (`build/programs_test.go` has their bounds)", Reached: strings.Join(reached, ", ")})
	return nil
}
