// Command bench measures what decides whether a version of Weft may ship, and prints one
// table: what was reached and what is wanted. Where a number depends on the machine, it is
// the ratio of two things that were measured in turns in the same run.
//
// The backend is measured on the production path (runs, acp, transcript, store, relay)
// with a scripted agent that is a real process. Each measurement is a process of its own,
// so that one does not inherit the memory of another.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/agent"
)

// plan is how much is measured.
type plan struct {
	lines   int // of the flood
	rounds  int // of everything that is measured in turns
	place   int // the late position in a message
	seconds int // of paced streams
}

var (
	full  = plan{lines: 1_000_000, rounds: 3, place: 1_000_000, seconds: 21}
	quick = plan{lines: 200_000, rounds: 3, place: 200_000, seconds: 6}
)

// bench is one run of the program.
type bench struct {
	ctx  context.Context //nolint:containedctx // the life of the program
	plan plan
	weft string // path of the built program
	rows []row
}

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case "supervise": // as `weft supervise`: agents are started through it
			return agent.SuperviseMain(args[1:])
		case "agent":
			return agentMain(os.Stdin, os.Stdout)
		case "work":
			return workMain(args[1:])
		}
	}
	browser, err := external()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	all := append(slices.Clone(parts), browser...)
	f := flag.NewFlagSet("bench", flag.ExitOnError)
	short := f.Bool("quick", false, "measure less")
	only := f.String("only", "", "comma-separated parts of: "+names(all))
	weft := f.String("weft", "build/bin/weft", "the built program; the others are beside it")
	page := f.String("write", "", "also put the table into this page, between its marks (docs/numbers.md)")
	if err := f.Parse(args); err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	program, err := filepath.Abs(*weft)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	b := &bench{ctx: ctx, plan: full, weft: program}
	if *short {
		b.plan = quick
	}
	began, waited := time.Now(), pressure()
	for _, p := range all {
		if *only != "" && !strings.Contains(","+*only+",", ","+p.name+",") {
			continue
		}
		fmt.Fprintf(os.Stderr, "%5.0f s  %s …\n", time.Since(began).Seconds(), p.name)
		if err := p.measure(b); err != nil {
			b.add(row{What: p.name, Reached: "failed: " + err.Error(), OK: no})
		}
		if ctx.Err() != nil {
			return 130
		}
	}
	if len(b.rows) == 0 {
		fmt.Fprintf(os.Stderr, "bench: no part is called %q. The parts are %s.\n", *only, names(all))
		return 2
	}
	took := time.Since(began)
	text := table(b.rows) + fmt.Sprintf("\n%s, %.0f s, %s; processors short %.0f %% of the time\n",
		began.Format("2006-01-02 15:04"), took.Seconds(), machine(), float64(pressure()-waited)/float64(took.Microseconds())*100)
	fmt.Print(text)
	if *page != "" {
		if err := writePage(*page, text); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			return 1
		}
	}
	for _, r := range b.rows {
		if r.OK == no {
			return 1
		}
	}
	return 0
}

// part is what is measured by itself: one row, or several of one measurement.
type part struct {
	name    string
	measure func(*bench) error
}

// parts are measured without a browser, in the order of the table.
var parts = []part{
	{"flood", (*bench).flood},
	{"position", (*bench).position},
	{"delivery", (*bench).latency},
	{"decision", (*bench).decision},
	{"gateway", (*bench).gateway},
	{"snapshot", (*bench).opening},
	{"search", (*bench).searching},
	{"sizes", (*bench).sizes},
}

func names(all []part) string {
	var list []string
	for _, p := range all {
		list = append(list, p.name)
	}
	return strings.Join(list, ", ")
}

func (b *bench) add(r row) { b.rows = append(b.rows, r) }
