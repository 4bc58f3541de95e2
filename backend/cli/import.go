package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"weft/backend/api/service/interchange"
	"weft/backend/base/commandline"
	"weft/backend/base/fault"
	"weft/backend/base/quantity"
	"weft/backend/desktop/update"
	"weft/backend/files/regular"
	"weft/backend/store"
)

// importOptions are the flags of weft import.
type importOptions struct {
	Common
	from, folder, since string
	dry, deleted        bool
}

func importCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use: "import [FILE … | --from PROGRAM]", Short: "Import conversations that other programs have exported or kept",
		Long: `weft import FILE … imports conversations that other programs have exported, as
JSON or JSON Lines; - reads standard input. docs/import.md describes the format.
A conversation is imported whole or not at all, and never twice.

weft import --from PROGRAM imports the conversations that claude, codex, opencode,
gemini or qwen have kept on this machine, or all of them: each once, and again only
what is new. Their files are only read.`,
		RunE: does(func(ctx context.Context, files []string) int { return importFiles(ctx, o, files) }),
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.dry, "dry-run", false, "check the files and print what would be imported")
	f.StringVar(&o.from, "from", "", "import the conversations that a `PROGRAM` has kept: claude, codex, opencode, gemini, qwen or all")
	f.StringVar(&o.folder, "folder", "", "with --from: only those that took place in this `FOLDER`")
	f.StringVar(&o.since, "since", "", "with --from: only those that have changed since this `DAY`, such as 2026-03-01")
	f.BoolVar(&o.deleted, "deleted", false, "with --from: also those whose spaces were deleted")
	_ = cmd.MarkFlagDirname("folder")
	values(cmd, "from", "claude", "codex", "opencode", "gemini", "qwen", "all")
	values(cmd, "since")
	return cmd
}

// importFiles runs weft import. It returns 1 if anything was rejected.
func importFiles(ctx context.Context, o importOptions, files []string) (code int) {
	filter, err := conversationsFilter(o.from, o.folder, o.since, o.deleted, files)
	if err != nil {
		fmt.Fprintf(Stderr(), "weft: %v. See weft import --help.\n", err)
		return 2
	}
	dir, err := o.DataDir()
	if err != nil {
		return Complain(err)
	}
	im, err := openImporter(ctx, interchange.Options{DataDir: dir, SettingsPath: o.Settings, Log: zerolog.Nop(), TakenBack: update.TakenBack(here())})
	if err != nil {
		code := Complain(err)
		if errors.Is(err, store.ErrInUse) {
			fmt.Fprintln(Stderr(), "The running Weft doesn't accept files from the command line. Choose “Import conversations” in its command palette.")
		}
		return code
	}
	if o.from != "" {
		return importConversations(ctx, im, filter, o.dry)
	}
	var sum interchange.ImportReport
	for _, name := range files {
		report, err := importFile(ctx, im, name, o.dry)
		printReport(report)
		sum.Imported, sum.Known, sum.Refused = sum.Imported+report.Imported, sum.Known+report.Known, sum.Refused+report.Refused
		if err != nil {
			Complain(err)
			code = 1
		}
	}
	if err := im.Close(context.WithoutCancel(ctx)); err != nil {
		return Complain(err)
	}
	did := "imported"
	if o.dry {
		did = "to import (nothing was changed)"
	}
	fmt.Fprintf(stdout(), "%s %s, %d already imported, %d refused.\n", quantity.Count(sum.Imported, "conversation", "conversations"), did, sum.Known, sum.Refused)
	if sum.Refused > 0 {
		code = 1
	}
	return code
}

func importFile(ctx context.Context, im importer, name string, dry bool) (interchange.ImportReport, error) {
	if name == "-" {
		return im.File(ctx, "standard input", os.Stdin, dry)
	}
	file, _, err := regular.OpenPath(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return interchange.ImportReport{}, fault.New("not_found", "There is no file {{path}}.", name).Because(err)
	case errors.Is(err, regular.ErrFolder):
		return interchange.ImportReport{}, fault.New("invalid", "{{name}} is a folder. Name the files in it.", name)
	case errors.Is(err, regular.ErrNotRegular):
		return interchange.ImportReport{}, fault.New("invalid", "{{path}} isn't a regular file.", name)
	case err != nil:
		return interchange.ImportReport{}, fault.New("io", "Couldn't open the file: {{reason}}.", err).Because(err)
	}
	defer file.Close()
	return im.File(ctx, name, file, dry)
}

func printReport(r interchange.ImportReport) {
	for _, c := range r.Conversations {
		title := plain(c.Title)
		switch c.State {
		case interchange.ImportDone:
			did := "imported"
			if r.DryRun {
				did = "would import"
			}
			fmt.Fprintf(stdout(), "%s: %s “%s” (%s)\n", plain(r.File), did, title, quantity.Count(c.Messages, "message", "messages"))
		case interchange.ImportKnown:
			fmt.Fprintf(stdout(), "%s: “%s” was imported before\n", plain(r.File), title)
		case interchange.ImportRefused:
			if title != "" {
				fmt.Fprintf(Stderr(), "%s: “%s” wasn't imported:\n", plain(r.File), title)
			}
			for _, f := range c.Faults {
				where := fmt.Sprintf("%s:%d: ", plain(r.File), f.Line)
				if f.Place != "" {
					where += f.Place + ": "
				}
				fmt.Fprintln(Stderr(), where+plain(f.Message))
			}
		}
		for _, note := range c.Notes {
			fmt.Fprintln(stdout(), "  "+plain(note))
		}
	}
}

// plain makes a text from a file safe to print within a line.
func plain(s string) string {
	return strings.NewReplacer("\n", "\uFFFD", "\t", "\uFFFD").Replace(commandline.PlainText(s))
}
