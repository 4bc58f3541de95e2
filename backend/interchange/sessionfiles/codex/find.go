// Package codex reads what Codex keeps of its conversations: a file of JSON Lines for each, in folders by date.
package codex

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"weft/backend/base/scan"
	"weft/backend/interchange/sessionfiles"
)

// Program is Codex.
type Program struct{}

// ID implements [sessionfiles.Program].
func (Program) ID() string { return "codex" }

// Name implements [sessionfiles.Program].
func (Program) Name() string { return sessionfiles.NameOf("codex") }

// Find implements [sessionfiles.Program].
func (Program) Find(ctx context.Context, env sessionfiles.Env) iter.Seq2[sessionfiles.Source, error] {
	return func(yield func(sessionfiles.Source, error) bool) {
		home := env.Getenv("CODEX_HOME")
		if home == "" {
			home = filepath.Join(env.Home, ".codex")
		}
		titles := titlesIn(filepath.Join(home, "session_index.jsonl"))
		for _, name := range []string{"sessions", "archived_sessions"} {
			// The folder may be a link.
			err := filepath.WalkDir(filepath.Join(home, name)+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
				if ctx.Err() != nil {
					return filepath.SkipAll
				}
				src := sessionfiles.Source{Program: "codex", Path: path}
				if err != nil {
					if errors.Is(err, fs.ErrNotExist) {
						return nil
					}
					if !yield(src, sessionfiles.Unreadable(err)) {
						return filepath.SkipAll
					}
					return nil
				}
				base := filepath.Base(path)
				if d.IsDir() || !strings.HasPrefix(base, "rollout-") || filepath.Ext(base) != ".jsonl" && filepath.Ext(base) != ".json" {
					return nil
				}
				info, err := os.Stat(path)
				if err == nil {
					src.Size, src.Changed = info.Size(), info.ModTime().UnixMilli()
					src.Session = sessionOf(base)
					src.Title = titles[src.Session]
					err = look(path, &src)
				} else {
					err = sessionfiles.Unreadable(err)
				}
				if !yield(src, err) {
					return filepath.SkipAll
				}
				return nil
			})
			if err != nil {
				return
			}
		}
	}
}

// sessionOf returns the id at the end of the name of a file.
func sessionOf(base string) string {
	const size = len("01a2140c-5e40-7f62-87f7-cd8ba251d5b2")
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if len(name) < size {
		return ""
	}
	return name[len(name)-size:]
}

// look reads the beginning of a file, which says where the conversation took place and whether it is that of a
// sub-agent.
func look(path string, src *sessionfiles.Source) error {
	f, err := sessionfiles.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 4<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return sessionfiles.Unreadable(err)
	}
	if head, err = sessionfiles.Unmarked(head[:n]); err != nil {
		return err
	}
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	for name, v := range scan.OpenFields(head) {
		if string(name) != "payload" {
			continue
		}
		for name, v := range scan.OpenFields(v) {
			switch string(name) {
			case "cwd":
				src.Folder = sessionfiles.Text(v)
			case "parent_thread_id":
				src.Parent = sessionfiles.Text(v)
			}
		}
	}
	return nil
}

// titlesIn returns the names that Codex gave its conversations, by their ids.
func titlesIn(path string) map[string]string {
	titles := map[string]string{}
	f, err := sessionfiles.Open(path)
	if err != nil {
		return titles
	}
	defer f.Close()
	_ = sessionfiles.Lines(f, func(l *sessionfiles.Line) error {
		if o := sessionfiles.Members(l.Text); o.Text("id") != "" && len(titles) < 1<<20 {
			titles[o.Text("id")] = o.Text("thread_name")
		}
		return nil
	})
	return titles
}
