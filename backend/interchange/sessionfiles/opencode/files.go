package opencode

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"weft/backend/base/scan"
	"weft/backend/interchange/sessionfiles"
)

// files are the JSON files that versions before the database have written.
type files struct {
	storage string
	session string // path of the file of the conversation
}

func (f files) each(ctx context.Context, dir, id string, yield func(r *record) error) error {
	if strings.ContainsAny(id, `/\`) || id == "" || id == ".." {
		return nil
	}
	dir = filepath.Join(f.storage, dir, id)
	list, err := names(dir)
	if err != nil {
		return err
	}
	for _, name := range list { // their names are in the order in which they were made
		if err := ctx.Err(); err != nil {
			return err
		}
		r := record{id: name}
		text, err := readSmall(filepath.Join(dir, name+".json"))
		var broken *sessionfiles.FileError
		if err != nil && !errors.As(err, &broken) {
			return err
		}
		if err == nil {
			r.data = text
			if n, ok := scan.Integer(sessionfiles.Members(sessionfiles.Members(text)["time"])["created"]); ok {
				r.at = int64(n)
			}
		} else if !errors.Is(err, errLarge) {
			r.damaged = true
		}
		if err := yield(&r); err != nil {
			return err
		}
	}
	return nil
}

func (f files) messages(ctx context.Context, session string, yield func(m *record) error) error {
	return f.each(ctx, "message", session, yield)
}

func (f files) parts(ctx context.Context, message string, yield func(p *record) error) error {
	return f.each(ctx, "part", message, yield)
}

func (f files) reverted(context.Context, string) string {
	text, err := readSmall(f.session)
	if err != nil {
		return ""
	}
	return sessionfiles.Members(sessionfiles.Members(text)["revert"]).Text("messageID")
}
