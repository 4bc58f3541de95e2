package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/backend/base/quantity"
	"weft/backend/desktop/update"
	"weft/backend/interchange/backup"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

func backupCommand() *cobra.Command {
	var c Common
	cmd := &cobra.Command{
		Use: "backup [FILE]", Short: "Write all that Weft keeps to one file", Args: atMost(1),
		Long: `Writes all that Weft keeps to one file, a ZIP archive: conversations, what files were before
agents changed them, and the settings. Keys and tokens that Weft keeps aren't in it, and what
looks like one in the settings is left out and listed. Conversations and files are in it unchanged,
with what was written there. Weft may be running. Without FILE it is weft-backup-DATE.zip in this folder.`,
		RunE: does(func(ctx context.Context, files []string) int { return backUp(ctx, c, strings.Join(files, "")) }),
	}
	c.flags(cmd)
	return cmd
}

func restoreCommand() *cobra.Command {
	var c Common
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Put a backup in the place of what Weft keeps", Args: atMost(1),
		Long: `Puts a backup in the place of what Weft keeps. All of the backup is checked first, and what was
there is kept. Only what Weft knows is taken from it. Enter the keys again that the backup left out;
they are listed. Close Weft before.`,
		RunE: does(func(ctx context.Context, files []string) int { return restore(ctx, c, strings.Join(files, "")) }),
	}
	c.flags(cmd)
	return cmd
}

// place returns the data folder and the settings file for backup and restore.
func (c *Common) place() (dir, file string, err error) {
	if dir, err = c.DataDir(); err != nil {
		return "", "", err
	}
	if file = c.Settings; file == "" {
		file, err = settings.DefaultPath()
	}
	return dir, file, err
}

// backUp runs weft backup. path is "" if the user named no file.
func backUp(ctx context.Context, c Common, path string) int {
	dir, file, err := c.place()
	if err != nil {
		return Complain(err)
	}
	if path == "" {
		path = "weft-backup-" + time.Now().Format(time.DateOnly) + ".zip"
	}
	if path, err = filepath.Abs(path); err != nil {
		return Complain(err)
	}
	hide := &secret.Redactor{}
	secret.Withhold(hide)
	m, err := backup.Write(ctx, backup.Source{DataDir: dir, Settings: file, Redactor: hide, Weft: Version, Now: time.Now, TakenBack: update.TakenBack(here())}, path)
	if err != nil {
		return Complain(err)
	}
	size := ""
	if info, err := os.Stat(path); err == nil {
		size = ", " + quantity.Bytes(info.Size())
	}
	fmt.Fprintln(stdout(), plain(path))
	fmt.Fprintf(Stderr(), "%s with %s%s.\n", quantity.Count(m.Spaces, "conversation", "conversations"), quantity.Count(m.Messages, "message", "messages"), size)
	list("Left out of the settings, because it looks like a secret:", m.LeftOut)
	return 0
}

// list prints places in the settings below a title, if there are any.
func list(title string, places []string) {
	if len(places) == 0 {
		return
	}
	fmt.Fprintln(Stderr(), title)
	for _, place := range places {
		fmt.Fprintln(Stderr(), "  "+plain(place))
	}
}

// restore runs weft restore.
func restore(ctx context.Context, c Common, path string) int {
	if path == "" {
		fmt.Fprintln(Stderr(), "weft: name the backup to restore. See weft restore --help.")
		return 2
	}
	dir, file, err := c.place()
	if err != nil {
		return Complain(err)
	}
	r, err := backup.Restore(ctx, backup.Target{DataDir: dir, Settings: file, Now: time.Now}, path)
	if err != nil {
		return Complain(err)
	}
	fmt.Fprintf(stdout(), "Restored %s with %s, as they were on %s.\n", quantity.Count(r.Spaces, "conversation", "conversations"),
		quantity.Count(r.Messages, "message", "messages"), r.At.Local().Format("2006-01-02 15:04"))
	if r.Aside != "" {
		fmt.Fprintf(stdout(), "What was there before is kept as %s.\n", plain(r.Aside))
	}
	if r.Settings {
		fmt.Fprintln(stdout(), "The settings of the backup were restored, too.")
		list("These secrets were left out of the backup. Enter them again in Settings:", r.LeftOut)
	} else {
		fmt.Fprintln(stdout(), "The settings stay as they are.")
	}
	return 0
}
