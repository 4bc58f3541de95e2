package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/files/regular"
)

// Problem is an error or a warning about a definition file.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0 for the whole file
	Column  int    `json:"column"` // from 1, in bytes
	Message string `json:"message"`
	Warning bool   `json:"warning"` // the tool was loaded anyway
	// Said is the message as a template with values, for translation.
	Said fault.Said `json:"said,omitzero"`
}

// ProblemOf returns an error about a whole file.
func ProblemOf(file string, sentence fault.Said) Problem {
	return Problem{File: file, Message: sentence.String(), Said: sentence}
}

func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

const (
	maxDefinitionFile = 1 << 20 // bytes
	maxDefinitions    = 500
)

// Load reads the definitions in a folder, one from each .json file, in the order of the file names. It skips an invalid
// file and reports a problem; a warning is about a file that was loaded. A missing folder is not an error.
func Load(dir string) ([]Definition, []Problem) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []Problem{ProblemOf(dir, fault.Say("The folder of the tools can't be read: {{reason}}.", err))}
	}
	var out []Definition
	var problems []Problem
	from := map[string]string{}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".json") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if len(out) == maxDefinitions {
			problems = append(problems, ProblemOf(path, fault.Say("There are more than {{max}} tools. This one and the following ones are left out.", maxDefinitions)))
			break
		}
		text, why := readFile(path)
		if why != "" {
			problems = append(problems, ProblemOf(path, why))
			continue
		}
		d, told := readDefinition(path, text)
		if !fails(told) {
			told = append(told, nameProblems(path, text, d.Name, from)...)
		}
		problems = append(problems, told...)
		if fails(told) {
			continue
		}
		from[d.Name] = e.Name()
		out = append(out, d)
	}
	return out, problems
}

// fails reports whether one of the problems is an error.
func fails(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return !p.Warning })
}

// nameProblems reports a name that another tool has. A tool with the name of a built-in display replaces it, which is
// only a warning.
func nameProblems(path string, text []byte, name string, from map[string]string) []Problem {
	var p Problem
	other, taken := from[name]
	switch {
	case taken:
		p = ProblemOf(path, fault.Say("The tool {{name}} already exists, from {{file}}.", name, other))
	case slices.Contains(spaceToolNames, name):
		p = ProblemOf(path, fault.Say("{{name}} is a tool of Weft. Give this one another name.", name))
	case reserved(name):
		p = ProblemOf(path, fault.Say("This tool replaces Weft's {{name}}.", name))
		p.Warning = true
	default:
		return nil
	}
	p.Line, p.Column = position(text, offset(text, "/name"))
	return []Problem{p}
}

// readFile reads a file. If that fails, why is a sentence; otherwise it is "".
func readFile(path string) (text []byte, why fault.Said) {
	text, err := regular.ReadPath(path, maxDefinitionFile)
	switch {
	case errors.Is(err, regular.ErrNotRegular), errors.Is(err, regular.ErrFolder):
		return nil, fault.Say("This isn't a file.")
	case errors.Is(err, regular.ErrTooLarge):
		return nil, fault.Say("The file is larger than 1 MB.")
	case err != nil:
		return nil, fault.Say("The file can't be read: {{reason}}.", err)
	}
	return text, ""
}

// readDefinition decodes and checks a definition. It stops at the first error, so only the last problem can be one.
func readDefinition(file string, text []byte) (Definition, []Problem) {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	problem := func(at int, sentence fault.Said) Problem {
		p := ProblemOf(file, sentence)
		p.Line, p.Column = position(text, at)
		return p
	}
	var d Definition
	if err := jsonv2.Unmarshal(text, &d); err != nil {
		return d, []Problem{problem(undecoded(text, err))}
	}
	var list []Problem
	for _, w := range d.complete(text) {
		p := problem(offset(text, w.at), w.said)
		p.Warning = true
		list = append(list, p)
	}
	if _, wrong := d.check(); wrong != nil {
		list = append(list, problem(offset(text, wrong.at), wrong.said))
	}
	return d, list
}

// undecoded returns the offset and a sentence for a decoding error.
func undecoded(text []byte, err error) (at int, why fault.Said) {
	var syntax *jsontext.SyntacticError
	var semantic *jsonv2.SemanticError
	switch {
	case errors.As(err, &syntax):
		return int(syntax.ByteOffset), fault.Say("This isn't JSON: {{reason}}.", strings.TrimPrefix(clip.Text(syntax.Err.Error(), 200), "jsontext: "))
	case errors.As(err, &semantic):
		at, name := offset(text, string(semantic.JSONPointer)), semantic.JSONPointer.LastToken()
		if name == "" {
			return at, fault.Say("The definition of a tool must be a JSON object.")
		}
		return at, must(clip.Text(name, 60), semantic.GoType)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return len(text), fault.Say("This isn't JSON: it ends too early.")
	}
	return 0, fault.Say("The file can't be read: {{reason}}.", clip.Text(err.Error(), 200))
}

// must returns a sentence about the JSON type that a field must have to be decoded into t.
func must(field string, t reflect.Type) fault.Said {
	switch {
	case t == nil:
		return fault.Say("{{field}} must be something else.", field)
	case t == reflect.TypeFor[json.RawMessage]():
		return fault.Say("{{field}} must be JSON.", field)
	}
	switch t.Kind() {
	case reflect.Bool:
		return fault.Say("{{field}} must be true or false.", field)
	case reflect.String:
		return fault.Say("{{field}} must be a text.", field)
	case reflect.Int:
		return fault.Say("{{field}} must be a whole number.", field)
	case reflect.Slice:
		return fault.Say("{{field}} must be a list of texts.", field)
	default:
		return fault.Say("{{field}} must be an object.", field)
	}
}

// offset returns the offset of a JSON pointer in a text: that of the member's name. If the member is missing, it
// returns the offset of its nearest parent.
func offset(text []byte, pointer string) int {
	best, depth := 0, -1
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	for {
		_, err := d.ReadToken()
		if err != nil {
			return best
		}
		p := string(d.StackPointer())
		if (p == pointer || strings.HasPrefix(pointer, p+"/")) && len(p) > depth {
			depth = len(p)
			if p != "" {
				best = lastToken(text, int(d.InputOffset()))
			}
		}
		if p == pointer && p != "" {
			return best
		}
	}
}

// lastToken returns the offset of the token that ends at end.
func lastToken(text []byte, end int) int {
	if end < 2 || text[end-1] != '"' {
		return max(end-1, 0)
	}
	for i := end - 2; i >= 0; i-- {
		if text[i] == '"' {
			slashes := 0
			for j := i - 1; j >= 0 && text[j] == '\\'; j-- {
				slashes++
			}
			if slashes%2 == 0 {
				return i
			}
		}
	}
	return 0
}

// position converts an offset to a line and a column, both from 1.
func position(text []byte, at int) (line, column int) {
	before := text[:min(max(at, 0), len(text))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}
