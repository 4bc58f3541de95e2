package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Recovery tells what became of a database that was damaged. The damaged file is kept.
type Recovery struct {
	Message  string // sentences for the person
	Aside    string // where the damaged file is now
	Cause    string // what SQLite said
	At       int64  // unix ms
	Spaces   int    // how much was recovered
	Messages int
	Segments int
	Items    int // of tool groups
	Events   int // of the journal
	// Lost says what could not be read, one phrase each; empty if all tables could be read to their ends.
	Lost []string
}

// recover makes a new database of what can be read of the damaged one and puts it in its
// place. The damaged file is moved aside only when the new one is complete; an
// interruption at any point leaves either the damaged file in place or the new one ready to be adopted.
func (s *Store) recover(ctx context.Context, cause error) (*Recovery, error) {
	rec := &Recovery{Cause: cause.Error(), At: s.opt.Now().UnixMilli()}
	s.opt.Log.Error().Err(cause).Msg("the database is damaged; recovering what can be read")
	work, tmp := s.path()+".work", s.path()+".new"
	defer removeDB(work)
	removeDB(work)
	removeDB(tmp)
	// SQLite repairs and moves logs when it opens a file; the kept one stays as it was found.
	for _, side := range []string{"", "-wal"} {
		if err := copyFile(s.path()+side, work+side); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, wrap(err, "copy the damaged database")
		}
	}
	if err := s.makeEmpty(tmp); err != nil {
		return nil, wrap(err, "create a database for what can be recovered")
	}
	if err := salvage(ctx, work, tmp, rec); err != nil {
		removeDB(tmp)
		return nil, wrap(err, "recover the damaged database")
	}
	if err := os.Rename(tmp, s.recoveredPath()); err != nil {
		return nil, wrap(err, "put the recovered database in place")
	}
	done, err := s.finishRecovery()
	if err != nil {
		return nil, err
	}
	rec.Aside = done.Aside
	rec.Message = rec.sentence()
	return rec, nil
}

func (s *Store) recoveredPath() string { return s.path() + ".recovered" }

// finishRecovery puts a complete recovered database in place of the damaged one, if there
// is one. The log goes first: beside another database it would be taken for that one's.
func (s *Store) finishRecovery() (*Recovery, error) {
	if !exists(s.recoveredPath()) {
		return nil, nil
	}
	rec := &Recovery{At: s.opt.Now().UnixMilli(), Message: "The conversations were recovered from a damaged database when Weft was started last."}
	rec.Aside = s.path() + ".damaged-" + s.opt.Now().UTC().Format("20060102-150405")
	for n := 2; exists(rec.Aside); n++ {
		rec.Aside = fmt.Sprintf("%s-%d", strings.TrimSuffix(rec.Aside, fmt.Sprintf("-%d", n-1)), n)
	}
	for _, side := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(s.path()+side, rec.Aside+side); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, wrap(err, "move the damaged database aside")
		}
	}
	if err := os.Rename(s.recoveredPath(), s.path()); err != nil {
		return nil, wrap(err, "put the recovered database in place")
	}
	os.Remove(s.suspectPath())
	return rec, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (r *Recovery) sentence() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The database of your conversations was damaged. It is kept as %s. ", r.Aside)
	switch {
	case r.Spaces+r.Messages == 0:
		b.WriteString("Nothing in it could be read; Weft starts with an empty list.")
	case len(r.Lost) == 0:
		fmt.Fprintf(&b, "All of it could be read: %d conversations with %d messages.", r.Spaces, r.Messages)
	default:
		fmt.Fprintf(&b, "Recovered: %d conversations with %d messages. Not everything could be read: %s.", r.Spaces, r.Messages, strings.Join(r.Lost, ", "))
	}
	return b.String()
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

// graft gives the file at path the first page of an empty database: the schema, where the
// tables begin. It is right because all tables of a version are made in one go, so
// their first pages are the same in every file; it is tried only when the page is unreadable.
func graft(path, empty string) error {
	page := make([]byte, pageSize)
	in, err := os.Open(empty)
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := io.ReadFull(in, page); err != nil {
		return err
	}
	// Bytes 18 and 19: no write-ahead log. 24 and 92 differ: the size is that of the file.
	page[18], page[19] = 1, 1
	page[92]++
	// No list of free pages: nothing is written to this file any more.
	clear(page[32:40])
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = out.WriteAt(page, 0)
	return errors.Join(err, out.Close())
}
