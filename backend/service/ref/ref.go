// Package ref has the requests that name one thing, for commands of several subjects.
package ref

// What requests name.
type (
	// SpaceRef names a space.
	SpaceRef struct {
		SpaceID string `json:"spaceId"`
	}
	// MemberRef names a member of a space; an empty MemberID is the default one, or all of them, as the command says.
	MemberRef struct {
		SpaceID  string `json:"spaceId"`
		MemberID string `json:"memberId"`
	}
	// MessageRef names a message.
	MessageRef struct {
		SpaceID   string `json:"spaceId"`
		MessageID string `json:"messageId"`
	}
	// AgentRef names an agent.
	AgentRef struct {
		AgentID string `json:"agentId"`
	}
)
