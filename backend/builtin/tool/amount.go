package tool

import "weft/backend/fault"

// amount says how many of something there are, by a sentence for one and one for others.
func amount(n int, one, many fault.Template) string {
	if n == 1 {
		return fault.Text(one)
	}
	return fault.Text(many, n)
}

func filesOf(n int) string { return amount(n, "1 file", "{{n}} files") }

func foldersOf(n int) string { return amount(n, "1 folder", "{{n}} folders") }

// found says how many matches there are, and in how many files.
func found(matches, files int) string {
	switch {
	case matches == 1:
		return fault.Text("Found 1 match in 1 file")
	case files == 1:
		return fault.Text("Found {{n}} matches in 1 file", matches)
	}
	return fault.Text("Found {{n}} matches in {{n2}} files", matches, files)
}
