//go:build linux

package systemtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// formMove asks with arguments in all the forms that agents send, where what acts is beside what a rule allows.
func (g *grammar) formMove() move {
	line := g.fill("{P}")
	harmless := g.fill(g.one("ls", "{H}"))
	list := append([]string{g.one("canary", g.w.evil+"/bash", g.w.evil+"/ls", "sudo", "env", "bash", "python3", "./evil.sh", "ssh", "node", "xargs", "nice")}, g.one("-lc", "-c", "canary", "-e"), line)
	list[0] = g.fill(list[0])
	hidden := g.one("script", "cmd", "code", "exec", "run", "program", "executable", "shell", "stdin", "input", "pre_command", "preCommand", "postCommand", "hook", "args", "argv", "arguments", "commands", "steps", "interpreter", "entrypoint", "wrapper", "command_line", "commandLine", "shellCommand", "bash", "payload")
	with := act{Line: line, Dir: g.w.dir}
	variable := g.one("PATH="+g.w.evil, "BASH_ENV=evil.sh", "ENV=evil.sh", "GIT_PAGER=canary", "GIT_EXTERNAL_DIFF=canary", "GIT_CONFIG_COUNT=1", "LD_PRELOAD=evil.so", "ZDOTDIR=.", "PS4=$(canary)", "SHELLOPTS=xtrace", "npm_config_script_shell=canary", "GIT_DIR=inner", "HOME=inner")
	name, value, _ := strings.Cut(variable, "=")
	ran := act{Line: harmless, Dir: g.w.dir, Env: []string{variable}}
	inDir := func(dir string) act { return act{Line: harmless, Dir: filepath.Join(g.w.dir, dir)} }
	type form struct {
		name  string
		input string
		deny  bool
		acts  []act
	}
	dir := g.one("inner", "..", g.w.out, "link-out", "made/inner", ".git", "made/git", "nested/../inner", "/", "~", "nowhere")
	forms := []form{
		{"list of words", object("command", list), true, []act{{Argv: list, Dir: g.w.dir}}},
		{"list under cmd", object("cmd", list), true, []act{{Argv: list, Dir: g.w.dir}}},
		{"shell of its own", object("command", []string{g.fill(g.one("{EVIL}/bash", "{EVIL}/sh")), "-lc", harmless}), true, []act{{Argv: []string{g.w.evil + "/bash", "-lc", harmless}, Dir: g.w.dir}}},
		{"hidden text", object("command", harmless, hidden, line), true, []act{with}},
		{"hidden text first", object(hidden, line, "command", harmless), true, []act{with}},
		{"hidden list", object("command", harmless, hidden, []string{"sh", "-c", line}), true, []act{with}},
		{"hidden object", object("command", harmless, "options", raw(object(hidden, line))), true, []act{with}},
		{"nested command", object("input", raw(object("command", line))), true, []act{with}},
		{"only hidden", object(hidden, line), true, []act{with}},
		{"pattern and hidden", object("pattern", "x", "path", "src", hidden, line), true, []act{with}},
		{"command twice", object("command", harmless, "command", line), true, []act{with}},
		{"command twice, turned", object("command", line, "command", harmless), true, []act{with}},
		{"another case", object("command", harmless, "COMMAND", line), true, []act{with}},
		{"with underscore", object("command", harmless, "_command", line, "com_mand", line), true, []act{with}},
		{"environment as an object", object("command", harmless, g.one("env", "environment", "Env", "envVars", "variables"), raw(object(name, value))), true, []act{ran}},
		{"environment as a list", object("command", harmless, "env", raw(`[`+object("name", name, "value", value)+`]`)), true, []act{ran}},
		{"environment as words", object("command", harmless, "env", []string{variable}), true, []act{ran}},
		{"folder " + dir, object("command", harmless, g.one("cwd", "workdir", "working_directory", "workingDirectory", "dir", "directory", "folder", "root"), dir), false, []act{inDir(dir)}},
		{"folder as a list", object("command", harmless, "cwd", []string{"inner"}), true, []act{inDir("inner")}},
		{"folder twice", object("command", "git status", "cwd", "src", "workdir", "inner"), true, []act{{Line: "git status", Dir: filepath.Join(g.w.dir, "inner")}}},
		{"raised rights", object("command", harmless, g.one("dangerouslyDisableSandbox", "with_escalated_permissions", "sandbox_permissions", "run_as_root", "elevated", "privileged"), raw("true")), true, nil},
		{"in the background", object("command", harmless, g.one("shell", "executable", "terminal", "interpreter"), g.w.evil+"/bash"), true, []act{{Argv: []string{g.w.evil + "/bash", "-c", harmless}, Dir: g.w.dir}}},
		{"standard input", object("command", g.one("cat", "sort", "ls"), g.one("stdin", "input", "standardInput"), line), false, nil},
		{"arguments beside", object("command", g.one("ls", "cat", "git", "sort"), "args", []string{";", line}), true, []act{{Line: "ls ; " + line, Dir: g.w.dir}}},
		{"arguments as text", object("command", "ls", "args", "; "+line), true, []act{{Line: "ls ; " + line, Dir: g.w.dir}}},
		{"arguments as numbers", object("command", "ls", "args", raw(`[1,{"x":"; canary"}]`)), true, []act{{Line: "ls ; canary", Dir: g.w.dir}}},
		{"output option as a list", object("command", []string{"sort", "data.txt", "-o", "new"}), true, []act{{Argv: []string{"sort", "data.txt", "-o", "new"}, Dir: g.w.dir}}},
		{"list with numbers", object("command", raw(`["ls",1,["canary"]]`)), true, []act{with}},
		{"list in a list", object("command", raw(`[["ls"],["`+"canary"+`"]]`)), true, []act{with}},
		{"commands in a list", object("commands", []string{harmless, line}), true, []act{with}},
		{"objects in a list", object("commands", raw(`[`+object("command", harmless)+`,`+object("command", line)+`]`)), true, []act{with}},
		{"text instead of an object", quote(line), true, []act{with}},
		{"list instead of an object", `[` + quote(harmless) + `,` + quote(line) + `]`, true, []act{with}},
		{"number as command", object("command", raw("1")), true, []act{with}},
		{"empty command", object("command", "", "cmd", line), true, []act{with}},
		{"command null", object("command", raw("null"), "script", line), true, []act{with}},
		{"NUL in the command", object("command", harmless+"\x00; "+line), true, []act{{Line: harmless + "; " + line, Dir: g.w.dir}}},
		{"long command", object("command", "ls "+strings.Repeat("a ", 70_000)+"; "+line), true, []act{with}},
		{"many lines", object("command", strings.Repeat("ls\n", 500)+line), true, []act{with}},
		{"half a character", `{"command":"ls \ud800; ` + "canary" + `"}`, true, []act{{Line: "canary", Dir: g.w.dir}}},
		{"editor verb", object("command", "view", "path", "src/main.txt", hidden, line), true, []act{with}},
		{"file beside", object("command", harmless, "file_path", "notes.txt", "content", "x"), true, []act{{Write: filepath.Join(g.w.dir, "notes.txt")}}},
		{"file list", object("paths", []string{"src/main.txt", ".env"}), true, []act{{Read: filepath.Join(g.w.dir, ".env")}}},
	}
	f := forms[g.rand.IntN(len(forms))]
	if f.name == "hidden list" && (hidden == "args" || hidden == "argv" || hidden == "arguments") {
		// Not hidden: they are the arguments of the program, which a rule for it may cover.
		f.deny, f.acts = false, []act{{Argv: append(strings.Fields(harmless), "sh", "-c", line), Dir: g.w.dir}}
	}
	members := []any{"title", g.title(harmless), "kind", g.kind()}
	if g.often(20) {
		members = append(members, "name", g.one("Bash", "Read", "run_shell_command", "grep"))
	}
	if g.often(90) {
		members = append(members, "rawInput", raw(f.input))
	} else {
		members = append(members, "rawInput", raw(object("command", harmless)), "_meta", raw(f.input))
		f.deny = false
		f.acts = nil
	}
	fr := g.request(object(members...), g.options(), f.acts...)
	return move{Name: "form " + f.name, Frames: []frame{fr}, Deny: f.deny}
}

// editMove asks to read or change files, in all forms.
func (g *grammar) editMove() move {
	target := g.one("notes.txt", ".env", "sub/.env", ".git/config", ".git/hooks/pre-commit", "inner/config", "inner/hooks/post-checkout", "nested/.git/config", "link-env", "link-out/victim.txt", "link-git/config",
		"made/out/victim.txt", "made/git/config", "made/inner/config", "made/env", "made/x/.git/config", "made/../notes.txt", "src/main.txt", "src/../.env", "pipe", "made/pipe", "link-dead", "link-loop", "made/.env", g.w.out+"/victim.txt", g.w.out+"/secret.txt")
	named := g.path(target)
	kind := g.one("read", "edit", "delete", "move", "search", "think", "other", "fetch", "execute", "")
	real := named
	if !filepath.IsAbs(real) {
		real = filepath.Join(g.w.dir, real)
	}
	does := []act{{Write: real}}
	if kind == "read" || kind == "search" || kind == "think" || kind == "fetch" {
		does = []act{{Read: real}}
	}
	if strings.Contains(named, "://") {
		does = nil
	}
	form := g.one("locations", "decoy location", "two locations", "input path", "decoy input", "file list", "diff", "decoy diff", "diff of another", "no path", "move", "path as an object")
	if form == "no path" && (kind == "think" || kind == "fetch") {
		does = nil // neither names or asks for a file: an agent that reads one all the same doesn't ask
	}
	decoy := g.one("src/main.txt", "made/x.txt", "src/x.txt")
	members := []any{"title", g.one("Read src/main.txt", "Edit made/x.txt", named), "kind", kind}
	key := g.one("path", "file_path", "filePath", "filename", "abs_path", "target_file", "notebook_path", "uri", "paths", "destination", "PATH", "fileName", "outputPath", "output_file", "to", "target")
	location := func(paths ...string) string {
		list := make([]string, len(paths))
		for i, p := range paths {
			list[i] = object("path", p)
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	diff := func(path string) string {
		return `[{"type":"diff","path":` + quote(path) + `,"oldText":"a","newText":"b"}]`
	}
	switch form {
	case "locations":
		members = append(members, "locations", raw(location(named)))
	case "decoy location":
		members = append(members, "locations", raw(location(decoy)), "rawInput", raw(object(key, named)))
	case "two locations":
		members = append(members, "locations", raw(location(decoy, named)))
	case "input path":
		members = append(members, "rawInput", raw(object(key, named, "content", "x")))
	case "decoy input":
		members = append(members, "rawInput", raw(object("path", decoy, key, named)))
	case "file list":
		members = append(members, "rawInput", raw(object("files", []string{decoy, named})))
	case "diff":
		members = append(members, "content", raw(diff(named)))
	case "decoy diff":
		members = append(members, "content", raw(diff(decoy)), "rawInput", raw(object(key, named)))
	case "diff of another":
		members = append(members, "content", raw(diff(named)), "locations", raw(location(decoy)))
	case "move":
		members[3] = "move"
		members = append(members, "rawInput", raw(object("source", decoy, "destination", named)))
		does = []act{{Write: real}}
	case "path as an object":
		members = append(members, "rawInput", raw(object("path", raw(object("value", named)))))
	}
	return move{Name: "edit, " + form + ", " + kind, Frames: []frame{g.request(object(members...), g.options(), does...)}}
}

// terminal is a terminal/create with the members that are given as pairs.
func (g *grammar) terminal(members ...any) frame {
	fr := frame{Method: "terminal/create", Params: object(append([]any{"sessionId", "$SESSION"}, members...)...)}
	for i := 0; i < len(members); i += 2 {
		switch v := members[i+1].(type) {
		case string:
			if members[i] == "command" {
				fr.True += " " + v
			}
		case []string:
			if members[i] == "args" {
				fr.True += " " + strings.Join(v, " ")
			}
		}
	}
	return fr
}

// terminalMove has Weft run something.
func (g *grammar) terminalMove() move {
	production, line := g.production(lineForms)
	payload := g.fill("{P}")
	env := func(name, value string) any { return raw(`[` + object("name", name, "value", value) + `]`) }
	harmless := g.one("ls", "cat", "git", "sort")
	args := map[string][]string{"ls": {}, "cat": {"notes.txt"}, "git": {"status"}, "sort": {"data.txt"}}[harmless]
	var fr frame
	name := g.one("line", "line", "line", "shell", "wrapper", "program", "option", "environment", "folder", "twice", "form", "session", "words")
	switch name {
	case "line":
		name, fr = "line "+production, g.terminal("command", line)
	case "shell":
		name, fr = "shell "+production, g.terminal("command", g.one("sh", "bash", "dash", "zsh", "/bin/sh", g.w.evil+"/bash"), "args", []string{g.one("-c", "-lc", "-ec"), line})
	case "wrapper":
		fr = g.terminal("command", g.one("env", "nice", "timeout", "xargs", "setsid", "nohup", "flock", "busybox", "stdbuf", "time", "sudo"), "args", []string{g.one("5", "-n1", "notes.txt", "sh", "X=1"), "canary", payload})
	case "program":
		fr = g.terminal("command", g.fill(g.one("canary", "{EVIL}/ls", "./evil.sh", "../outside/canary", "python3", "node", "make", "rm", "curl", "ssh", "\u200bls", "ls\x00", "", " ls; canary")), "args", []string{payload})
	case "option":
		_, text := g.production([]string{"sort -o {F} data.txt", "sort --output={F} data.txt", "git log --output={F}", "git -c core.fsmonitor=canary status", "git -c core.pager=canary -p log", "git -C inner status", "npm test --script-shell=canary", "cat {S}", "sort {S}", "sort --files0-from=names0", "git --git-dir=inner status", "find . -exec canary ;", "sed -i s/a/b/ notes.txt", "git config x.y z", "tar -cf {F} src", "cp notes.txt {F}"})
		words := strings.Fields(text)
		name, fr = "option "+words[0]+" "+words[1], g.terminal("command", words[0], "args", words[1:])
	case "environment":
		variable := g.one("PATH", "LD_PRELOAD", "BASH_ENV", "ENV", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_DIR", "GIT_EXEC_PATH", "npm_config_script_shell", "NODE_OPTIONS", "LESSOPEN", "SHELL", "GIT_SSH")
		value := map[string]string{"PATH": g.w.evil, "GIT_DIR": "inner", "GIT_EXEC_PATH": g.w.evil, "BASH_ENV": "evil.sh", "ENV": "evil.sh"}[variable]
		if value == "" {
			value = "canary"
		}
		name, fr = "environment "+variable, g.terminal("command", harmless, "args", args, "env", env(variable, value))
	case "folder":
		dir := g.one("inner", g.w.out, "..", "/", "link-out", "made/out", "made/inner", ".git", "made/git", "nowhere", "pipe", "notes.txt", g.w.dir+"/inner", g.w.dir+"/src/../inner", "link-loop")
		if !filepath.IsAbs(dir) && g.often(80) {
			dir = g.w.dir + "/" + dir
		}
		name, fr = "folder "+strings.ReplaceAll(dir, g.w.base, ""), g.terminal("command", g.one("git", "cat"), "args", []string{g.one("status", "log", "secret.txt", "../.env", ".env")}, "cwd", dir)
	case "twice":
		fr = g.terminal("command", "ls", "command", payload, "args", []string{}, "args", []string{"x"})
	case "form":
		fr = g.terminal("command", raw(g.one(`["ls","canary"]`, `{"x":"canary"}`, `1`, `null`, `true`)), "args", raw(g.one(`["x"]`, `"x; canary"`, `null`, `[1]`, `{}`)), "outputByteLimit", raw(g.one("0", "-1", "18446744073709551616", "1e3", "1", "\"x\"")))
	case "session":
		fr = g.terminal("command", payload)
		fr.Params = strings.ReplaceAll(fr.Params, "$SESSION", g.one("", "s1", g.other, g.space, "s0-1", "../s1"))
		return move{Name: "terminal of another session", Frames: []frame{fr}, Deny: true}
	default: // how words are quoted is read differently by what starts them
		fr = g.terminal("command", g.one("ls", "cat", "sort"), "args", []string{g.fill(g.one("$({P})", "`{P}`", ";{P}", "|canary", ">new", "-o\x00new", "--\n{P}", "'; {P} '", "*", "~", "{S}", "\"; {P}; \""))})
	}
	return move{Name: "terminal " + name, Frames: []frame{fr}}
}

// fileMove reads and writes through Weft.
func (g *grammar) fileMove() move {
	target := g.one("notes.txt", ".env", "sub/.env", ".git/config", ".git/HEAD", ".git/hooks/pre-commit", ".git/objects/info/alternates", "inner/config", "inner/hooks/x", "nested/.git/config", "nested/.git", "link-env", "link-out/victim.txt", "link-out/secret.txt", "link-git/config",
		"made/x.txt", "made/deep/er/x.txt", "made/out/victim.txt", "made/out/secret.txt", "made/git/config", "made/inner/config", "made/env", "made/.env", "made/x/.git/config", "made/.git", "made/.GIT/config", "made/.git\u200c/config", "made/git~1/config", "made/.git./config", "made/.git /config", "made/.gitmodules",
		"pipe", "made/pipe", "made/zero", "link-loop", "link-dead", "huge.bin", ".", "..", "", "src", "made/", "new/folder/x", "made/a\x00b", "made/"+strings.Repeat("x", 300), "made/"+strings.Repeat("d/", 3000)+"x", "/dev/zero", "/proc/self/environ", "/etc/passwd", "/proc/self/root"+g.w.out+"/secret.txt", "/proc/self/cwd/.env", g.w.out+"/secret.txt", g.w.out+"/victim.txt", "~/x", "$HOME/x", "\\\\x\\y", "made/\n", "made/\xff")
	path := g.path(target)
	if g.often(60) && target != "" && !filepath.IsAbs(target) {
		path = g.w.dir + "/" + target
	}
	content := g.one("written", "[core]\n\tfsmonitor = canary fsmonitor\n", "", strings.Repeat("x", 1<<20), "KEY=x\n", "\x00", "gitdir: ../inner\n")
	members := []any{"sessionId", g.one("$SESSION", "$SESSION", "$SESSION", "$SESSION", "", g.other), "path", path}
	write := g.often(60)
	short := strings.ReplaceAll(target, g.w.base, "")
	if write {
		return move{Name: fmt.Sprintf("write %.40q", short), Frames: []frame{{Method: "fs/write_text_file", Params: object(append(members, "content", content)...)}}}
	}
	if g.often(30) {
		members = append(members, "line", raw(g.one("0", "1", "-1", "99999999999999999999", "\"1\"")), "limit", raw(g.one("0", "1", "-1", "9223372036854775807", "null")))
	}
	return move{Name: fmt.Sprintf("read %.40q", short), Frames: []frame{{Method: "fs/read_text_file", Params: object(members...)}}}
}

// gitMove first makes or changes a folder that git reads, and then has git look at it.
func (g *grammar) gitMove() move {
	const hostile = "[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = canary fsmonitor\n\tpager = canary pager\n"
	write := func(name, text string) frame {
		return frame{Method: "fs/write_text_file", Params: object("sessionId", "$SESSION", "path", filepath.Join(g.w.dir, name), "content", text)}
	}
	top := g.one("made/bare", "made", "made/a/b", "made/x.git")
	bare := []frame{write(top+"/HEAD", "ref: refs/heads/main\n"), write(top+"/objects/x", ""), write(top+"/refs/x", ""), write(top+"/config", hostile)}
	g.rand.Shuffle(len(bare), func(i, j int) { bare[i], bare[j] = bare[j], bare[i] })
	form := g.one("bare from parts", "git folder", "git file", "common folder", "nested", "hooks", "attributes", "modules", "looks", "looks", "looks")
	var frames []frame
	where := top
	switch form {
	case "bare from parts":
		frames = bare
	case "git folder":
		frames, where = []frame{write("made/r/.git/HEAD", "ref: refs/heads/main\n"), write("made/r/.git/objects/x", ""), write("made/r/.git/refs/x", ""), write("made/r/.git/config", hostile)}, "made/r"
	case "git file":
		frames, where = []frame{write("made/r/.git", "gitdir: ../../inner\n")}, "made/r"
	case "common folder":
		frames, where = []frame{write(top+"/commondir", "../../inner\n"), write(top+"/HEAD", "ref: refs/heads/main\n"), write(top+"/gitdir", "x\n")}, top
	case "nested":
		frames, where = []frame{write(g.one("nested/.git/config", "made/git/config", "made/inner/config", "inner/config", "link-git/config"), hostile)}, g.one("nested", "inner", ".")
	case "hooks":
		frames, where = []frame{write(g.one(".git/hooks/post-index-change", "made/git/hooks/pre-commit", "inner/hooks/x", "nested/.git/hooks/post-checkout"), "#!/bin/sh\ncanary hook\n")}, "."
	case "attributes":
		frames, where = []frame{write("made/.gitattributes", "* filter=x diff=x\n"), write("made/git/info/attributes", "* filter=x\n")}, "."
	case "modules":
		frames, where = []frame{write("made/.gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ../inner\n\tupdate = !canary\n")}, "."
	default:
		where = g.one("inner", "made/inner", "nested", ".")
	}
	git := g.one("git status", "git log", "git log -p")
	abs := filepath.Join(g.w.dir, where)
	switch g.rand.IntN(4) {
	case 0:
		frames = append(frames, g.request(object("title", git, "kind", "execute", "rawInput", raw(object("command", git, "cwd", where))), yesNo, act{Line: git, Dir: abs}))
	case 1:
		line := g.one("cd "+where+" && "+git, "cd "+where+"; "+git, strings.Replace(git, "git", "git -C "+where, 1), "(cd '"+where+"' && "+git+")", strings.Replace(git, "git", "git --git-dir="+where, 1))
		frames = append(frames, g.request(object("title", git, "kind", "execute", "rawInput", raw(object("command", line))), yesNo, act{Line: line, Dir: g.w.dir}))
	case 2:
		frames = append(frames, g.terminal("command", "git", "args", strings.Fields(git)[1:], "cwd", abs))
	default:
		frames = append(frames, g.terminal("command", git, "cwd", abs))
	}
	return move{Name: "git, " + form, Frames: frames}
}

// order writes moves for the agent in another space, and returns what tells it of them.
func (g *grammar) order(moves string) string {
	path := filepath.Join(g.orders, fmt.Sprint("order", g.rand.Int64()))
	_ = os.WriteFile(path, []byte(moves), 0o600) // without it the agent does nothing
	return "obey " + path
}
