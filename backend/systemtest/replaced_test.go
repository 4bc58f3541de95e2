//go:build linux

package systemtest

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/backend/agent/sandbox"
	"weft/backend/api/service/agents"
	"weft/backend/settings"
	"weft/backend/store/permissions"
)

// place is the folder of a space, below a folder of its own, with a.txt in it.
func place(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "proj")
	put(t, filepath.Join(dir, "a.txt"), "old\n")
	return dir
}

// replacements are ways to put another folder, in which a.txt is "new", at the path of a folder. They return where the old one is, "" if nowhere.
var replacements = map[string]func(t testing.TB, dir string) string{
	"moved": func(t testing.TB, dir string) string {
		must(t, os.Rename(dir, dir+".bak"))
		put(t, filepath.Join(dir, "a.txt"), "new\n")
		return dir + ".bak"
	},
	"removed": func(t testing.TB, dir string) string {
		// All at once. A look into a folder that is being emptied sees files go, and tells that.
		must(t, os.Rename(dir, dir+".gone"))
		must(t, os.RemoveAll(dir+".gone"))
		put(t, filepath.Join(dir, "a.txt"), "new\n")
		return ""
	},
	"the folder above moved": func(t testing.TB, dir string) string {
		above := filepath.Dir(dir)
		must(t, os.Rename(above, above+".bak"))
		put(t, filepath.Join(dir, "a.txt"), "new\n")
		return filepath.Join(above+".bak", filepath.Base(dir))
	},
	"a link in its place": func(t testing.TB, dir string) string {
		put(t, filepath.Join(dir+".new", "a.txt"), "new\n")
		must(t, os.Rename(dir, dir+".bak"))
		must(t, os.Symlink(dir+".new", dir))
		return dir + ".bak"
	},
	"a link that is turned": func(t testing.TB, dir string) string {
		put(t, filepath.Join(dir+".new", "a.txt"), "new\n")
		old, err := filepath.EvalSymlinks(dir)
		must(t, err)
		must(t, os.Remove(dir))
		must(t, os.Symlink(dir+".new", dir))
		return old
	},
	"a copy with the same times": func(t testing.TB, dir string) string {
		must(t, os.Rename(dir, dir+".bak"))
		put(t, filepath.Join(dir, "a.txt"), "new\n")
		info, err := os.Stat(dir + ".bak")
		must(t, err)
		must(t, os.Chtimes(dir, info.ModTime(), info.ModTime()))
		return dir + ".bak"
	},
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// replaceable makes the space that a replacement is for.
func (a *app) replaceable(t testing.TB, how string) *room {
	t.Helper()
	dir := place(t)
	if how == "a link that is turned" {
		must(t, os.Rename(dir, dir+".first"))
		must(t, os.Symlink(dir+".first", dir))
	}
	return a.scriptedIn(t, dir, nil, "steps", how)
}

func TestReplacedFolderIsOpenedAgain(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	a.rule(t, permissions.Rule{Effect: "allow", Kind: "execute"})
	for how, replace := range replacements {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r := a.replaceable(t, how)
			file := filepath.Join(r.folder, "a.txt")
			first, _ := r.steps(t, always("yes"), step{Where: true}, reads(file))
			starting(t, "before", first, "0 at ", `1 done {"content":"old\n"`)
			old := replace(t, r.folder)
			then, asked := r.steps(t, always("yes"), step{Where: true}, reads(file), writes(file, "from the agent\n"), starts("sh", "-c", "cp a.txt seen.txt"))
			starting(t, "in the new folder", then, "0 at ", `1 done {"content":"new\n"`, "2 done", "3 done")
			if strings.Fields(then[0])[2] == strings.Fields(first[0])[2] || !strings.Contains(then[0], `"new\n"`) {
				t.Errorf("the agent is the process of the old folder: before %q, then %q", first[0], then[0])
			}
			if len(asked) != 1 {
				t.Errorf("asked %q", asked)
			}
			r.holds(t, "a.txt", "from the agent\n")
			if old != "" {
				if text, err := os.ReadFile(filepath.Join(old, "a.txt")); err != nil || string(text) != "old\n" {
					t.Errorf("the folder that was there before holds %q, %v", text, err)
				}
			}
			if n := r.notes(); strings.Contains(n, "\n") || !strings.Contains(n, r.folder) {
				t.Errorf("Weft has noted %q", n)
			}
			if got := lines(r.changes(t)); len(got) == 0 || got[0] != "edited a.txt +1 -1" {
				t.Errorf("to review: %q", got)
			}
		})
	}
}

// In a turn, the folder that the agent has is neither read nor written any more once another one is in its place: also where that
// happens while the user thinks about a question.
func TestTurnDoesNotSeeTwoFolders(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for how, replace := range replacements {
		for name, steps := range map[string]func(dir, file string) (list []step, want []string){
			"a write": func(dir, file string) ([]step, []string) {
				return []step{writes(file, "written\n")}, []string{"0 error The folder " + dir + " was moved, deleted or replaced"}
			},
			"a new file": func(dir, _ string) ([]step, []string) {
				return []step{writes(filepath.Join(dir, "sub", "b.txt"), "written\n")}, []string{"0 error The folder " + dir}
			},
			"a command": func(dir, _ string) ([]step, []string) {
				return []step{starts("sh", "-c", "echo written > a.txt")}, []string{"0 error The folder " + dir}
			},
			"the agent's own tool": func(_, file string) ([]step, []string) {
				return []step{asksFor("c", changing(file, "old\n", "written\n")), {If: true, File: file, Text: "written\n"}}, []string{"0 rejected"}
			},
			"what follows": func(dir, file string) ([]step, []string) {
				list := []step{asksFor("c", runsCommand("make")), reads(file), writes(file, "written\n"), starts("sh", "-c", "echo written > a.txt"), reads(filepath.Join(dir, "none.txt"))}
				return list, []string{"0 rejected", "1 error The folder " + dir, "2 error The folder " + dir, "3 error The folder " + dir, "4 error The folder " + dir}
			},
		} {
			t.Run(how+", "+name, func(t *testing.T) {
				t.Parallel()
				r := a.replaceable(t, how)
				var old string
				list, want := steps(r.folder, filepath.Join(r.folder, "a.txt"))
				told, asked := r.steps(t, func(n int, _ string) string {
					if n == 0 {
						old = replace(t, r.folder)
					}
					return "yes"
				}, list...)
				starting(t, name, told, want...)
				if len(told) != len(want) || len(asked) != 1 {
					t.Errorf("told %q, asked %q", told, asked)
				}
				r.holds(t, "a.txt", "new\n")
				r.holds(t, "sub/b.txt", "")
				if old != "" {
					if text, err := os.ReadFile(filepath.Join(old, "a.txt")); err != nil || string(text) != "old\n" {
						t.Errorf("the folder that was there before holds %q, %v", text, err)
					}
				}
				if got := lines(r.changes(t)); len(got) > 0 {
					t.Errorf("to review: %q", got)
				}
				r.kept(t)
			})
		}
	}
}

// A folder that is gone is said before the prompt is sent, and one that comes back is the one that the agent has.
func TestPromptIsNotSentWhereTheFolderIsGone(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	for what, instead := range map[string]func(t testing.TB, dir string){
		"nothing": func(testing.TB, string) {},
		"a file":  func(t testing.TB, dir string) { put(t, dir, "text") },
		"a link that leads nowhere": func(t testing.TB, dir string) {
			must(t, os.Symlink(dir+".none", dir))
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := a.scriptedIn(t, place(t), nil, "steps", what)
			file := filepath.Join(r.folder, "a.txt")
			first, _ := r.steps(t, always("yes"), step{Where: true})
			must(t, os.Rename(r.folder, r.folder+".away"))
			instead(t, r.folder)
			r.fails(t, "[]", "folder_not_found")
			must(t, os.RemoveAll(r.folder))
			must(t, os.Rename(r.folder+".away", r.folder))
			then, _ := r.steps(t, always("yes"), step{Where: true}, writes(file, "written\n"))
			if len(then) != 2 || then[0] != first[0] || then[1] != "1 done" {
				t.Errorf("before %q, then %q", first, then)
			}
			r.holds(t, "a.txt", "written\n")
			// It is gone in the middle of a turn.
			told, _ := r.steps(t, func(int, string) string {
				must(t, os.Rename(r.folder, r.folder+".away"))
				return "yes"
			}, writes(file, "again\n"), reads(file))
			starting(t, "without a folder", told, "0 error The folder "+r.folder, "1 error The folder "+r.folder)
		})
	}
}

// A folder that is replaced while the user thinks about a question of Weft's own: the prompt that it is about isn't sent to the agent in the old one.
func TestPromptThatWaitsIsNotSentToAReplacedFolder(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	a.rule(t, permissions.Rule{Effect: "reject", Command: "rm"})
	r, _ := a.modal(t, offering{Mode: "high", Modes: map[string]string{"high": "Thinks long"}})
	r.send(t, "first")
	id, _, _ := r.held(t)
	replacements["moved"](t, r.folder)
	r.decide(t, id, "accept", "send")
	r.ended(t, "error")
	if f := r.failure(t, "folder_replaced"); !strings.Contains(f.Message, r.folder) {
		t.Errorf("it says %q", f.Message)
	}
	contains(t, "the next prompt", r.heard(t, "second", "prompt in high"), r.folder, "Weft started Scripted modal again in the new one") // the first was not sent
	r.kept(t)
}

// Commands see the folder that is there now, in a sandbox that was made for it.
func TestSandboxHasTheFolderThatIsThere(t *testing.T) {
	t.Parallel()
	if err := sandbox.Available(); err != nil {
		t.Skip(err)
	}
	a := launch(t, t.TempDir())
	ctl := listen(t)
	var saved agents.Agent
	a.do(t, "SaveAgent", agents.SaveAgentRequest{
		Name: "Boxed", Command: scriptedProgram, Args: []string{"scripted", "shells"}, Cwd: "space",
		Env: map[string]string{controlVariable: ctl.l.Addr().String()}, Sandbox: &settings.Sandbox{},
	}, &saved)
	r := a.enter(t, place(t), saved.ID)
	r.steer(ctl)
	t.Cleanup(r.st.close)
	for _, want := range []string{"old|", "new|"} {
		r.st.reset()
		r.send(t, "cat a.txt; echo more >> a.txt")
		r.ctl.expect(t, want)
		r.ended(t, "end_turn")
		if want == "old|" {
			replacements["moved"](t, r.folder)
		}
	}
	r.holds(t, "a.txt", "new\nmore\n")
}

// A process that runs where another folder was at the path serves those whose sessions were opened there, until their next prompts.
func TestProcessOfAReplacedFolderIsNotShared(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	rooms := a.several(t, 2)
	pid := func(r *room) string {
		fields := strings.Fields(r.pid(t)) // the note is before it
		return fields[len(fields)-1]
	}
	old := pid(rooms[0])
	if pid(rooms[1]) != old {
		t.Fatal("the spaces share no process")
	}
	replacements["moved"](t, rooms[0].folder)
	third := a.enter(t, rooms[0].folder, a.agentOf(t, rooms[0]))
	t.Cleanup(third.st.close)
	now := pid(third)
	if now == old {
		t.Error("a new space joins the process in the old folder")
	}
	for i, r := range rooms {
		if got := pid(r); got != now {
			t.Errorf("space %d is served by process %s, want %s (the old one is %s)", i, got, now, old)
		}
		r.kept(t)
	}
	deadline := time.Now().Add(timeout)
	for _, err := os.Stat("/proc/" + old); err == nil; _, err = os.Stat("/proc/" + old) {
		if time.Now().After(deadline) {
			t.Fatal("the process in the old folder is left")
		}
		<-time.After(10 * time.Millisecond)
	}
}

// moving is a history of a space whose folder is moved, replaced and brought back, between turns and in the middle of them.
type moving struct {
	*room
	rand   *rand.Rand
	at     []string // where each folder is
	now    int      // which of them is at the path of the space, -1 if none
	tokens int
}

// moves puts another folder at the path, a new one or one that was there before, or none.
func (m *moving) moves(t testing.TB) {
	t.Helper()
	if m.now >= 0 {
		m.at[m.now] = fmt.Sprintf("%s.%d", m.folder, m.now)
		must(t, os.Rename(m.folder, m.at[m.now]))
	}
	switch next := m.rand.IntN(len(m.at) + 2); {
	case next < len(m.at):
		m.now = next
		must(t, os.Rename(m.at[next], m.folder))
		m.at[next] = m.folder
	case next == len(m.at) || m.now < 0:
		m.now, m.at = len(m.at), append(m.at, m.folder)
		put(t, filepath.Join(m.folder, "a.txt"), fmt.Sprintf("folder %d", m.now))
	default:
		m.now = -1
	}
}

// does returns a step, and the text that it writes.
func (m *moving) does() (list []step, token string) {
	m.tokens++
	token = fmt.Sprintf("token-%d-", m.tokens)
	file := filepath.Join(m.folder, []string{"b.txt", "sub/c.txt", fmt.Sprintf("new%d/d.txt", m.tokens)}[m.rand.IntN(3)])
	switch m.rand.IntN(5) {
	case 0:
		return []step{reads(filepath.Join(m.folder, "a.txt"))}, ""
	case 1:
		command := starts("sh", "-c", "echo "+token+" > e.txt")
		command.Wait = true
		return []step{command}, token
	case 2:
		return []step{asksFor(token, changing(filepath.Join(m.folder, "f.txt"), "", token)), {If: true, File: filepath.Join(m.folder, "f.txt"), Text: token}}, token
	default:
		return []step{writes(file, token)}, token
	}
}

// holding returns which folders hold a text.
func (m *moving) holding(text string) (list []int) {
	for i, dir := range m.at {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
			if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), text) {
				list = append(list, i)
			}
			return nil
		})
	}
	return list
}

func TestFolderThatMovesAboutFromSeeds(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	seeds := uint64(6)
	if brief() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "proj")
			put(t, filepath.Join(dir, "a.txt"), "folder 0")
			m := &moving{room: a.scriptedIn(t, dir, nil, "steps", fmt.Sprint("moves", seed)), rand: rand.New(rand.NewPCG(seed, 39)), at: []string{dir}}
			for range 8 {
				if m.rand.IntN(2) == 0 {
					m.moves(t)
				}
				began := m.now
				if began < 0 {
					m.fails(t, "[]", "folder_not_found")
					continue
				}
				var list []step
				written := map[string]int{} // the step that writes it
				for range 1 + m.rand.IntN(3) {
					more, token := m.does()
					if token != "" {
						written[token] = len(list)
					}
					list = append(list, more...)
				}
				told, _ := m.steps(t, func(int, string) string {
					if m.rand.IntN(3) == 0 {
						m.moves(t)
					}
					return "yes"
				}, list...)
				for _, line := range told {
					if strings.Contains(line, `"content":"folder `) && !strings.Contains(line, fmt.Sprintf(`"content":"folder %d"`, began)) {
						t.Errorf("the turn began in folder %d, and it was told %q", began, line)
					}
				}
				for token, i := range written {
					allowed := slices.ContainsFunc(told, func(line string) bool {
						return strings.HasPrefix(line, fmt.Sprint(i)+" done") || strings.HasPrefix(line, fmt.Sprint(i)+" allowed")
					})
					got := m.holding(token)
					if slices.ContainsFunc(got, func(i int) bool { return i != began }) || !allowed && len(got) > 0 {
						t.Errorf("the turn began in folder %d; step %d, allowed %v, is in %v; told %q", began, i, allowed, got, told)
					}
				}
			}
			m.kept(t)
		})
	}
}
