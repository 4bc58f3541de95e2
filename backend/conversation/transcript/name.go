package transcript

import (
	"cmp"
	"strings"

	"weft/backend/base/lazyregexp"

	"weft/backend/base/clip"
)

// nameFrom is the source of a tool's name. A higher value is a better source.
type nameFrom int

const (
	nameUnknown   nameFrom = iota
	nameFromKind           // derived
	nameFromTitle          // derived
	nameReported           // by the agent, or by Weft for a tool of its own
)

// Names in titles, for agents that report no tool names: the title is the name, or has it after the server or before
// the arguments.
var (
	plainName    = lazyregexp.New(`^[A-Za-z][A-Za-z0-9-]{0,63}(?:(?:_+|:+)[A-Za-z0-9-]{1,64}){1,6}$|^[A-Za-z]+[a-z0-9][A-Z][A-Za-z0-9]{0,63}$`)
	behindServer = lazyregexp.New(`^(?:[Tt]ool: ?)?[A-Za-z0-9_.-]{1,64}/([A-Za-z][A-Za-z0-9_-]{0,63})$`)
	beforeServer = lazyregexp.New(`^([A-Za-z][A-Za-z0-9_.-]{0,63}) \([^()]{1,64} MCP Server\)`)
	beforeAbout  = lazyregexp.New(`^([A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+)[:(]`)
)

// derivedName returns the best tool name for a call without one: from its title, or else its kind.
func derivedName(title, kind string) (name string, from nameFrom) {
	title = strings.TrimSpace(title)
	if len(title) <= 200 && !strings.HasPrefix(title, "weft/") { // that prefix is Weft's
		if plainName.MatchString(title) && len(title) <= maxID {
			return title, nameFromTitle
		}
		for _, form := range []*lazyregexp.Regexp{behindServer, beforeServer, beforeAbout} {
			if form == behindServer && kind != "other" && kind != "" && !strings.HasPrefix(strings.ToLower(title), "tool:") {
				continue // a path
			}
			if m := form.FindStringSubmatch(title); m != nil {
				return m[1], nameFromTitle
			}
		}
	}
	switch kind {
	case "", "other", KindDisplay:
		return "", nameUnknown
	}
	return kind, nameFromKind
}

// callName is the name of a call's tool, and the title from which it may be derived.
type callName struct {
	title  string
	called string // the agent's title, if Weft set title
	tool   string // the name, reported or derived
	from   nameFrom
}

// setTitle sets the shown title, and the agent's own one if that is different.
func (n *callName) setTitle(title, called string) { n.title, n.called = title, called }

// setReported sets the name reported by the agent, or by Weft for one of its tools.
func (n *callName) setReported(name string) { n.tool, n.from = clip.JSON(name, maxID), nameReported }

// derive returns a better name for the tool of a call of that kind, and whether there is one. It never replaces a
// reported name.
func (n *callName) derive(kind string) (name string, ok bool) {
	name, from := derivedName(cmp.Or(n.called, n.title), kind)
	if from < n.from || from == nameUnknown || from == nameFromTitle && n.from == nameFromTitle || name == n.tool {
		return "", false
	}
	n.tool, n.from = name, from
	return name, true
}
