// Package ref has requests that name one thing, shared by several subjects.
package ref

// Requests that name one thing.
type (
	// SpaceRef names a space.
	SpaceRef struct {
		SpaceID string `json:"spaceId"`
	}
	// MemberRef names a member of a space. An empty MemberID means the default member, or all, depending on the
	// command.
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
