package review

import (
	"bytes"
	"context"

	"weft/backend/changes/review/snapshots"
	"weft/backend/conversation/transcript"
)

// tool is the state of a tool call.
type tool struct {
	kind  string
	paths map[string][]fragment // paths that it names, with the changes that it reports for each
	ended bool
}

// fragment is a diff from an agent. Some agents send the whole file, others only the changed part.
type fragment struct {
	old, new string
	newFile  bool
}

const (
	maxTools    = 4096 // per turn
	maxPaths    = 4096 // per tool call
	maxFragment = 1 << 20
	maxJobs     = 1000
)

// Tool processes an agent's report about a tool call. It doesn't block on the disk.
func (w *Watcher) Tool(spaceID string, patch *transcript.ToolPatch) {
	if patch == nil {
		return
	}
	t := w.folders.turn(spaceID)
	if t == nil {
		return
	}
	p := t.tracked
	p.mu.Lock()
	one := t.tools[patch.ID]
	if one == nil {
		if len(t.tools) >= maxTools {
			p.mu.Unlock()
			return
		}
		one = &tool{paths: map[string][]fragment{}}
		t.tools[patch.ID] = one
	}
	fresh := one.merge(patch)
	ends := patch.Status != nil && patch.Status.Ended() && !one.ended
	one.ended = one.ended || ends
	kind, ended := one.kind, one.ended
	if patch.Status != nil && patch.Status.Ended() && *patch.Status != transcript.StatusCompleted {
		ended = false // it may have changed nothing
	}
	paths := fresh
	if ends {
		paths = paths[:0:0]
		for path := range one.paths {
			paths = append(paths, path)
		}
	}
	scan := ends && (kind == "execute" || kind == "other" || kind == "") && !t.scans && p.scanMs < 300
	if scan {
		t.scans = true
	}
	fragments := make(map[string][]fragment, len(paths))
	for _, path := range paths {
		fragments[path] = one.paths[path]
	}
	if ends {
		one.paths = nil
	}
	busy := len(p.jobs) > maxJobs
	p.mu.Unlock()
	if busy {
		return // the scan at the end of the turn finds the changes
	}
	for path, list := range fragments {
		p.enqueue(func(context.Context) { w.lookNamed(t, path, list, ended) })
	}
	if scan {
		p.enqueue(func(ctx context.Context) {
			p.mu.Lock()
			t.scans = false
			p.mu.Unlock()
			if _, err := p.scan(ctx); err != nil && ctx.Err() == nil {
				w.log.Debug().Err(err).Msg("the folder could not be looked at after a tool call")
			}
		})
	}
}

// merge merges a report and returns the new paths.
func (o *tool) merge(patch *transcript.ToolPatch) (fresh []string) {
	if patch.Kind != nil {
		o.kind = *patch.Kind
	}
	if o.paths == nil {
		o.paths = map[string][]fragment{}
	}
	add := func(path string) bool {
		_, known := o.paths[path]
		if known || path == "" || len(o.paths) >= maxPaths {
			return known
		}
		o.paths[path] = nil
		fresh = append(fresh, path)
		return true
	}
	if patch.Content != nil {
		reported := map[string][]fragment{}
		for _, c := range *patch.Content {
			if c.Type == "diff" && add(c.Path) && len(c.OldText)+len(c.NewText) <= maxFragment && c.OldRef == nil && c.NewRef == nil {
				reported[c.Path] = append(reported[c.Path], fragment{c.OldText, c.NewText, c.NewFile})
			}
		}
		for path, list := range reported {
			o.paths[path] = list
		}
	}
	if patch.Locations != nil && (o.kind == "edit" || o.kind == "delete" || o.kind == "move") {
		for _, l := range *patch.Locations {
			add(l.Path)
		}
	}
	return fresh
}

// lookNamed reads a file that a tool call names: if possible before the tool changes it, or after the call has ended.
func (w *Watcher) lookNamed(t *turn, path string, reported []fragment, ended bool) {
	p := t.tracked
	rel, ok := p.relative(path)
	if !ok {
		return
	}
	unlock, err := p.files.lock(w.background.ctx, rel)
	if err != nil {
		return // Weft is exiting
	}
	defer unlock()
	p.claim(t, rel)
	undo := func(now snapshots.State) (snapshots.State, error) {
		return w.contents.stateBefore(w.background.ctx, now, reported)
	}
	switch _, known := p.folder.Known(rel); {
	case !ended && !known && !w.applied(p, rel, reported):
		_, err = p.before(rel)
	default:
		err = p.after(t, rel, "", false, undo)
	}
	if err != nil {
		w.log.Warn().Err(err).Str("path", rel).Msg("a file that the agent named could not be looked at")
	}
}

// applied reports whether a file already contains the changes that a tool call reports.
func (w *Watcher) applied(p *trackedFolder, rel string, reported []fragment) bool {
	if len(reported) == 0 {
		return false
	}
	root, err := p.open()
	if err != nil {
		return false
	}
	defer root.Close()
	c, _, err := p.folder.Look(root, rel)
	if err != nil {
		return false
	}
	now, ok := w.contents.text(w.background.ctx, c.After)
	if !ok {
		return false
	}
	_, _, undone := revertFragments(now, reported)
	return undone && (reported[0].newFile || !bytes.Contains(now, []byte(reported[0].old)))
}

// revertFragments reverts diffs, last first. Each must occur exactly once.
func revertFragments(text []byte, reported []fragment) (before []byte, absent, ok bool) {
	for i := len(reported) - 1; i >= 0; i-- {
		f := reported[i]
		switch {
		case string(text) == f.new:
			if f.newFile {
				return nil, i == 0, i == 0
			}
			text = []byte(f.old)
		case f.newFile || f.new == "" || bytes.Count(text, []byte(f.new)) != 1:
			return nil, false, false
		default:
			text = bytes.Replace(text, []byte(f.new), []byte(f.old), 1)
		}
	}
	return text, false, true
}
