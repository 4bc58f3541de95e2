package editor

import (
	"path/filepath"
	"strings"
	"unicode"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/fault"
)

var placeholder = lazyregexp.New(`\{[a-zA-Z]*\}`)

// CheckCommand returns what is wrong with the user's command as a sentence, or "" if it is valid. A command is a
// program with arguments, with quotes around words with spaces, and the placeholders {path}, {line} and {column}. It is
// not run by a shell.
func CheckCommand(command string) fault.Said {
	words, wrong := split(command)
	switch {
	case wrong != "":
		return wrong
	case len(words) == 0:
		return fault.Say("Enter the command of the editor, for example: myeditor --line {line} {path}")
	case placeholder.MatchString(words[0]):
		return fault.Say("The command must begin with a program, not with a placeholder.")
	}
	hasPath := false
	for _, word := range words[1:] {
		for _, name := range placeholder.FindAllString(word, -1) {
			switch name {
			case "{path}":
				hasPath = true
			case "{line}", "{column}":
			default:
				return fault.Say("The placeholder {{name}} is unknown. Use {path}, {line} and {column}.", name)
			}
		}
	}
	if !hasPath {
		return fault.Say("The command must contain {path}, the file to open.")
	}
	return ""
}

func (m Machine) customCommand(command string, at Place) (Command, error) {
	if CheckCommand(command) != "" {
		return Command{}, missing("its command is invalid")
	}
	words, _ := split(command) // already checked
	program := m.Look(words[0])
	if program == "" {
		return Command{}, missing("{{name}} wasn't found", words[0])
	}
	// Replace all at once, so that no part of a path is taken for a placeholder.
	fill := strings.NewReplacer("{path}", at.Path, "{line}", line(at), "{column}", column(at))
	args := make([]string, len(words)-1)
	for i, word := range words[1:] {
		args[i] = fill.Replace(word)
	}
	return Command{Name: filepath.Base(words[0]), Program: program, Args: args}, nil
}

// split splits a command into words. Quotes keep a word together. A backslash is literal unless it precedes a quote, a
// space or another backslash, so Windows paths need no escaping.
func split(command string) (words []string, wrong fault.Said) {
	var word strings.Builder
	var quote rune
	open := false // a word has begun
	runes := []rune(command)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		escapes := r == '\\' && i+1 < len(runes) && (runes[i+1] == '"' || runes[i+1] == '\\' || quote == 0 && (runes[i+1] == '\'' || unicode.IsSpace(runes[i+1])))
		switch {
		case r == 0:
			return nil, fault.Say("The command contains an invalid character.")
		case quote != 0 && r == quote:
			quote = 0
		case quote != '\'' && escapes:
			i++
			open = true
			word.WriteRune(runes[i])
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case unicode.IsSpace(r):
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			open = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, fault.Say("A quote in the command isn't closed.")
	}
	if open {
		words = append(words, word.String())
	}
	return words, ""
}
