package interchange_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/api/service/interchange"
	"weft/backend/conversation/transcript"
	"weft/backend/interchange/sessionfiles/sessiontest"
	"weft/backend/store"
	"weft/backend/store/events"
	stored "weft/backend/store/spaces"
)

// claudeHome is a home with conversations of Claude Code.
type claudeHome struct {
	t    *testing.T
	dir  string // where the test works
	home string
	n    int
}

func newHome(t *testing.T) *claudeHome {
	t.Helper()
	dir := t.TempDir()
	return &claudeHome{t: t, dir: dir, home: filepath.Join(dir, "home")}
}

func (h *claudeHome) id(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// said is an entry of a conversation that takes place in the home.
func (h *claudeHome) said(n, parent int, role, text string) string {
	h.t.Helper()
	o := map[string]any{
		"type": role, "uuid": h.id(n), "timestamp": fmt.Sprintf("2026-03-01T09:%02d:00.000Z", n%60), "cwd": h.home, "sessionId": "x",
		"message": map[string]any{"id": fmt.Sprint("msg", n), "role": role, "content": []any{map[string]any{"type": "text", "text": text}}},
	}
	if parent > 0 {
		o["parentUuid"] = h.id(parent)
	}
	b, err := json.Marshal(o)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b) + "\n"
}

// write writes the file of a conversation.
func (h *claudeHome) write(session string, lines ...string) {
	h.t.Helper()
	h.n++
	path := filepath.Join(h.home, ".claude", "projects", "-home", session+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *claudeHome) open() *interchange.Importer {
	h.t.Helper()
	im, err := interchange.OpenImporter(h.t.Context(), interchange.Options{
		DataDir: filepath.Join(h.dir, "data"), SettingsPath: filepath.Join(h.dir, "settings.json"), Log: zerolog.Nop(), Env: sessiontest.Env(h.home),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return im
}

// importing imports with a filter and returns the report about Claude Code.
func (h *claudeHome) importing(filter interchange.ConversationsFilter) (interchange.ProgramReport, interchange.ConversationsReport) {
	h.t.Helper()
	im := h.open()
	report, err := im.Conversations(h.t.Context(), filter, false, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := im.Close(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	return report.Programs[0], report
}

// inStore opens the store with the imported conversations.
func (h *claudeHome) inStore(f func(s *store.Store)) {
	h.t.Helper()
	s, _, err := store.Open(h.t.Context(), filepath.Join(h.dir, "data"), store.Options{Log: zerolog.Nop()})
	if err != nil {
		h.t.Fatal(err)
	}
	f(s)
	if err := s.Close(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// spaces returns what is said in each space, by its title.
func (h *claudeHome) spaces() map[string]string {
	h.t.Helper()
	all := map[string]string{}
	h.inStore(func(s *store.Store) {
		list, err := s.Spaces.List(h.t.Context(), stored.Filter{})
		if err != nil {
			h.t.Fatal(err)
		}
		for _, sp := range list {
			all[sp.Title] = h.texts(s, sp.ID)
			if sp.ImportedFrom != "claude" {
				h.t.Errorf("%s is imported from %q", sp.Title, sp.ImportedFrom)
			}
		}
	})
	return all
}

func (h *claudeHome) texts(s *store.Store, id string) string {
	h.t.Helper()
	var texts []string
	for m, err := range s.Pages.Messages(h.t.Context(), id) {
		if err != nil {
			h.t.Fatal(err)
		}
		for _, seg := range m.Segments {
			texts = append(texts, seg.Text)
		}
	}
	return strings.Join(texts, "|")
}

func (h *claudeHome) want(want map[string]string) {
	h.t.Helper()
	got := h.spaces()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		h.t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestConversationsAreImportedOnceAndThenWhatIsNew(t *testing.T) {
	h := newHome(t)
	a := []string{h.said(1, 0, "user", "pears?"), h.said(2, 1, "assistant", "ripe")}
	h.write(h.id(100), a...)
	h.write(h.id(101), h.said(1, 0, "user", "apples?"))
	if r, _ := h.importing(interchange.ConversationsFilter{}); r.Imported != 2 || r.Refused != 0 {
		t.Fatalf("%+v", r)
	}
	h.want(map[string]string{"pears?": "pears?|ripe", "apples?": "apples?"})
	if r, _ := h.importing(interchange.ConversationsFilter{}); r.Known != 2 || r.Imported != 0 {
		t.Fatalf("again: %+v", r)
	}
	// It grows, in the message that was the last one and behind it.
	a = append(a, h.said(3, 2, "assistant", "all"), h.said(4, 3, "user", "pick"), h.said(5, 4, "assistant", "done"), `{"type":"assistant","torn`)
	h.write(h.id(100), a...)
	if r, _ := h.importing(interchange.ConversationsFilter{}); r.Updated != 1 || r.Known != 1 {
		t.Fatalf("grown: %+v", r)
	}
	h.want(map[string]string{"pears?": "pears?|ripe|all|pick|done", "apples?": "apples?"})
	// The user goes back: what is new is a branch, and what was imported stays as it is.
	a[5] = h.said(6, 3, "user", "climb") + h.said(7, 6, "assistant", "up")
	h.write(h.id(100), a...)
	if r, _ := h.importing(interchange.ConversationsFilter{}); r.Updated != 1 || r.Branches != 1 {
		t.Fatalf("branched: %+v", r)
	}
	h.want(map[string]string{"pears?": "pears?|ripe|all|pick|done", "apples?": "apples?", "climb": "pears?|ripe|all|climb|up"})
}

func TestBranchesShareTheirFirstMessages(t *testing.T) {
	h := newHome(t)
	h.write(h.id(100),
		h.said(1, 0, "user", "one"), h.said(2, 1, "assistant", "two"), h.said(3, 2, "user", "three"), h.said(4, 3, "assistant", "four"),
		h.said(5, 2, "user", "other three"), h.said(6, 5, "assistant", "five"), h.said(7, 6, "user", "last"),
		h.said(8, 5, "assistant", "six"), h.said(9, 0, "user", "another one"), h.said(10, 8, "user", "now"))
	if r, _ := h.importing(interchange.ConversationsFilter{}); r.Imported != 1 || r.Branches != 3 {
		t.Fatalf("%+v", r)
	}
	h.want(map[string]string{
		"one": "one|two|other three|six|now", "another one": "another one", "last": "one|two|other three|five|last", "three": "one|two|three|four",
	})
	h.inStore(func(s *store.Store) {
		list, err := s.Spaces.List(t.Context(), stored.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		shared := map[string]int64{}
		for _, sp := range list {
			shared[sp.Title] = sp.Shared
			if (sp.Parent == "") != (sp.Title == "one") {
				t.Errorf("%s has the parent %q", sp.Title, sp.Parent)
			}
		}
		if shared["three"] != 2 || shared["last"] != 3 || shared["another one"] != 0 {
			t.Errorf("%v", shared)
		}
		tree, err := s.Spaces.Tree(t.Context(), list[0].ID)
		if err != nil || len(tree) != 4 {
			t.Errorf("%d spaces in the tree, %v", len(tree), err)
		}
	})
}

func TestConversationsThatWentOnInWeftAreLeftAlone(t *testing.T) {
	h := newHome(t)
	a := []string{h.said(1, 0, "user", "pears?"), h.said(2, 1, "assistant", "ripe")}
	h.write(h.id(100), a...)
	h.importing(interchange.ConversationsFilter{})
	h.inStore(func(s *store.Store) {
		list, err := s.Spaces.List(t.Context(), stored.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Events.Append(t.Context(), events.Append{SpaceID: list[0].ID, At: 5, Bodies: []transcript.Body{
			&transcript.MessageStart{MessageID: "own", Role: transcript.RoleUser, Author: transcript.Author{Kind: "person"}}, &transcript.TextDelta{MessageID: "own", Content: "mine"}, &transcript.MessageEnd{MessageID: "own"},
		}})
		if err != nil {
			t.Fatal(err)
		}
	})
	h.write(h.id(100), append(a, h.said(3, 2, "user", "theirs"))...)
	r, report := h.importing(interchange.ConversationsFilter{})
	if r.Known != 1 || r.Updated != 0 || len(report.Problems) != 1 || !strings.Contains(report.Problems[0].Message, "continued in Weft") || report.Problems[0].Refused {
		t.Fatalf("%+v, %+v", r, report.Problems)
	}
	h.want(map[string]string{"pears?": "pears?|ripe|mine"})
}

func TestDeletedConversationsStayDeletedUnlessTheyAreAskedFor(t *testing.T) {
	h := newHome(t)
	h.write(h.id(100), h.said(1, 0, "user", "pears?"))
	h.importing(interchange.ConversationsFilter{})
	var id string
	h.inStore(func(s *store.Store) {
		list, err := s.Spaces.List(t.Context(), stored.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		id = list[0].ID
		if err := s.Spaces.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	})
	h.write(h.id(100), h.said(1, 0, "user", "pears?"), h.said(2, 1, "assistant", "ripe"))
	if r, _ := h.importing(interchange.ConversationsFilter{}); r.Deleted != 1 || r.Imported != 0 {
		t.Fatalf("%+v", r)
	}
	h.inStore(func(s *store.Store) {
		if err := s.PurgeSpace(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if list, err := s.ImportedSpaces(t.Context(), "claude", h.id(100)); err != nil || len(list) > 0 {
			t.Errorf("after the purge: %v, %v", list, err)
		}
	})
	if r, _ := h.importing(interchange.ConversationsFilter{}); r.Known != 1 || r.Imported != 0 {
		t.Fatalf("purged: %+v", r)
	}
	if r, _ := h.importing(interchange.ConversationsFilter{Deleted: true}); r.Imported != 1 {
		t.Fatalf("asked for: %+v", r)
	}
	h.want(map[string]string{"pears?": "pears?|ripe"})
}

func TestFilterSelectsConversations(t *testing.T) {
	h := newHome(t)
	h.write(h.id(100), h.said(1, 0, "user", "pears?"))
	other := filepath.Join(h.dir, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if r, _ := h.importing(interchange.ConversationsFilter{Folder: other}); r.Imported+r.Known+r.Empty != 0 {
		t.Errorf("another folder: %+v", r)
	}
	if r, _ := h.importing(interchange.ConversationsFilter{Since: 1 << 50}); r.Imported+r.Known != 0 {
		t.Errorf("later: %+v", r)
	}
	if r, _ := h.importing(interchange.ConversationsFilter{Folder: h.home, Programs: []string{"claude"}}); r.Imported != 1 {
		t.Errorf("its folder: %+v", r)
	}
	im := h.open()
	defer im.Close(context.Background())
	for _, bad := range []interchange.ConversationsFilter{{Programs: []string{"emacs"}}, {Folder: "/not/there"}, {Folder: "relative"}} {
		if _, err := im.Conversations(t.Context(), bad, false, nil); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

func TestBadFilesAreRefusedWithAReason(t *testing.T) {
	h := newHome(t)
	h.write("empty")
	h.write("garbage", "\x00\x01\xff\n{]\n")
	h.write("half", `{"type":"user","uuid":"`)
	h.write("circle", strings.ReplaceAll(h.said(1, 0, "user", "round"), `"uuid"`, `"parentUuid":"`+h.id(2)+`","uuid"`), h.said(2, 1, "assistant", "and round"))
	h.write("future", strings.ReplaceAll(h.said(1, 0, "user", "soon"), "2026-03", "9999-03"))
	h.write("latin", strings.ReplaceAll(h.said(1, 0, "user", "fu"), "fu", "f\xfc"))
	h.write("large", h.said(1, 0, "user", "before"), `{"type":"assistant","uuid":"`+h.id(2)+`","parentUuid":"`+h.id(1)+`","message":{"content":"`+strings.Repeat("x", 17<<20)+`"}}`+"\n", h.said(3, 2, "user", "after"))
	if err := os.Symlink("/not/there", filepath.Join(h.home, ".claude", "projects", "-home", "gone.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(h.home, ".claude", "projects", "-home", "folder.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	r, report := h.importing(interchange.ConversationsFilter{})
	if r.Imported != 4 || r.Empty != 2 || r.Refused != 2 {
		t.Errorf("%+v, %+v", r, report.Problems)
	}
	h.want(map[string]string{
		"round": "round|and round", "soon": "soon", "f\uFFFD": "f\uFFFD",
		"before": "before|An entry that is larger than 16 MB was left out.|after",
	})
	for _, p := range report.Problems {
		if !strings.HasSuffix(p.Message, ".") || p.Path == "" {
			t.Errorf("%+v", p)
		}
	}
	h.inStore(func(s *store.Store) {
		list, err := s.Spaces.List(t.Context(), stored.Filter{})
		if err != nil || list[0].LastActivity > 1<<42 {
			t.Errorf("a space is in the future: %v, %v", list[0].LastActivity, err)
		}
	})
}

// TestFilesOfOtherEditorsAreRead has files as editors, dotfile managers and users leave them.
func TestFilesOfOtherEditorsAreRead(t *testing.T) {
	h := newHome(t)
	h.write("bom", "\xef\xbb\xbf"+h.said(1, 0, "user", "marked"), h.said(2, 1, "assistant", "read"))
	h.write("crlf", strings.ReplaceAll(h.said(1, 0, "user", "windows")+h.said(2, 1, "assistant", "lines"), "\n", "\r\n"))
	h.write("unnamed", h.said(1, 0, "user", "first"), strings.ReplaceAll(h.said(2, 1, "assistant", "nameless"), `"uuid"`, `"other"`), h.said(3, 2, "user", "third"))
	linked := filepath.Join(h.dir, "linked")
	if err := os.Mkdir(linked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(linked, filepath.Join(h.home, ".claude", "projects", "-linked")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(linked, "other.jsonl"), []byte(h.said(1, 0, "user", "linked")), 0o600); err != nil {
		t.Fatal(err)
	}
	r, report := h.importing(interchange.ConversationsFilter{})
	if r.Imported != 4 || len(report.Problems) != 0 {
		t.Errorf("%+v, %+v", r, report.Problems)
	}
	h.want(map[string]string{"marked": "marked|read", "windows": "windows|lines", "first": "first|nameless|third", "linked": "linked"})
}

// TestNothingIsLostWithoutASentence has files of which a part can't be imported.
func TestNothingIsLostWithoutASentence(t *testing.T) {
	h := newHome(t)
	h.write("utf16", "\xff\xfe{\x00}\x00\n\x00")
	h.write("big endian", "\x00{\x00}\x00\n")
	h.write("broken", h.said(1, 0, "user", "said"), `{"type":"user" "message":{}}`+"\n", "{\"uuid\": no}\n")
	h.write("double", h.said(1, 0, "user", "one"), h.said(2, 1, "assistant", "two"), h.said(2, 1, "assistant", "2"), h.said(2, 1, "assistant", "two"))
	h.write("aside", h.said(1, 0, "user", "main"), strings.ReplaceAll(h.said(2, 0, "user", "aside"), `"uuid"`, `"isSidechain":true,"uuid"`))
	_, report := h.importing(interchange.ConversationsFilter{})
	got := map[string]string{}
	for _, p := range report.Problems {
		got[filepath.Base(p.Path)] += p.Message
	}
	for name, want := range map[string]string{
		"utf16.jsonl": "The file is in UTF-16. Convert it to UTF-8.", "big endian.jsonl": "The file is in UTF-16. Convert it to UTF-8.",
		"broken.jsonl": "2 lines couldn't be read.", "double.jsonl": "1 entry was left out because another one has its id.",
		"aside.jsonl": "A sub-agent's work was left out because no tool call started it.",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

// TestConversationInTwoFilesIsImportedOnce has the folder of a project copied with its conversations, as after a move of the project.
func TestConversationInTwoFilesIsImportedOnce(t *testing.T) {
	for _, longer := range []string{"-home", "-moved"} {
		h := newHome(t)
		h.write("same", h.said(1, 0, "user", "hello"), h.said(2, 1, "assistant", "there"))
		projects := filepath.Join(h.home, ".claude", "projects")
		if err := os.CopyFS(filepath.Join(projects, "-moved"), os.DirFS(filepath.Join(projects, "-home"))); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(filepath.Join(projects, longer, "same.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString(h.said(3, 2, "user", "again"))
		f.Close()
		im := h.open()
		report, err := im.Conversations(t.Context(), interchange.ConversationsFilter{}, true, nil)
		if err != nil || report.Programs[0].Imported != 1 {
			t.Errorf("a dry run would import %+v: %v", report.Programs[0], err)
		}
		if err := im.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, report = h.importing(interchange.ConversationsFilter{})
			h.want(map[string]string{"hello": "hello|there|again"})
		}
		for _, p := range report.Problems {
			if !strings.HasPrefix(p.Message, "This file has ") {
				t.Errorf("%+v", p)
			}
		}
	}
}

// TestTimesThatAreUnknownAreThoseOfTheFile reads times as numbers, and those of entries without one.
func TestTimesThatAreUnknownAreThoseOfTheFile(t *testing.T) {
	for written, want := range map[string]int64{`1772359200000`: 1772359200000, `1772359200`: 1772359200000, `"1772359200"`: 1772359200000, `"yesterday"`: 1700000000000, `-5`: 1700000000000, `null`: 1700000000000, `{}`: 1700000000000, `1e99`: 1700000000000} {
		h := newHome(t)
		h.write("one", strings.ReplaceAll(h.said(1, 0, "user", "hello"), `"2026-03-01T09:01:00.000Z"`, written))
		at := time.UnixMilli(1700000000000)
		if err := os.Chtimes(filepath.Join(h.home, ".claude", "projects", "-home", "one.jsonl"), at, at); err != nil {
			t.Fatal(err)
		}
		h.importing(interchange.ConversationsFilter{})
		h.inStore(func(s *store.Store) {
			list, err := s.Spaces.List(t.Context(), stored.Filter{})
			if err != nil || len(list) != 1 || list[0].LastActivity != want {
				t.Errorf("%s: %+v, %v", written, list, err)
			}
		})
	}
}

// TestImportThatIsStoppedContinues stops an import between conversations, and ends the program in the middle of one.
func TestImportThatIsStoppedContinues(t *testing.T) {
	h := newHome(t)
	const n = 60
	for i := range n {
		h.write(h.id(100+i), h.said(1, 0, "user", fmt.Sprint("pears ", i)), h.said(2, 1, "assistant", strings.Repeat("long ", 20_000)))
	}
	im := h.open()
	ctx, cancel := context.WithCancel(t.Context())
	report, err := im.Conversations(ctx, interchange.ConversationsFilter{}, false, func(interchange.ImportProgress) { cancel() })
	if err != nil || !report.Canceled {
		t.Fatalf("%+v, %v", report, err)
	}
	if err := im.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.inStore(func(s *store.Store) {
		// As if the program had been killed.
		half := s.Importing()
		begin := store.ImportBegin{Space: stored.Space{ID: "half", Title: "half", Folder: "/", AgentID: "guide", AgentName: "Guide"}}
		piece := store.ImportPiece{SpaceID: "half", Imported: store.Imported{ID: "m", At: 1, Output: transcript.Output{Bodies: []transcript.Body{&transcript.MessageStart{MessageID: "m", Role: transcript.RoleUser}}}}}
		if err := half.Store(t.Context(), []store.ImportStep{begin, piece}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Spaces.Get(t.Context(), "half"); store.CodeOf(err) != store.CodeNotFound {
			t.Errorf("a space that is being imported is shown: %v", err)
		}
	})
	before := len(h.spaces())
	r, _ := h.importing(interchange.ConversationsFilter{})
	if r.Imported+before != n || len(h.spaces()) != n {
		t.Errorf("%d and then %+v, %d spaces", before, r, len(h.spaces()))
	}
	if h.spaces()["half"] != "" {
		t.Error("what was half imported is shown")
	}
}

// TestRealConversationsAreImported imports what the agents have left behind that the readers are tested with, twice, with a dry run before.
func TestRealConversationsAreImported(t *testing.T) {
	h := newHome(t)
	for _, p := range []string{"claude", "codex", "gemini", "qwen"} {
		if err := os.CopyFS(h.home, os.DirFS(filepath.Join("..", "..", "..", "interchange", "sessionfiles", p, "testdata", "home"))); err != nil {
			t.Fatal(err)
		}
	}
	im := h.open()
	dry, err := im.Conversations(t.Context(), interchange.ConversationsFilter{}, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := im.Conversations(t.Context(), interchange.ConversationsFilter{}, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(dry.Programs) != fmt.Sprint(got.Programs) || len(got.Problems) > 0 {
		t.Errorf("%+v\n%+v\n%+v", dry.Programs, got.Programs, got.Problems)
	}
	imported := 0
	for _, p := range got.Programs {
		imported += p.Imported
	}
	again, err := im.Conversations(t.Context(), interchange.ConversationsFilter{}, false, nil)
	if err != nil || imported != 18 {
		t.Errorf("%d were imported, %v", imported, err)
	}
	for _, p := range again.Programs {
		if p.Imported+p.Updated+p.Refused > 0 {
			t.Errorf("again: %+v", p)
		}
	}
	if err := im.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
