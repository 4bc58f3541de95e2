package shell

import (
	"strings"

	"weft/backend/permission/unclear"
)

var shells = WordSet("sh bash zsh dash ksh mksh ash fish rbash")

// IsShell reports whether name is the name of a shell, without a path.
func IsShell(name string) bool { return shells[name] }

// shellWords are shell builtins and keywords that change the shell, evaluate their arguments, or differ between
// shells.
var shellWords = WordSet(`eval source . alias unalias trap exec command builtin hash enable disable pushd popd chdir dirs set unset shift export readonly declare typeset local integer float private nameref let
	read mapfile readarray getopts getln print vared printf test [ type whence where umask ulimit limit unlimit wait jobs fg bg disown kill suspend history fc r bind bindkey complete compgen compopt compctl
	zle zmodload autoload functions unfunction emulate setopt unsetopt shopt zparseopts zstyle zformat zcompile zsh sched ttyctl times caller help logout exit return break continue rehash
	noglob nocorrect repeat foreach select function coproc end always log stat sysopen sysread syswrite zselect zsocket ztcp zftp zpty zprof clone cap getcap setcap comparguments which in do done then fi esac elif else case if for while until time`)

// WordSet returns the set of the words in a text.
func WordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// launched reads a command that starts another one in a known way, so that only the inner command counts. It returns
// false for other commands.
func (s *Script) launched(c *Command) bool {
	name := c.Words[0]
	switch base := BaseName(name); {
	case name == "env":
		return s.env(c)
	case name == "timeout":
		return s.timeout(c)
	case shells[base] && !IsSystemProgram(name, base), base == "fish":
		// Either only its name is that of a shell, or its syntax differs, so what it does with a script isn't known.
		s.MarkUnclear(unclear.Dynamic)
		s.scripts(c)
	case shells[base]:
		return s.shell(c)
	}
	return false
}

// scripts reads every argument and the input as a possible script, for the reject rules.
func (s *Script) scripts(c *Command) {
	for i := 1; i < len(c.Words) && i < maxInnerStarts; i++ {
		s.readForRules(c.Words[i])
	}
	s.readForRules(c.input)
}

// maxInnerStarts limits how many words of a command are tried as the start of another one.
const maxInnerStarts = 32

// wrapped adds the commands that a wrapper may run, for the reject rules. Where its options end isn't known, so every
// word may begin a command.
func (s *Script) wrapped(at int, c *Command) {
	hidden := false
	defer func() { s.Commands[at].Opaque = s.Commands[at].Opaque || hidden }()
	base := strings.ToLower(BaseName(c.Words[0]))
	if !c.launches(base) && (!shells[base] || c.Wrapped) {
		return
	}
	hidden = s.readForRules(c.input)
	for i := 1; i < len(c.Words) && len(s.Commands) < maxCommands; i++ {
		if i >= maxInnerStarts {
			s.MarkUnclear(unclear.Long)
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
				hidden = s.readForRules(value) || hidden
			} else if len(text) > 2 && text[1] != '-' {
				s.readForRules(text[2:]) // usually a value
			}
		} else if strings.ContainsAny(text, " \t;|&\n'\"\\$`") {
			hidden = s.readForRules(text) || hidden
		}
	}
}

// readForRules reads a possible script, for the reject rules only. It reports whether its effect can't be determined.
func (s *Script) readForRules(text string) (hidden bool) {
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

// env reads "env NAME=value … command", of which only the command counts. It returns false for other forms.
func (s *Script) env(c *Command) bool {
	for i := 1; i < len(c.Words); i++ {
		word := c.Words[i]
		name, value, assigns := strings.Cut(word, "=")
		switch {
		case !c.Fixed[i] || strings.HasPrefix(word, "-"):
			s.MarkUnclear(unclear.Dynamic)
			return false
		case assigns:
			if !harmlessVariables[name] || !plainValue(value) {
				s.MarkUnclear(unclear.Setting)
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

// inner adds a command that a program starts, not the shell.
func (s *Script) inner(c Command) {
	if shellWords[c.Words[0]] || c.Words[0] == "cd" {
		s.MarkUnclear(unclear.Dynamic)
	}
	dir := s.Dir
	s.command(c)
	s.Dir = dir
}

// IsSystemProgram reports whether name is a program of the system, and not one in any other folder. base is the name
// without the path.
func IsSystemProgram(name, base string) bool {
	switch name {
	case base, "/bin/" + base, "/usr/bin/" + base, "/usr/local/bin/" + base, "/opt/homebrew/bin/" + base:
		return true
	}
	return false
}

// shell reads "sh -c script", of which only the script counts. It returns false for other forms.
func (s *Script) shell(c *Command) bool {
	for i := 1; i < len(c.Words); i++ {
		word := c.Words[i]
		if !c.Fixed[i] {
			break
		}
		if !strings.HasPrefix(word, "-") || word == "-" || word == "--" {
			if i == 1 && !c.hasInput && word != "-" && word != "--" {
				return false // it runs a file
			}
			break
		}
		if word == "--login" || word == "--norc" || word == "--noprofile" || len(word) > 1 && strings.Trim(word[1:], "leux") == "" {
			continue
		}
		// The script must be the last word, because its arguments follow it.
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
	// It may read a script from its input or from its arguments.
	s.MarkUnclear(unclear.Dynamic)
	s.scripts(c)
	return false
}

// BaseName returns the name of a program without its path.
func BaseName(word string) string {
	return word[max(strings.LastIndexByte(word, '/'), strings.LastIndexByte(word, '\\'))+1:]
}
