package shell

import (
	"strings"

	"weft/backend/base/fault"

	"mvdan.cc/sh/v3/syntax"

	"weft/backend/permission/unclear"
)

// word returns a word without quotes. fixed is false if it is known only when the command runs. Commands inside of the
// word are read.
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
				s.MarkUnclear(unclear.Dynamic)
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
				s.MarkUnclear(unclear.Dynamic) // zsh may expand it
			case lit.Value[i] == '!' && !last && strings.IndexByte(" \t\n=", lit.Value[min(i+1, len(lit.Value)-1)]) < 0:
				s.MarkUnclear(unclear.Dynamic) // history expansion
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

// plain appends an unquoted literal without its backslashes. fixed is false if the shell would expand it, and odd is
// true if shells differ about it.
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
			// ~ is a home folder at the start of a word, and for some shells after = and :.
			fixed = fixed && (!first || i > 0) && (i == 0 || lit[i-1] != '=' && lit[i-1] != ':')
		case '=', '^':
			// At the start of a word they have a special meaning in some shells.
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

// part reads a part of a word that isn't plain text, such as an expansion or a command substitution.
func (s *Script) part(part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.CmdSubst:
		if p.TempFile || p.ReplyVar {
			s.MarkUnclear(unclear.Dynamic)
		}
		s.conditional++
		s.subshell(p.Stmts)
		s.conditional--
	case *syntax.ProcSubst:
		s.MarkUnclear(unclear.Dynamic)
		s.subshell(p.Stmts)
	case *syntax.ParamExp:
		if !simple(p) {
			s.MarkUnclear(unclear.Dynamic)
			s.readBelow(p)
		}
	default:
		s.MarkUnclear(unclear.Dynamic)
		s.readBelow(part)
	}
}

// FixedWords returns the words of one simple command, such as that of a rule, without quotes. For words that are known
// only at run time, and for anything else, it returns an error of the kind fault.Invalid with a sentence for the user.
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
