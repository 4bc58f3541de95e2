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

// Shown is what such a call has come to.
var Shown = fault.Text("Shown")
