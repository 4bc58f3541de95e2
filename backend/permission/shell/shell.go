package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"weft/backend/permission/files"
	"weft/backend/permission/unclear"
)

// Limits on what is read of a command line. Above them, the user is asked.
const (
	maxLine     = 16 << 10 // bytes of a command line; takes about a millisecond to parse
	maxCommands = 256      // simple commands per line
	maxNested   = 4        // shells within shells
)

// Script is what command lines would do, as far as they are analyzed; see [Script.Read] and [Script.ReadWords].
type Script struct {
	Access             // files that the lines read and write
	Commands []Command // includes those that other programs may start
	Unclear  string    // why the script can't be judged, or ""; a reason of package unclear

	conditional int  // > 0 where it isn't certain whether, or when, a command runs
	hasInput    bool // the line writes the input of the next command
	nested      int
	text        string // here-document that is the input of the next command
}

// New returns an empty script for command lines that run in a folder.
func New(in files.Folder) *Script { return &Script{Access: Access{folder: in}} }

// MarkUnclear records why the command line can't be judged. The gravest reason is kept; "" is no reason.
func (s *Script) MarkUnclear(why string) { s.Unclear = unclear.Graver(s.Unclear, why) }

// Read parses a command line of a shell and adds what it would do. It resolves symbolic links on the disk.
func (s *Script) Read(line string) {
	if len(line) > maxLine {
		s.MarkUnclear(unclear.Long)
		return
	}
	if strings.ContainsRune(line, 0) {
		s.MarkUnclear(unclear.Syntax)
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil {
		s.MarkUnclear(unclear.Syntax)
		return
	}
	if !portable(line, file) {
		s.MarkUnclear(unclear.Dynamic)
	}
	s.stmts(file.Stmts)
}

// ReadWords adds what a program with arguments would do. If a shell would read the joined words differently, the
// script becomes unclear.
func (s *Script) ReadWords(words []string) {
	if len(words) == 0 || len(words) > 4<<10 || words[0] == "" {
		s.MarkUnclear(unclear.Form)
		return
	}
	c := Command{Words: words, Fixed: make([]bool, len(words))}
	shell := shells[BaseName(words[0])]
	for i, word := range words {
		c.Fixed[i] = true
		if strings.ContainsAny(word, "\x00;&|<>$`\n\r(){}*?[]~#!\"'\\") && !shell {
			s.MarkUnclear(unclear.Form)
		}
	}
	s.command(c)
}

func (s *Script) stmts(list []*syntax.Stmt) {
	for _, stmt := range list {
		s.stmt(stmt)
	}
}

// readConditional reads statements that may not run, or that run in parallel. Changes of the working directory in them
// are ignored.
func (s *Script) readConditional(stmts ...*syntax.Stmt) {
	s.conditional++
	s.stmts(stmts)
	s.conditional--
}

// subshell reads statements that run in a subshell, whose working directory doesn't affect the rest.
func (s *Script) subshell(list []*syntax.Stmt) {
	dir := s.Dir
	s.stmts(list)
	s.Dir = dir
}

// stmt reads a statement. Any form that isn't known to be harmless makes the line unclear.
func (s *Script) stmt(stmt *syntax.Stmt) {
	if stmt == nil {
		return
	}
	hasInput, text := s.hasInput, s.text
	defer func() { s.hasInput, s.text = hasInput, text }()
	if stmt.Coprocess || stmt.Disown {
		s.MarkUnclear(unclear.Dynamic)
	}
	for _, r := range stmt.Redirs {
		s.redirect(r)
	}
	if stmt.Background || stmt.Negated {
		s.conditional++
		defer func() { s.conditional-- }()
	}
	switch c := stmt.Cmd.(type) {
	case nil:
		s.MarkUnclear(unclear.Dynamic) // zsh starts a pager
	case *syntax.CallExpr:
		s.call(c)
	case *syntax.BinaryCmd:
		s.binary(c)
	case *syntax.Subshell:
		s.subshell(c.Stmts)
	case *syntax.Block:
		s.stmts(c.Stmts)
	case *syntax.IfClause:
		for clause := c; clause != nil; clause = clause.Else {
			s.readConditional(clause.Cond...)
			s.readConditional(clause.Then...)
		}
	case *syntax.TimeClause:
		s.stmt(c.Stmt)
		if !simpleCommand(c.Stmt) { // not every shell has time as a keyword
			s.MarkUnclear(unclear.Dynamic)
		}
	default:
		// Loops, functions, tests, arithmetic and declarations: their parts are still read for the reject rules.
		s.MarkUnclear(unclear.Dynamic)
		s.readBelow(c)
	}
}

// simpleCommand reports whether a statement is only a command with arguments.
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
		s.readConditional(c.X, c.Y)
	case syntax.Pipe:
		s.readConditional(c.X)
		hasInput := s.hasInput
		s.hasInput = true
		s.readConditional(c.Y)
		s.hasInput = hasInput
	default:
		s.MarkUnclear(unclear.Dynamic)
		s.readConditional(c.X, c.Y)
	}
}

// readBelow reads every simple command and redirection below a node that isn't known to be harmless.
func (s *Script) readBelow(node syntax.Node) {
	s.conditional++
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
	s.conditional--
}

func (s *Script) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		if a.Name == nil || !harmlessVariables[a.Name.Value] || a.Append || a.Index != nil || a.Array != nil {
			s.MarkUnclear(unclear.Setting)
		}
		if a.Value != nil {
			if value, ok := s.word(a.Value); !ok || !plainValue(value) {
				s.MarkUnclear(unclear.Setting)
			}
		}
		if a.Array != nil {
			s.readBelow(a.Array)
		}
	}
	if len(c.Args) == 0 {
		return
	}
	cmd := Command{Words: make([]string, 0, len(c.Args)), Fixed: make([]bool, 0, len(c.Args)), hasInput: s.hasInput, input: s.text}
	for _, w := range c.Args {
		text, ok := s.word(w)
		cmd.Words, cmd.Fixed = append(cmd.Words, text), append(cmd.Fixed, ok)
		cmd.globs, cmd.patterns = append(cmd.globs, !ok && globs(w)), append(cmd.patterns, !ok && simplePattern(w))
	}
	s.command(cmd)
}

// command adds a simple command, and the command that it starts, if any.
func (s *Script) command(c Command) {
	if len(s.Commands) >= maxCommands {
		s.MarkUnclear(unclear.Long)
		return
	}
	c.Dir, c.conditional = s.Dir, s.conditional > 0
	if !c.Fixed[0] || !commandName(c.Words[0]) {
		s.MarkUnclear(unclear.Dynamic)
	} else if s.launched(&c) {
		return
	}
	if c.Use = knownUse(&c); c.Use != nil {
		s.MarkUnclear(s.uses(c.Use, s.conditional == 0))
	} else {
		switch {
		case shellWords[c.Words[0]]:
			s.MarkUnclear(unclear.Dynamic) // it changes the shell, and shells differ
		case !c.AllFixed() || c.hasInput:
			s.MarkUnclear(unclear.Dynamic)
		}
		c.Opaque = holdsCode(&c)
		if c.Opaque && readsCode(&c) {
			s.MarkUnclear(unclear.Dynamic)
		}
	}
	c.written = len(s.Writes)
	s.Commands = append(s.Commands, c)
	if c.Use == nil {
		s.wrapped(len(s.Commands)-1, &c)
	}
}
