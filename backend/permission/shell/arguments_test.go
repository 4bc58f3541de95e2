package shell_test

import (
	"math/rand/v2"
	"slices"
	"strings"

	"weft/backend/permission/shell"
)

// arguments makes calls of real programs from a grammar of what their arguments may be read as: options of the known forms and others, whole, in
// clusters, abbreviated, with their values in each place, old ones without a dash, with "+" or "=", lists of arguments in files, operands that are
// any number of words or lie outside, and programs in the languages of some. ../outside must not be read, and nothing may be written.
type arguments struct {
	*rand.Rand
	forms []shell.Form
}

func (g arguments) pick(list []string) string { return list[g.IntN(len(list))] }

func (g arguments) chance(percent int) bool { return g.IntN(100) < percent }

var (
	argFiles  = []string{"a", "b", "src/a", "src", "a1.txt", "a2.txt", "list", "x.tar", "x.zip", "x.json", ".", "-", "./a", "src/../a", "missing", "-o", "new"}
	argAway   = []string{"../outside/secret", "away/secret", "link", "away", "../outside", "/etc/passwd", "src/away/secret", "src/../link", "./link", "$PWD/../outside/secret", "HEAD:../outside/secret"}
	argMany   = []string{"a*", "a*.txt", "*", "?", "a?.txt", "src/*", "l*", "li?k", "aw*/s*", "./*", "[a]*", "{a,b}", "{a1,a2}.txt", "$x", "${x}", `"$x"`, "a$x", `a"$x"`, "$none", `"$none"`, "$(echo a b)", "-*", "$out", `"$out"`, "src/$none../../outside/secret", "{-o,new}", "{a,-onew}", "-{o,n}ew", "a{1,2}.txt", "./-*", "?o*", "[-]o*", "src/-*", "a?*", "${x#?}", "$(echo -o new)"}
	argValues = []string{"1", "5", "x", "f", ",", ":", "1,2", "new", "a", "%s", "always", "@list", "auto", "HEAD", ":/", "sh", "10", "0", "src"}
	argOld    = []string{"tf", "tfI", "tvf", "tfv", "tzf", "ft", "tff", "xf", "cf", "rf", "tFf", "aux", "e", "if=a", "of=new", "p", "r", "x", "t", "v", "rc", "q", "-tfI", "-tf", "-tvf", "-xOf", "tIf", "tf-", "tfpwn", "if=../outside/secret", "if=a", "conv=notrunc", "axo", "U", "of=src/new"}
	argOdd    = []string{
		"+1", "+x", "+0", "-1", "-5", "+%s", "+5", "+r", "+G", "+/x", "+o", "@list", "@a", "--", "--", "-", "--help", "--version", "(", ")", "!", "=x", "x=y", "FS=x", "-oa", "-onew", "-o", "new", "-wnew", "--output=new", "--out=new", "--outp", "-O", "-i", "-w", "-I", "-e", "-f", "-T", "-F", "-C", "-x", "-r", "-R", "-L", "-n", "-v", "-s", "-d", "-t", "-l",
		"--files0-from=list", "--files0=list", "--from-file=link", "--to-command=pwn", "--to=pwn", "--use-compress-program=pwn", "--checkpoint=1", "--checkpoint-action=exec=pwn", "--compress-program=pwn", "--no-index", "--ext-diff", "--textconv", "--open-files-in-pager=pwn", "--pre=pwn", "-exec", "-ok", "-delete", "-fprint", "-newer", "-files0-from", "-execdir", "{}", ";", "-print", "-name", "-o", "-type", "-path",
	}
	argEvil = []string{
		"'sh -c \": > new\"'", "'pwn'", "pwn", "'w new'", "'1e pwn'", "'r ../outside/secret'", "'s/x/y/w new'", "'s/x/pwn/e'", "'w/dev/stdout'", "'p;w new'", "'p\nw new'", "'$!N;p'", "p", "'s/a/b/'", "'s/[/]/b/'", "'s/a/b/;p'", "'/x/p'", "1d", "'y/a/b/'",
		"'{print}'", "'{print $1}'", "'{print > \"new\"}'", "'{print | \"pwn\"}'", "'BEGIN{system(\"pwn\")}'", "'{\"pwn\"|getline}'", "'BEGIN{ARGV[1]=\"../outside/secret\"}{print}'", "'BEGIN{SYMTAB[\"AR\" \"GV\"][1]=\"../outside/secret\"}{print}'", "'{while((getline l<\"../outside/secret\")>0)print l}'", "'NR==1'", "'/x/ {print $NF}'", "'{print $1 > 5}'", "'END {print NR}'", "'{print \"a\" \"b\", $1}'", "'/[/]/'", "'$1 ~ /x/'", "1",
		".", "'.x'", "'.[]'", "env", "'$ENV'", "'.x | keys'", "'{a, b: .x}'", "'\"\\(env)\"'", "'import \"a\" as $a; .'", "'include \"a\"; .'", "'input_filename'", "'.env'", "'. as $x | $x'", "'{(.x):1}'", "'..|.x?'", "'[.[]|select(.x==1)]'", "x", "'^x'", "'x\\|y'", "'a b'", "''",
	}
	// argLong are options that act or read elsewhere in one program or another.
	argLong = strings.Fields("--use-compress-program=pwn --to-command=pwn --checkpoint-action=exec=pwn --rsh-command=pwn --info-script=pwn --new-volume-script=pwn --compress-program=pwn --open-files-in-pager=pwn --pre=pwn " +
		"--output=new --log-file=new --index-file=new --in-place --inplace --set=now --create --extract --append --delete --expire " +
		"--files-from=link --files0-from=list --exclude-from=link --from-file=link --file=link --reference=../outside/secret --random-source=link --magic-file=link --starting-file=link --contents=../outside/secret --pathspec-from-file=link --ignore-revs-file=link " +
		"--dereference --dereference-recursive --follow --no-index --ext-diff --textconv --temporary-directory=../outside --directory=../outside --work-tree=.. --unified=../outside/secret --source=link --include=link --load=link --exec=link --dump-variables=new --profile=new --debug --sandbox")
	argTraditions = strings.Fields("tar uniq xxd unzip zipinfo tree command sed awk mawk jq find sort strings date git diff ar ps dd")
	argScripted   = []string{"sed", "awk", "gawk", "mawk", "jq"}

	// Programs in these languages that only read, and what is put into them: words, and marks that end one thing and begin another.
	argEdits  = []string{"p", "s/a/b/", "s|x|[/]|g", "/x/p", "1,3p", "$!N;p", "/[x]/I,+2d", "s/x\\/y/\\n/2;p", "1!G;h", "s#[]x]#y#gI"}
	argAwks   = []string{"{print}", "{print $1, $NF}", "NR==1", "/x/ {print $2}", "$1 ~ /^x/", "/[x]/,/y/{print}", "END {print NR}", "{printf \"%s\\n\", $1}", "NR>1 && !/x/", "{print \"a\" $1; print NR}"}
	argPieces = map[string][]string{
		"sed": {"w new", "e", "e pwn", "r ../outside/secret", "R link", "W new", "F", "s", "p", "/", "|", "#", "[", "]", "[^", "\\", "\\n", "\n", ";", "{", "}", "!", "$", "1", "~", ",", "+", "g", "I", "M", " ", "y/a/b/", "b", "t", ":x", "a x", "i\\", "c"},
		"awk": {">\"new\"", ">>\"new\"", "|\"pwn\"", "\"pwn\"|getline", "getline<\"../outside/secret\"", "system(\"pwn\")", "SYMTAB[\"x\"]", "ARGV[1]=\"../outside/secret\"", "@load", "print", "printf", "/", "\"", "\\", "[", "]", "(", ")", "{", "}", ";", "\n", " ", "$", "$1", ">", "<", "|", "~", "!", "=", "==", ",", "&&", "NR", "BEGIN", "END", "-", "*", "%c", "#", "?", ":"},
	}
)

// call returns the next command.
func (g arguments) call() string {
	f := g.forms[g.IntN(len(g.forms))]
	if g.chance(30) { // those that have the most traditions
		for _, at := range g.Perm(len(g.forms)) {
			if slices.Contains(argTraditions, strings.Fields(g.forms[at].Words)[0]) {
				f = g.forms[at]
				break
			}
		}
	}
	words := []string{f.Words}
	scripted := false
	for _, name := range argScripted {
		scripted = scripted || f.Words == name
	}
	if scripted && g.chance(85) {
		for g.chance(20) {
			words = append(words, g.option(f))
		}
		words = append(words, g.script(f.Words))
	}
	switch f.Words {
	case "tar", "unzip", "zipinfo", "command", "find", "ar", "ps", "dd":
		if g.chance(50) {
			words = append(words, g.pick(map[string][]string{"tar": argOld, "ar": argOld, "ps": argOld, "dd": argOld, "unzip": {"-l", "-Z", "-lv"}, "zipinfo": {"-1", "-l"}, "command": {"-v", "-V", "pwn", "sh"}, "find": {".", "src", "a", "link", "away"}}[f.Words]))
		}
	}
	for g.chance(65) {
		switch n := g.IntN(100); {
		case n < 42:
			words = append(words, g.option(f))
		case n < 72:
			words = append(words, g.pick(argFiles))
		case n < 80:
			words = append(words, g.pick(argAway))
		case n < 87:
			words = append(words, g.pick(argMany))
		case n < 90:
			words = append(words, g.pick(argOdd))
		case n < 92:
			words = append(words, g.abbreviated(g.pick(argLong)))
		case n < 95:
			words = append(words, g.pick(argOld))
		default:
			words = append(words, g.pick(argEvil))
		}
	}
	if f.Words == "[" {
		words = append(words, "]")
	}
	line := strings.Join(words, " ")
	if g.chance(5) {
		line = g.pick([]string{"cat a | ", "cd src && ", "cd src; ", "echo x; ", "NO_COLOR=1 ", "cd away; ", "env CI=1 ", "timeout 5 ", "! "}) + line
	}
	return line
}

// option is one of a form, or nearly.
func (g arguments) option(f shell.Form) string {
	if len(f.Options) == 0 {
		return g.pick(argOdd)
	}
	o := g.pick(f.Options)
	value := func() string {
		switch n := g.IntN(10); {
		case n < 6:
			return g.pick(argValues)
		case n < 8:
			return g.pick(argAway)
		case n < 9:
			return g.pick(argMany)
		default:
			return g.pick(argFiles)
		}
	}
	long := strings.HasPrefix(o, "--")
	switch n := g.IntN(100); {
	case n < 40:
		return o
	case n < 60:
		return o + " " + value()
	case n < 66 && long, n < 62:
		return o + "=" + value()
	case n < 70 && long: // abbreviated
		return g.abbreviated(o + g.pick([]string{"", "", "=" + value(), " " + value()}))
	case long:
		return o
	case n < 80:
		return o + value()
	}
	cluster := o
	for g.chance(60) {
		if other := g.pick(f.Options); len(other) == 2 && g.chance(75) {
			cluster += other[1:]
		} else {
			cluster += string("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[g.IntN(62)])
		}
	}
	return cluster + g.pick([]string{"", "", " " + value(), value()})
}

// abbreviated is a long option in fewer letters, with its value.
func (g arguments) abbreviated(option string) string {
	end := strings.IndexAny(option+"=", "= ")
	return option[:2+g.IntN(end-1)] + option[end:]
}

// script is a program in the language of a program: one of those that are known, or one that only reads with something put into it, or left out.
func (g arguments) script(program string) string {
	list, pieces := argEdits, argPieces["sed"]
	switch {
	case program == "jq" || g.chance(40):
		return g.pick(argEvil)
	case program != "sed":
		list, pieces = argAwks, argPieces["awk"]
	}
	text := g.pick(list)
	for range 1 + g.IntN(3) {
		at := g.IntN(len(text) + 1)
		switch g.IntN(4) {
		case 0:
			text = text[:at] + text[min(at+1, len(text)):]
		case 1:
			text = text[:at] + g.pick(list) + text[at:]
		default:
			text = text[:at] + g.pick(pieces) + text[at:]
		}
	}
	return "'" + text + "'"
}
