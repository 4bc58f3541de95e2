// Package results reads what tools answer: in one line for the user, how many results there are, and whether the call
// failed. Agents and servers tell it in many forms (a text, JSON in a text, a result of MCP, an exit code in a sentence), so
// this looks for what the forms have in common, never for one agent.
//
// It is pure. What it keeps of a payload of any size is small.
package results

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxLine is how long a line for the user may be, in bytes of JSON.
const maxLine = 512

// lenient is how payloads are read: what agents send is not always clean.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
