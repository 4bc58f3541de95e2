package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"weft/backend/permission/files"
	"weft/backend/permission/unclear"
)

// The most that is read of what an agent wants to run. More is asked about.
const (
	maxLine     = 16 << 10 // bytes of a command line: a millisecond of reading
	maxCommands = 256      // simple commands in it
	maxNested   = 4        // shells within shells
)

// Script is what command lines would do, as far as they are read: see [Script.Read] and [Script.ReadWords].
type Script struct {
	Access             // which files they read and write, and where
	Commands []Command // those that programs may start included
	Unclear  string    // why it cannot be judged, "" if it can; one of package unclear

	loose  int  // > 0 where it isn't certain that a command runs, or when
	fed    bool // the input of the next command is written by something on the line
	nested int
	text   string // what is below the line as the input of the next command
}

// New returns the script of command lines that run in a folder, before any of them is read.
func New(in files.Folder) *Script { return &Script{Access: Access{folder: in}} }

// Doubt notes why the command line cannot be judged; the graver reason stays. "" is no reason.
func (s *Script) Doubt(why string) { s.Unclear = unclear.Graver(s.Unclear, why) }

// Read parses a command line for a shell and adds what it would do. It follows links on the disk.
func (s *Script) Read(line string) {
	if len(line) > maxLine {
		s.Doubt(unclear.Long)
		return
	}
	if strings.ContainsRune(line, 0) {
		s.Doubt(unclear.Syntax)
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil {
		s.Doubt(unclear.Syntax)
		return
	}
	if !portable(line, file) {
		s.Doubt(unclear.Dynamic)
	}
	s.stmts(file.Stmts)
}

// ReadWords adds what a program with its arguments would do. Where a word could mean something else to a shell that they are joined for, it is not
// clear what happens.
func (s *Script) ReadWords(words []string) {
	if len(words) == 0 || len(words) > 4<<10 || words[0] == "" {
		s.Doubt(unclear.Form)
		return
	}
	c := Command{Words: words, Fixed: make([]bool, len(words))}
	shell := shells[BaseName(words[0])]
	for i, word := range words {
		c.Fixed[i] = true
		if strings.ContainsAny(word, "\x00;&|<>$`\n\r(){}*?[]~#!\"'\\") && !shell {
			s.Doubt(unclear.Form)
		}
	}
	s.command(c)
}

func (s *Script) stmts(list []*syntax.Stmt) {
	for _, stmt := range list {
		s.stmt(stmt)
	}
}

// loosely reads what may run or not, or beside something else: a change of the folder in it is not followed.
func (s *Script) loosely(stmts ...*syntax.Stmt) {
	s.loose++
	s.stmts(stmts)
	s.loose--
}

// apart reads what runs in a shell of its own, where the folder changes for nobody else.
func (s *Script) apart(list []*syntax.Stmt) {
	dir := s.Dir
	s.stmts(list)
	s.Dir = dir
}

// stmt knows the harmless shapes; every other one makes the line unclear.
func (s *Script) stmt(stmt *syntax.Stmt) {
	if stmt == nil {
		return
	}
	fed, text := s.fed, s.text
	defer func() { s.fed, s.text = fed, text }()
	if stmt.Coprocess || stmt.Disown {
		s.Doubt(unclear.Dynamic)
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
		s.Doubt(unclear.Dynamic) // zsh starts a pager
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
		s.stmt(c.Stmt)
		if !simpleCommand(c.Stmt) { // not every shell has time as a word of its own
			s.Doubt(unclear.Dynamic)
		}
	default:
		// Loops, functions, tests, arithmetic, declarations: their parts are still
		// read, for the reject rules.
		s.Doubt(unclear.Dynamic)
		s.within(c)
	}
}

// simpleCommand reports whether a statement is a command with its arguments and nothing else.
func simpleCommand(stmt *syntax.Stmt) bool {
	if stmt == nil {
		return false
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	return ok && len(call.Assigns) == 0 && len(stmt.Redirs) == 0
}

func (s *Script) binary(c *syntax.BinaryCmd) {
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
		s.Doubt(unclear.Dynamic)
		s.loosely(c.X, c.Y)
	}
}

// within reads every simple command and redirection below a node whose shape is not known to be harmless.
func (s *Script) within(node syntax.Node) {
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

func (s *Script) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		if a.Name == nil || !harmlessVariables[a.Name.Value] || a.Append || a.Index != nil || a.Array != nil {
			s.Doubt(unclear.Setting)
		}
		if a.Value != nil {
			if value, ok := s.word(a.Value); !ok || !plainValue(value) {
				s.Doubt(unclear.Setting)
			}
		}
		if a.Array != nil {
			s.within(a.Array)
		}
	}
	if len(c.Args) == 0 {
		return
	}
	cmd := Command{Words: make([]string, 0, len(c.Args)), Fixed: make([]bool, 0, len(c.Args)), fed: s.fed, input: s.text}
	for _, w := range c.Args {
		text, ok := s.word(w)
		cmd.Words, cmd.Fixed = append(cmd.Words, text), append(cmd.Fixed, ok)
		cmd.globs, cmd.patterns = append(cmd.globs, !ok && globs(w)), append(cmd.patterns, !ok && simplePattern(w))
	}
	s.command(cmd)
}

// command adds a simple command, looking into those that start another one.
func (s *Script) command(c Command) {
	if len(s.Commands) >= maxCommands {
		s.Doubt(unclear.Long)
		return
	}
	c.Dir, c.loose = s.Dir, s.loose > 0
	if !c.Fixed[0] || !commandName(c.Words[0]) {
		s.Doubt(unclear.Dynamic)
	} else if s.starts(&c) {
		return
	}
	if c.Use = know(&c); c.Use != nil {
		s.Doubt(s.uses(c.Use, s.loose == 0))
	} else {
		switch {
		case shellWords[c.Words[0]]:
			s.Doubt(unclear.Dynamic) // it acts on the shell itself, and not the same in each
		case !c.AllFixed() || c.fed:
			s.Doubt(unclear.Dynamic)
		}
		c.Opaque = holdsCode(&c)
		if c.Opaque && readsCode(&c) {
			s.Doubt(unclear.Dynamic)
		}
	}
	c.written = len(s.Writes)
	s.Commands = append(s.Commands, c)
	if c.Use == nil {
		s.wrapped(len(s.Commands)-1, &c)
	}
}
