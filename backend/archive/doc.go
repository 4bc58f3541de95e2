// Package archive has the form in which whole conversations leave and enter Weft: a JSON document with everything that was said and done,
// which docs/export.md describes. [Writer] writes one piece by piece, [Read] reads one in the same way, and the functions in events.go
// return the events that make a piece again. Nothing here touches a database, and no more than a piece is in memory.
package archive

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/transcript"
)

// Format and Version identify the documents. A later version is refused.
const (
	Format  = "weft-conversation"
	Version = 1
)

// Head is what a document begins with.
type Head struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Part says that not all messages of the conversations are in it.
	Part          bool  `json:"part,omitzero"`
	SecretsHidden int64 `json:"secretsHidden"` // how many known secrets were replaced
}

// Space is a conversation without its messages. Times are unix ms.
type Space struct {
	ID            string                             `json:"id"`
	Title         string                             `json:"title"`
	Folder        string                             `json:"folder"`
	Archived      bool                               `json:"archived,omitzero"`
	LastState     string                             `json:"lastState"`
	CreatedAt     int64                              `json:"createdAt"`
	LastActivity  int64                              `json:"lastActivity"`
	RunEndedAt    int64                              `json:"runEndedAt,omitzero"`
	Permissions   string                             `json:"permissionMode"`
	DefaultMember string                             `json:"defaultMember"`
	Origin        *Origin                            `json:"origin,omitzero"` // of a branch
	Members       []Member                           `json:"members"`
	State         map[transcript.StateKey]StateValue `json:"state,omitempty"` // plan and usage, with "@" and the member behind them
}

// Origin is where a branch came from.
type Origin struct {
	Tree    string `json:"tree"`
	Space   string `json:"space"`
	Message string `json:"message"`
	Shared  int64  `json:"shared"` // how many messages were copied
}

// Member is an agent in a conversation, or one that has left.
type Member struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	AgentID   string `json:"agentId"`
	AgentName string `json:"agentName"`
	Role      string `json:"role,omitzero"`
	Speaks    string `json:"speaks"`
	Reads     string `json:"reads"`
	JoinedAt  int64  `json:"joinedAt"`
	JoinedOrd int64  `json:"joinedOrd"`
	LeftAt    int64  `json:"leftAt,omitzero"`
}

// StateValue is a part of the state, as it was last.
type StateValue struct {
	MessageID string          `json:"messageId,omitzero"`
	Value     jsontext.Value  `json:"value,omitzero"`
	Ref       *transcript.Ref `json:"ref,omitzero"`
}

// Run is one turn of an agent. Times are unix ms.
type Run struct {
	ID         string              `json:"id"`
	MessageID  string              `json:"messageId,omitzero"`
	AgentID    string              `json:"agentId"`
	AgentName  string              `json:"agentName"`
	MemberID   string              `json:"memberId"`
	Model      string              `json:"model,omitzero"`
	PromptID   string              `json:"promptId,omitzero"`
	StartedAt  int64               `json:"startedAt"`
	EndedAt    int64               `json:"endedAt,omitzero"`
	StopReason string              `json:"stopReason,omitzero"`
	Usage      jsontext.Value      `json:"usage,omitzero"`
	Error      *transcript.Failure `json:"error,omitzero"`
	Home       string              `json:"home,omitzero"` // the space that it works in, where that is another one
}

// lenient: what agents send is not always clean; a document holds it all the same.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// chunk is how many bytes of a blob are in one string of its data.
const chunk = 192 << 10
