// Package results summarizes the results of tool calls: a line for the user, the number of results, and whether the
// call failed. Agents and servers send results in many formats (a text, JSON in a text, an MCP result, an exit code in
// a sentence). The package relies on what these formats have in common and never on one agent.
//
// It is pure, and keeps little of a payload of any size.
//
// facts.go takes what matters from a payload, and summary.go makes the line ("+14 −3 in main.go"). said.go knows the
// forms of results, outcome.go decides which of them is believed (outcome_test.go is the table), and wrapper.go what
// agents put around a result. sentence.go, dataset.go and document.go count results.
package results

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxLine is the maximum length of a line for the user, in bytes of JSON.
const maxLine = 512

// lenient accepts the unclean JSON that some agents send.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
