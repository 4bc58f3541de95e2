package gatedrafts

import (
	"strings"

	"weft/backend/clip"
	"weft/backend/fault"
	"weft/backend/mentions"
)

// Here returns what a call that writes to its own space is called where it is a row. With a mention it asks that agent, with wait it waits for a
// reply.
func Here(mention string, wait bool) string {
	switch {
	case mention != "":
		return fault.Text("Ask {{agent}}", clip.Text(strings.Join(strings.Fields(mentions.Named(mention)), " "), 240))
	case wait:
		return fault.Text("Wait for a reply here")
	}
	return fault.Text("Write here")
}

// Elsewhere returns what a call that writes to the space with the title is called where it is a row.
func Elsewhere(space string, wait bool) string {
	if wait {
		return fault.Text("Wait for a reply in {{space}}", space)
	}
	return fault.Text("Write to {{space}}", space)
}

// ShownIn returns what a call that shows something in the space with the title is called where it is a row.
func ShownIn(what, space string) string {
	return fault.Text("Show “{{what}}” in {{space}}", what, space)
}

// named are what calls of Weft's own tools are called until it is known what they do exactly.
var named = map[string]string{
	"listSpaces": fault.Text("List spaces"), "readSpaceMessages": fault.Text("Read messages"), "getMyRuns": fault.Text("List runs"),
	"searchHistory": fault.Text("Search earlier conversations"), "readConversation": fault.Text("Read an earlier conversation"), SendMessage: fault.Text("Send a message"),
	"showCard": fault.Text("Show a card"), "showChart": fault.Text("Show a chart"), "showTable": fault.Text("Show a table"), "showForm": fault.Text("Show a form"),
	"showApprovalForm": fault.Text("Ask for approval"), "showChoice": fault.Text("Ask a question"), "showDiff": fault.Text("Show a diff"), "showImage": fault.Text("Show an image"),
	"showMarkdown": fault.Text("Show a document"), "showProgress": fault.Text("Show progress"),
}

// Named returns what calls of one of Weft's own tools are called, "" for any other tool: agents call them by names that only models need.
func Named(tool string) string { return named[tool] }

// Shown is what such a call has come to.
var Shown = fault.Text("Shown")
