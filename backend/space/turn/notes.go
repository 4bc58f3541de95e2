package turn

import (
	"slices"
	"strings"

	"weft/backend/base/fault"
)

// NoForm is the note on an agent's question that can't be shown to the user.
var NoForm = fault.Say("The agent asked a question without a form or an address, so it can't be answered.")

// Wordless returns the note on an agent that said nothing in reply to a command.
func Wordless(agent string) fault.Said {
	return fault.Say("{{agent}} ended its turn without saying anything.", agent)
}

// Unhandled returns the note on an agent's message that Weft failed to process.
func Unhandled(err error) fault.Said {
	return fault.Say("Weft couldn't handle something that the agent sent: {{reason}}", err)
}

// Rewrapped returns the note on an agent that keeps running in a sandbox that doesn't match the new mode of the
// space.
func Rewrapped(agent string) fault.Said {
	return fault.Say("The new mode applies to what {{agent}} does by itself from the next prompt. Stop the agent to apply it now.", agent)
}

// WithoutServers returns the note on an agent that rejected MCP servers; "" is the name of Weft's own. It returns ""
// if names is empty.
func WithoutServers(agent string, names []string) fault.Said {
	own := slices.Contains(names, "")
	list := strings.Join(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" }), ", ")
	switch {
	case own && list == "":
		return fault.Say("{{agent}} doesn't accept MCP servers, so it works without Weft's own tools.", agent)
	case own:
		return fault.Say("{{agent}} doesn't accept MCP servers, so it works without Weft's own tools and without {{servers}}.", agent, list)
	case list != "":
		return fault.Say("{{agent}} doesn't accept MCP servers, so it works without {{servers}}.", agent, list)
	}
	return ""
}

// Unstopped returns the note on an agent that didn't end its turn and also works in other spaces.
func Unstopped(agent string) fault.Said {
	return fault.Say("{{agent}} didn't stop. It was disconnected from this space, and its process is stopped when it has finished in other spaces.", agent)
}

// Replaced returns the note on a folder that was replaced by another one since the last prompt.
func Replaced(agent, folder string) fault.Said {
	return fault.Say("The folder {{folder}} was replaced by another one, so Weft started {{agent}} again in the new one. What the agent remembers of the files may be outdated.", folder, agent)
}

// Rejected returns the note on a request that was rejected because the folder was replaced during the turn.
func Rejected(agent, folder string) fault.Said {
	return fault.Say("The folder {{folder}} was moved, deleted or replaced during this turn, so Weft rejected what {{agent}} asked for. Weft opens the folder again with the next prompt.", folder, agent)
}
