// Command bench measures Weft's way from an agent's pipe to a subscriber and prints one
// table: what was reached and what is wanted. Where a number depends on the machine, it is
// the ratio of two things that were measured in turns in the same run.
//
// Everything is measured on the production path (runs, acp, transcript, store, relay)
// with a scripted agent that is a real process. Each measurement is a process of its own,
// so that one does not inherit the memory of another.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"weft/backend/agent"
	"weft/backend/builtin"
)

// plan is how much is measured.
type plan struct {
	lines   int // of the flood
	replay  int // of the replay
	rounds  int // of everything that is measured in turns
	place   int // the late position in a message
	seconds int // of paced streams
	starts  int
	// imported is how many conversations are imported.
	imported int
}

var (
	full  = plan{lines: 1_000_000, replay: 10_000_000, rounds: 3, place: 1_000_000, seconds: 21, starts: 7, imported: 10_000}
	quick = plan{lines: 200_000, replay: 2_000_000, rounds: 3, place: 200_000, seconds: 6, starts: 3, imported: 200}
)

// bench is one run of the program.
type bench struct {
	ctx  context.Context //nolint:containedctx // the life of the program
	plan plan
	weft string // path of the built program
	env  []string
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
		case "member": // an agent that uses the gateway
			return memberMain(os.Stdin, os.Stdout)
		case "model": // a scripted model, for the built-in agent
			return modelMain(os.Stdin, os.Stdout)
		case "builtin": // as `weft agent`
			return builtin.Main(context.Background(), args[1:], os.Stdin, os.Stdout, os.Stderr)
		case "work":
			return workMain(args[1:])
		}
	}
	f := flag.NewFlagSet("bench", flag.ExitOnError)
	short := f.Bool("quick", false, "measure less: about a minute")
	only := f.String("only", "", "comma-separated parts of: "+strings.Join(names(), ", "))
	weft := f.String("weft", "build/bin/weft", "the built program, for the times of its start")
	page := f.String("write", "", "also put the table into this page, between its marks (docs/numbers.md)")
	profile := f.String("profile", "", "folder for a CPU profile of every worker")
	if err := f.Parse(args); err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := &bench{ctx: ctx, plan: full, weft: *weft}
	if *short {
		b.plan = quick
	}
	if *profile != "" {
		b.env = append(b.env, profileVariable+"="+*profile)
	}
	began, waited := time.Now(), pressure()
	for _, p := range parts {
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

// parts are what is measured, in the order of the table.
var parts = []struct {
	name    string
	measure func(*bench) error
}{
	{"flood", (*bench).flood},
	{"position", (*bench).position},
	{"latency", (*bench).latency},
	{"twenty", (*bench).twenty},
	{"crowd", (*bench).crowded},
	{"written", (*bench).written},
	{"input", (*bench).input},
	{"decision", (*bench).decision},
	{"builtin", (*bench).builtin},
	{"gateway", (*bench).gateway},
	{"modelproxy", (*bench).modelProxy},
	{"spaces", (*bench).spaces},
	{"opening", (*bench).opening},
	{"search", (*bench).searching},
	{"mention", (*bench).mention},
	{"branch", (*bench).branch},
	{"export", (*bench).exports},
	{"import", (*bench).importing},
	{"start", (*bench).start},
	{"idle", (*bench).idle},
	{"external", (*bench).external},
}

func names() []string {
	var list []string
	for _, p := range parts {
		list = append(list, p.name)
	}
	return list
}

func (b *bench) add(r row) { b.rows = append(b.rows, r) }
