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

	patterns []bool // words that are simple patterns for files
	fed      bool   // something on the line writes its input
	input    string // text on the line that is its input
	dir      string // in which it runs, from the folder
	use      *use   // the known form that it has, nil for none
	opaque   bool   // it holds code of its own, which nobody reads
}

// from returns the command that begins at one of the words.
func (c *Command) from(i int) Command {
	out := Command{Words: c.Words[i:], Fixed: c.Fixed[i:], fed: c.fed, input: c.input}
	if i < len(c.patterns) {
		out.patterns = c.patterns[i:]
	}
	return out
}

// fixed reports whether every word is known before it runs.
func (c *Command) fixed() bool {
	for _, f := range c.Fixed {
		if !f {
			return false
		}
	}
	return true
}

// exact reports whether its words say all of what it would do, so that a rule with the same words covers it.
func (c *Command) exact() bool { return !c.fed && c.fixed() }

// script is what a command line would do.
type script struct {
	folder   folder // in which it runs; the zero folder where only the words matter
	dir      string // where the next command runs, from the folder
	loose    int    // > 0 where it isn't certain that a command runs, or when
	fed      bool   // the input of the next command is written by something on the line
	commands []Command
	writes   []File // files that redirections and commands of known programs write
	reads    []File // files that commands of known programs read
	deep     bool   // a command reads the contents of whole folders
	unclear  string // why it cannot be judged, "" if it can
	nested   int
	text     string // what is below the line as the input of the next command
}

func (s *script) doubt(why string) {
	if s.unclear == "" || grave(why) && !grave(s.unclear) {
		s.unclear = why
	}
}

// Why a command line cannot be judged: codes, told to the user by the frontend.
const (
	unclearSyntax  = "syntax"  // it does not parse
	unclearLong    = "long"    // it is too long
	unclearDynamic = "dynamic" // what runs is known only when it runs
	unclearForm    = "form"    // the agent sent it in a form that Weft does not read
	unclearSetting = "setting" // it sets variables that change what commands do
	unclearOutside = "outside" // it works outside of the folder

	unclearPackage    = "package"    // it would run the code of another package than that of the space's folder
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
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil {
		s.doubt(unclearSyntax)
		return
	}
	if !portable(line, file) {
		s.doubt(unclearDynamic)
	}
	s.stmts(file.Stmts)
}

func (s *script) stmts(list []*syntax.Stmt) {
	for _, stmt := range list {
		s.stmt(stmt)
	}
}

// loosely reads what may run or not, or beside something else: a change of the folder in it is not followed.
func (s *script) loosely(stmts ...*syntax.Stmt) {
	s.loose++
	s.stmts(stmts)
	s.loose--
}

// apart reads what runs in a shell of its own, where the folder changes for nobody else.
func (s *script) apart(list []*syntax.Stmt) {
	dir := s.dir
	s.stmts(list)
	s.dir = dir
}

// stmt knows the harmless shapes; every other one makes the line unclear.
func (s *script) stmt(stmt *syntax.Stmt) {
	if stmt == nil {
		return
	}
	fed, text := s.fed, s.text
	defer func() { s.fed, s.text = fed, text }()
	if stmt.Coprocess || stmt.Disown {
		s.doubt(unclearDynamic)
	}
	for _, r := range stmt.Redirs {
		s.redirect(r)
	}
	if stmt.Background || stmt.Negated {
		s.loose++
		defer func() { s.loose-- }()
	}
	switch c := stmt.Cmd.(type) {
	case nil:
		s.doubt(unclearDynamic) // zsh starts a pager
	case *syntax.CallExpr:
		s.call(c)
	case *syntax.BinaryCmd:
		s.binary(c)
	case *syntax.Subshell:
		s.apart(c.Stmts)
	case *syntax.Block:
		s.stmts(c.Stmts)
	case *syntax.IfClause:
		for clause := c; clause != nil; clause = clause.Else {
			s.loosely(clause.Cond...)
			s.loosely(clause.Then...)
		}
	case *syntax.TimeClause:
		s.time(c.Stmt)
	default:
		// Loops, functions, tests, arithmetic, declarations: their parts are still
		// read, for the reject rules.
		s.doubt(unclearDynamic)
		s.within(c)
	}
}

// time reads what is timed: a simple command only, because not every shell has time as a word of its own.
func (s *script) time(stmt *syntax.Stmt) {
	s.stmt(stmt)
	if stmt == nil {
		s.doubt(unclearDynamic)
	} else if call, ok := stmt.Cmd.(*syntax.CallExpr); !ok || len(call.Assigns) > 0 || len(stmt.Redirs) > 0 {
		s.doubt(unclearDynamic)
	}
}

func (s *script) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.AndStmt:
		s.stmt(c.X)
		s.stmt(c.Y)
	case syntax.OrStmt:
		s.loosely(c.X, c.Y)
	case syntax.Pipe:
		s.loosely(c.X)
		fed := s.fed
		s.fed = true
		s.loosely(c.Y)
		s.fed = fed
	default:
		s.doubt(unclearDynamic)
		s.loosely(c.X, c.Y)
	}
}

// within reads every simple command and redirection below a node whose shape is not known to be harmless.
func (s *script) within(node syntax.Node) {
	s.loose++
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
	s.loose--
}

func (s *script) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		if a.Name == nil || !harmlessVariables[a.Name.Value] || a.Append || a.Index != nil || a.Array != nil {
			s.doubt(unclearSetting)
		}
		if a.Value != nil {
			if value, ok := s.word(a.Value); !ok || !plainValue(value) {
				s.doubt(unclearSetting)
			}
		}
		if a.Array != nil {
			s.within(a.Array)
		}
	}
	if len(c.Args) == 0 {
		return
	}
	cmd := Command{Words: make([]string, 0, len(c.Args)), Fixed: make([]bool, 0, len(c.Args)), patterns: make([]bool, 0, len(c.Args)), fed: s.fed, input: s.text}
	for _, w := range c.Args {
		text, ok := s.word(w)
		cmd.Words, cmd.Fixed, cmd.patterns = append(cmd.Words, text), append(cmd.Fixed, ok), append(cmd.patterns, !ok && simplePattern(w))
	}
	s.command(cmd)
}

// command adds a simple command, looking into those that start another one.
func (s *script) command(c Command) {
	if len(s.commands) >= maxCommands {
		s.doubt(unclearLong)
		return
	}
	c.dir = s.dir
	if !c.Fixed[0] || !commandName(c.Words[0]) {
		s.doubt(unclearDynamic)
	} else if s.starts(&c) {
		return
	}
	if c.use = know(&c); c.use != nil {
		s.uses(&c)
	} else {
		switch {
		case shellWords[c.Words[0]]:
			s.doubt(unclearDynamic) // it acts on the shell itself, and not the same in each
		case !c.fixed() || c.fed:
			s.doubt(unclearDynamic)
		}
		c.opaque = holdsCode(&c)
		if c.opaque && readsCode(&c) {
			s.doubt(unclearDynamic)
		}
	}
	s.commands = append(s.commands, c)
	if c.use == nil {
		s.wrapped(len(s.commands)-1, &c)
	}
}
