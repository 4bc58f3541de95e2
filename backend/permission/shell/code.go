package shell

import (
	"slices"
	"strings"
)

// code maps programs to the options that take code. "" means that the program reads code from its input if it has no
// operand.
var code = map[string][]string{
	"python": {"", "-c", "-m"}, "perl": {"", "-e", "-E", "-n", "-p", "-i", "-M", "-m", "-x"}, "ruby": {"", "-e", "-n", "-p", "-r"}, "node": {"", "-e", "-p", "--eval", "--print", "-r", "--require", "--import", "--loader"},
	"deno": {"", "eval", "repl"}, "bun": {"", "-e", "--eval", "-p", "--print"}, "php": {"", "-r", "-B", "-R", "-E", "-a", "-d"}, "lua": {"", "-e", "-l"}, "luajit": {"", "-e", "-l"}, "rscript": {"", "-e"}, "r": {"", "-e"}, "osascript": {"", "-e"},
	"tclsh": {""}, "wish": {""}, "expect": {"", "-c"}, "ghci": {""}, "irb": {"", "-r"}, "julia": {"", "-e", "-E"}, "elixir": {"", "-e"}, "erl": {"", "-eval", "-s"}, "groovy": {"", "-e"}, "scala": {"", "-e"}, "guile": {"", "-c"}, "emacs": {"--eval", "-f", "-l", "--load", "--execute", "--batch"},
	"vim": {"-c", "--cmd", "-S", "-s", "+"}, "vi": {"-c", "+"}, "nvim": {"-c", "--cmd", "-S", "-l", "+"}, "view": {"-c", "+"}, "ex": {"", "-c", "-s"}, "ed": {""}, "gdb": {"", "-ex", "--eval-command", "-x", "--command", "--args"}, "lldb": {"", "-o", "-s", "-b"},
	"sqlite3": {"", "."}, "psql": {"", "-c", "-f", "--command", "--file"}, "mysql": {"", "-e", "--execute"}, "redis-cli": {"eval", "--eval"}, "mongosh": {"", "--eval"}, "bc": {""}, "dc": {""}, "m4": {""}, "gnuplot": {"", "-e"},
	"git": {"-c", "--config-env", "--exec-path", "--upload-pack", "--receive-pack", "--exec", "-x", "-O", "--open-files-in-pager", "--ext-diff", "--extcmd", "-u"}, "make": {"--eval", "-E", "-f", "--file", "--makefile", "-"}, "gmake": {"--eval", "-E", "-f", "-"}, "ninja": {"-f"},
	"tar": {"--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command", "-F", "--info-script", "--new-volume-script", "--rmt-command"}, "rsync": {"-e", "--rsh", "--rsync-path"}, "ssh": {"-o"}, "scp": {"-S", "-o"}, "sftp": {"-S", "-o", "-b"}, "zip": {"-T", "-TT", "--unzip-command"},
	"rg": {"--pre", "--hostname-bin"}, "sort": {"--compress-program"}, "npm": {"--script-shell", "--node-options"}, "go": {"-exec", "-toolexec", "-vettool"}, "cargo": {"--config"}, "gcc": {"-wrapper", "-B", "-specs"}, "man": {"-P", "--pager", "-H"}, "less": {"+"}, "more": {"+"}, "curl": {"-K", "--config"}, "wget": {"--use-askpass", "-e", "--execute"},
	"sed": {"*"}, "awk": {"*"}, "gawk": {"*"}, "mawk": {"*"}, "nawk": {"*"}, "find": {"-exec", "-ok"}, "xargs": {""}, "parallel": {"", ":::"}, "msbuild": {"*"}, "fc": {"*"}, "tclsh8.6": {""}, "env": {"-S", "--split-string"}, "make.exe": {"--eval"},
}

// holdsCode reports whether a command of a program without a known form contains code that Weft doesn't read.
func holdsCode(c *Command) bool {
	base := strings.ToLower(BaseName(c.Words[0]))
	base = strings.TrimSuffix(base, ".exe")
	options := code[base]
	if options == nil {
		options = code[strings.TrimRight(base, "0123456789.-")]
	}
	for _, o := range options {
		if o == "*" || o == "" && readsCode(c) {
			return true
		}
		for i := 1; i < len(c.Words) && o != ""; i++ {
			if GivesOption(Dashed(base, i, c.Words[i]), o) {
				return true
			}
		}
	}
	return false
}

// undashed are programs whose first word is a group of options even without a dash.
var undashed = WordSet("tar gtar bsdtar star ar ps jar")

// Dashed returns word i of a command, with a dash if the program treats it as options without one. program is a name
// without a path.
func Dashed(program string, i int, word string) string {
	if i == 1 && undashed[program] && word != "" && word[0] != '-' {
		return "-" + word
	}
	return word
}

// GivesOption reports whether a word contains an option, including abbreviations and groups.
func GivesOption(word, option string) bool {
	name, _, _ := strings.Cut(word, "=")
	switch {
	case strings.HasPrefix(option, "--"):
		return strings.HasPrefix(option, name) && len(name) > 2 && strings.HasPrefix(name, "--")
	case len(option) == 2 && option[0] == '-':
		return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.IndexByte(word[1:], option[1]) >= 0
	case option[0] == '-' && len(option) > 1:
		return name == option || name == "-"+option || strings.HasPrefix(word, option)
	}
	return strings.HasPrefix(word, option)
}

// interpreters read code from their input if they get no file.
var interpreters = func() []string {
	out := []string{}
	for name, options := range code {
		if slices.Contains(options, "") && name != "xargs" && name != "parallel" {
			out = append(out, name)
		}
	}
	return out
}()

// readsCode reports whether a command reads code from its input.
func readsCode(c *Command) bool {
	base := strings.ToLower(BaseName(c.Words[0]))
	if len(c.Words) == 2 && (c.Words[1] == "--version" || c.Words[1] == "-V" || c.Words[1] == "-v") {
		return false // it only prints its version
	}
	if !slices.Contains(interpreters, base) && !slices.Contains(interpreters, strings.TrimRight(base, "0123456789.-")) {
		return false
	}
	for _, w := range c.Words[1:] {
		if w == "-" || !strings.HasPrefix(w, "-") {
			return w == "-" || c.hasInput
		}
	}
	return true
}
