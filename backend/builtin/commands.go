package builtin

import (
	"encoding/json"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
)

// guideCommands are the slash commands of the offline guide.
var guideCommands = []acp.AvailableCommand{
	{Name: "summary", Description: fault.Text("Summarize this project from its files")},
	{Name: "find", Description: fault.Text("Search the folder for text or a file name"), Input: hint(fault.Text("text or file name"))},
	{Name: "read", Description: fault.Text("Show a file"), Input: hint(fault.Text("file"))},
	{Name: "tree", Description: fault.Text("Show the folder as a tree"), Input: hint(fault.Text("folder (optional)"))},
	{Name: "todos", Description: fault.Text("List TODO, FIXME, HACK and XXX notes")},
	{Name: "help", Description: fault.Text("Show what the offline guide can do")},
}

// modelCommands are the slash commands of all other models.
var modelCommands = []acp.AvailableCommand{
	{Name: "compact", Description: fault.Text("Send the model a summary instead of the conversation so far")},
}

func hint(text string) *acp.AvailableCommandInput {
	return &acp.AvailableCommandInput{Unstructured: &acp.UnstructuredCommandInput{Hint: text}}
}

// commandsUpdate encodes the update with the commands.
func commandsUpdate(offline bool) (json.RawMessage, error) {
	commands := modelCommands
	if offline {
		commands = guideCommands
	}
	return json.Marshal(acp.SessionUpdate{AvailableCommandsUpdate: &acp.SessionAvailableCommandsUpdate{AvailableCommands: commands}})
}

// announce sends the client a session's commands, and later its models.
func (a *agent) announce(s *session) error {
	update, err := commandsUpdate(a.brain.offline())
	if err == nil {
		err = s.updates.send(update)
	}
	a.listModels(s)
	return err
}

// announceLater is announce after the response that tells the client about the session.
func (a *agent) announceLater(s *session) {
	update, err := commandsUpdate(a.brain.offline())
	if err != nil {
		a.log.Error("commands can't be told", "err", err)
		return
	}
	a.client.out.after(s.id, following{lines: s.updates.line(update), then: func() { a.listModels(s) }})
}
