package toolcalls

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/permission"
)

var seed = flag.Uint64("seed", 0, "run only the reports of this seed")

const folder = "/work-folder"

// files is a folder in memory, by names in it. It counts what is read.
type files struct {
	texts map[string]string
	reads int
}

func (f *files) Exists(path string) bool {
	_, ok := f.texts[shortIn(folder, path)]
	return ok
}

func (f *files) Text(path string) (string, bool) {
	f.reads++
	text, ok := f.texts[shortIn(folder, path)]
	return text, ok
}

func text(s string) *string { return &s }

func args(patch string) jsontext.Value {
	raw, _ := json.Marshal(map[string]string{"patch": patch})
	return raw
}

func editOf(name, old, now string) string {
	return "*** Begin Patch\n*** Update File: " + name + "\n@@\n-" + old + "\n+" + now + "\n*** End Patch"
}

func report(id, title, input string) *transcript.ToolPatch {
	p := &transcript.ToolPatch{ID: id, Announced: true, Title: &title, Kind: text("other")}
	if input != "" {
		p.Input = args(input)
	}
	return p
}

func place() Reported { return Reported{Place: permission.Place{Folder: folder}} }

func newChanges() (*Changes, Open) {
	open := Open{}
	return NewChanges(folder, open), open
}

func TestPatchInArgumentsIsShownAsDiff(t *testing.T) {
	disk := &files{texts: map[string]string{"a.go": "one\ntwo\nthree\n", "old.go": "x\n"}}
	for _, c := range []struct {
		name, patch, title, kind string
		diffs                    int
		misfits                  []string
	}{
		{"edit", editOf("a.go", "two", "2"), "Edit a.go", "edit", 1, nil},
		{"an absolute path in the folder", editOf(filepath.Join(folder, "a.go"), "two", "2"), "Edit a.go", "edit", 1, nil},
		{"one that doesn't fit", editOf("a.go", "four", "4"), "Edit a.go", "edit", 0, []string{"a.go"}},
		{"add", "*** Begin Patch\n*** Add File: new.go\n+x\n*** End Patch", "Add new.go", "edit", 1, nil},
		{"delete", "*** Begin Patch\n*** Delete File: old.go\n*** End Patch", "Delete old.go", "delete", 1, nil},
		{"several", strings.TrimSuffix(editOf("a.go", "two", "2"), "*** End Patch") + "*** Delete File: old.go\n*** End Patch", "Change 2 files", "edit", 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			changes, _ := newChanges()
			p := report("a", `apply_patch: {"patch":"*** Begin Pa…`, c.patch)
			now, look := changes.Report(p, place())
			if look == nil {
				t.Fatal("a file was read")
			}
			look.Read(disk)
			late := changes.Done(look)
			if late == nil || late.Title == nil || *late.Title != c.title || late.Called != *p.Title || late.Kind == nil || *late.Kind != c.kind {
				t.Fatalf("%+v", late)
			}
			all := Over(now, late)
			if n := len(diffsOf(all)); n != c.diffs {
				t.Errorf("%d diffs", n)
			}
			if call := changes.Asked(all, place()); !reflect.DeepEqual(call.Misfits, c.misfits) {
				t.Errorf("misfits: %q", call.Misfits)
			}
			if p.Content != nil || p.Locations != nil || *p.Kind != "other" {
				t.Error("the report was changed")
			}
		})
	}
}

// TestPatchOfANewFileFits: a patch whose old side has no lines makes a file, whatever it calls that side and however it ends.
func TestPatchOfANewFileFits(t *testing.T) {
	var plus strings.Builder
	for i := range 240 {
		fmt.Fprintf(&plus, "+line %d\n", i)
	}
	lines := plus.String()
	now := strings.ReplaceAll(lines, "+line", "line")
	head := "Index: FILE\n===================================================================\n"
	for name, c := range map[string]struct{ patch, text string }{
		"opencode":            {head + "--- FILE\n+++ FILE\n@@ -0,0 +1,240 @@\n" + lines, now},
		"with times":          {"--- FILE\t\n+++ FILE\t\n@@ -0,0 +1,240 @@\n" + lines, now},
		"with crlf":           {strings.ReplaceAll(head+"--- FILE\n+++ FILE\n@@ -0,0 +1,240 @@\n"+lines, "\n", "\r\n"), now},
		"no end of line":      {head + "--- FILE\n+++ FILE\n@@ -0,0 +1,240 @@\n" + lines + "\\ No newline at end of file\n", strings.TrimSuffix(now, "\n")},
		"one line, no counts": {"--- FILE\n+++ FILE\n@@ -0,0 +1 @@\n+x\n", "x\n"},
		"from nothing":        {"--- /dev/null\n+++ FILE\n@@ -0,0 +1,240 @@\n" + lines, now},
		"an empty file":       {head + "--- FILE\n+++ FILE\n", ""},
	} {
		for _, path := range []string{"src/new.ts", filepath.Join(folder, "src/new.ts")} {
			for _, status := range []transcript.Status{transcript.StatusPending, transcript.StatusRunning} {
				t.Run(fmt.Sprint(name, " ", path, " ", status), func(t *testing.T) {
					changes, _ := newChanges()
					raw, _ := json.Marshal(map[string]string{"filepath": path, "diff": strings.ReplaceAll(c.patch, "FILE", path)})
					p := &transcript.ToolPatch{ID: "a", Announced: true, Title: &path, Kind: text("edit"), Status: &status, Input: raw}
					now, look := changes.Report(p, Reported{Asking: true, Place: permission.Place{Folder: folder}})
					if look == nil {
						t.Fatal("a file was read")
					}
					look.Read(&files{texts: map[string]string{}})
					all := Over(now, changes.Done(look))
					if call := changes.Asked(all, place()); len(call.Misfits) > 0 {
						t.Fatalf("misfits: %q", call.Misfits)
					}
					d := diffsOf(all)
					if len(d) != 1 || !d[0].NewFile || d[0].OldText != "" || d[0].NewText != c.text {
						t.Errorf("%+v", d)
					}
				})
			}
		}
	}
}

// TestPatchOfAFileThatCannotBeReadIsNoMisfit: nothing is known to be wrong with it.
func TestPatchOfAFileThatCannotBeReadIsNoMisfit(t *testing.T) {
	changes, _ := newChanges()
	_, look := changes.Report(report("a", "apply_patch", editOf("/elsewhere/a.go", "two", "2")), place())
	look.Read(&files{texts: map[string]string{}})
	all := changes.Done(look)
	if call := changes.Asked(all, place()); len(call.Misfits) > 0 || len(diffsOf(all)) > 0 {
		t.Errorf("misfits %q, %+v", call.Misfits, diffsOf(all))
	}
}

// TestDiffOfTheAgentSaysThatItsFileIsNew: opencode shows a diff with an empty text before, beside a patch that makes the file.
func TestDiffOfTheAgentSaysThatItsFileIsNew(t *testing.T) {
	path := filepath.Join(folder, "new.ts")
	for old, isNew := range map[string]bool{"-0,0": true, "-1": false} {
		changes, _ := newChanges()
		patch, disk := "--- "+path+"\n+++ "+path+"\n@@ "+old+" +1 @@\n+x\n", map[string]string{}
		if !isNew {
			patch, disk["new.ts"] = "--- "+path+"\n+++ "+path+"\n@@ -1,1 +1,2 @@\n+x\n y\n", "y\n"
		}
		raw, _ := json.Marshal(map[string]string{"filepath": path, "diff": patch})
		p := &transcript.ToolPatch{ID: "a", Announced: true, Title: &path, Kind: text("edit"), Input: raw, Content: &[]transcript.Content{{Type: "diff", Path: path, NewText: "x\n"}}}
		now, look := changes.Report(p, Reported{Asking: true, Place: permission.Place{Folder: folder}})
		look.Read(&files{texts: disk})
		if d := diffsOf(Over(now, changes.Done(look))); len(d) != 1 || d[0].NewFile != isNew {
			t.Errorf("%s: %+v", old, d)
		}
	}
}

func diffsOf(p *transcript.ToolPatch) (list []transcript.Content) {
	if p.Content == nil {
		return nil
	}
	for _, c := range *p.Content {
		if c.Type == "diff" {
			list = append(list, c)
		}
	}
	return list
}

func TestReportsWithoutChangesReadNoFile(t *testing.T) {
	changes, _ := newChanges()
	raw := `{"command":"ls -l"}`
	for _, c := range []struct {
		p     *transcript.ToolPatch
		as    Reported
		title string
	}{
		{report("a", "List the folder", ""), place(), "List the folder"},
		{&transcript.ToolPatch{ID: "b", Announced: true, Title: text("bash: " + raw), Kind: text("execute"), Input: jsontext.Value(raw)}, place(), "ls -l"},
		{&transcript.ToolPatch{ID: "h", Announced: true, Title: text("src/util/math.ts"), Kind: text("read"), Input: jsontext.Value(`{"filePath":"src/util/math.ts"}`)}, place(), "Read src/util/math.ts"},
		{&transcript.ToolPatch{ID: "i", Announced: true, Title: text("src/util/math.ts"), Kind: text("edit"), Input: jsontext.Value(`{"filePath":"src/util/math.ts","oldString":"a","newString":"b"}`)}, place(), "Edit src/util/math.ts"},
		{report("c", "apply", editOf("a.go", "x", "y")), Reported{Fixed: true}, "apply"},
		{report("d", "apply", "*** Begin Patch\nnothing"), place(), "apply"},
		{&transcript.ToolPatch{ID: "e", Title: text("edit"), Content: &[]transcript.Content{{Type: "diff", Path: "a.go", NewText: "x"}}}, place(), "Edit a.go"},
		{&transcript.ToolPatch{ID: "f", Title: text("edit"), Content: &[]transcript.Content{{Type: "diff", Path: "a.go", OldText: "y", NewText: "x"}}}, Reported{Own: true, Fixed: true}, "edit"},
		{&transcript.ToolPatch{ID: "g", Title: text("edit"), Content: &[]transcript.Content{{Type: "diff", Path: "a.go", OldText: "y", NewText: "x"}}}, Reported{Replayed: true}, "Edit a.go"},
	} {
		now, look := changes.Report(c.p, c.as)
		if look != nil || *now.Title != c.title {
			t.Errorf("%s: look %v, title %q", c.p.ID, look != nil, *now.Title)
		}
	}
}

func TestPatchIsReadOncePerArguments(t *testing.T) {
	changes, _ := newChanges()
	disk := &files{texts: map[string]string{"a.go": "two\n"}}
	p := report("a", "apply_patch", editOf("a.go", "two", "2"))
	_, look := changes.Report(p, place())
	look.Read(disk)
	changes.Done(look)
	again := *p
	again.Content = &[]transcript.Content{{Type: "text", Text: "done"}}
	now, look := changes.Report(&again, place())
	if look != nil || disk.reads != 1 || len(diffsOf(now)) != 1 || len(*now.Content) != 2 {
		t.Errorf("looked again: %v, %d reads, %+v", look != nil, disk.reads, now.Content)
	}
	for i := range maxPatchReads + 3 {
		if _, look := changes.Report(report("a", "apply_patch", editOf("a.go", "two", fmt.Sprint(i))), place()); look != nil {
			look.Read(disk)
			changes.Done(look)
		}
	}
	if disk.reads != maxPatchReads {
		t.Errorf("%d reads for one call", disk.reads)
	}
}

func TestLateLookUpdatesTheCall(t *testing.T) {
	disk := &files{texts: map[string]string{"a.go": "one\ntwo\n"}}
	t.Run("has what was reported meanwhile", func(t *testing.T) {
		changes, open := newChanges()
		p := report("a", "apply_patch", editOf("a.go", "two", "2"))
		_, look := changes.Report(p, place())
		open.Update(p, 1)
		now, other := changes.Report(&transcript.ToolPatch{ID: "a", Content: &[]transcript.Content{{Type: "text", Text: "done"}}}, place())
		if other != nil || len(diffsOf(now)) != 0 {
			t.Fatal("the diff is there before the files were read")
		}
		look.Read(disk)
		late := changes.Done(look)
		if late == nil || len(*late.Content) != 2 || (*late.Content)[1].Text != "done" {
			t.Fatalf("%+v", late)
		}
		if len(open["a"].Diffs) != 1 {
			t.Error("the open call has no diff")
		}
	})
	t.Run("gives way to a newer one", func(t *testing.T) {
		changes, _ := newChanges()
		_, first := changes.Report(report("a", "apply_patch", editOf("a.go", "one", "1")), place())
		_, second := changes.Report(report("a", "apply_patch", editOf("a.go", "two", "2")), place())
		first.Read(disk)
		second.Read(disk)
		if late := changes.Done(second); len(diffsOf(late)) != 1 {
			t.Fatalf("%+v", late)
		}
		if late := changes.Done(first); late != nil {
			t.Errorf("an older look is shown: %+v", late)
		}
	})
	t.Run("is nothing after the end of the run", func(t *testing.T) {
		changes, _ := newChanges()
		_, look := changes.Report(report("a", "apply_patch", editOf("a.go", "two", "2")), place())
		look.Read(disk)
		changes.Forget()
		if late := changes.Done(look); late != nil {
			t.Errorf("%+v", late)
		}
	})
}

func TestDiffsOfPartsGetTheirLines(t *testing.T) {
	disk := &files{texts: map[string]string{"a.go": "one\r\ntwo\r\nthree\r\ntwo\r\nfour\r\n"}}
	for _, c := range []struct {
		old, now string
		want     int
	}{
		{"three\n", "3\n", 3},
		{"one\n", "1\n", 0}, // the first line is said by nothing
		{"two\n", "2\n", 0}, // it is there twice
		{"five\n", "four\n", 5},
		{"no\n", "where\n", 0},
	} {
		changes, _ := newChanges()
		p := &transcript.ToolPatch{ID: "a", Content: &[]transcript.Content{{Type: "diff", Path: "a.go", OldText: c.old, NewText: c.now}}}
		now, look := changes.Report(p, place())
		if look == nil || now != p {
			t.Fatal("the file isn't to be read")
		}
		look.Read(disk)
		all := Over(now, changes.Done(look))
		if got := (*all.Content)[0].Line; got != c.want {
			t.Errorf("%q: line %d, want %d", c.old, got, c.want)
		}
		again, look := changes.Report(p, place())
		if look != nil || (*again.Content)[0].Line != c.want {
			t.Errorf("%q: looked again: %v", c.old, look != nil)
		}
		ended := *p
		done := transcript.StatusCompleted
		ended.Status = &done
		if _, look := changes.Report(&ended, place()); (look != nil) == (c.want > 0 || c.old == "one\n") {
			t.Errorf("%q: at the end looked again: %v", c.old, look != nil)
		}
	}
}

// A look that is done before the report, or later, gives the same result as one that is done immediately, if the files
// are the same.
func TestRandomReportsShowTheSameWheneverFilesAreRead(t *testing.T) {
	from, to := uint64(1), uint64(3000)
	if *seed != 0 {
		from, to = *seed, *seed
	}
	for s := from; s <= to; s++ {
		rnd := rand.New(rand.NewPCG(s, 3))
		var reports []*transcript.ToolPatch
		patches := []string{editOf("a.go", "one", "1"), editOf("b.go", "two", "2")} // call 0 and 1 send one, 2 shows diffs of its own
		for range 1 + rnd.IntN(8) {
			reports = append(reports, randomReport(rnd, patches))
		}
		reports[0].Announced = true
		atOnce := played(reports, func(int) bool { return true })
		later := played(reports, func(n int) bool { return rnd.IntN(3) == 0 })
		before := played(reports, nil)
		if atOnce != later || atOnce != before {
			var log []string
			for _, p := range reports {
				raw, _ := json.Marshal(p, json.Deterministic(true))
				log = append(log, string(raw))
			}
			t.Fatalf("seed %d:\n%s\nat once %s\nlater   %s\nbefore  %s", s, strings.Join(log, "\n"), atOnce, later, before)
		}
	}
}

func randomReport(rnd *rand.Rand, patches []string) *transcript.ToolPatch {
	n := rnd.IntN(3)
	p := &transcript.ToolPatch{ID: fmt.Sprint(n)}
	switch {
	case n < len(patches) && rnd.IntN(2) == 0:
		p.Input = args(patches[n])
	case rnd.IntN(3) == 0:
		p.Input = jsontext.Value(`{"command":"ls"}`)
	}
	switch rnd.IntN(4) {
	case 0:
		p.Title = text("apply_patch")
	case 1:
		p.Title = text(`apply_patch: {"patch":"*** Beg`)
	case 2:
		p.Title = text("Editing the file")
	}
	switch rnd.IntN(3) {
	case 0:
		if n < len(patches) {
			break
		}
		p.Content = &[]transcript.Content{{Type: "diff", Path: []string{"a.go", "b.go", "c.go"}[rnd.IntN(3)], OldText: "two\n", NewText: "2\n"}}
	case 1:
		p.Content = &[]transcript.Content{{Type: "text", Text: fmt.Sprint(rnd.IntN(100))}}
	}
	if rnd.IntN(3) == 0 {
		p.Kind = text([]string{"other", "edit"}[rnd.IntN(2)])
	}
	return p
}

// played returns what is shown of the calls in the end; done says after which reports the looks that wait are done. If
// it is nil, the files are read before each report.
func played(reports []*transcript.ToolPatch, done func(n int) bool) string {
	disk := &files{texts: map[string]string{"a.go": "one\ntwo\n", "b.go": "zero\none\ntwo\n"}}
	changes, open := newChanges()
	shown := map[string]*transcript.ToolPatch{}
	take := func(p *transcript.ToolPatch) {
		was := shown[p.ID]
		if was == nil {
			was = &transcript.ToolPatch{ID: p.ID}
		}
		shown[p.ID] = Over(was, p)
	}
	var waiting []*Look
	for i, report := range reports {
		p := *report
		var read *Snapshot
		if done == nil {
			if look := changes.Look(&p, place()); look != nil {
				read = look.Snapshot(disk)
			}
		}
		now, look := changes.Report(&p, place())
		if done == nil && look != nil {
			if !look.From(read) {
				return "report " + fmt.Sprint(i) + " needs more than was read"
			}
			now, look = Over(now, changes.Done(look)), nil
		}
		take(now)
		open.Update(now, i)
		if look != nil {
			waiting = append(waiting, look)
		}
		if done != nil && (done(i) || i == len(reports)-1) {
			for _, look := range waiting {
				look.Read(disk)
				if late := changes.Done(look); late != nil {
					take(late)
				}
			}
			waiting = nil
		}
	}
	raw, _ := json.Marshal(shown, json.Deterministic(true))
	return string(raw)
}
