package opencode

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"

	"weft/backend/base/fault"
	"weft/backend/base/scan"
	"weft/backend/interchange/sessionfiles"
)

// record is a row or a file: a message, or a part of one. data is nil for one that is too large.
type record struct {
	id   string
	kind string // of messages of version 2
	at   int64  // unix ms
	data []byte

	damaged bool // it can't be read
}

// origin is where a conversation is kept.
type origin interface {
	// messages yields the messages of a conversation, oldest first. Those with a kind are whole, as version 2 writes them.
	messages(ctx context.Context, session string, yield func(m *record) error) error
	// parts yields the parts of a message.
	parts(ctx context.Context, message string, yield func(p *record) error) error
	// reverted returns the message from which on the user has taken back the conversation, "" if there is none.
	reverted(ctx context.Context, session string) string
}

// sessions lists the conversations in a database.
func (p *Program) sessions(ctx context.Context, path string) ([]sessionfiles.Source, error) {
	db, err := p.copies.get(ctx, path)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, "SELECT "+ofSession+" FROM session ORDER BY time_updated DESC")
	if err != nil {
		return nil, problem(ctx, err)
	}
	defer rows.Close()
	var list []sessionfiles.Source
	for rows.Next() {
		src := sessionfiles.Source{Program: "opencode"}
		if err := rows.Scan(&src.Session, &src.Parent, &src.Folder, &src.Title, &src.Changed); err != nil {
			return list, problem(ctx, err)
		}
		src.Title, src.Path = titleOf(src.Title), path+"#"+src.Session
		list = append(list, src)
	}
	if err := rows.Err(); err != nil {
		return list, problem(ctx, err)
	}
	if info, err := os.Stat(path); err == nil && len(list) > 0 { // about: which of them has how much isn't known
		for i := range list {
			list[i].Size = info.Size() / int64(len(list))
		}
	}
	return list, nil
}

// problem explains an error of a database.
func problem(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s := err.Error()
	switch {
	case strings.Contains(s, "no such table"), strings.Contains(s, "no such column"):
		return &sessionfiles.FileError{Message: fault.Text("The database has an unknown format."), Err: err}
	case strings.Contains(s, "malformed"), strings.Contains(s, "not a database"), strings.Contains(s, "corrupt"):
		return &sessionfiles.FileError{Message: fault.Text("The database is damaged."), Err: err}
	}
	return &sessionfiles.FileError{Message: "Couldn't read the database: " + s + ".", Err: err}
}

// database is a database of version 1 or 2.
type database struct{ db *sql.DB }

// The columns of queries, as a text or a whole number whatever is in them.
const (
	idText    = "coalesce(CAST(id AS TEXT), '')"
	created   = "coalesce(CAST(time_created AS INTEGER), 0)"
	ofSession = idText + ", coalesce(CAST(parent_id AS TEXT), ''), coalesce(CAST(directory AS TEXT), ''), coalesce(CAST(title AS TEXT), ''), coalesce(CAST(time_updated AS INTEGER), 0)"
)

// bounded is the column data, NULL where it is too large.
const bounded = "CASE WHEN length(data) > 16777216 THEN NULL ELSE data END"

func (d database) each(ctx context.Context, query, arg string, yield func(r *record) error) (n int, err error) {
	rows, err := d.db.QueryContext(ctx, query, arg)
	if err != nil {
		return 0, problem(ctx, err)
	}
	defer rows.Close()
	for rows.Next() {
		var r record
		if err := rows.Scan(&r.id, &r.kind, &r.at, &r.data); err != nil {
			return n, problem(ctx, err)
		}
		n++
		if r.data != nil {
			r.data, _ = sessionfiles.UTF8(r.data)
			r.damaged = !scan.Valid(r.data)
		}
		if err := yield(&r); err != nil {
			return n, err
		}
	}
	if err := rows.Err(); err != nil {
		return n, problem(ctx, err)
	}
	return n, nil
}

func (d database) messages(ctx context.Context, session string, yield func(m *record) error) error {
	var found int
	row := d.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'session_message'")
	if err := row.Scan(&found); err != nil {
		return problem(ctx, err)
	}
	if found > 0 {
		n, err := d.each(ctx, "SELECT "+idText+", coalesce(CAST(type AS TEXT), ''), "+created+", "+bounded+" FROM session_message WHERE session_id = ? ORDER BY seq", session, yield)
		if err != nil || n > 0 {
			return err
		}
	}
	_, err := d.each(ctx, "SELECT "+idText+", '', "+created+", "+bounded+" FROM message WHERE session_id = ? ORDER BY time_created, id", session, yield)
	return err
}

func (d database) parts(ctx context.Context, message string, yield func(p *record) error) error {
	_, err := d.each(ctx, "SELECT "+idText+", '', "+created+", "+bounded+" FROM part WHERE message_id = ? ORDER BY id", message, yield)
	return err
}

func (d database) reverted(ctx context.Context, session string) string {
	var revert sql.NullString
	err := d.db.QueryRowContext(ctx, "SELECT revert FROM session WHERE id = ?", session).Scan(&revert)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return ""
	}
	return sessionfiles.Members([]byte(revert.String)).Text("messageID")
}
