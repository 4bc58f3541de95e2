// Package archive reads and writes exported conversations: JSON documents with everything that was said and done.
// docs/export.md describes the format. [Writer] writes a document piece by piece, [Read] reads it piece by piece, and
// the functions in events.go return the events that recreate a piece. The package doesn't access a database and keeps
// only one piece in memory.
package archive

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
)

// Format and Version identify the documents. Newer versions are rejected.
const (
	Format  = "weft-conversation"
	Version = 1
)

// Head is the beginning of a document.
type Head struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Part means that some messages of the conversations are missing.
	Part          bool  `json:"part,omitzero"`
	SecretsHidden int64 `json:"secretsHidden"` // number of known secrets that were replaced
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
	State         map[transcript.StateKey]StateValue `json:"state,omitempty"` // plan and usage; keys may end in "@" + member
}

// Origin is the origin of a branch.
type Origin struct {
	Tree    string `json:"tree"`
	Space   string `json:"space"`
	Message string `json:"message"`
	Shared  int64  `json:"shared"` // number of copied messages
}

// Member is a current or former agent of a conversation.
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

// StateValue is the last value of a part of the state.
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
	Home       string              `json:"home,omitzero"` // the space that it works in, if that is another one
}

// lenient accepts the unclean JSON that some agents send. Documents contain it unchanged.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// chunk is the maximum number of a blob's bytes in one string of its data.
const chunk = 192 << 10
