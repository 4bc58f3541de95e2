package builtin

import (
	"encoding/json"

	acp "github.com/coder/acp-go-sdk"
)

// guideCommands are the slash commands of the offline guide.
var guideCommands = []acp.AvailableCommand{
	{Name: "summary", Description: "Summarize this project from its files"},
	{Name: "find", Description: "Search the folder for a text or a file name", Input: hint("text or file name")},
	{Name: "read", Description: "Show a file", Input: hint("file")},
	{Name: "tree", Description: "Show the folder as a tree", Input: hint("folder (optional)")},
	{Name: "todos", Description: "List TODO, FIXME, HACK and XXX notes"},
	{Name: "help", Description: "Show what the offline guide can do"},
}

// modelCommands are those of every other model.
var modelCommands = []acp.AvailableCommand{
	{Name: "compact", Description: "Send the model a summary instead of the conversation so far"},
}

func hint(text string) *acp.AvailableCommandInput {
	return &acp.AvailableCommandInput{Unstructured: &acp.UnstructuredCommandInput{Hint: text}}
}

// commandsUpdate encodes the update that tells a client about the commands.
func commandsUpdate(offline bool) (json.RawMessage, error) {
	commands := modelCommands
	if offline {
		commands = guideCommands
	}
	return json.Marshal(acp.SessionUpdate{AvailableCommandsUpdate: &acp.SessionAvailableCommandsUpdate{AvailableCommands: commands}})
}
