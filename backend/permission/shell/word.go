package shell

import (
	"strings"

	"weft/backend/fault"

	"mvdan.cc/sh/v3/syntax"

	"weft/backend/permission/unclear"
)

// word returns what a word is when its quotes are removed; fixed is false where that is known
// only when it runs. Commands inside of it are read.
func (s *Script) word(w *syntax.Word) (text string, fixed bool) {
	if w == nil {
		return "", true
	}
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok {
			switch lit.Value {
			case "[", "]", "{}", "!", "!=", "=":
				return lit.Value, true
			}
		}
	}
	var b strings.Builder
	fixed = true
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			same, odd := plain(&b, p.Value, i == 0)
			if odd {
				s.Doubt(unclear.Dynamic)
			}
			fixed = same && fixed
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

func (s *Script) doubleQuoted(b *strings.Builder, q *syntax.DblQuoted) (fixed bool) {
	fixed = !q.Dollar
	for n, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			s.part(part)
			fixed = false
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			switch last := i+1 == len(lit.Value) && n+1 == len(q.Parts); {
			case lit.Value[i] == '$' && !last:
				s.Doubt(unclear.Dynamic) // zsh may expand it
			case lit.Value[i] == '!' && !last && strings.IndexByte(" \t\n=", lit.Value[min(i+1, len(lit.Value)-1)]) < 0:
				s.Doubt(unclear.Dynamic) // a line of the history
			case lit.Value[i] == '\\' && i+1 < len(lit.Value):
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
// make something else of it, and odd where shells differ about it.
func plain(b *strings.Builder, lit string, first bool) (fixed, odd bool) {
	fixed = true
	for i := 0; i < len(lit); i++ {
		switch c := lit[i]; c {
		case '\\':
			if i++; i < len(lit) && lit[i] != '\n' {
				odd = odd || lit[i] >= 0x80
				b.WriteByte(lit[i])
			}
			continue
		case '*', '?':
			fixed = false
		case '[', '{', '}', '$', '!':
			fixed, odd = false, true
		case '~':
			// It's a home at the start of a word, and behind = and : to some.
			fixed = fixed && (!first || i > 0) && (i == 0 || lit[i-1] != '=' && lit[i-1] != ':')
		case '=', '^':
			// At the start of a word they mean something to one shell or another.
			if first && i == 0 {
				fixed, odd = false, true
			}
		default:
			odd = odd || c >= 0x80
		}
		b.WriteByte(lit[i])
	}
	return fixed, odd || !fixed && strings.ContainsAny(lit, "#^~")
}

// part reads a part of a word that is not plain text, such as an expansion or a command substitution.
func (s *Script) part(part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.CmdSubst:
		if p.TempFile || p.ReplyVar {
			s.Doubt(unclear.Dynamic)
		}
		s.loose++
		s.apart(p.Stmts)
		s.loose--
	case *syntax.ProcSubst:
		s.Doubt(unclear.Dynamic)
		s.apart(p.Stmts)
	case *syntax.ParamExp:
		if !simple(p) {
			s.Doubt(unclear.Dynamic)
			s.within(p)
		}
	default:
		s.Doubt(unclear.Dynamic)
		s.within(part)
	}
}

// FixedWords returns the words of one simple command, such as that of a rule, with the quotes removed. Words that are known only when it runs, and
// anything else in it, are an error of the kind fault.Invalid, with a sentence for the user.
func FixedWords(command string) ([]string, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	wrong := fault.New(fault.Invalid, "Enter one command, such as git status.")
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
		var s Script
		text, fixed := s.word(w)
		if !fixed || text == "" || s.Unclear != "" {
			return nil, fault.New(fault.Invalid, "A rule compares words literally, so it can't contain patterns or variables.")
		}
		words[i] = text
	}
	return words, nil
}
