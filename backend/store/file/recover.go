package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"weft/backend/base/fault"
	"weft/backend/store/db"
)

// Recovery describes what was recovered from a damaged database. The damaged file is kept.
type Recovery struct {
	Sentence fault.Said // for the user
	Aside    string     // path of the damaged file
	Cause    string     // the error of SQLite
	At       int64      // unix ms
	Spaces   int        // how many were recovered
	Messages int
	Segments int
	Items    int // of tool groups
	Events   int // of the journal
	// Lost describes what could not be read. It is "" if all tables were read completely and nothing in them is
	// damaged.
	Lost   fault.Said
	Unread []string // the same for a log, with the errors of SQLite
}

// recover writes what can be read of the damaged database to a new one, which then takes its place. The damaged file is
// moved aside only when the new one is complete. An interruption at any point leaves either the damaged file in place,
// or a new one that the next start puts there.
func (f *File) recover(ctx context.Context, cause error) (*Recovery, error) {
	rec := &Recovery{Cause: cause.Error(), At: f.opt.Now().UnixMilli()}
	f.opt.Log.Error().Err(cause).Msg("the database is damaged; recovering what can be read")
	work, tmp := f.Path()+".work", f.Path()+".new"
	defer removeDB(work)
	removeDB(work)
	removeDB(tmp)
	// SQLite changes a file and its log when it opens them, so it gets a copy.
	for _, side := range []string{"", "-wal"} {
		if err := copyFile(f.Path()+side, work+side); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, db.Wrap(err, "copy the damaged database")
		}
	}
	if err := makeEmpty(tmp); err != nil {
		return nil, db.Wrap(err, "create a database for the recovered conversations")
	}
	if err := salvage(ctx, work, tmp, rec); err != nil {
		removeDB(tmp)
		return nil, db.Wrap(err, "recover the damaged database")
	}
	if err := os.Rename(tmp, f.recoveredPath()); err != nil {
		return nil, db.Wrap(err, "replace the damaged database")
	}
	done, err := f.finishRecovery()
	if err != nil {
		return nil, err
	}
	rec.Aside = done.Aside
	if len(rec.Unread) > 0 {
		f.opt.Log.Warn().Strs("unread", rec.Unread).Msg("parts of the damaged database couldn't be recovered")
	}
	rec.Sentence = rec.sentence()
	return rec, nil
}

func (f *File) recoveredPath() string { return f.Path() + ".recovered" }

// finishRecovery replaces the damaged database with a complete recovered one, if there is one.
func (f *File) finishRecovery() (*Recovery, error) {
	if !exists(f.recoveredPath()) {
		return nil, nil
	}
	rec := &Recovery{At: f.opt.Now().UnixMilli(), Sentence: fault.Say("Your conversations were recovered from a damaged database the last time Weft started.")}
	rec.Aside = f.free(".damaged-")
	if err := f.swap(f.recoveredPath(), rec.Aside); err != nil {
		return nil, err
	}
	return rec, nil
}

// free returns an unused path next to the database, with the current time in its name.
func (f *File) free(kind string) string {
	first := f.Path() + kind + f.opt.Now().UTC().Format("20060102-150405")
	path := first
	for n := 2; exists(path); n++ {
		path = fmt.Sprintf("%s-%d", first, n)
	}
	return path
}

// swap moves the database aside and from to its place. The log is moved first, because SQLite would take it for the log
// of the new database. If aside is empty, there is nothing to move.
func (f *File) swap(from, aside string) error {
	for _, side := range []string{"-wal", "-shm", ""} {
		if aside == "" {
			break
		}
		if err := os.Rename(f.Path()+side, aside+side); err != nil && !errors.Is(err, os.ErrNotExist) {
			return db.Wrap(err, "move the old database aside")
		}
	}
	removeSides(f.Path())
	if err := os.Rename(from, f.Path()); err != nil {
		return db.Wrap(err, "replace the database")
	}
	os.Remove(f.suspectPath())
	os.Remove(f.leftPath())
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (r *Recovery) sentence() fault.Said {
	spaces, messages := fault.Number(r.Spaces), fault.Number(r.Messages)
	var result fault.Said
	switch {
	case r.Spaces+r.Messages == 0:
		result = fault.Say("Nothing in it could be read. Weft starts with an empty list.")
	case r.Lost == "":
		result = fault.Say("Everything was recovered (conversations: {{spaces}}, messages: {{messages}}).", spaces, messages)
	default:
		result = fault.Say("Recovered conversations: {{spaces}}, messages: {{messages}}. Couldn't be read: {{lost}}.", spaces, messages, r.Lost)
	}
	return fault.Say("The database of your conversations was damaged. The damaged file is kept as {{path}}. {{result}}", r.Aside, result)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// graft gives the file at path the first page of an empty database, which contains the schema and the first pages of
// the tables. All tables of a version are created at once, so their first pages are the same in every file. It is tried
// only when the first page can't be read.
func graft(path, empty string) error {
	page := make([]byte, db.PageSize)
	in, err := os.Open(empty)
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := io.ReadFull(in, page); err != nil {
		return err
	}
	page[18], page[19] = 1, 1 // no write-ahead log
	page[92]++                // differs from byte 24: SQLite takes the size of the file instead of the one in the page
	clear(page[32:40])        // no list of free pages: nothing writes to this file anymore
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = out.WriteAt(page, 0)
	return errors.Join(err, out.Close())
}
