package runs

import (
	"bytes"
	"hash/maphash"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/patch"
	"weft/backend/toolcalls"
	"weft/backend/transcript"
)

// patched is what the patch in a call's arguments would change. Agents that send one tell neither a diff nor, mostly, a title.
type patched struct {
	input   uint64 // of the arguments
	reads   int    // how often the files were looked at for it
	title   string
	kind    string
	names   []string             // of its files, as they are called in the folder
	diffs   []transcript.Content // of the files that it fits
	misfits []string             // files that it doesn't fit, as they are now
	shown   bool                 // the diffs stand in the conversation
	before  bool                 // diffs of earlier arguments do
	theirs  bool                 // the agent shows diffs of its own
}

const (
	maxPatch      = 1 << 20 // bytes of arguments in which a patch is looked for
	maxPatchFiles = 64
	maxPatchReads = 8         // how often the arguments of a call may change, and their files be looked at
	maxWhole      = 256 << 10 // bytes of both sides of a diff with the whole file; of longer ones it has what changes
	aroundChange  = 40        // lines of a longer one before and behind that
)

var patchSeed = maphash.MakeSeed()

// patchOf reads the patch in the arguments of a call and looks at the files that it changes. A call without a patch has none. The
// mutex is held.
func (l *link) patchOf(p *transcript.ToolPatch, asking bool) *patched {
	known := l.patches[p.ID]
	if len(p.Input) == 0 || len(p.Input) > maxPatch || !bytes.Contains(p.Input, []byte("*** ")) && !bytes.Contains(p.Input, []byte("--- ")) && !bytes.Contains(p.Input, []byte("diff --git ")) {
		return known
	}
	key := maphash.Bytes(patchSeed, p.Input)
	if known != nil && (known.input == key || known.reads >= maxPatchReads) {
		return known
	}
	files, closed := findPatch(p.Input, 0)
	if len(files) == 0 {
		return known // also where a request repeats a part of the call only
	}
	if !closed && !p.Announced && (p.Status == nil || *p.Status == transcript.StatusPending) && !asking {
		return known // it may still be written
	}
	if len(l.patches) >= toolcalls.MaxCalls {
		return nil
	}
	made := &patched{input: key, reads: 1}
	if known != nil {
		made.reads, made.theirs, made.before = made.reads+known.reads, known.theirs, known.shown || known.before
	}
	status := transcript.StatusPending
	if p.Status != nil {
		status = *p.Status
	}
	l.applied(made, files, status)
	if l.patches == nil {
		l.patches = map[string]*patched{}
	}
	l.patches[p.ID] = made
	return made
}

// findPatch returns the first patch among the arguments, at any depth and under any name. closed reports that its end is marked.
func findPatch(v jsontext.Value, depth int) (files []patch.File, closed bool) {
	if depth > 6 {
		return nil, false
	}
	switch v.Kind() {
	case '"':
		var s string
		if json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) != nil {
			return nil, false
		}
		if strings.HasPrefix(s, "{") && jsontext.Value(s).IsValid() { // arguments as a text
			return findPatch(jsontext.Value(s), depth+1)
		}
		return patch.Parse(s), strings.Contains(s, "*** End Patch")
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list, jsontext.AllowInvalidUTF8(true)) != nil {
			return nil, false
		}
		for _, e := range list[:min(len(list), maxPatchFiles)] {
			if files, closed = findPatch(e, depth+1); files != nil {
				return files, closed
			}
		}
	case '{':
		dec := jsontext.NewDecoder(strings.NewReader(string(v)), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		_, _ = dec.ReadToken()
		for dec.PeekKind() == '"' {
			if _, err := dec.ReadToken(); err != nil {
				return nil, false
			}
			e, err := dec.ReadValue()
			if err != nil {
				return nil, false
			}
			if files, closed = findPatch(e.Clone(), depth+1); files != nil {
				return files, closed
			}
		}
	default:
	}
	return nil, false
}

// applied fills in what a patch does with the files of the folder. The mutex is held.
func (l *link) applied(out *patched, files []patch.File, status transcript.Status) {
	disk := &patch.Disk{Folder: l.s.space.Folder, Exists: func(path string) bool {
		_, err := l.files.Look(path)
		return err == nil
	}}
	now := map[string]*string{} // as the patch leaves them, nil for none
	verbs := map[string]int{}
	var names []string
	for i := range files[:min(len(files), maxPatchFiles)] {
		f := &files[i]
		name := disk.Locate(f.Path, f.Prefixed)
		to := name
		if f.To != "" {
			to = disk.Locate(f.To, f.Prefixed)
		}
		verb, short := patchVerb(f), l.short(name)
		if to != name {
			short += " → " + l.short(to)
		}
		if verbs[verb]++; !slices.Contains(names, short) {
			names = append(names, short)
		}
		if l.s.turns.Replaying() || l.discard {
			continue
		}
		if !l.change(out, f, l.full(name), l.full(to), now, status) {
			out.misfits = append(out.misfits, short)
		}
	}
	out.names = names
	if status.Ended() {
		out.misfits = nil // the files have gone on since
	}
	verb := "Change"
	if len(verbs) == 1 {
		for verb = range verbs {
		}
	}
	out.kind = map[string]string{"Delete": "delete", "Move": "move"}[verb]
	if out.kind == "" {
		out.kind = "edit"
	}
	if out.title = verb + " " + names[0]; len(names) > 1 {
		out.title = verb + " " + strconv.Itoa(len(names)) + " files"
	}
}

func patchVerb(f *patch.File) string {
	switch {
	case f.Op == patch.Add:
		return "Add"
	case f.Op == patch.Delete:
		return "Delete"
	case f.To != "" && len(f.Hunks) == 0:
		return "Move"
	}
	return "Edit"
}

// full is the absolute path of a file that a patch names.
func (l *link) full(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(l.s.space.Folder, filepath.FromSlash(name))
}

// short is how a file that a patch names is called in the space's folder; one outside of it keeps its name.
func (l *link) short(name string) string {
	if rel, err := filepath.Rel(l.s.space.Folder, l.full(name)); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return name
}

// change adds the diff of one file. It reports false where the patch doesn't fit it. What has run has changed the file already.
func (l *link) change(out *patched, f *patch.File, path, to string, now map[string]*string, status transcript.Status) bool {
	var old string
	var there bool
	if known, seen := now[path]; seen {
		if there = known != nil; there {
			old = *known
		}
	} else {
		text, fresh := l.current(path)
		old, there = text, !fresh
	}
	ran := status == transcript.StatusRunning || status == transcript.StatusCompleted
	var text string
	err := patch.ErrMisfit
	if status != transcript.StatusCompleted && (there || f.Op == patch.Add) {
		text, err = f.Apply(old)
	}
	if err != nil && ran {
		after, fresh := l.current(to)
		if text = after; !fresh || f.Op == patch.Delete {
			old, err = f.Revert(after)
			there = f.Op != patch.Add
		}
	} else if err == nil && status == transcript.StatusRunning && f.Op == patch.Add && text == old {
		old, there = "", false // it has just been written
	}
	if err != nil {
		return false
	}
	now[path] = nil
	if f.Op != patch.Delete {
		now[to] = &text
	}
	if old == text && there && f.Op == patch.Update {
		return true // it only moves
	}
	before, after, line := narrowed(old, text)
	diff := transcript.Content{Type: "diff", Path: to, OldText: before, NewText: after, NewFile: !there, Line: line}
	for i := range out.diffs {
		if d := &out.diffs[i]; d.Path == path && len(before)+len(after) == len(old)+len(text) { // one that is changed twice
			d.NewText, d.Path = after, to
			return true
		}
	}
	out.diffs = append(out.diffs, diff)
	return true
}

// narrowed leaves out what is the same at the beginning and the end of a long file; line is that at which the rest begins, 0 for the first.
func narrowed(old, now string) (before, after string, line int) {
	if len(old)+len(now) <= maxWhole || old == "" || now == "" {
		return old, now, 0
	}
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(now, "\n")
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	head, tail = max(0, head-aroundChange), max(0, tail-aroundChange)
	if head > 0 {
		line = head + 1
	}
	return strings.Join(a[head:len(a)-tail], ""), strings.Join(b[head:len(b)-tail], ""), line
}
