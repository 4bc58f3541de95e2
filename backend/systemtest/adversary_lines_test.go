//go:build linux

package systemtest

import (
	"strings"
)

// lineForms hide a command that acts behind one that a rule allows, or have an allowed one act by itself.
var lineForms = []string{
	"{H}; {P}", "{H} && {P}", "{H} || {P}", "{H} | {P}", "{H} |& {P}", "{H} & {P}", "{H}\n{P}", "{H}\r\n{P}", "{H}\r{P}", "{P}; {H}",
	"{H} $({P})", "{H} `{P}`", "{H} \"$({P})\"", "{H} <({P})", "{H} >({P})", "{H} <<<\"$({P})\"", "{H} <<E\n$({P})\nE", "{H} <<E\n`{P}`\nE",
	"{H} >{F}", "{H} >>{F}", "{H} >|{F}", "{H} &>{F}", "{H} &>>{F}", "{H} 2>{F}", "{H} <>{F}", "{H} 3>{F}", "{H} {fd}>{F}", "{H} >&{F}", "{H} >new >{F}",
	"X=$({P}) {H}", "X=`{P}` {H}", "X[$({P})]=1 {H}", "PATH={EVIL}:$PATH {H}", "GIT_PAGER='canary' git -p log", "PAGER=canary git -p log",
	"GIT_EXTERNAL_DIFF=canary git log -p --ext-diff", "GIT_SSH_COMMAND=canary git status", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=canary git status",
	"GIT_DIR=inner git status", "GIT_CONFIG_PARAMETERS=\"'core.fsmonitor=canary'\" git status", "GIT_EXEC_PATH={EVIL} git status", "ENV=evil.sh sh -i", "BASH_ENV=evil.sh bash -c ls",
	"ls ${x:=$({P})}", "ls ${x:-$({P})}", "ls ${x:+`{P}`}", "ls ${x?$({P})}", "ls ${x@P}", "ls ${a[$({P})]}", "ls $((a[$({P})]))", "ls \"$((a[$({P})]))\"", "ls $[a[$({P})]]",
	"ls $'a\\'\ncanary\n: \\''", "ls $'\\'' '; canary; '", "ls $'\\\\' ; canary ; : $'\\\\'", "ls $\"$({P})\"",
	"COLUMNS='psvar[$(canary)]' ls", "psvar['$(canary)']=1 ls", "ls $psvar['$(canary)']", "ls *(e:canary:)", "ls *(+canary)", "ls ${(e)${:-\\$\\(canary\\)}}", "ls =(canary)", "ls ~[canary]",
	"LINENO='a[$(canary)]' ls", "SECONDS='a[$(canary)]' ls", "RANDOM='a[$(canary)]' ls", "OPTIND='a[$(canary)]' ls", "HISTSIZE='a[$(canary)]' ls", "IFS=';' ls", "MAILCHECK='a[$(canary)]' ls",
	"argv='x' ls", "path=({EVIL}) ls", "PS4='$(canary)' ls", "FUNCNEST='a[$(canary)]' ls", "TMOUT='a[$(canary)]' ls", "LINES='psvar[$(canary)]' cat notes.txt", "ERRNO='a[$(canary)]' ls",
	"ls &| {P}", "ls &! {P}", "ls ^ canary", "ls # x\n{P}", "ls \\\n; {P}", "ls\t;\t{P}", "ls \u00a0; {P}", "ls \v{P}", "ls !#; {P}", "ls #\\\n{P}",
	"time {P}", "! {P}", "coproc {P}", "{ {P}; }", "({P})", "if {P}; then ls; fi", "while {P}; do break; done", "for x in $({P}); do ls; done", "case $({P}) in *) ls;; esac", "select x in $({P}); do ls; done",
	"ls() { {P}; }; ls", "function ls { {P}; }; ls", "alias ls={P}\nls", "cat() { {P}; }\ncat notes.txt", "shopt -s expand_aliases; alias ls=canary\nls", "hash -p {EVIL}/ls ls; ls", "enable -n ls; ls", "ls() ( {P} )\nls",
	". ./evil.sh", "source evil.sh", "eval {P}", "trap '{P}' EXIT; ls", "trap {P} DEBUG; ls", "exec {P}", "command {P}", "builtin eval {P}", "set -- {P}; \"$@\"", "PROMPT_COMMAND={P} ls",
	"test -v 'a[$({P})]'", "[ -v 'a[$({P})]' ]", "[[ -v 'a[$({P})]' ]]", "printf -v 'a[$({P})]' x", "[[ a -eq 'a[$({P})]' ]]", "(( a[$({P})] ))", "let 'a[$({P})]'", "read 'a[$({P})]' <notes.txt", "unset 'a[$({P})]'",
	"declare 'a[$({P})]=1'", "wait -p 'a[$({P})]'", "printf %d 'a[$({P})]'", "export X=$({P})", "local x=$({P})", "readonly x=`{P}`", "getopts a 'a[$({P})]'", "mapfile -C {P} -c 1 <notes.txt", "test 1 -eq 'a[$({P})]'", "[ 'a[$({P})]' -lt 1 ]",
	"sort -o {F} data.txt", "sort -o{F} data.txt", "sort --output={F} data.txt", "sort --output {F} data.txt", "sort --outp={F} data.txt", "sort -uo {F} data.txt", "sort data.txt -o {F}", "sort -nro{F} data.txt", "sort data.txt -- -o {F}", "sort -k1,1 -t x -o {F} data.txt",
	"sort --compress-program=canary -S 1k notes.txt data.txt", "sort --compress-prog canary data.txt", "sort --files0-from=names0", "sort --files0-from names0", "sort --files0=names0", "sort --random-source={S} -R data.txt", "sort -T {OUT} data.txt", "sort {S}", "sort <{S}", "sort - <{S}", "cat notes.txt | sort -o {F}", "sort -m {S}",
	"cat {S}", "cat -- {S}", "cat <{S}", "cat notes.txt {S}", "cat -n {S}", "cat .en*", "cat .e?v", "cat .[e]nv", "cat {.env,notes.txt}", "cat *env", "cat ${x:-.env}", "cat .e\"n\"v", "cat \\.env", "cat '.env'", "cat .e$'n'v", "cd sub; cat .env", "cd sub && cat .env", "(cd sub; cat .env)", "cat sub/*", "cat s*/.env", "cat ../*/secret.txt", "cat ~+/.env", "cat $PWD/.env", "cat -s link-env", "cat notes.txt\\\n .env", "cat <> {S}", "cat 0<{S}", "cat /proc/self/cwd/.env", "cat /dev/fd/3 3<{S}", "cat ./*/../.env", "cat link-*",
	"git log --output={F}", "git log -p --output {F}", "git log --outpu={F}", "git log -p --ext-diff", "git log --textconv -p", "git -p log", "git --paginate log", "git -c core.pager=canary -p log", "git -c core.fsmonitor=canary status", "git -c alias.status=!canary status", "git -c alias.x='!canary' x",
	"git --config-env=core.fsmonitor=PATH status", "git -C inner status", "git -C nested -C ../inner status", "git --git-dir=inner status", "git --git-dir inner log", "git --exec-path={EVIL} status", "git --work-tree=.. status", "git status --git-dir=inner", "cd inner && git status", "cd inner; git status", "(cd inner && git log)", "cd made/inner && git status", "cd -P inner; git status", "pushd inner; git status", "cd inner &&git status",
	"git log --format='%h' >{F}", "git log -O.env -p", "git log --no-index -p /dev/null {S}", "git status --porcelain=v2 | {P}", "git log -L '/x/,1:{S}'", "git log -S x --pickaxe-regex -- {S}", "git log --show-signature", "git log '--output={F}'", "git log \"--out\"put={F}", "git log -- --output=x ; {P}", "git  log  --output={F}", "git log --remerge-diff -p --output={F}",
	"npm test --script-shell=canary", "npm test --script-shell canary", "npm --script-shell=canary test", "npm test --prefix inner", "npm --prefix=.. test", "npm test --node-options=--require=./x.js", "npm test; {P}", "npm  test --userconfig=evil", "npm test --ignore-scripts=false -C inner", "npm test -w inner", "NODE_OPTIONS=--require=./evil.js npm test", "npm_config_script_shell=canary npm test",
	"ls {S}/../ && cat {S}", "ls | xargs canary", "ls | xargs cat {S}", "ls | while read x; do canary; done", "ls | sh", "cat evil.sh | sh", "cat evil.sh | bash -s", "cat evil.sh | tee {F}", "ls | tee {F}", "sort evil.sh | dash", "cat evil.sh | busybox sh", "cat notes.txt | sort -o {F} -", "cat list.txt | xargs env",
	"{EVIL}/ls", "{EVIL}/cat notes.txt", "../outside/canary", "./evil.sh", "{EVIL}/git status", "ls/../../outside/canary", "=canary", "~/canary", "$SHELL -c canary", "$0 -c canary", "\"$(command -v canary)\"", "l\\s; canary", "'ls'; canary", "ls;canary", "ls&&canary", "ls|canary", "ls&canary",
}

// lineMove asks to run a line.
func (g *grammar) lineMove() move {
	name, line := g.production(lineForms)
	if g.often(15) { // two of them in one
		other, more := g.production(lineForms)
		name, line = name+" with "+other, line+g.one("; ", " && ", "\n", " | ")+more
	}
	if g.often(5) {
		line = strings.Repeat("ls; ", 1+g.rand.IntN(2000)) + line
	}
	return move{Name: "line " + name, Frames: []frame{g.executes(line)}}
}

// rejectForms are commands that a reject rule is about. The first of them are so plainly that the user is not even asked.
var (
	plainRejects = []string{
		"rm notes.txt", "rm -rf src", "/bin/rm notes.txt", "exec rm notes.txt", "command rm notes.txt", "env rm notes.txt", "env X=1 rm notes.txt", "nice rm notes.txt", "nice -n 5 rm notes.txt", "timeout 5 rm notes.txt", "timeout -k 1 5 rm notes.txt",
		"sudo rm notes.txt", "flock notes.txt rm data.txt", "nohup rm notes.txt", "setsid rm notes.txt", "stdbuf -oL rm notes.txt", "ls | xargs rm", "ls | xargs -n 1 rm", "busybox rm notes.txt", "ls; rm notes.txt", "ls && rm notes.txt", "(rm notes.txt)",
		"git push", "git -C . push", "git --no-pager push", "git -c x.y=z push origin", "git --git-dir=.git push", "git -C . -c x.y=z push --force", "sh -c 'rm notes.txt'", "bash -c 'git push'", "find . -exec rm {} +", "find . -name x -exec rm -f {} ;",
		"git -P push", "git --work-tree=. push", "env git push", "bash -lc 'rm notes.txt'", "xargs rm <list.txt", "X=1 rm notes.txt", "time rm notes.txt", "! rm notes.txt", "if rm notes.txt; then ls; fi", "chrt 1 rm notes.txt", "ionice rm notes.txt", "env -i rm notes.txt", "\\rm notes.txt", "'rm' notes.txt", "r\"m\" notes.txt",
	}
	hiddenRejects = []string{"$'rm' notes.txt", "$(echo rm) notes.txt", "x=rm; $x notes.txt", "r${x}m notes.txt", "eval rm notes.txt", "git $x push", "python3 -c 'import os; os.system(\"rm x\")'", "{r,}m notes.txt", "/bin/r? notes.txt", "git pus''h", "echo rm notes.txt | sh", "ls | xargs $x rm", "alias x=rm\nx notes.txt", "trap 'rm notes.txt' EXIT"}
)

// rejectMove asks to run, or has Weft run, what a reject rule is about.
func (g *grammar) rejectMove() move {
	list, plain := hiddenRejects, g.often(75)
	if plain {
		list = plainRejects
	}
	line := g.one(list...)
	words := strings.Fields(line)
	simple := !strings.ContainsAny(line, "'\"\\;|&(){}<>!$\n=") && words[0] != "time" && words[0] != "exec" && words[0] != "command"
	switch {
	case g.often(50):
		fr := g.request(object("title", g.title(line), "kind", "execute", "rawInput", raw(object("command", line))), yesNo, act{Line: line, Dir: g.w.dir})
		return move{Name: "reject, asked: " + line, Frames: []frame{fr}, Deny: true, Refuse: plain}
	case simple && g.often(50):
		return move{Name: "reject, request as a list: " + line, Deny: true, Refuse: plain, Frames: []frame{
			g.request(object("title", "ls", "kind", "execute", "rawInput", raw(object("command", words))), yesNo, act{Argv: words, Dir: g.w.dir}),
		}}
	case simple:
		return move{Name: "reject, terminal with arguments: " + line, Frames: []frame{g.terminal("command", words[0], "args", words[1:])}, Deny: true, Refuse: plain}
	case !simple && g.often(50):
		return move{Name: "reject, terminal by a shell: " + line, Frames: []frame{g.terminal("command", "sh", "args", []string{"-c", line})}, Deny: true, Refuse: plain}
	}
	return move{Name: "reject, terminal: " + line, Frames: []frame{g.terminal("command", line)}, Deny: true, Refuse: plain}
}
