package shell

import (
	"slices"
	"strings"

	"weft/backend/base/lazyregexp"
)

// awk returns a form whose programs consist only of fields, numbers, strings and regular expressions, which can't name
// a file, a command or a variable.
func awk() *form {
	return &form{opts: optionsOf("-F:"), operands: pattern, noEnd: true, filter: true, check: func(u *Use) bool {
		for _, o := range u.operands[1:] {
			// An operand with "=" sets a variable, unless a slash comes first.
			before, _, _ := strings.Cut(strings.ReplaceAll(o.text, "?", "*"), "*")
			if strings.Contains(o.text, "=") || o.pattern && !strings.Contains(before, "/") {
				return false
			}
		}
		return plainProgram.MatchString(u.operands[0].text)
	}}
}

// plainProgram matches an awk program that selects lines and prints parts of them.
var plainProgram = func() *lazyregexp.Regexp {
	const (
		text  = `"(?:[^"\\\n]|\\[^\n])*"`
		regex = `/(?:[^/\\\n\[]|\\[^\n]|\[\^?\]?[^\]\\\n\[/]*\])+/`
		value = `(?:\$(?:[0-9]+|NF|\(NF *- *[0-9]+\))|[0-9]+(?:\.[0-9]+)?|NR|NF|FNR|FILENAME|length(?:\(\$[0-9]+\))?|` + text + `)`
		test  = ` *!? *(?:` + regex + `|` + value + ` *(?:(?:==|!=|<=|>=|<|>) *` + value + `|!?~ *` + regex + `)?) *`
		tests = test + `(?:(?:&&|\|\|)` + test + `)*`
		print = `printf?(?: *` + value + `(?: *,? *` + value + `)*)?`
		block = `\{ *(?:` + print + ` *(?:; *` + print + ` *)*;? *)?\}`
		cases = `(?:` + tests + `(?:,` + tests + `)?(?:` + block + `)?|(?:BEGIN|END)? *` + block + `)`
	)
	return lazyregexp.New(`^ *` + cases + `(?: *[;\n] *` + cases + `)* *;?$`)
}()

// plainQuery reports whether a jq filter works only on its input. The filter may use object keys, its own variables
// and the functions in queryWords, and no code inside of strings. Anything else, such as a module or the environment,
// isn't accepted.
func plainQuery(u *Use) bool {
	code := u.operands[0].text
	var open []byte // brackets
	last := byte(0) // the last character that isn't whitespace
	for i := 0; i < len(code); {
		c, from := code[i], i
		switch {
		case strings.IndexByte(" \t\n", c) >= 0:
			i++
			continue
		case c == '"':
			for i++; i < len(code) && code[i] != '"'; i++ {
				if code[i] == '\\' {
					if i++; i < len(code) && code[i] == '(' {
						return false
					}
				}
			}
			if i++; i > len(code) {
				return false
			}
		case letter(c):
			i = nameEnd(code, i)
			member := last == '.' && code[from-1] == '.' && (from < 2 || code[from-2] != '.')
			key := len(open) > 0 && open[len(open)-1] == '{' && (last == '{' || last == ',')
			if !member && !key && !queryWords[code[from:i]] {
				return false
			}
		case c == '$': // a variable of the command line or the filter
			if i = nameEnd(code, i+1); i == from+1 || strings.Trim(code[from+1:i], "abcdefghijklmnopqrstuvwxyz") != "" {
				return false
			}
		case c == '@':
			if i = nameEnd(code, i+1); !slices.Contains([]string{"text", "json", "csv", "tsv", "html", "uri", "sh", "base64", "base64d"}, code[from+1:i]) {
				return false
			}
		case strings.IndexByte("([{", c) >= 0:
			open = append(open, c)
			i++
		case strings.IndexByte(")]}", c) >= 0:
			if len(open) == 0 {
				return false
			}
			open = open[:len(open)-1]
			i++
		case strings.IndexByte("0123456789.,|:;=!<>+-*/%?", c) >= 0:
			i++
		default:
			return false
		}
		last = code[i-1]
	}
	return len(open) == 0
}

// nameEnd returns the end of the jq name that contains index i.
func nameEnd(code string, i int) int {
	for i < len(code) && (letter(code[i]) || code[i] >= '0' && code[i] <= '9') {
		i++
	}
	return i
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// queryWords are the jq keywords and functions that work only on their input.
var queryWords = WordSet(`if then elif else end and or not as reduce foreach try catch true false null
	abs add all any arrays ascii_downcase ascii_upcase booleans capture ceil combinations contains del delpaths empty endswith explode finites first flatten floor
	from_entries fromdate fromjson getpath group_by gsub has implode in index indices infinite inputs input inside isempty isnan isvalid iterables join keys keys_unsorted last
	length limit ltrimstr map map_values match max max_by min min_by nth nulls numbers objects paths path pick range recurse reverse rindex round rtrimstr scalars scan select setpath
	sort sort_by split splits sqrt startswith strings sub tail test to_entries todate tojson tonumber tostring transpose trim ltrim rtrim type unique unique_by until utf8bytelength
	values walk with_entries while`)
