package transcript

import (
	"cmp"
	"strings"

	"weft/backend/lazyregexp"

	"weft/backend/clip"
)

// nameFrom says where the name of a call's tool comes from, the better the higher.
type nameFrom int

const (
	nameUnknown   nameFrom = iota
	nameFromKind           // derived
	nameFromTitle          // derived
	nameTold               // by the agent, or by Weft for a tool of its own
)

// What agents that name no tool call their calls by: the tool's name itself, or that behind its server or before what it is about.
var (
	plainName    = lazyregexp.New(`^[A-Za-z][A-Za-z0-9-]{0,63}(?:(?:_+|:+)[A-Za-z0-9-]{1,64}){1,6}$|^[A-Za-z]+[a-z0-9][A-Z][A-Za-z0-9]{0,63}$`)
	behindServer = lazyregexp.New(`^(?:[Tt]ool: ?)?[A-Za-z0-9_.-]{1,64}/([A-Za-z][A-Za-z0-9_-]{0,63})$`)
	beforeServer = lazyregexp.New(`^([A-Za-z][A-Za-z0-9_.-]{0,63}) \([^()]{1,64} MCP Server\)`)
	beforeAbout  = lazyregexp.New(`^([A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+)[:(]`)
)

// derivedName is the best name for the tool of a call whose agent names none: what its title says, else its kind.
func derivedName(title, kind string) (name string, from nameFrom) {
	title = strings.TrimSpace(title)
	if len(title) <= 200 && !strings.HasPrefix(title, "weft/") { // names with that are Weft's own
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

// callName is the name of a call's tool, and the title that it may be derived from.
type callName struct {
	title  string
	called string // the agent's title, where title is Weft's
	tool   string // the name, as told or derived
	from   nameFrom
}

// setTitle stores a title as it is shown, and the agent's own where that is another one.
func (n *callName) setTitle(title, called string) { n.title, n.called = title, called }

// tell stores the name that the agent, or Weft for a tool of its own, has told.
func (n *callName) tell(name string) { n.tool, n.from = clip.JSON(name, maxID), nameTold }

// derive finds a better name for the tool of a call of that kind than it has; ok is false if there is none. One that was told is never
// replaced.
func (n *callName) derive(kind string) (name string, ok bool) {
	name, from := derivedName(cmp.Or(n.called, n.title), kind)
	if from < n.from || from == nameUnknown || from == nameFromTitle && n.from == nameFromTitle || name == n.tool {
		return "", false
	}
	n.tool, n.from = name, from
	return name, true
}
