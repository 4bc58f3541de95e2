package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word returns what a word is when its quotes are removed; fixed is false where that is known
// only when it runs. Commands inside of it are read.
func (s *script) word(w *syntax.Word) (text string, fixed bool) {
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
			fixed = s.plain(&b, p.Value, i == 0) && fixed
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
				s.doubt(unclearDynamic) // zsh may expand it
			case lit.Value[i] == '!' && !last && strings.IndexByte(" \t\n=", lit.Value[min(i+1, len(lit.Value)-1)]) < 0:
				s.doubt(unclearDynamic) // a line of the history
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
// make something else of it, and in doubt where shells differ about it.
func (s *script) plain(b *strings.Builder, lit string, first bool) (fixed bool) {
	fixed = true
	odd := false
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
	if odd || !fixed && strings.ContainsAny(lit, "#^~") {
		s.doubt(unclearDynamic)
	}
	return fixed
}

// part reads a part of a word that is not plain text, such as an expansion or a command substitution.
func (s *script) part(part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.CmdSubst:
		if p.TempFile || p.ReplyVar {
			s.doubt(unclearDynamic)
		}
		s.loose++
		s.apart(p.Stmts)
		s.loose--
	case *syntax.ProcSubst:
		s.doubt(unclearDynamic)
		s.apart(p.Stmts)
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
