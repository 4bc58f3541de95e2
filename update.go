package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/beside"
	"weft/backend/fault"
	"weft/backend/quantity"
	"weft/backend/service"
	"weft/backend/service/updates"
	"weft/backend/update"
)

const updateHelp = `weft update looks for a newer version of Weft and installs it, where install.sh has put Weft into
a folder of yours. A package of the system is updated by the command that it prints. A Weft that
is running continues with the old version until you close it and start it again.

`

// here returns where this Weft is installed.
func here() *update.Place {
	exe, err := os.Executable()
	if err != nil {
		return &update.Place{How: update.HowOther}
	}
	return update.Find(exe)
}

// updateOptions are those of a service. restart restarts Weft.
func updateOptions(restart func()) service.UpdateOptions {
	return service.UpdateOptions{Source: update.BuiltIn(os.Getenv), Place: here(), Restart: restart}
}

// successor runs a program in place of this one. Where the system has no such thing, it returns the exit code of this one.
type successor func(path string, args []string) (code int, err error)

// inPlace is the successor of a program in a terminal. The files that keep returns are open in it.
func inPlace(keep func() []*os.File) successor {
	return func(path string, args []string) (int, error) { return beside.Replace(path, args, keep()...) }
}

// begin finishes an update that waits for a start. Where another version is in place then, it runs that in place of this program, and returns only
// if that fails.
func begin(run successor) *update.Running {
	r := here().Start(version)
	if r == nil {
		return nil
	}
	if r.Again {
		restartAs(run, os.Args[1:])
	}
	if r.Err != nil {
		_, message, _ := service.Explain(r.Err)
		fmt.Fprintln(stderr(), "weft:", message)
	}
	return r
}

// restartAs runs the program that is installed now in place of this one. It returns only if that fails.
func restartAs(run successor, args []string) {
	exe, err := os.Executable()
	if err == nil {
		var code int
		if code, err = run(exe, args); err == nil {
			os.Exit(code)
		}
	}
	fmt.Fprintf(stderr(), "weft: couldn't restart: %v. Start Weft again.\n", err)
}

// notItsFault reports whether a first start has failed for a reason that isn't the new version's.
func notItsFault(err error) bool {
	return slices.Contains([]string{"in_use", "locked", "disk_full", "read_only", "newer_version"}, fault.CodeOf(err))
}

// isUp tells that this version has started.
func isUp(r *update.Running, log zerolog.Logger) {
	done, err := r.Up()
	if err != nil {
		log.Warn().Err(err).Msg("the old version could not be removed")
	}
	if done != nil {
		log.Info().Str("from", done.From).Str("to", done.To).Msg("updated")
	}
}

// upWhenServed calls isUp when the server at base has answered.
func upWhenServed(ctx context.Context, base string, r *update.Running, log zerolog.Logger) {
	if r == nil || !r.Trial {
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/health", http.NoBody)
	if err != nil {
		return
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return // closed before; the next start looks again
	}
	_ = res.Body.Close()
	if res.StatusCode < http.StatusInternalServerError {
		isUp(r, log)
	}
}

// updateWeft runs weft update.
func updateWeft(ctx context.Context, args []string) int {
	var c common
	f := c.flags("update")
	checkOnly := f.Bool("check", false, "only say whether there is a newer version")
	if ok, code := parse(f, &c, args, updateHelp); !ok {
		return code
	}
	dir, err := c.dataDir()
	if err != nil {
		return complain(err)
	}
	source := update.BuiltIn(os.Getenv)
	if source == nil || !update.Released(version) {
		fmt.Fprintf(stderr(), "weft: this build (%s) doesn't check for updates. Update its source and build it again, or download Weft from its web page.\n", version)
		return 1
	}
	checker := &update.Checker{Source: source, Path: filepath.Join(dir, updates.File), Version: version, Now: time.Now}
	last, err := checker.Check(ctx)
	if err != nil {
		return complain(err)
	}
	m := last.Newer
	if m == nil {
		fmt.Fprintf(stdout(), "Weft %s is the newest version.\n", version)
		return 0
	}
	fmt.Fprintf(stdout(), "Weft %s is available; this is %s.\n", m.Version, version)
	place := here()
	file, ok := place.File(m)
	switch {
	case !ok:
		fmt.Fprintln(stdout(), "There is no download for this system.")
		return 0
	case place.Command != "":
		fmt.Fprintf(stdout(), "Download %s\nand run: %s\n", file.URL, place.CommandFor(file))
		return 0
	case !place.Replaces():
		fmt.Fprintf(stdout(), "Download %s\n", file.URL)
		return 0
	case *checkOnly:
		fmt.Fprintln(stdout(), "Install it with: weft update")
		return 0
	}
	return install(ctx, place, source, m)
}

// install downloads a version and puts it in place, if no Weft runs.
func install(ctx context.Context, place *update.Place, source *update.Source, m *update.Manifest) int {
	running := place.Start(version)
	if running != nil && running.Again {
		fmt.Fprintln(stderr(), "weft: an earlier update was just finished. Run this command again.")
		return 1
	}
	if place.Ready() != m.Version {
		file, _ := place.File(m)
		fmt.Fprintf(stderr(), "Downloading %s (%s) …\n", file.Name, quantity.Bytes(file.Size))
		if err := place.Stage(ctx, source, m, version, func(int64) {}); err != nil {
			running.Excuse()
			running.Close()
			return complain(err)
		}
	}
	running.Excuse() // this was no start
	running.Close()
	done, err := place.Install(version)
	switch {
	case err != nil:
		return complain(err)
	case done && place.Outcome() != nil && place.Outcome().Failed:
		fmt.Fprintln(stderr(), "weft:", plain(place.Outcome().Why))
		return 1
	case done:
		fmt.Fprintf(stdout(), "Weft %s is installed.\n", m.Version)
	default:
		fmt.Fprintf(stdout(), "Weft %s is ready. It is installed when Weft was closed and is started again.\n", m.Version)
	}
	return 0
}
