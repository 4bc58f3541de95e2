package shell_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/backend/permission"
	"weft/backend/permission/shell"
)

// jail runs command lines in every shell that is installed, where a program that must not run leaves a mark.
type jail struct {
	shells map[string][]string
	bwrap  string // "" where bubblewrap isn't there
	most   int    // hits that are looked for

	tools     []string          // known programs that are there
	untouched map[string]string // what is listed when nothing has happened, by shell
}

func newJail(t testing.TB) *jail {
	t.Helper()
	j := &jail{shells: map[string][]string{}, most: 8}
	for name, args := range map[string][]string{"dash": nil, "bash": {"--norc", "--noprofile"}, "zsh": {"-f"}, "busybox": {"sh"}} {
		if path, err := exec.LookPath(name); err == nil {
			j.shells[name] = append([]string{path}, args...)
		} else {
			t.Logf("%s isn't installed, so lines are not tried with it", name)
		}
	}
	if len(j.shells) < 2 {
		t.Skip("lines are compared between shells: install dash, bash, zsh or busybox")
	}
	for _, name := range slices.Concat(shell.Programs(), unread) {
		// Scripts that stand for a version of a language aren't the program itself.
		if path, err := exec.LookPath(name); err == nil && (strings.HasPrefix(path, "/usr/bin/") || strings.HasPrefix(path, "/bin/")) && !slices.Contains(notRun, name) {
			j.tools = append(j.tools, name)
		}
	}
	slices.Sort(j.tools)
	if path, err := exec.LookPath("bwrap"); err == nil && exec.Command(path, "--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/tmp", "--unshare-all", "true").Run() == nil {
		j.bwrap = path
	} else {
		t.Log("bubblewrap isn't there: lines run in an empty folder with nothing but harmless programs on their path")
	}
	j.untouched = map[string]string{}
	for name := range j.shells {
		var err error
		if j.untouched[name], err = j.listing(t, name, nil); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// notRun are programs that run the code of a package, connect, or wait.
var notRun = strings.Fields("make npm pnpm yarn bun cargo go pytest tsc eslint vitest jest python python3 gcc clang curl docker podman kubectl sleep free tail")

// unread are programs that have no known form, because their words are read in several traditions: a rule for one covers it without any words.
var unread = strings.Fields("ar ps dd")

// setup makes the folders: work with the files that lines name, outside with what they must not read, bin with the programs, mark for what must not
// run. It then runs the script in the shell that is its arguments, and lists what is there and when it was read. What is read has the time
// of now, where the disk notes that. tools are linked to the program of that name, or to busybox. What tells a secret is in two parts here,
// because ps prints this script.
const setup = `root=$1; script=$2; tools=$3; box=$4; posix=$5; shift 5
mkdir -p "$root/home" "$root/bin" "$root/mark" "$root/work/src" "$root/outside" || exit 9
cd "$root/work" || exit 9
echo x > a; echo x > src/a; echo x > b; echo x > a1.txt; echo x > a2.txt; printf '../outside/secret\n-o new\n' > list; echo '{"x":1}' > x.json; echo x > ./-o; echo x > ./-onew; echo x > src/-o
tar --mtime=@0 -cf x.tar a b; printf 'UEsDBBQAAAAAAAAAIVAfCOpGAgAAAAIAAAABAAAAYXgKUEsDBBQAAAAAAAAAIVAfCOpGAgAAAAIAAAACAAAALWx4ClBLAQIUAxQAAAAAAAAAIVAfCOpGAgAAAAIAAAABAAAAAAAAAAAAAACAAQAAAABhUEsBAhQDFAAAAAAAAAAhUB8I6kYCAAAAAgAAAAIAAAAAAAAAAAAAAIABIQAAAC1sUEsFBgAAAAACAAIAXwAAAEMAAAAAAA==' | base64 -d > x.zip 2>/dev/null
ln -s ../outside/secret link; ln -s ../outside away; ln -s ../../outside src/away
export HOME="$root/home" GIT_CONFIG_NOSYSTEM=1
git init -q . && git add a src/a && git -c user.name=a -c user.email=a@b commit -qm x && echo y >> a
echo SECRET""WORD > "$root/outside/secret"; touch -a -d 2001-01-01 "$root/outside/secret" "$root/outside"
for p in pwn rm touch make evil f x y; do printf '#!/bin/sh\n: > "%s/mark/ran-%s"\n' "$root" "$p" > "$root/bin/$p"; chmod +x "$root/bin/$p"; done
printf '#!/bin/sh\n"$@"\n' > "$root/bin/time"; chmod +x "$root/bin/time"
for p in ash dash ksh mksh zsh fish rbash; do ln -s /bin/sh "$root/bin/$p"; done
for p in gpg ssh rsh pr less more vi; do ln -s pwn "$root/bin/$p"; done
for p in env timeout sh bash gzip; do ln -s "$(command -v $p)" "$root/bin/$p"; done
for p in $tools; do
	if [ -n "$box" ] && "$box" --list | grep -qx -e "$p"; then ln -s "$box" "$root/bin/$p"; else ln -s "$(command -v $p)" "$root/bin/$p"; fi
done
ulimit -f 100000; ulimit -t 60
env -i HOME="$root/home" PATH="$root/bin" ROOT="$root" GIT_CONFIG_NOSYSTEM=1 "$posix" LC_ALL=C.UTF-8 "$@" "$script" </dev/null >/dev/null 2>"$root/said"
cd "$root" && find home mark work -path work/.git -prune -o -print | sort && find work -path work/.git -prune -o -type f -print | sort | xargs -d '\n' cksum
find outside -printf '%p %AY\n' | sort
grep -a -o -m 1 -e SECRET""WORD -e root""":x:0" "$root/out"
true
`

var functionName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// fuzzed is a line for the shells. real: the programs themselves run, too.
type fuzzed struct {
	text string
	real bool
}

// scriptOf is a batch of lines for a shell. Known programs are functions that do nothing, so that a line costs no process; some lines
// run the programs themselves, too.
func scriptOf(batch []fuzzed) string {
	var b strings.Builder
	var names []string
	for _, name := range slices.Concat(shell.Programs(), unread) {
		if functionName.MatchString(name) && !slices.Contains([]string{"echo", "printf", "test", "cd", "pwd", "true", "false", "type", "command"}, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s() { :; }\n", name)
	}
	b.WriteString("command_not_found_handle() { : > \"$ROOT/mark/unknown\"; }\ncommand_not_found_handler() { : > \"$ROOT/mark/unknown\"; }\n")
	// Ten lines share a process, unless one of them ends it.
	b.WriteString("out=../outside/secret\nx='-o new'\nweft_line() { ( eval \"$1\"; wait ); }\nweft_real() { ( unset -f " + strings.Join(names, " ") + "; eval \"$1\"; wait ) >> \"$ROOT/out\" 2>&1; }\n" +
		"weft_lines() { ( for weft_l in \"$@\"; do eval \"$weft_l\"; done; wait; exit 77 ); [ $? = 77 ] || for weft_l in \"$@\"; do weft_line \"$weft_l\"; done; }\n")
	quoted := func(line string) string { return " '" + strings.ReplaceAll(line, "'", `'\''`) + "'" }
	for i := 0; i < len(batch); i += 10 {
		b.WriteString("weft_lines")
		for _, line := range batch[i:min(i+10, len(batch))] {
			b.WriteString(quoted(line.text))
		}
		b.WriteString("\n")
		for k, line := range batch[i:min(i+10, len(batch))] {
			if line.real || k == 0 && i%50 == 0 {
				b.WriteString("weft_real" + quoted(line.text) + "\n")
			}
		}
	}
	return b.String()
}

// run runs a batch in a shell and returns what it left behind, "" for nothing.
func (j *jail) run(t testing.TB, shell string, batch []fuzzed) string {
	t.Helper()
	got, err := j.listing(t, shell, batch)
	switch {
	case err != nil:
		return err.Error()
	case got == j.untouched[shell]:
		return ""
	}
	before := strings.Split(j.untouched[shell], "\n")
	return strings.Join(slices.DeleteFunc(strings.Split(got, "\n"), func(line string) bool { return slices.Contains(before, line) }), "\n")
}

// listing runs a batch and returns what is there then.
func (j *jail) listing(t testing.TB, shell string, batch []fuzzed) (string, error) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "lines")
	if err := os.WriteFile(script, []byte(scriptOf(batch)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	box, posix := "", "WEFT=1"
	switch shell {
	case "busybox":
		box = j.shells[shell][0]
	case "dash":
		posix = "POSIXLY_CORRECT=1" // options end at the first operand
	}
	args := append([]string{"/bin/sh", "-c", setup, "sh", filepath.Join(dir, "root"), script, strings.Join(j.tools, " "), box, posix}, j.shells[shell]...)
	if j.bwrap != "" {
		args[4], args[5] = "/tmp/root", "/tmp/lines"
		args = append([]string{j.bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--ro-bind", script, "/tmp/lines", "--unshare-all", "--die-with-parent", "--new-session"}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, errs.String())
	}
	return out.String(), nil
}

// find returns the lines of a batch that leave something behind, by halves, at most a few.
func (j *jail) find(t testing.TB, shell string, batch []fuzzed) (found []string) {
	t.Helper()
	left := j.run(t, shell, batch)
	switch {
	case left == "":
		return nil
	case len(batch) == 1:
		return []string{fmt.Sprintf("%q left %q", batch[0].text, left)}
	}
	half := len(batch) / 2
	if found = j.find(t, shell, batch[:half]); len(found) < j.most {
		found = append(found, j.find(t, shell, batch[half:])...)
	}
	return found
}

// count is what a run of the fuzzer saw.
type count struct{ lines, allowed, run, real int }

// arguments makes calls of the programs that are there.
func (j *jail) arguments(r *rand.Rand) arguments {
	forms := shell.Readers(func(program string) bool {
		return slices.Contains(j.tools, program) || slices.Contains([]string{"command", "cd", "type", "echo", "printf", "test", "["}, program)
	})
	for _, name := range unread {
		if slices.Contains(j.tools, name) {
			forms = append(forms, shell.Form{Words: name})
		}
	}
	return arguments{r, forms}
}

// fuzz gives lines to a reader and those that it allows to the shells. It returns what they left behind, by shell.
func (j *jail) fuzz(t testing.TB, seed uint64, lines_ int, allows func(line string) bool) (hits []string, n count) {
	t.Helper()
	g := lines{rand.New(rand.NewPCG(seed, 13))}
	args := j.arguments(g.Rand)
	seen := map[string]bool{}
	var batch []fuzzed
	flush := func() {
		var mu sync.Mutex
		var all sync.WaitGroup
		for name := range j.shells {
			all.Go(func() {
				for _, hit := range j.find(t, name, batch) {
					mu.Lock()
					hits = append(hits, name+": "+hit)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		batch = nil
	}
	for n.lines < lines_ && len(hits) < j.most {
		line := fuzzed{}
		if g.chance(25) {
			line = fuzzed{args.call(), true}
		} else {
			line.text = g.line()
		}
		n.lines++
		if !allows(line.text) {
			continue
		}
		n.allowed++
		if seen[line.text] {
			continue
		}
		seen[line.text] = true
		if n.run++; line.real {
			n.real++
		}
		if batch = append(batch, line); len(batch) == 800 {
			flush()
		}
	}
	if len(batch) > 0 {
		flush()
	}
	return hits, n
}

// fuzzLines is how many lines are tried: few, or as many as WEFT_FUZZ_LINES says.
func fuzzLines(t testing.TB) (lines int, seed uint64) {
	t.Helper()
	lines, seed = 2000, 1
	if s := os.Getenv("WEFT_FUZZ_LINES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		lines = n
	}
	if s := os.Getenv("WEFT_FUZZ_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	return lines, seed
}

// TestShellsRunOnlyWhatWasRead: a line that rules for ls, cat, echo and the like allow makes no file and runs no other program, in dash, bash, zsh and
// the shell of BusyBox.
func TestShellsRunOnlyWhatWasRead(t *testing.T) {
	t.Parallel()
	j := newJail(t)
	dir := workFolder(t)
	var rules []permission.Rule
	for _, name := range slices.Concat(shell.Programs(), unread) {
		rules = append(rules, allow(name))
	}
	set := permission.NewSet(rules)
	total, seed := fuzzLines(t)
	hits, n := j.fuzz(t, seed, total, func(line string) bool {
		got, _ := decide(t, dir, set, line)
		return got == permission.Allowed
	})
	t.Logf("seed %d: %d lines, %d allowed (%.1f %%), %d of them different, run in %d shells, %d of these with %d real programs, %d hits", seed, n.lines, n.allowed, 100*float64(n.allowed)/float64(n.lines), n.run, len(j.shells), n.real, len(j.tools), len(hits))
	for _, hit := range hits {
		t.Error(hit)
	}
	if n.allowed*20 < n.lines {
		t.Errorf("of %d lines only %d are allowed: this tries nothing", n.lines, n.allowed)
	}
}

// TestDifferentialTestFindsABrokenReader: readers that allow too much are found out, so that the test above can fail.
func TestDifferentialTestFindsABrokenReader(t *testing.T) {
	t.Parallel()
	j := newJail(t)
	for name, allows := range map[string]func(line string) bool{
		"everything":                 func(string) bool { return true },
		"whatever begins with ls":    func(line string) bool { return strings.HasPrefix(line, "ls") },
		"what has no canary by name": func(line string) bool { return !strings.Contains(line, "pwn") },
		"real programs":              nil,
	} {
		g := lines{rand.New(rand.NewPCG(1, 13))}
		args := j.arguments(g.Rand)
		var batch []fuzzed
		for len(batch) < 200 {
			if allows == nil {
				batch = append(batch, fuzzed{args.call(), true})
			} else if line := g.line(); allows(line) {
				batch = append(batch, fuzzed{text: line})
			}
		}
		found := false
		for shell := range j.shells {
			found = found || j.run(t, shell, batch) != ""
		}
		if !found {
			t.Errorf("a reader that allows %s was not found out by %d lines", name, len(batch))
		}
	}
}
