package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"weft/backend/api/service"
	"weft/backend/api/service/app"
	"weft/backend/base/beside"
	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/desktop/update"
)

func updateCommand() *cobra.Command {
	var c Common
	checkOnly := false
	cmd := &cobra.Command{
		Use: "update", Short: "Install a newer version of Weft, if there is one", Args: atMost(0), ValidArgsFunction: cobra.NoFileCompletions,
		Long: `Looks for a newer version of Weft and installs it, where install.sh has put Weft into
a folder of yours. A package of the system is updated by the command that it prints. A Weft that
is running continues with the old version until you close it and start it again.`,
		RunE: does(func(ctx context.Context, _ []string) int { return updateWeft(ctx, c, checkOnly) }),
	}
	c.flags(cmd)
	cmd.Flags().BoolVar(&checkOnly, "check", false, "only say whether there is a newer version")
	return cmd
}

// here returns where this Weft is installed.
func here() *update.Place {
	exe, err := os.Executable()
	if err != nil {
		return &update.Place{How: update.HowOther}
	}
	return update.Find(exe)
}

// updateOptions returns the update options of a service. restart restarts Weft.
func updateOptions(restart func()) service.UpdateOptions {
	return service.UpdateOptions{Source: update.BuiltIn(os.Getenv), Place: here(), Restart: restart}
}

// successor replaces this program with another one. On systems that don't support this, it returns the exit code for
// this program.
type successor func(path string, args []string) (code int, err error)

// inPlace returns the successor for a program in a terminal. The files that keep returns stay open in the new program.
func inPlace(keep func() []*os.File) successor {
	return func(path string, args []string) (int, error) { return beside.Replace(path, args, keep()...) }
}

// Begin finishes an update that waits for a start. If another version is then installed, Begin runs it in place of this
// program, and returns only if that fails.
func Begin(run successor) *update.Running {
	r := here().Start(Version)
	if r == nil {
		return nil
	}
	if r.Again {
		RestartAs(run, os.Args[1:])
	}
	if r.Err != nil {
		_, message, _ := service.Explain(r.Err)
		fmt.Fprintln(Stderr(), "weft:", message)
	}
	return r
}

// RestartAs runs the currently installed program in place of this one. It returns only if that fails.
func RestartAs(run successor, args []string) {
	exe, err := os.Executable()
	if err == nil {
		var code int
		if code, err = run(exe, args); err == nil {
			os.Exit(code)
		}
	}
	fmt.Fprintf(Stderr(), "weft: couldn't restart: %v. Start Weft again.\n", err)
}

// NotItsFault reports whether a first start failed for a reason unrelated to the new version.
func NotItsFault(err error) bool {
	return slices.Contains([]string{"in_use", "locked", "disk_full", "read_only", "newer_version"}, fault.CodeOf(err))
}

// IsUp records that this version has started.
func IsUp(r *update.Running, log zerolog.Logger) {
	done, err := r.Up()
	if err != nil {
		log.Warn().Err(err).Msg("the old version could not be removed")
	}
	if done != nil {
		log.Info().Str("from", done.From).Str("to", done.To).Msg("updated")
	}
}

// upWhenServed calls IsUp once the server at base responds.
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
		return // closed before that; the next start checks again
	}
	_ = res.Body.Close()
	if res.StatusCode < http.StatusInternalServerError {
		IsUp(r, log)
	}
}

// updateWeft runs weft update.
func updateWeft(ctx context.Context, c Common, checkOnly bool) int {
	dir, err := c.DataDir()
	if err != nil {
		return Complain(err)
	}
	source := update.BuiltIn(os.Getenv)
	if source == nil || !update.Released(Version) {
		fmt.Fprintf(Stderr(), "weft: this build (%s) doesn't check for updates. Update its source and build it again, or download Weft from its web page.\n", Version)
		return 1
	}
	checker := &update.Checker{Source: source, Path: filepath.Join(dir, app.UpdatesFile), Version: Version, Now: time.Now}
	last, err := checker.Check(ctx)
	if err != nil {
		return Complain(err)
	}
	m := last.Newer
	if m == nil {
		fmt.Fprintf(stdout(), "Weft %s is the newest version.\n", Version)
		return 0
	}
	fmt.Fprintf(stdout(), "Weft %s is available; this is %s.\n", m.Version, Version)
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
	case checkOnly:
		fmt.Fprintln(stdout(), "Install it with: weft update")
		return 0
	}
	return install(ctx, place, source, m)
}

// install downloads and installs a version, if no Weft is running.
func install(ctx context.Context, place *update.Place, source *update.Source, m *update.Manifest) int {
	running := place.Start(Version)
	if running != nil && running.Again {
		fmt.Fprintln(Stderr(), "weft: an earlier update was just finished. Run this command again.")
		return 1
	}
	if place.Ready() != m.Version {
		file, _ := place.File(m)
		fmt.Fprintf(Stderr(), "Downloading %s (%s) …\n", file.Name, quantity.Bytes(file.Size))
		if err := place.Stage(ctx, source, m, Version, func(int64) {}); err != nil {
			running.Excuse()
			running.Close()
			return Complain(err)
		}
	}
	running.Excuse() // this was not a real start
	running.Close()
	done, err := place.Install(Version)
	switch {
	case err != nil:
		return Complain(err)
	case done && place.Outcome() != nil && place.Outcome().Failed:
		fmt.Fprintln(Stderr(), "weft:", plain(place.Outcome().Why))
		return 1
	case done:
		fmt.Fprintf(stdout(), "Weft %s is installed.\n", m.Version)
	default:
		fmt.Fprintf(stdout(), "Weft %s is ready. It is installed when Weft was closed and is started again.\n", m.Version)
	}
	return 0
}
