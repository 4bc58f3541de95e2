package outline

import (
	"encoding/json"
	"regexp"
	"strings"
)

var heading = regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*$`)

// describeMarkdown takes headings as declarations and the first paragraph as the file's own account of itself.
func describeMarkdown(o *Outline, lines []string) {
	fenced := false
	var paragraph []string
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			o.declare("h"+string(rune('0'+len(m[1]))), m[2], i+1, "")
		} else if o.About == "" && trimmed != "" && !decoration(trimmed) {
			paragraph = append(paragraph, trimmed)
			continue
		}
		if len(paragraph) > 0 && o.About == "" {
			o.About = firstSentence(strings.Join(paragraph, " "))
		}
	}
	if o.About == "" {
		o.About = firstSentence(strings.Join(paragraph, " "))
	}
}

// decoration reports lines that are not prose: badges, images, HTML, rules, front matter, tables.
func decoration(line string) bool {
	for _, start := range []string{"[![", "![", "<", "---", "===", "***", "|", "[!", "- ", "* ", "> [!"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

// describeJSON lists the keys of the top-level object in their order. Broken JSON has no declarations.
func describeJSON(o *Outline, text string) {
	dec := json.NewDecoder(strings.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return
		}
		name, ok := key.(string)
		line := 1 + strings.Count(text[:min(int(dec.InputOffset()), len(text))], "\n")
		var value json.RawMessage
		if !ok || dec.Decode(&value) != nil {
			return
		}
		o.declare("key", name, line, jsonShape(value))
	}
}

func jsonShape(value json.RawMessage) string {
	switch {
	case len(value) == 0:
		return ""
	case value[0] == '{':
		return "object"
	case value[0] == '[':
		return "list"
	case len(value) <= 60:
		return string(value)
	}
	return ""
}
