package shell

import (
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"weft/backend/base/lazyregexp"

	"mvdan.cc/sh/v3/syntax"
)

// portable reports whether dash, bash, zsh and the BusyBox shell parse a line in the same way, as far as its syntax
// shows. A line that one of them would expand, evaluate or split differently isn't portable. Words are checked where
// they are read; see [Script.word].
func portable(line string, file *syntax.File) bool {
	if !utf8.ValidString(line) || strings.HasSuffix(line, `\`) {
		return false
	}
	for i := range len(line) {
		switch c := line[i]; {
		case c == '\n' && i > 0 && line[i-1] == '\\' && (i < 2 || line[i-2] != ' ' && line[i-2] != '\t'):
			return false // a word continues in the next line
		case c < ' ' && c != '\n' && c != '\t', c == 0x7f:
			return false
		}
	}
	if runtime.GOOS == "windows" && !sameOnWindows(line) {
		return false
	}
	p := portability{line: line, same: true}
	syntax.Walk(file, p.node)
	return p.same && (!p.document || !p.substitution)
}

// sameOnWindows reports whether cmd.exe and PowerShell parse a line like other shells. They have other quotes, escapes
// and variables, and no second line. What remains are words, also in double quotes, pipes, lists with && and ||, and
// redirections.
func sameOnWindows(line string) bool {
	if strings.ContainsAny(line, "'`$%^!\\;(){}#\n") {
		return false
	}
	quoted := false
	for i := range len(line) {
		switch line[i] {
		case '"':
			quoted = !quoted
		case '&':
			both := i+1 < len(line) && line[i+1] == '&' || i > 0 && line[i-1] == '&'
			three := i > 0 && i+1 < len(line) && line[i-1] == '&' && line[i+1] == '&'
			of := i > 0 && line[i-1] == '>' && i+1 < len(line) && '0' <= line[i+1] && line[i+1] <= '9' // 2>&1
			if !quoted && (three || !both && !of) {
				return false
			}
		}
	}
	return !quoted
}

type portability struct {
	line                   string
	same                   bool
	document, substitution bool
}

func (p *portability) node(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Comment:
		p.same = p.same && p.comment(n)
	case *syntax.SglQuoted:
		p.same = p.same && !n.Dollar
	case *syntax.DblQuoted:
		p.same = p.same && !n.Dollar
	case *syntax.ParamExp:
		p.same = p.same && p.value(n)
	case *syntax.CmdSubst:
		p.substitution = true
		rest := strings.TrimLeft(p.line[min(int(n.Left.Offset())+2, len(p.line)):], " \t\n")
		p.same = p.same && !n.Backquotes && !n.TempFile && !n.ReplyVar && !strings.HasPrefix(rest, "(")
	case *syntax.Redirect:
		if n.Hdoc != nil {
			p.document = true
			p.same = p.same && plainDocument(n)
			return false // its text isn't made of words
		}
	case *syntax.Word:
		for i, part := range n.Parts {
			if _, ok := part.(*syntax.SglQuoted); ok && i > 0 {
				if _, ok := n.Parts[i-1].(*syntax.SglQuoted); ok {
					p.same = false // with an option of zsh, this is an escaped quote
				}
			}
		}
	case *syntax.ArithmExp, *syntax.ProcSubst, *syntax.ExtGlob, *syntax.BraceExp, *syntax.ArithmCmd, *syntax.TestClause, *syntax.DeclClause, *syntax.LetClause,
		*syntax.FuncDecl, *syntax.CoprocClause, *syntax.ArrayExpr, *syntax.TestDecl:
		p.same = false
	}
	return p.same
}

var plainComment = lazyregexp.New(`^[A-Za-z0-9 ,._:/-]*$`)

// comment reports whether a comment has no effect even if the shell doesn't support comments, like an interactive zsh:
// it is a separate line of plain words.
func (p *portability) comment(c *syntax.Comment) bool {
	at := int(c.Hash.Offset())
	return (at == 0 || p.line[at-1] == '\n') && (at < 2 || p.line[at-2] != '\\') && plainComment.MatchString(c.Text)
}

var plainName = lazyregexp.New(`^(?:[A-Za-z_][A-Za-z0-9_]*|\?)$`)

// value reports whether every shell expands an expression to the value of a variable. zsh may treat the text after $x
// as part of the expression.
func (p *portability) value(e *syntax.ParamExp) bool {
	if !simple(e) || !plainName.MatchString(e.Param.Value) {
		return false
	}
	if end := int(e.End().Offset()); e.Short && end < len(p.line) {
		return strings.IndexByte(" \t\n;&|)/.,-\"", p.line[end]) >= 0
	}
	return true
}

var plainDelimiter = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// plainDocument reports whether a here-document contains only text.
func plainDocument(r *syntax.Redirect) bool {
	if len(r.Word.Parts) != 1 {
		return false
	}
	quoted, name := true, ""
	switch d := r.Word.Parts[0].(type) {
	case *syntax.Lit:
		quoted, name = false, d.Value
	case *syntax.SglQuoted:
		name = d.Value
	case *syntax.DblQuoted:
		if len(d.Parts) == 1 {
			if lit, ok := d.Parts[0].(*syntax.Lit); ok {
				name = lit.Value
			}
		}
	}
	if !plainDelimiter.MatchString(name) {
		return false
	}
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); !ok || !quoted && strings.ContainsAny(lit.Value, "\\$`") {
			return false
		}
	}
	return true
}

// commandName reports whether a word names the same program in every shell.
func commandName(name string) bool {
	return name == "[" || name == ":" || plainCommand.MatchString(name)
}

var plainCommand = lazyregexp.New(`^[A-Za-z0-9_./][A-Za-z0-9_./+:@-]*$`)

// simple reports whether an expansion is only the value of a variable.
func simple(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.NestedParam == nil && p.Index == nil &&
		len(p.Modifiers) == 0 && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}

// globs reports whether a word has a * or ? that a shell expands to file names.
func globs(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return ok && strings.ContainsAny(lit.Value, "*?")
	})
}

// simplePattern reports whether a word is a pattern with * and ? that every shell expands in the same way, and that
// can't begin like an option.
func simplePattern(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	return ok && plainPattern.MatchString(lit.Value) && !strings.Contains(lit.Value, "**") && !strings.Contains("/"+lit.Value+"/", "/../")
}

var plainPattern = lazyregexp.New(`^[A-Za-z0-9_./][A-Za-z0-9_./*?-]*$`)
