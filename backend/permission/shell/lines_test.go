package shell_test

import (
	"math/rand/v2"
	"strings"
)

// lines makes command lines from a grammar of what shells know, and what only one of them knows. "pwn" is a program that must never run.
type lines struct{ *rand.Rand }

func (g lines) pick(list []string) string { return list[g.IntN(len(list))] }

func (g lines) chance(percent int) bool { return g.IntN(100) < percent }

var (
	fuzzNames    = []string{"ls", "cat", "echo", "git status", "git log", "grep x", "printf", "test", "[", "head", "wc", "sort", "true", "pwd", ":", "cd src", "ls -l", "echo", "echo"}
	fuzzOddNames = []string{
		"pwn", "rm", "touch f", "eval", "exec", "command", "builtin", "noglob", "nocorrect", "repeat 2", "time", "!", "coproc", "-", "=ls", "\\ls", "l''s", "'ls'", "$x", "[[", "((", "select", "foreach", "function",
		"let", "read", "set --", "unset", "export", "alias ls=pwn;", "trap pwn EXIT;", "print -P", "zmodload", "env", "sh -c", "timeout 5", "env CI=1", "bash -c", ". ./a", "source", "ls() { pwn; };", "r", "fc", "%1", "getopts", "printf -v", "test -v", "[ -v",
	}
	fuzzWords  = []string{"a", "src", "src/a", "-l", "-n", "x=y", "100%", "a,b", "+x", "@z", "a.b", "-", "--", "\\;", "\\$x", "\\ ", "%s", "-f", "=", "!=", "]", "1", "HEAD~1", "HEAD^", "a#b", "src/*", "sr?"}
	fuzzQuoted = []string{
		"$(pwn)", "`pwn`", ";pwn;", "\\", " ", "*", "~", "{a,b}", "=ls", "!pwn", "$x", "\u00e9", "\u2028", "#", "psvar[$(pwn)]", "a[$(pwn)]", "${(e)x}", "\n", "|pwn", ">f", "&", "%d", "$'", "(", ")", "\t", "${x:-$(pwn)}", "-v",
	}
	fuzzDouble = []string{"$x", "${x}", "$(ls)", "\\\"", "\\$", "\\`", "a b", ";", "'", "$(echo a)", "fix!", "100%", "\u00e9", "$?", "[1]", ":h", "\\n", "#", "~", "{a}", "(", ")", "|", "&"}
	fuzzOdd    = []string{
		"$'x'", "$'\\'; pwn '", "$'\\x27;pwn\\x27'", "$\"x\"", "{a,b}", "{1..3}", "~", "~root", "=ls", "=pwn", "*", "[a]", "*(e:pwn:)", "*(+pwn)", "$psvar[$(pwn)]", "$psvar['$(pwn)']", "$x[1]", "$x:h", "$#x", "$#psvar['$(pwn)']", "$+x", "$^x", "$=x", "$~x", "${x:-$(pwn)}",
		"${x:h}", "${(e)x}", "${x}['$(pwn)']", "$((psvar['$(pwn)']))", "$[psvar['$(pwn)']]", "<(pwn)", ">(pwn)", "=(pwn)", "$(pwn)", "`pwn`", "`echo a`", "$( (pwn) )", "$((pwn) )", "a!b", "!pwn", "!!", "^a^b", "@(pwn)", "!(pwn)", "?(pwn)", "(pwn)", "<1-5>", "<->f", "a~b", "a^b", "}", "{", "{}", "\u00e9", "\u00a0",
		"\x01", "\x1b", "\r", "\x7f", "\x0b", "$", "$$", "$!", "$@", "$*", "$-", "$_", "\\\n", "#", "''", "\"\"", "'a''b'", "a''b", "**/x", "a&&pwn", "a;pwn", "a|pwn", "a\npwn", "always", "<<<pwn", "&>f", "%(x)T", "\\", "[", "]", "''pwn''", "$'", "\"$", "${", "$(", "`", "'", "\"",
	}
	fuzzRedirects    = []string{">/dev/null", "2>&1", "2>/dev/null", "<a", "</dev/null", ">&2", "<src/a", "2>&-"}
	fuzzOddRedirects = []string{">f", ">>f", ">|f", "<>f", "&>f", "&>>f", ">&f", ">!", ">!f", ">>!f", ">&!f", "{fd}>f", "{x}</dev/null", "10>f", "10>/dev/null", "<1-5>f", "<->f", "<<<f", ">$x", ">&2-", ">$(echo f)", ">~/f", "> >(pwn)", "<&x", "3>f", ">f>g", "</dev/tcp/x/1", ">&'f'", "> f'"}
	fuzzJoins        = []string{"; ", " && ", " || ", " | ", " & ", "\n", " ;", "|", "&&", " |\n", "\n\n"}
	fuzzOddJoins     = []string{" |& ", " &| ", " &! ", ";; ", " \\\n", "\\\n", " # c\n", "\r\n", " &; ", " ! ", " } ", " ) ", " always ", " ;& ", "\n#", " &>f ", " =", "\u00a0"}
	fuzzAssigns      = []string{"NO_COLOR=1 ", "CI=true ", "LC_ALL=C ", "TERM=dumb "}
	fuzzOddAssigns   = []string{"COLUMNS='psvar[$(pwn)]' ", "LINES='psvar[$(pwn)]' ", "SECONDS='psvar[$(pwn)]' ", "RANDOM='a[$(pwn)]' ", "PATH=. ", "x=$(pwn) ", "CI=`pwn` ", "1=x ", "x+=1 ", "a[$(pwn)]=1 ", "TERM='psvar[$(pwn)]' ", "CI=~/x ", "psvar=(pwn) ", "IFS=x ", "ENV=a ", "PS4='$(pwn)' ", "NULLCMD=pwn ", "CI=$'x' ", "a=(pwn) ", "LANG=\\\npwn "}
	fuzzMarks        = []string{"'", "\"", "\\", "$", "`", "(", ")", "{", "}", "[", "]", "<", ">", "|", "&", ";", "!", "#", "~", "=", "^", "*", "?", "%", "@", ":", ",", "-", " ", "\t", "\n", "\r", "a", "1", "pwn", "$(", "\u00e9"}
)

// line returns the next line.
func (g lines) line() string {
	out := g.list(2)
	for g.chance(12) && out != "" {
		at := g.IntN(len(out) + 1)
		switch g.IntN(4) {
		case 0:
			out = out[:at] + g.pick(fuzzMarks) + out[at:]
		case 1:
			out = out[:at] + out[min(at+1, len(out)):]
		case 2:
			other := g.list(1)
			out = out[:at] + other[g.IntN(len(other)+1):]
		default:
			to := min(len(out), at+g.IntN(6))
			out = out[:to] + out[at:]
		}
	}
	return strings.ToValidUTF8(out, "?")
}

func (g lines) list(depth int) string {
	var b strings.Builder
	b.WriteString(g.command(depth))
	for g.chance(45) {
		if g.chance(6) {
			b.WriteString(g.pick(fuzzOddJoins))
		} else {
			b.WriteString(g.pick(fuzzJoins))
		}
		b.WriteString(g.command(depth))
	}
	return b.String()
}

func (g lines) command(depth int) string {
	if depth > 0 && g.chance(14) {
		inner := g.list(depth - 1)
		switch g.IntN(14) {
		case 0, 1:
			return "(" + inner + ")"
		case 2, 3:
			return "{ " + inner + "; }"
		case 4, 5:
			return "if " + g.simple() + "; then " + inner + "; fi"
		case 6:
			return "! " + g.simple()
		case 7:
			return "{ " + inner + " } always { pwn; }"
		case 8:
			return "for i in a; do " + inner + "; done"
		case 9:
			return "case a in a) " + inner + ";; esac"
		case 10:
			return "((" + inner + "))"
		case 11:
			return "echo $(" + inner + ")"
		case 12:
			return "if " + inner + " { pwn; }"
		default:
			return "repeat 1 " + inner
		}
	}
	return g.simple()
}

func (g lines) simple() string {
	var b strings.Builder
	switch n := g.IntN(100); {
	case n < 8:
		b.WriteString(g.pick(fuzzAssigns))
	case n < 10:
		b.WriteString(g.pick(fuzzOddAssigns))
	}
	if g.chance(4) {
		b.WriteString(g.pick(fuzzOddNames) + " ")
	}
	name := g.pick(fuzzNames)
	b.WriteString(name)
	switch name {
	case "test", "[":
		b.WriteString(g.pick([]string{" -f a", " a = b", " 1 -eq 1", " -n x", " -d src", " -f 'a b'"}))
	case "printf":
		b.WriteString(g.pick([]string{" %s", " '%s\\n'", " x", " \"%s\"", " %b"}))
	}
	for g.chance(50) {
		b.WriteString(" " + g.word())
	}
	if name == "[" {
		b.WriteString(" ]")
	}
	switch n := g.IntN(100); {
	case n < 12:
		b.WriteString(" " + g.pick(fuzzRedirects))
	case n < 15:
		b.WriteString(" " + g.pick(fuzzOddRedirects))
	case n < 18:
		end := g.pick([]string{"EOF", "'EOF'", "\"EOF\"", "E\\OF", "$x", "-EOF"})
		text := g.pick([]string{"plain", "$(pwn)", "`pwn`", "a\\\nEOF", "\u00e9 ' \"", "EOF ", "\tEOF"})
		b.WriteString(" <<" + end + "\n" + text + "\nEOF\n")
	}
	return b.String()
}

func (g lines) word() string {
	var b strings.Builder
	for {
		switch n := g.IntN(100); {
		case n < 55:
			b.WriteString(g.pick(fuzzWords))
		case n < 75:
			b.WriteString("'" + g.pick(fuzzQuoted) + "'")
		case n < 92:
			b.WriteString("\"" + g.pick(fuzzDouble))
			if g.chance(30) {
				b.WriteString(g.pick(fuzzDouble))
			}
			b.WriteString("\"")
		default:
			b.WriteString(g.pick(fuzzOdd))
		}
		if !g.chance(25) {
			return b.String()
		}
	}
}
