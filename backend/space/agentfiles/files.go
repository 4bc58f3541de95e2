// Package agentfiles serves an agent's file requests (ACP File System): it reads and writes files in the space's
// folder, once that is allowed.
//
// A [Session] provides what depends on the session, such as permission. The methods of [Files] block for the disk and
// for the user, and hold no lock.
package agentfiles

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/fault"
	"weft/backend/files/workspace"
	"weft/backend/space/requests"
)

// Session is the session of the agent. Its methods are called without a lock.
type Session interface {
	// Consent decides whether an operation is allowed, and blocks until then. done must be called with the result,
	// even if err isn't nil.
	Consent(ctx context.Context, o *requests.Operation) (done func(error), err error)
	// HasRead reports whether the agent has read a file in this session.
	HasRead(path string) bool
	// Read records that the agent has read lines of a file; from 0 is the beginning, to 0 the end. Wrote records a
	// write.
	Read(path string, from, to int)
	Wrote(path string)
	// Watched calls write, and keeps the previous content of the file.
	Watched(ctx context.Context, path string, write func() error) error
}

// Files serves the files of a space's folder to one agent.
type Files struct {
	Files   *workspace.Files
	Folder  requests.Folder
	Session Session
	Writes  *Writes       // the writes of the session
	Program func() string // returns the agent's name for itself
}

// Read are the params of fs/read_text_file.
type Read struct {
	Path  string `json:"path"`
	Line  *int   `json:"line"`
	Limit *int   `json:"limit"`
}

// Write are the params of fs/write_text_file.
type Write struct {
	Path    string         `json:"path"`
	Content string         `json:"content"`
	Meta    jsontext.Value `json:"_meta"`
}

// Read serves fs/read_text_file.
func (f *Files) Read(ctx context.Context, p *Read) (any, error) {
	if err := workspace.Check(p.Path); err != nil {
		return nil, err
	}
	if err := f.Files.Current(ctx, p.Path); err != nil {
		return nil, err
	}
	o := f.Folder.Read(p.Path)
	done, err := f.Session.Consent(ctx, o)
	defer func() { done(err) }()
	if err != nil {
		return nil, err
	}
	var text workspace.Text
	text, err = f.Files.Read(p.Path, o.Leads, value(p.Line), value(p.Limit))
	if err == nil {
		from, to := value(p.Line), 0
		if limit := value(p.Limit); limit > 0 {
			to = max(from, 1) + limit - 1
		}
		f.Session.Read(p.Path, from, to)
	}
	if missing(err) && f.wantsEmptyForMissing() {
		err = nil
	}
	return text.Answer(), err
}

// Write serves fs/write_text_file.
func (f *Files) Write(ctx context.Context, p *Write) (any, error) {
	if err := workspace.Check(p.Path); err != nil {
		return nil, err
	}
	return struct{}{}, f.Writes.once(ctx, p, func() error { return f.write(ctx, p) })
}

func (f *Files) write(ctx context.Context, p *Write) (err error) {
	if err := f.Files.Current(ctx, p.Path); err != nil {
		return err
	}
	text, formErr := f.Files.Prepare(p.Path, p.Content, workspace.RequestedForm(p.Meta), f.Session.HasRead(p.Path))
	if formErr != nil {
		text = &workspace.Written{Text: p.Content}
	}
	o := f.Folder.Write(p.Path, text.Text)
	done, err := f.Session.Consent(ctx, o)
	defer func() { done(err) }()
	if err == nil || fault.CodeOf(err) == "changed" {
		err = cmp.Or(f.Files.Current(ctx, p.Path), err, formErr) // the user may have taken a long time
	}
	if err != nil || o.Unchanged() {
		return err
	}
	err = f.Files.Within(p.Path, func(ctx context.Context) error {
		return f.Session.Watched(ctx, p.Path, func() error { return f.Files.Write(p.Path, o.Leads, text) })
	})
	if err == nil {
		f.Session.Wrote(p.Path)
	}
	return err
}

func value(n *int) int {
	if n == nil {
		return 0
	}
	return max(*n, 0)
}

func missing(err error) bool {
	var e *workspace.Error
	return errors.As(err, &e) && e.Code == "not_found"
}

// wantsEmptyForMissing reports whether the agent is Gemini CLI, which reads a file before it writes it and doesn't
// write after any error, even if the file doesn't exist (ACP File System), so it couldn't create files. Its read tool
// checks by itself whether a file exists.
func (f *Files) wantsEmptyForMissing() bool {
	return strings.Contains(strings.ToLower(f.Program()), "gemini")
}

// maxRead limits how many files are remembered as read.
const maxRead = 1 << 14

// Known has the files that an agent has read in a session. The zero value is empty.
type Known struct{ paths map[string]bool }

// Note records that a file was read. path is in the form of [requests.Folder.Key].
func (k *Known) Note(path string) {
	if k.paths == nil {
		k.paths = map[string]bool{}
	}
	if len(k.paths) < maxRead {
		k.paths[path] = true
	}
}

// Has reports whether a file was read.
func (k *Known) Has(path string) bool { return k.paths[path] }
