package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rs/zerolog"

	"weft/backend/commandline"
	"weft/backend/fault"
	"weft/backend/quantity"
	"weft/backend/regular"
	"weft/backend/service/imports"
	"weft/backend/store"
	"weft/backend/update"
)

const importHelp = `weft import FILE … imports conversations that other programs have exported, as
JSON or JSON Lines; - reads standard input. docs/import.md describes the format.
A conversation is imported whole or not at all, and never twice.

weft import --from PROGRAM imports the conversations that claude, codex, opencode,
gemini or qwen have kept on this machine, or all of them: each once, and again only
what is new. Their files are only read.

`

// importFiles runs weft import. It returns 1 where something was refused.
func importFiles(ctx context.Context, args []string) int {
	var c common
	f := c.flags("import")
	dry := f.Bool("dry-run", false, "check the files and print what would be imported")
	from := f.String("from", "", "import the conversations that a `PROGRAM` has kept: claude, codex, opencode, gemini, qwen or all")
	folder := f.String("folder", "", "with --from: only those that took place in this `FOLDER`")
	since := f.String("since", "", "with --from: only those that have changed since this `DAY`, such as 2026-03-01")
	deleted := f.Bool("deleted", false, "with --from: also those whose spaces were deleted")
	files, ok, code := parseWords(f, &c, args, importHelp)
	if !ok {
		return code
	}
	filter, err := conversationsFilter(*from, *folder, *since, *deleted, files)
	if err != nil {
		fmt.Fprintf(stderr(), "weft: %v. See weft import --help.\n", err)
		return 2
	}
	dir, err := c.dataDir()
	if err != nil {
		return complain(err)
	}
	im, err := openImporter(ctx, imports.Options{DataDir: dir, SettingsPath: c.settings, Log: zerolog.Nop(), TakenBack: update.TakenBack(here())})
	if err != nil {
		code := complain(err)
		if errors.Is(err, store.ErrInUse) {
			fmt.Fprintln(stderr(), "The running Weft doesn't accept files from the command line. Choose “Import conversations” in its command palette.")
		}
		return code
	}
	if *from != "" {
		return importConversations(ctx, im, filter, *dry)
	}
	var sum imports.ImportReport
	for _, name := range files {
		report, err := importFile(ctx, im, name, *dry)
		printReport(report)
		sum.Imported, sum.Known, sum.Refused = sum.Imported+report.Imported, sum.Known+report.Known, sum.Refused+report.Refused
		if err != nil {
			complain(err)
			code = 1
		}
	}
	if err := im.Close(context.WithoutCancel(ctx)); err != nil {
		return complain(err)
	}
	did := "imported"
	if *dry {
		did = "to import (nothing was changed)"
	}
	fmt.Fprintf(stdout(), "%s %s, %d already imported, %d refused.\n", quantity.Count(sum.Imported, "conversation", "conversations"), did, sum.Known, sum.Refused)
	if sum.Refused > 0 {
		code = 1
	}
	return code
}

func importFile(ctx context.Context, im importer, name string, dry bool) (imports.ImportReport, error) {
	if name == "-" {
		return im.File(ctx, "standard input", os.Stdin, dry)
	}
	file, _, err := regular.OpenPath(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return imports.ImportReport{}, fault.New("not_found", "There is no file {{path}}.", name).Because(err)
	case errors.Is(err, regular.ErrFolder):
		return imports.ImportReport{}, fault.New("invalid", "{{name}} is a folder. Name the files in it.", name)
	case errors.Is(err, regular.ErrNotRegular):
		return imports.ImportReport{}, fault.New("invalid", "{{path}} isn't a regular file.", name)
	case err != nil:
		return imports.ImportReport{}, fault.New("io", "Couldn't open the file: {{reason}}.", err).Because(err)
	}
	defer file.Close()
	return im.File(ctx, name, file, dry)
}

func printReport(r imports.ImportReport) {
	for _, c := range r.Conversations {
		title := plain(c.Title)
		switch c.State {
		case imports.ImportDone:
			did := "imported"
			if r.DryRun {
				did = "would import"
			}
			fmt.Fprintf(stdout(), "%s: %s “%s” (%s)\n", plain(r.File), did, title, quantity.Count(c.Messages, "message", "messages"))
		case imports.ImportKnown:
			fmt.Fprintf(stdout(), "%s: “%s” was imported before\n", plain(r.File), title)
		case imports.ImportRefused:
			if title != "" {
				fmt.Fprintf(stderr(), "%s: “%s” wasn't imported:\n", plain(r.File), title)
			}
			for _, f := range c.Faults {
				where := fmt.Sprintf("%s:%d: ", plain(r.File), f.Line)
				if f.Place != "" {
					where += f.Place + ": "
				}
				fmt.Fprintln(stderr(), where+plain(f.Message))
			}
		}
		for _, note := range c.Notes {
			fmt.Fprintln(stdout(), "  "+plain(note))
		}
	}
}

// plain keeps what a file holds from being more than a part of a line.
func plain(s string) string {
	return strings.NewReplacer("\n", "\uFFFD", "\t", "\uFFFD").Replace(commandline.PlainText(s))
}
