package shell

import (
	"strings"

	"weft/backend/permission/unclear"
)

var shells = WordSet("sh bash zsh dash ksh mksh ash fish rbash")

// IsShell reports whether a program with that name, without its path, is a shell.
func IsShell(name string) bool { return shells[name] }

// shellWords are builtins and words of a shell that act on the shell, evaluate what they get, or are not the same everywhere.
var shellWords = WordSet(`eval source . alias unalias trap exec command builtin hash enable disable pushd popd chdir dirs set unset shift export readonly declare typeset local integer float private nameref let
	read mapfile readarray getopts getln print vared printf test [ type whence where umask ulimit limit unlimit wait jobs fg bg disown kill suspend history fc r bind bindkey complete compgen compopt compctl
	zle zmodload autoload functions unfunction emulate setopt unsetopt shopt zparseopts zstyle zformat zcompile zsh sched ttyctl times caller help logout exit return break continue rehash
	noglob nocorrect repeat foreach select function coproc end always log stat sysopen sysread syswrite zselect zsocket ztcp zftp zpty zprof clone cap getcap setcap comparguments which in do done then fi esac elif else case if for while until time`)

// WordSet returns the words of a text as a set.
func WordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// starts reads a command that starts another one in a way that is known, so that only that one counts. It reports whether it was one.
func (s *Script) starts(c *Command) bool {
	name := c.Words[0]
	switch base := BaseName(name); {
	case name == "env":
		return s.env(c)
	case name == "timeout":
		return s.timeout(c)
	case shells[base] && !IsSystemProgram(name, base), base == "fish":
		// Only its name is that of a shell, or it has another syntax: nobody knows what it does with a script.
		s.Doubt(unclear.Dynamic)
		s.scripts(c)
	case shells[base]:
		return s.shell(c)
	}
	return false
}

// scripts reads every word as what may be a script, and the input, for the reject rules.
func (s *Script) scripts(c *Command) {
	for i := 1; i < len(c.Words) && i < maxStarts; i++ {
		s.aside(c.Words[i])
	}
	s.aside(c.input)
}

// maxStarts is how many words of a command may begin another one.
const maxStarts = 32

// wrapped adds what may be run by a wrapper, for the reject rules: where its options end is
// not known, so every word may begin a command.
func (s *Script) wrapped(at int, c *Command) {
	hidden := false
	defer func() { s.Commands[at].Opaque = s.Commands[at].Opaque || hidden }()
	base := strings.ToLower(BaseName(c.Words[0]))
	if !c.launches(base) && (!shells[base] || c.Wrapped) {
		return
	}
	hidden = s.aside(c.input)
	for i := 1; i < len(c.Words) && len(s.Commands) < maxCommands; i++ {
		if i >= maxStarts {
			s.Doubt(unclear.Long)
			return
		}
		inner := c.from(i)
		inner.Wrapped, inner.Dir = true, c.Dir
		if inner.Opaque = inner.Fixed[0] && holdsCode(&inner); inner.Words[0] != "" || !inner.Fixed[0] {
			s.Commands = append(s.Commands, inner)
		}
		text := c.Words[i]
		if strings.HasPrefix(text, "-") {
			if _, value, ok := strings.Cut(text, "="); ok {
				hidden = s.aside(value) || hidden
			} else if len(text) > 2 && text[1] != '-' {
				s.aside(text[2:]) // most often a value
			}
		} else if strings.ContainsAny(text, " \t;|&\n'\"\\$`") {
			hidden = s.aside(text) || hidden
		}
	}
}

// aside reads a text that may be a script, for the reject rules only. It reports whether it can't be told what that would do.
func (s *Script) aside(text string) (hidden bool) {
	if text == "" {
		return false
	}
	if s.nested >= maxNested {
		return true
	}
	inner := Script{nested: s.nested + 1}
	inner.Read(text)
	for _, c := range inner.Commands {
		if len(s.Commands) < maxCommands {
			c.Wrapped = true
			s.Commands = append(s.Commands, c)
		}
	}
	return inner.Unclear != ""
}

// env reads "env NAME=value … command": the command is what counts. It reports whether it
// was of that form.
func (s *Script) env(c *Command) bool {
	for i := 1; i < len(c.Words); i++ {
		word := c.Words[i]
		name, value, assigns := strings.Cut(word, "=")
		switch {
		case !c.Fixed[i] || strings.HasPrefix(word, "-"):
			s.Doubt(unclear.Dynamic)
			return false
		case assigns:
			if !harmlessVariables[name] || !plainValue(value) {
				s.Doubt(unclear.Setting)
			}
		default:
			s.inner(c.from(i))
			return true
		}
	}
	return false // it prints the environment
}

// timeout reads "timeout 60 command".
func (s *Script) timeout(c *Command) bool {
	if len(c.Words) < 3 || !c.Fixed[1] || !digits(strings.TrimRight(c.Words[1], "smhd")) || !c.Fixed[2] || strings.HasPrefix(c.Words[2], "-") {
		return false
	}
	s.Commands = append(s.Commands, Command{Words: c.Words[:2], Fixed: c.Fixed[:2], Wrapped: true})
	s.inner(c.from(2))
	return true
}

// inner adds a command that a program starts, and not the shell.
func (s *Script) inner(c Command) {
	if shellWords[c.Words[0]] || c.Words[0] == "cd" {
		s.Doubt(unclear.Dynamic)
	}
	dir := s.Dir
	s.command(c)
	s.Dir = dir
}

// IsSystemProgram reports whether a program is one that the system brings, and not one that lies anywhere. base is its name without the path.
func IsSystemProgram(name, base string) bool {
	switch name {
	case base, "/bin/" + base, "/usr/bin/" + base, "/usr/local/bin/" + base, "/opt/homebrew/bin/" + base:
		return true
	}
	return false
}

// shell reads "sh -c script": the script is what counts. It reports whether it was of that
// form.
func (s *Script) shell(c *Command) bool {
	for i := 1; i < len(c.Words); i++ {
		word := c.Words[i]
		if !c.Fixed[i] {
			break
		}
		if !strings.HasPrefix(word, "-") || word == "-" || word == "--" {
			if i == 1 && !c.fed && word != "-" && word != "--" {
				return false // a file that is run
			}
			break
		}
		if word == "--login" || word == "--norc" || word == "--noprofile" || len(word) > 1 && strings.Trim(word[1:], "leux") == "" {
			continue
		}
		// The last thing on the line has to be the script: behind it come its arguments.
		if strings.Trim(word[1:], "leux") != "c" || i+2 != len(c.Words) || !c.Fixed[i+1] || s.nested >= maxNested {
			break
		}
		dir := s.Dir
		s.nested++
		s.Read(c.Words[i+1])
		s.nested--
		s.Dir = dir
		return true
	}
	// It may read a script from its input, or from somewhere on the line.
	s.Doubt(unclear.Dynamic)
	s.scripts(c)
	return false
}

// BaseName returns the name of a program without its path.
func BaseName(word string) string {
	return word[max(strings.LastIndexByte(word, '/'), strings.LastIndexByte(word, '\\'))+1:]
}
