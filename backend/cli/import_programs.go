package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/api/service/interchange"
	"weft/backend/base/quantity"
)

// conversationsFilter reads the flags of weft import --from. files are the other arguments.
func conversationsFilter(from, folder, since string, deleted bool, files []string) (f interchange.ConversationsFilter, err error) {
	if from == "" {
		switch {
		case folder != "" || since != "" || deleted:
			return f, errors.New("--folder, --since and --deleted need --from")
		case len(files) == 0:
			return f, errors.New("name the files to import, or a program with --from")
		}
		return f, nil
	}
	if len(files) > 0 {
		return f, errors.New("name either files or a program with --from")
	}
	f.Deleted = deleted
	if programs := strings.Split(from, ","); !slices.Contains(programs, "all") {
		f.Programs = programs
	}
	if folder != "" {
		if f.Folder, err = filepath.Abs(folder); err != nil {
			return f, fmt.Errorf("find the folder: %w", err)
		}
	}
	if since != "" {
		day, err := time.ParseInLocation(time.DateOnly, since, time.Local)
		if err != nil {
			return f, errors.New("--since needs a day such as 2026-03-01")
		}
		f.Since = day.UnixMilli()
	}
	return f, nil
}

// importConversations imports conversations from other programs. It returns 1 if anything was rejected.
func importConversations(ctx context.Context, im importer, filter interchange.ConversationsFilter, dry bool) int {
	shown := false
	report, err := im.Conversations(ctx, filter, dry, func(p interchange.ImportProgress) {
		if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && p.Total > 0 {
			fmt.Fprintf(os.Stderr, "\r\x1b[K%d of %s", p.Read, quantity.Count(p.Total, "conversation", "conversations"))
			shown = true
		}
	})
	if shown {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	code := 0
	for _, p := range report.Programs {
		printProgram(p, report.DryRun)
		if p.Refused > 0 {
			code = 1
		}
	}
	for _, p := range report.Problems {
		out := stdout()
		if p.Refused {
			out = Stderr()
		}
		fmt.Fprintf(out, "%s: %s\n", plain(p.Path), plain(p.Message))
	}
	if report.More > 0 {
		fmt.Fprintf(Stderr(), "%s more.\n", quantity.Count(report.More, "problem", "problems"))
	}
	if report.Canceled {
		fmt.Fprintln(Stderr(), "weft: the import was stopped. What was imported until then stays. Run it again to continue.")
		code = 130
	}
	if err != nil {
		code = Complain(err)
	}
	if err := im.Close(context.WithoutCancel(ctx)); err != nil {
		code = Complain(err)
	}
	return code
}

func printProgram(p interchange.ProgramReport, dry bool) {
	all := p.Imported + p.Updated + p.Known + p.Deleted + p.Empty + p.Refused
	if all == 0 {
		fmt.Fprintf(stdout(), "%s: no conversations found\n", p.Name)
		return
	}
	did, updated := "imported", "updated"
	if dry {
		did, updated = "to import", "to update"
	}
	parts := []string{fmt.Sprintf("%s %s", quantity.Count(p.Imported, "conversation", "conversations"), did)}
	for _, more := range []struct {
		n    int
		what string
	}{{p.Updated, updated}, {p.Known, "already imported"}, {p.Deleted, "deleted in Weft"}, {p.Empty, "empty"}, {p.Refused, "refused"}} {
		if more.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", more.n, more.what))
		}
	}
	if p.Branches > 0 {
		parts[0] += " with " + quantity.Count(p.Branches, "branch", "branches")
	}
	fmt.Fprintf(stdout(), "%s: %s\n", p.Name, strings.Join(parts, ", "))
}
