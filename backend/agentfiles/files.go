// Package agentfiles serves the requests of an agent about files (ACP File System): it reads and writes them in the space's folder, once that is
// allowed.
//
// What depends on the session, such as who allows it, is asked of a [Session]. The methods of [Files] block for the disk, and for the user, and hold
// nothing meanwhile.
package agentfiles

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/asking"
	"weft/backend/fault"
	"weft/backend/requests"
	"weft/backend/workspace"
)

// Session is the session of the agent that asks. Its methods are called without a lock.
type Session interface {
	// Consent decides whether an operation is carried out, and blocks until then. Done must be called with what came of it, also if err isn't nil.
	Consent(ctx context.Context, o *requests.Operation) (done func(error), err error)
	// HasRead reports whether the agent has read a file in this session.
	HasRead(path string) bool
	// Read notes that the agent has read lines of a file; 0 is the beginning, or the end. Wrote notes that it has written it.
	Read(path string, from, to int)
	Wrote(path string)
	// Watched writes a file, with what it held before kept.
	Watched(ctx context.Context, path string, write func() error) error
}

// Files are those of a space's folder, as one agent gets them.
type Files struct {
	Files   *workspace.Files
	Folder  asking.Folder
	Session Session
	Writes  *Writes       // those of the session
	Program func() string // returns what the agent says that it is
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
		f.Session.Read(p.Path, value(p.Line), value(p.Line)+max(value(p.Limit)-1, 0))
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
	text, formErr := f.Files.Prepare(p.Path, p.Content, workspace.SaidIn(p.Meta), f.Session.HasRead(p.Path))
	if formErr != nil {
		text = &workspace.Written{Text: p.Content}
	}
	o := f.Folder.Write(p.Path, text.Text)
	done, err := f.Session.Consent(ctx, o)
	defer func() { done(err) }()
	if err == nil || fault.CodeOf(err) == "changed" {
		err = cmp.Or(f.Files.Current(ctx, p.Path), err, formErr) // the user may have thought about it for long
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

// wantsEmptyForMissing is true for Gemini CLI, which reads a file before it writes it and takes every answer with an
// error, also that the file is not there (ACP File System), for a reason not to write: it could make no new file. Its
// reading tool looks for a file by itself first.
func (f *Files) wantsEmptyForMissing() bool {
	return strings.Contains(strings.ToLower(f.Program()), "gemini")
}

// maxRead is how many files are remembered as read.
const maxRead = 1 << 14

// Known are the files that an agent has read in a session. The zero value has none.
type Known struct{ paths map[string]bool }

// Note notes that a file was read. Path is as [asking.Folder.Key] has it.
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
