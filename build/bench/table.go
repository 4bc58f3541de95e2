package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
)

// verdict says whether a row reaches what is wanted.
type verdict string

const (
	yes  verdict = "yes"
	no   verdict = "NO"
	none verdict = "" // nothing is wanted; shown for comparison
)

func verdictOf(ok bool) verdict {
	if ok {
		return yes
	}
	return no
}

// row is one line of the table.
type row struct {
	What, Reached, Want string
	OK                  verdict
}

// table is the rows in Markdown, aligned for a terminal.
func table(rows []row) string {
	cells := [][]string{{"what", "reached", "wanted", "ok"}}
	for _, r := range rows {
		cells = append(cells, []string{r.What, r.Reached, r.Want, string(r.OK)})
	}
	var width [4]int
	for _, line := range cells {
		for i, cell := range line {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for n, line := range cells {
		for i, cell := range line {
			fmt.Fprintf(&out, "| %s%s ", cell, strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)))
		}
		out.WriteString("|\n")
		if n == 0 {
			for _, w := range width {
				out.WriteString("| " + strings.Repeat("-", w) + " ")
			}
			out.WriteString("|\n")
		}
	}
	return out.String()
}

func machine() string {
	return fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}

// The marks between which a page holds the table.
const (
	markBegin = "<!-- table: make bench -->\n"
	markEnd   = "<!-- end of table -->\n"
)

// writePage replaces what is between the marks of a page.
func writePage(path, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(page, []byte(markBegin))
	_, after, ok2 := bytes.Cut(rest, []byte(markEnd))
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the table", path)
	}
	return os.WriteFile(path, slices.Concat(before, []byte(markBegin), []byte("\n"+text+"\n"), []byte(markEnd), after), 0o644)
}

// median of a list that is not empty; the list is sorted.
func median(list []float64) float64 { return percentile(list, 50) }

// percentile p of a list that is not empty; the list is sorted.
func percentile(list []float64, p float64) float64 {
	slices.Sort(list)
	return list[min(int(float64(len(list))*p/100), len(list)-1)]
}
