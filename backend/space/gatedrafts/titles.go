package gatedrafts

import (
	"strings"

	"weft/backend/base/clip"
	"weft/backend/base/fault"
	"weft/backend/space/mentions"
)

// Here returns the title of a call that writes to its own space, if it is a row. mention is the agent that it asks,
// wait means that it waits for a reply.
func Here(mention string, wait bool) string {
	switch {
	case mention != "":
		return fault.Text("Ask {{agent}}", clip.Text(strings.Join(strings.Fields(mentions.Named(mention)), " "), 240))
	case wait:
		return fault.Text("Wait for a reply here")
	}
	return fault.Text("Write here")
}

// Elsewhere returns the title of a call that writes to another space.
func Elsewhere(space string, wait bool) string {
	if wait {
		return fault.Text("Wait for a reply in {{space}}", space)
	}
	return fault.Text("Write to {{space}}", space)
}

// ShownIn returns the title of a call that shows something in another space.
func ShownIn(what, space string) string {
	return fault.Text("Show “{{what}}” in {{space}}", what, space)
}

// named are the titles of calls of Weft's tools until more is known about the call.
var named = map[string]string{
	"listSpaces": fault.Text("List spaces"), "readSpaceMessages": fault.Text("Read messages"), "getMyRuns": fault.Text("List runs"),
	"searchHistory": fault.Text("Search earlier conversations"), "readConversation": fault.Text("Read an earlier conversation"), SendMessage: fault.Text("Send a message"),
	"showCard": fault.Text("Show a card"), "showChart": fault.Text("Show a chart"), "showTable": fault.Text("Show a table"), "showForm": fault.Text("Show a form"),
	"showApprovalForm": fault.Text("Ask for approval"), "showChoice": fault.Text("Ask a question"), "showDiff": fault.Text("Show a diff"), "showImage": fault.Text("Show an image"),
	"showMarkdown": fault.Text("Show a document"), "showProgress": fault.Text("Show progress"),
}

// Named returns the title for calls of one of Weft's own tools, or "" for other tools. Tool names are meant for
// models.
func Named(tool string) string { return named[tool] }

// Shown is the title of a display's call that has succeeded.
var Shown = fault.Text("Shown")
