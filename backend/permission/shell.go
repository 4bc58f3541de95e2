package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The most that is read of what an agent wants to run. More is asked about.
const (
	maxLine     = 16 << 10 // bytes of a command line: a millisecond of reading
	maxCommands = 256      // simple commands in it
	maxNested   = 4        // shells within shells
)

// Command is one simple command of a command line.
type Command struct {
	// Words are its name and arguments with the quotes removed, as far as they are known before
	// it runs. Fixed tells which those are.
	Words []string
	Fixed []bool
	// Wrapped tells that a program before it on the line starts it (sudo, xargs …): only a reject
	// rule looks at it.
	Wrapped bool
}

// script is what a command line would do.
type script struct {
	commands []Command
	writes   []string // targets of redirections that write
	moves    bool     // it may change the directory, so that relative targets are not known
	unclear  string   // why it cannot be judged, "" if it can
	nested   int
}

func (s *script) doubt(why string) {
	if s.unclear == "" || grave(why) && !grave(s.unclear) {
		s.unclear = why
	}
}

// Why a command line cannot be judged: codes, told to the person by the frontend.
const (
	unclearSyntax  = "syntax"  // it does not parse
	unclearLong    = "long"    // it is too long
	unclearDynamic = "dynamic" // what runs is known only when it runs
	unclearForm    = "form"    // the agent sent it in a form that Weft does not read
	unclearSetting = "setting" // it sets variables that change what commands do
	unclearOutside = "outside" // it works outside of the folder

	unclearRepository = "repository" // the repository's own configuration would make git run something
)

// read parses a command line for a shell and collects what it would do.
func (s *script) read(line string) {
	if len(line) > maxLine {
		s.doubt(unclearLong)
		return
	}
	if strings.ContainsRune(line, 0) {
		s.doubt(unclearSyntax)
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		s.doubt(unclearSyntax)
		return
	}
	s.stmts(file.Stmts)
}

func (s *script) stmts(list []*syntax.Stmt) {
	for _, stmt := range list {
		s.stmt(stmt)
	}
}

// stmt knows the harmless shapes; every other one makes the line unclear.
func (s *script) stmt(stmt *syntax.Stmt) {
	if stmt == nil {
		return
	}
	if stmt.Coprocess || stmt.Disown {
		s.doubt(unclearDynamic)
	}
	for _, r := range stmt.Redirs {
		s.redirect(r)
	}
	switch c := stmt.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		s.call(c)
	case *syntax.BinaryCmd:
		s.stmt(c.X)
		s.stmt(c.Y)
	case *syntax.Subshell:
		s.stmts(c.Stmts)
	case *syntax.Block:
		s.stmts(c.Stmts)
	case *syntax.IfClause:
		for clause := c; clause != nil; clause = clause.Else {
			s.stmts(clause.Cond)
			s.stmts(clause.Then)
		}
	case *syntax.WhileClause:
		s.stmts(c.Cond)
		s.stmts(c.Do)
	case *syntax.TimeClause:
		s.stmt(c.Stmt)
	default:
		// Loops over words, functions, tests, arithmetic, declarations: their parts are still
		// read, for the reject rules.
		s.doubt(unclearDynamic)
		s.within(c)
	}
}

// within reads every simple command and redirection below a node whose shape is not known to be harmless.
func (s *script) within(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			s.call(n)
			return false
		case *syntax.Redirect:
			s.redirect(n)
			return false
		}
		return true
	})
}

func (s *script) redirect(r *syntax.Redirect) {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		s.doubt(unclearDynamic) // it sets a variable
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		s.word(r.Word)
		s.word(r.Hdoc)
		return
	case syntax.WordHdoc:
		s.word(r.Word)
		return
	case syntax.DplIn, syntax.DplOut:
		if to, ok := s.word(r.Word); ok && (to == "-" || strings.Trim(to, "0123456789-") == "") {
			return
		} else if r.Op == syntax.DplIn {
			s.doubt(unclearDynamic)
			return
		}
	default:
	}
	to, ok := s.word(r.Word)
	switch {
	case !ok || to == "":
		s.doubt(unclearDynamic)
	case strings.HasPrefix(to, "/dev/tcp/") || strings.HasPrefix(to, "/dev/udp/"):
		s.doubt(unclearDynamic)
	case r.Op == syntax.RdrIn:
	case to == "/dev/null" || to == "/dev/stdout" || to == "/dev/stderr":
	default:
		s.writes = append(s.writes, to)
	}
}

// harmlessVariables are those that a command may be given without becoming another one.
var harmlessVariables = map[string]bool{
	"CI": true, "NODE_ENV": true, "LANG": true, "TZ": true, "TERM": true, "NO_COLOR": true, "FORCE_COLOR": true, "CLICOLOR": true,
	"COLUMNS": true, "LINES": true, "RUST_BACKTRACE": true, "RUST_LOG": true, "CGO_ENABLED": true, "GOOS": true, "GOARCH": true,
	"PYTHONUNBUFFERED": true, "PYTHONDONTWRITEBYTECODE": true, "DEBUG": true, "LC_ALL": true, "LC_CTYPE": true,
}

func (s *script) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		if a.Name == nil || !harmlessVariables[a.Name.Value] || a.Append || a.Index != nil || a.Array != nil {
			s.doubt(unclearSetting)
		}
		if a.Value != nil {
			s.word(a.Value)
		}
		if a.Array != nil {
			s.within(a.Array)
		}
	}
	if len(c.Args) == 0 {
		return
	}
	cmd := Command{Words: make([]string, 0, len(c.Args)), Fixed: make([]bool, 0, len(c.Args))}
	for _, w := range c.Args {
		text, ok := s.word(w)
		cmd.Words, cmd.Fixed = append(cmd.Words, text), append(cmd.Fixed, ok)
	}
	s.command(cmd)
}

// command adds a simple command, looking into those that start another one.
func (s *script) command(c Command) {
	if len(s.commands) >= maxCommands {
		s.doubt(unclearLong)
		return
	}
	if !c.Fixed[0] || c.Words[0] == "" {
		s.doubt(unclearDynamic)
	}
	name := ""
	if c.Fixed[0] {
		name = c.Words[0]
	}
	switch base := baseName(name); {
	case base == "env" && name == base:
		if s.env(c) {
			return
		}
	case shells[base] && !systemProgram(name, base):
		// Only its name is that of a shell: nobody knows what it does with a script.
		s.doubt(unclearDynamic)
		for i := range c.Words {
			s.aside(c.Words[i])
		}
	case shells[base]:
		if s.shell(c) {
			return
		}
	case name == "eval" || name == "source" || name == "." || name == "alias" || name == "trap" || name == "exec" || name == "command" || name == "builtin" || name == "hash" || name == "enable":
		// What these run, or what commands mean after them, does not stand here.
		s.doubt(unclearDynamic)
	case name == "cd" || name == "pushd" || name == "popd":
		s.moves = true
	case base == "find" && acts(c):
		s.doubt(unclearDynamic)
	}
	s.commands = append(s.commands, c)
	s.wrapped(c)
}

// acts reports whether a find does more than to find.
func acts(c Command) bool {
	for i, word := range c.Words {
		for _, action := range []string{"-exec", "-ok", "-delete", "-fprint", "-fls"} {
			if !c.Fixed[i] || strings.HasPrefix(word, action) {
				return true
			}
		}
	}
	return false
}

// wrappers start the command that stands after their own options.
var wrappers = map[string]bool{
	"sudo": true, "doas": true, "env": true, "command": true, "builtin": true, "exec": true, "nohup": true, "nice": true, "ionice": true,
	"time": true, "timeout": true, "xargs": true, "setsid": true, "stdbuf": true, "eval": true, "find": true, "watch": true, "busybox": true,
}

// wrapped adds what may be run by a wrapper, for the reject rules: where its options end is
// not known, so every word may begin a command.
func (s *script) wrapped(c Command) {
	if !wrappers[baseName(c.Words[0])] {
		return
	}
	for i := 1; i < len(c.Words) && i < 32 && len(s.commands) < maxCommands; i++ {
		s.commands = append(s.commands, Command{Words: c.Words[i:], Fixed: c.Fixed[i:], Wrapped: true})
		if strings.ContainsAny(c.Words[i], " ;|&\n") {
			s.aside(c.Words[i])
		}
	}
}

// aside reads a text that may be a script, for the reject rules only.
func (s *script) aside(text string) {
	if s.nested >= maxNested {
		return
	}
	inner := script{nested: s.nested + 1}
	inner.read(text)
	for _, c := range inner.commands {
		if len(s.commands) < maxCommands {
			c.Wrapped = true
			s.commands = append(s.commands, c)
		}
	}
}

// env reads "env NAME=value … command": the command is what counts. It reports whether it
// was of that form.
func (s *script) env(c Command) bool {
	for i := 1; i < len(c.Words); i++ {
		word := c.Words[i]
		name, _, assigns := strings.Cut(word, "=")
		switch {
		case !c.Fixed[i] || strings.HasPrefix(word, "-"):
			s.doubt(unclearDynamic)
			return false
		case assigns:
			if !harmlessVariables[name] {
				s.doubt(unclearSetting)
			}
		default:
			s.command(Command{Words: c.Words[i:], Fixed: c.Fixed[i:]})
			return true
		}
	}
	return false // it prints the environment
}

var shells = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "ash": true}

// systemProgram tells a program that the system brings from one that lies anywhere.
func systemProgram(name, base string) bool {
	switch name {
	case base, "/bin/" + base, "/usr/bin/" + base, "/usr/local/bin/" + base, "/opt/homebrew/bin/" + base:
		return true
	}
	return false
}

// shell reads "sh -c script": the script is what counts. It reports whether it was of that
// form.
func (s *script) shell(c Command) bool {
	for i := 1; i < len(c.Words); i++ {
		word := c.Words[i]
		if !c.Fixed[i] {
			s.doubt(unclearDynamic)
			return false
		}
		if !strings.HasPrefix(word, "-") {
			return false // a file that is run
		}
		if word == "--login" || word == "--norc" || word == "--noprofile" || len(word) > 1 && strings.Trim(word[1:], "leux") == "" {
			continue
		}
		// The last thing on the line has to be the script: behind it come its arguments.
		if strings.Trim(word[1:], "leux") != "c" || i+2 != len(c.Words) || !c.Fixed[i+1] || s.nested >= maxNested {
			s.doubt(unclearDynamic)
			return false
		}
		s.nested++
		s.read(c.Words[i+1])
		s.nested--
		return true
	}
	// Without a script it reads one from its input.
	s.doubt(unclearDynamic)
	return false
}

// word answers what a word is when its quotes are removed; fixed is false where that is known
// only when it runs. Commands inside of it are read.
func (s *script) word(w *syntax.Word) (text string, fixed bool) {
	if w == nil {
		return "", true
	}
	var b strings.Builder
	fixed = true
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			fixed = plain(&b, p.Value, i == 0) && fixed
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
			fixed = fixed && !p.Dollar
		case *syntax.DblQuoted:
			fixed = s.doubleQuoted(&b, p) && fixed
		default:
			s.part(part)
			fixed = false
		}
	}
	return b.String(), fixed
}

func (s *script) doubleQuoted(b *strings.Builder, q *syntax.DblQuoted) (fixed bool) {
	fixed = !q.Dollar
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			s.part(part)
			fixed = false
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			if lit.Value[i] == '\\' && i+1 < len(lit.Value) {
				switch lit.Value[i+1] {
				case '$', '`', '"', '\\':
					i++
				case '\n':
					i++
					continue
				}
			}
			b.WriteByte(lit.Value[i])
		}
	}
	return fixed
}

// plain removes the backslashes of an unquoted literal. It is not fixed where the shell would
// make something else of it.
func plain(b *strings.Builder, lit string, first bool) (fixed bool) {
	fixed = true
	for i := 0; i < len(lit); i++ {
		switch c := lit[i]; c {
		case '\\':
			if i++; i < len(lit) && lit[i] != '\n' {
				b.WriteByte(lit[i])
			}
			continue
		case '*', '?', '[':
			fixed = false
		case '{':
			if i+1 < len(lit) && lit[i+1] == '}' {
				b.WriteByte(c)
				i++
			} else {
				fixed = false
			}
		case '~', '=', '!', '^':
			// They mean something at the start of a word, to one shell or another.
			fixed = fixed && (!first || i > 0)
		}
		b.WriteByte(lit[i])
	}
	return fixed
}

// part reads what stands in a word and is not text.
func (s *script) part(part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.CmdSubst:
		if p.TempFile || p.ReplyVar {
			s.doubt(unclearDynamic)
		}
		s.stmts(p.Stmts)
	case *syntax.ProcSubst:
		s.stmts(p.Stmts)
	case *syntax.ParamExp:
		if !simple(p) {
			s.doubt(unclearDynamic)
			s.within(p)
		}
	default:
		s.doubt(unclearDynamic)
		s.within(part)
	}
}

// simple reports whether an expansion is nothing but a variable's value.
func simple(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.NestedParam == nil && p.Index == nil &&
		len(p.Modifiers) == 0 && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}

func baseName(word string) string {
	if i := strings.LastIndexAny(word, `/\`); i >= 0 {
		return word[i+1:]
	}
	return word
}

// prefixWords reads the words of a rule's command.
func prefixWords(command string) ([]string, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	wrong := invalid("Write the first words of one command, such as git status.")
	if err != nil || len(file.Stmts) != 1 {
		return nil, wrong
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) == 0 || len(stmt.Redirs) > 0 || stmt.Background || stmt.Negated || stmt.Coprocess {
		return nil, wrong
	}
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		var s script
		text, fixed := s.word(w)
		if !fixed || text == "" || s.unclear != "" {
			return nil, invalid("A rule compares words as they stand: it cannot have patterns or variables.")
		}
		words[i] = text
	}
	return words, nil
}
