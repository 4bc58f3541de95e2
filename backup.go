package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/backend/backup"
	"weft/backend/quantity"
	"weft/backend/secret"
	"weft/backend/settings"
	"weft/backend/update"
)

const backupHelp = `weft backup [FILE] writes all that Weft keeps to one file, a ZIP archive: conversations, what
files were before agents changed them, and the settings. Keys and tokens that Weft keeps are
not in it, and what looks like one in the settings is left out and listed. Conversations and
files are in it unchanged, with what was written there. Weft may be running. Without FILE it
is weft-backup-DATE.zip in this folder.

`

const restoreHelp = `weft restore FILE puts a backup in the place of what Weft keeps. All of the backup is checked
first, and what was there is kept. Only what Weft knows is taken from it. Enter the keys again
that the backup left out; they are listed. Close Weft before.

`

// place is what backup and restore are about.
func (c *common) place() (dir, file string, err error) {
	if dir, err = c.dataDir(); err != nil {
		return "", "", err
	}
	if file = c.settings; file == "" {
		file, err = settings.DefaultPath()
	}
	return dir, file, err
}

// fileArg reads a command line with options and at most one file. ok is false with an exit code where there is nothing more to do.
func fileArg(c *common, name, help string, args []string) (file string, ok bool, code int) {
	words, ok, code := parseWords(c.flags(name), c, args, help)
	if len(words) > 1 {
		return "", false, unexpected(name, words[1])
	}
	return strings.Join(words, ""), ok, code
}

// backUp runs weft backup.
func backUp(ctx context.Context, args []string) int {
	var c common
	path, ok, code := fileArg(&c, "backup", backupHelp, args)
	if !ok {
		return code
	}
	dir, file, err := c.place()
	if err != nil {
		return complain(err)
	}
	if path == "" {
		path = "weft-backup-" + time.Now().Format(time.DateOnly) + ".zip"
	}
	if path, err = filepath.Abs(path); err != nil {
		return complain(err)
	}
	hide := &secret.Redactor{}
	secret.Withhold(hide)
	m, err := backup.Write(ctx, backup.Source{DataDir: dir, Settings: file, Redactor: hide, Weft: version, Now: time.Now, TakenBack: update.TakenBack(here())}, path)
	if err != nil {
		return complain(err)
	}
	size := ""
	if info, err := os.Stat(path); err == nil {
		size = ", " + quantity.Bytes(info.Size())
	}
	fmt.Fprintln(stdout(), plain(path))
	fmt.Fprintf(stderr(), "%s with %s%s.\n", quantity.Count(m.Spaces, "conversation", "conversations"), quantity.Count(m.Messages, "message", "messages"), size)
	list("Left out of the settings, because it looks like a secret:", m.LeftOut)
	return 0
}

// list lists places of the settings below a title, if there are some.
func list(title string, places []string) {
	if len(places) == 0 {
		return
	}
	fmt.Fprintln(stderr(), title)
	for _, place := range places {
		fmt.Fprintln(stderr(), "  "+plain(place))
	}
}

// restore runs weft restore.
func restore(ctx context.Context, args []string) int {
	var c common
	path, ok, code := fileArg(&c, "restore", restoreHelp, args)
	if !ok {
		return code
	}
	if path == "" {
		fmt.Fprintln(stderr(), "weft: name the backup to restore. See weft restore --help.")
		return 2
	}
	dir, file, err := c.place()
	if err != nil {
		return complain(err)
	}
	r, err := backup.Restore(ctx, backup.Target{DataDir: dir, Settings: file, Now: time.Now}, path)
	if err != nil {
		return complain(err)
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
