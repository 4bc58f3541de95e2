package imports

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/backend/fault"
	"weft/backend/service/folders"
	"weft/backend/sessionfiles"
	"weft/backend/sessionfiles/claude"
	"weft/backend/sessionfiles/codex"
	"weft/backend/sessionfiles/gemini"
	"weft/backend/sessionfiles/opencode"
	"weft/backend/sessionfiles/qwen"
)

// Programs returns the programs whose conversations can be imported from where they keep them. [closePrograms] must follow.
func Programs() []sessionfiles.Program {
	return []sessionfiles.Program{claude.Program{}, codex.Program{}, &opencode.Program{}, gemini.Program{}, qwen.Program{}}
}

// closePrograms lets go of what programs hold.
func closePrograms(list []sessionfiles.Program) error {
	var errs []error
	for _, p := range list {
		if c, ok := p.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// FoundProgram is a program whose conversations are on this machine.
type FoundProgram struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Conversations int    `json:"conversations"` // about: some may turn out to be empty
	New           int    `json:"new"`           // of them that weren't imported, or have changed since
	Bytes         int64  `json:"bytes"`
	Oldest        int64  `json:"oldest"` // unix ms, when one was last changed
	Newest        int64  `json:"newest"`
	Problem       string `json:"problem"` // why the first one of them can't be looked at, "" if all can
}

// ConversationsFilter selects conversations of programs.
type ConversationsFilter struct {
	Programs []string `json:"programs"`         // ids; none: all
	Folder   string   `json:"folder,omitzero"`  // only those that took place in it, or in a folder in it
	Since    int64    `json:"since,omitzero"`   // only those that have changed since, unix ms
	Deleted  bool     `json:"deleted,omitzero"` // also those whose spaces were deleted
}

// check returns the filter with the folder as it is on disk, and its programs. Errors: invalid, folder_not_found.
func (f ConversationsFilter) check() (ConversationsFilter, []sessionfiles.Program, error) {
	all := Programs()
	if f.Folder != "" {
		folder, err := folders.Of(f.Folder)
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

// takes reports whether a conversation that took place in a folder is selected.
func (f *ConversationsFilter) takes(folder string) bool {
	return f.Folder == "" || folder == f.Folder || strings.HasPrefix(folder, strings.TrimSuffix(f.Folder, "/")+"/")
}

// envOr returns env, or where the programs of this user look for their files.
func envOr(env sessionfiles.Env) sessionfiles.Env {
	if env.Getenv != nil {
		return env
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.DevNull // nothing is there
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
	programs := Programs()
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

// ownSessions returns the ids of the sessions that agents have kept for spaces of Weft. What is in them is here already.
func (i *Importer) ownSessions(ctx context.Context) (map[string]bool, error) {
	return i.store.Sessions.Own(ctx)
}
