package interchange

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/api/service/files"
	"weft/backend/base/fault"
	"weft/backend/interchange/sessionfiles"
	"weft/backend/interchange/sessionfiles/claude"
	"weft/backend/interchange/sessionfiles/codex"
	"weft/backend/interchange/sessionfiles/gemini"
	"weft/backend/interchange/sessionfiles/opencode"
	"weft/backend/interchange/sessionfiles/qwen"
)

// importPrograms returns the programs from which conversations can be imported. Call [closePrograms] afterwards.
func importPrograms() []sessionfiles.Program {
	return []sessionfiles.Program{claude.Program{}, codex.Program{}, &opencode.Program{}, gemini.Program{}, qwen.Program{}}
}

// closePrograms releases the programs' resources.
func closePrograms(list []sessionfiles.Program) error {
	var errs []error
	for _, p := range list {
		if c, ok := p.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// FoundProgram is a program with conversations on this machine.
type FoundProgram struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Conversations int    `json:"conversations"` // approximate: some may be empty
	New           int    `json:"new"`           // not imported yet, or changed since
	Bytes         int64  `json:"bytes"`
	Oldest        int64  `json:"oldest"` // unix ms, of the last change
	Newest        int64  `json:"newest"`
	Problem       string `json:"problem"` // why the first unreadable one can't be examined; "" if all can
}

// ConversationsFilter selects conversations of programs.
type ConversationsFilter struct {
	Programs []string `json:"programs"`         // ids; none: all
	Folder   string   `json:"folder,omitzero"`  // only in this folder or a folder in it
	Since    int64    `json:"since,omitzero"`   // only those changed since, unix ms
	Deleted  bool     `json:"deleted,omitzero"` // include those whose spaces were deleted
}

// check returns the filter with the folder's path on disk, and the selected programs. Errors: invalid,
// folder_not_found.
func (f ConversationsFilter) check() (ConversationsFilter, []sessionfiles.Program, error) {
	all := importPrograms()
	if f.Folder != "" {
		folder, err := files.ResolveFolder(f.Folder)
		if err != nil {
			return f, nil, err
		}
		f.Folder = folder
	}
	if len(f.Programs) == 0 {
		return f, all, nil
	}
	var list []sessionfiles.Program
	for _, id := range f.Programs {
		i := slices.IndexFunc(all, func(p sessionfiles.Program) bool { return p.ID() == id })
		if i < 0 {
			var names []string
			for _, p := range all {
				names = append(names, p.ID())
			}
			return f, nil, fault.New(fault.Invalid, "Conversations of “{{id}}” can't be imported. Choose one of {{names}}.", id, strings.Join(names, ", "))
		}
		if !slices.Contains(list, all[i]) {
			list = append(list, all[i])
		}
	}
	return f, list, nil
}

// takes reports whether the filter selects conversations in a folder.
func (f *ConversationsFilter) takes(folder string) bool {
	return f.Folder == "" || folder == f.Folder || strings.HasPrefix(folder, strings.TrimSuffix(f.Folder, "/")+"/")
}

// envOr returns env, or the environment of this user if it is zero.
func envOr(env sessionfiles.Env) sessionfiles.Env {
	if env.Getenv != nil {
		return env
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.DevNull // contains nothing
	}
	return sessionfiles.Env{Home: home, Getenv: os.Getenv}
}

// find counts the conversations of each program without reading them.
func (i *Importer) find(ctx context.Context) (list []FoundProgram, err error) {
	list = []FoundProgram{}
	own, err := i.ownSessions(ctx)
	if err != nil {
		return nil, err
	}
	programs := importPrograms()
	defer func() { err = errors.Join(err, closePrograms(programs)) }()
	for _, p := range programs {
		one := FoundProgram{ID: p.ID(), Name: p.Name()}
		files, err := i.store.ImportedFiles(ctx, p.ID())
		if err != nil {
			return nil, err
		}
		for src, err := range p.Find(ctx, i.env) {
			if err != nil {
				if one.Problem == "" {
					one.Problem = filepath.Base(src.Path) + ": " + err.Error()
				}
				continue
			}
			if src.Parent != "" || own[src.Session] {
				continue
			}
			one.Conversations++
			one.Bytes += src.Size
			one.Newest = max(one.Newest, src.Changed)
			if one.Oldest == 0 || src.Changed < one.Oldest {
				one.Oldest = src.Changed
			}
			if was, known := files[src.Path]; !known || was.Size != src.Size || was.Changed != src.Changed {
				one.New++
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if one.Conversations > 0 || one.Problem != "" {
			list = append(list, one)
		}
	}
	return list, nil
}

// ownSessions returns the ids of agent sessions that belong to spaces of Weft. Their conversations are already here.
func (i *Importer) ownSessions(ctx context.Context) (map[string]bool, error) {
	return i.store.Sessions.Own(ctx)
}
