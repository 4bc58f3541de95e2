package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxRuns limits how many programs of a command are named.
const maxRuns = 32

// ProgramsIn returns the names of the programs that a command line starts, in order, including launchers. A name that
// is known only at run time is returned as written. No decision depends on it.
func ProgramsIn(line string) []string {
	p := programList{seen: map[string]bool{}}
	p.line(line)
	return p.names
}

// ProgramsOf is like [ProgramsIn] for a program with arguments.
func ProgramsOf(words []string) []string {
	p := programList{seen: map[string]bool{}}
	p.words(words)
	return p.names
}

type programList struct {
	names  []string
	seen   map[string]bool
	nested int
}

func (p *programList) line(line string) {
	if len(line) > maxLine || p.nested > maxNested {
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			words := make([]string, len(call.Args))
			for i, w := range call.Args {
				words[i] = unquoted(line, w)
			}
			p.words(words)
		}
		return len(p.names) < maxRuns
	})
}

// words adds the program of a simple command, and the program that it starts in turn.
func (p *programList) words(words []string) {
	p.nested++
	defer func() { p.nested-- }()
	for steps := 0; len(words) > 0 && len(p.names) < maxRuns && steps < maxRuns; steps++ {
		name := words[0]
		if name != "" && !p.seen[name] {
			p.seen[name] = true
			p.names = append(p.names, name)
		}
		base := BaseName(name)
		switch {
		case shells[base]:
			if i := scriptAt(words); i > 0 {
				p.line(words[i])
			}
			return
		case base == "eval":
			p.line(strings.Join(words[1:], " "))
			return
		default:
			words = started(base, words[1:])
		}
	}
}

// scriptAt returns the index of the script in "sh -c script", or 0 if there is none.
func scriptAt(words []string) int {
	for i := 1; i+1 < len(words); i++ {
		switch word := words[i]; {
		case !strings.HasPrefix(word, "-"):
			return 0
		case !strings.HasPrefix(word, "--") && strings.HasSuffix(word, "c"):
			return i + 1
		}
	}
	return 0
}

// started returns the command that a launcher starts, or nil if name isn't a launcher or the start of the command
// isn't known.
func started(name string, rest []string) []string {
	if name == "find" {
		for i, word := range rest {
			if strings.HasPrefix(word, "-exec") || strings.HasPrefix(word, "-ok") {
				return rest[i+1:]
			}
		}
		return nil
	}
	l := launchers[name]
	if !l.named {
		return nil
	}
	for skip := l.skip; len(rest) > 0; rest = rest[1:] {
		word := rest[0]
		switch {
		case word == "--":
		case len(word) == 2 && word[0] == '-' && strings.IndexByte(l.values, word[1]) >= 0:
			rest = rest[min(1, len(rest)-1):]
		case strings.HasPrefix(word, "-"), strings.Contains(word, "="):
		case skip > 0:
			skip--
		default:
			return rest
		}
	}
	return nil
}

// unquoted returns a word without its quotes, or as it is on the line if it is known only at run time.
func unquoted(line string, w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescaped(part.Value))
			continue
		case *syntax.SglQuoted:
			if !part.Dollar {
				b.WriteString(part.Value)
				continue
			}
		case *syntax.DblQuoted:
			if lit := literalOf(part); lit != nil {
				b.WriteString(lit.Value)
				continue
			}
			if len(part.Parts) == 0 {
				continue
			}
		}
		return line[min(w.Pos().Offset(), uint(len(line))):min(w.End().Offset(), uint(len(line)))]
	}
	return b.String()
}

// unescaped returns unquoted text without its backslashes.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// literalOf returns the text of a quoted word, or nil if it has other parts or a backslash.
func literalOf(q *syntax.DblQuoted) *syntax.Lit {
	if q.Dollar || len(q.Parts) != 1 {
		return nil
	}
	lit, ok := q.Parts[0].(*syntax.Lit)
	if !ok || strings.Contains(lit.Value, `\`) {
		return nil
	}
	return lit
}

// Quote joins words so that a POSIX shell splits them again.
func Quote(words []string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if word != "" && strings.Trim(word, plainChars) == "" && (i > 0 || !strings.Contains(word, "=")) && word[0] != '=' {
			b.WriteString(word)
			continue
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(word, `'`, `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

// plainChars have no special meaning in a shell, at any position of a word.
const plainChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
