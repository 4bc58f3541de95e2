//go:build linux

package systemtest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// idKey is an id by its value: 3, 3.0, 30e-1 and "3" are one.
func idKey(id string) string {
	id = strings.Trim(id, `"`)
	if f, err := strconv.ParseFloat(id, 64); err == nil {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return id
}

// noisy writes the line of a message in a form of [noises], or in one of the others that [grammar.noise] names.
func (h *hostile) noisy(form, id string, line func(id string) string) {
	switch form {
	case "the id as 3.0":
		id += ".0"
	case "the id as 30e-1":
		id += "0e-1"
	case "the id as a text":
		id = quote(id)
	}
	text := line(id)
	if noise := noises[form]; noise != nil {
		text = noise(text)
	}
	switch form {
	case "jsonrpc not first":
		text = "> " + strings.TrimSuffix(strings.Replace(text, `"jsonrpc":"2.0",`, "", 1), "}") + `,"jsonrpc":"2.0"}`
	case "cut off":
		text = text[:len(text)*2/3]
	}
	h.mu.Lock()
	text, h.torn = h.torn+text, ""
	if form == "on the line of the next" {
		h.torn = text
	}
	torn := h.torn
	h.mu.Unlock()
	if torn == "" {
		h.raw(text)
	}
}

// noise draws a form in which a message is written.
func (g *grammar) noise() string {
	return g.one("", "", "jsonrpc not first", "on the line of the next", "a reset of colors behind it", "a word of a log behind it", "a brace behind it", "text before it", "a color before it",
		"pretty-printed", "pretty-printed with text behind it", "a list over several lines", "the id as 3.0", "the id as 30e-1", "the id as a text")
}

// noiseMove asks and acts as others do, with noise on the lines.
func (g *grammar) noiseMove() move {
	line := g.fill(g.one("{P}", "ls", "{H}"))
	frames := []frame{
		g.executes(line),
		g.executes(g.fill(g.one("ls", "{P}"))),
		g.terminal("command", g.fill("{P}")),
		{Method: "fs/write_text_file", Params: object("sessionId", "$SESSION", "path", g.w.dir+g.one("/notes.txt", "/made/x.txt", "/.env"), "content", g.one("x", "}{", `{"jsonrpc":"2.0","id":1,"result":{}}`, "\x1b[0m"))},
		{Method: "fs/read_text_file", Params: object("sessionId", "$SESSION", "path", g.w.dir+g.one("/notes.txt", "/.env", "/src/main.txt"))},
		{Method: "session/update", ID: "-", Params: `{"sessionId":"$SESSION","update":{"sessionUpdate":"tool_call","toolCallId":"call-$N","title":"ls","kind":"execute","status":"pending","rawInput":{"command":"ls"}}}`},
	}
	g.rand.Shuffle(len(frames), func(i, k int) { frames[i], frames[k] = frames[k], frames[i] })
	frames = frames[:1+g.rand.IntN(len(frames))]
	name := "noise"
	for i := range frames {
		f := &frames[i]
		if f.Noise = g.noise(); f.ID == "-" && strings.HasPrefix(f.Noise, "the id") {
			f.Noise = ""
		}
		f.Nowait = f.Nowait || f.Noise == "on the line of the next" || g.often(30)
		name += ", " + f.Noise
	}
	if last := &frames[len(frames)-1]; last.Noise == "on the line of the next" {
		last.Noise = ""
	}
	if g.often(10) { // half of a message, which must not become a part of the next one
		half := g.executes("ls")
		half.Noise, half.Nowait = "cut off", true
		frames, name = append([]frame{half}, frames...), "noise after half of a message"
	}
	v := move{Name: name, Frames: frames}
	if g.often(15) {
		v.Ends, v.Noise = true, g.one("jsonrpc not first", "a reset of colors behind it", "a brace behind it", "text before it", "pretty-printed", "pretty-printed with text behind it", "a list over several lines", "the id as 3.0", "the id as 30e-1", "the id as a text", "cut off")
	}
	return v
}

// idMove uses the ids of calls again: of refused, ended and waiting ones, of other calls, and ids that look alike.
func (g *grammar) idMove() move {
	ids := []string{"call-$N-a", "call-$N-b", g.one("CALL-$N-a", "call-$N-a~2", "call-$N-a ", "call-$N-a\x00", "call-$N-\u0430")}
	commands := []string{"ls", "ls src", "cat notes.txt", g.fill("{P}"), "canary", "rm notes.txt"}
	now := map[string]string{} // the command of the call that an id stands for, "" if it is over
	update := func(text string) frame {
		return frame{Method: "session/update", ID: "-", Params: `{"sessionId":"$SESSION","update":` + text + `}`}
	}
	var frames []frame
	var name strings.Builder
	name.WriteString("ids")
	for range 3 + g.rand.IntN(5) {
		id, command := g.one(ids...), g.one(commands...)
		what := g.one("begins", "begins", "changes", "ends", "asks", "asks", "asks barely", "runs")
		name.WriteString(", " + what)
		switch what {
		case "begins":
			status := g.one("pending", "in_progress", "completed", "failed", "success")
			if now[id] = command; status != "pending" && status != "in_progress" {
				now[id] = ""
			}
			frames = append(frames, update(object("sessionUpdate", "tool_call", "toolCallId", id, "title", g.title(command), "kind", "execute", "status", status, "rawInput", raw(object("command", command)))))
		case "changes":
			if was, known := now[id]; !known || was != "" { // what isn't known is announced by it
				now[id] = command
			}
			frames = append(frames, update(object("sessionUpdate", "tool_call_update", "toolCallId", id, "rawInput", raw(object("command", command)))))
		case "ends":
			now[id] = ""
			frames = append(frames, update(object("sessionUpdate", "tool_call_update", "toolCallId", id, "status", g.one("completed", "failed", "cancelled"))))
		case "runs":
			frames = append(frames, g.terminal("command", command))
		default:
			members := []any{"toolCallId", id}
			fr := frame{Method: "session/request_permission"}
			fr.Nowait = g.often(20)
			if what == "asks" {
				members = append(members, "title", g.title(command), "kind", "execute", "rawInput", raw(object("command", command)))
				now[id] = command
			} else if command = now[id]; command == "" { // of no call that the user has seen
				command = "canary"
			}
			if fr.Acts = []act{{Line: command, Dir: g.w.dir}}; now[id] != "" {
				fr.True = command
			}
			fr.Params = object("sessionId", "$SESSION", "toolCall", raw(object(members...)), "options", raw(g.options()))
			frames = append(frames, fr)
		}
	}
	return move{Name: name.String(), Frames: frames}
}

// folderMove reads, writes and runs while something else is put in the place of the space's folder, or of one in it.
func (g *grammar) folderMove() move {
	in := func(name string) string { return filepath.Join(g.w.dir, name) }
	file := func() string {
		return in(g.one("made/x.txt", "made/x.txt", "made/new/x.txt", "made/victim.txt", "made/config", "made/hooks/pre-commit", "notes.txt", "src/main.txt"))
	}
	does := func() frame {
		path := file()
		switch g.rand.IntN(7) {
		case 0, 1:
			return frame{Method: "fs/write_text_file", Params: object("sessionId", "$SESSION", "path", path, "content", g.one("x", "[core]\n\tfsmonitor = canary\n"))}
		case 2:
			return frame{Method: "fs/read_text_file", Params: object("sessionId", "$SESSION", "path", in(g.one("notes.txt", "made/secret.txt", "src/secret.txt", ".env", "made/.keep")))}
		case 3:
			return g.terminal("command", g.fill(g.one("ls", "cat made/secret.txt", "cat src/secret.txt", "sort data.txt", "npm test", "git status", "sort -o made/victim.txt data.txt", "{P}")))
		case 4:
			return g.terminal("command", g.one("ls", "git", "cat"), "args", []string{g.one("status", "secret.txt", "config")}, "cwd", in(g.one("made", "src", ".")))
		case 5:
			return g.request(object("title", "Edit", "kind", "edit", "locations", raw(`[`+object("path", path)+`]`)), g.options(), act{Read: in("made/nothing")})
		default:
			return g.executes(g.fill(g.one("ls", "npm test", "{P}"))) // what the agent reads itself later isn't held by Weft
		}
	}
	v := move{Name: "folder"}
	for range g.rand.IntN(3) {
		v.Frames = append(v.Frames, does())
	}
	for i := range v.Frames {
		v.Frames[i].Nowait = g.often(40)
	}
	if g.often(70) {
		how := g.one("moved", "moved", "removed", "linked", "back", "gone", "a file", "made to outside", "made to git", "src to outside", "made flips", "made flips")
		v.Frames = append(v.Frames, frame{Swap: how})
		v.Name, v.Ends, v.After = "folder "+how, true, g.often(25)
		if how == "made flips" {
			for range 12 {
				f := frame{Method: "fs/write_text_file", Params: object("sessionId", "$SESSION", "path", in(g.one("made/victim.txt", "made/new/x.txt")), "content", "x")}
				f.Nowait = g.often(50)
				v.Frames = append(v.Frames, f)
			}
		}
	}
	for range 1 + g.rand.IntN(3) {
		v.Frames = append(v.Frames, does())
	}
	return v
}

// swap puts something else in the place of the folder, or of one in it.
func (w *world) swap(t testing.TB, how string) {
	t.Helper()
	aside := func() {
		to := w.free()
		switch info, err := os.Lstat(w.dir); {
		case err == nil && info.IsDir():
			must(t, os.Rename(w.dir, to))
			w.old = append(w.old, to)
		case err == nil:
			if real, err := filepath.EvalSymlinks(w.dir); err == nil && real != w.dir {
				w.old = append(w.old, real)
			}
			must(t, os.Remove(w.dir))
		}
	}
	inside, to, within := strings.Cut(how, " to ")
	switch {
	case within:
		must(t, os.Rename(filepath.Join(w.dir, inside), w.free())) // Weft may be writing there
		must(t, os.Symlink(map[string]string{"outside": "../outside", "git": ".git"}[to], filepath.Join(w.dir, inside)))
		w.marred = true
	case how == "made flips":
		link, done := filepath.Join(w.base, "flips"), make(chan struct{})
		must(t, os.Symlink(w.out, link))
		w.swapping = done
		go func() {
			defer close(done)
			for i := range 200 {
				if unix.Renameat2(unix.AT_FDCWD, filepath.Join(w.dir, "made"), unix.AT_FDCWD, link, unix.RENAME_EXCHANGE) != nil {
					break
				}
				if i%2 == 1 {
					<-time.After(time.Millisecond)
				}
			}
			_ = os.Remove(link) // the folder is back
		}()
	case how == "linked":
		aside()
		to := w.free()
		must(t, os.Mkdir(to, 0o755))
		w.copy(t, "space", to)
		must(t, os.Symlink(to, w.dir))
	case how == "back" && len(w.old) > 0:
		last := w.old[len(w.old)-1]
		w.old = w.old[:len(w.old)-1]
		aside()
		must(t, os.Rename(last, w.dir))
	case how == "gone":
		aside()
	case how == "a file":
		aside()
		must(t, os.WriteFile(w.dir, []byte("no folder\n"), 0o600))
	default:
		if aside(); how == "removed" && len(w.old) > 0 {
			_ = os.RemoveAll(w.old[len(w.old)-1]) // Weft may be writing there
			w.old = w.old[:len(w.old)-1]
		}
		must(t, os.Mkdir(w.dir, 0o755))
		w.copy(t, "space", w.dir)
	}
	if len(w.old) > 2 {
		must(t, os.RemoveAll(w.old[0]))
		w.old = w.old[1:]
	}
	if !strings.HasSuffix(how, "flips") {
		w.before = w.look(t)
		maps.DeleteFunc(w.before, func(name, _ string) bool { return strings.HasPrefix(filepath.Base(name), ".weft-") }) // which Weft is writing
	}
}

// free is a name for a folder beside that of the space.
func (w *world) free() string {
	for n := 1; ; n++ {
		path := fmt.Sprintf("%s.%d", w.dir, n)
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}

// still waits until nothing is put in the place of a folder any more.
func (w *world) still() {
	if w.swapping != nil {
		<-w.swapping
		w.swapping = nil
	}
}

// settle puts a folder in its place where there is none, because a prompt needs one.
func (w *world) settle(t testing.TB) {
	t.Helper()
	w.still()
	if info, err := os.Stat(w.dir); err == nil && info.IsDir() {
		return
	}
	w.restore(t)
}

// copy fills a folder with what the template of that name has.
func (w *world) copy(t testing.TB, name, dir string) {
	t.Helper()
	if said, err := exec.CommandContext(context.Background(), "cp", "-a", "--sparse=always", filepath.Join(w.template, name)+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, said)
	}
}
