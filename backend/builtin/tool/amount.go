package tool

import "weft/backend/base/fault"

func filesOf(n int) string { return fault.Counted(n, "1 file", "{{n}} files").String() }

func foldersOf(n int) string { return fault.Counted(n, "1 folder", "{{n}} folders").String() }

// found returns a summary with the number of matches and of files.
func found(matches, files int) string {
	switch {
	case matches == 1:
		return fault.Text("Found 1 match in 1 file")
	case files == 1:
		return fault.Text("Found {{n}} matches in 1 file", matches)
	}
	return fault.Text("Found {{n}} matches in {{n2}} files", matches, files)
}
