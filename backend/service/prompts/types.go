package prompts

import "weft/backend/service/attachments"

// SendPromptRequest says something to the space's agent. The text may be empty where
// something goes along.
type SendPromptRequest struct {
	SpaceID string                   `json:"spaceId"`
	Text    string                   `json:"text"`
	Parts   []attachments.PromptPart `json:"parts,omitzero"`
	To      []string                 `json:"to,omitzero"`      // ids of members; empty: a run that waits for any reply there, else the default member
	Answers string                   `json:"answers,omitzero"` // the wait for a reply that it answers, by its requestId; it is refused where that has ended
}

// SendPromptResult tells what became of it.
type SendPromptResult struct {
	Queued   bool   `json:"queued"`
	PromptID string `json:"promptId"` // of the queue entry or of the message
	Answered string `json:"answered"` // the wait for a reply that it has ended, "" if it is a prompt
}

// QueuedPromptRequest changes (or with RemoveQueued removes) a waiting prompt.
type QueuedPromptRequest struct {
	SpaceID  string `json:"spaceId"`
	PromptID string `json:"promptId"`
	Text     string `json:"text"`
}

// MoveQueuedRequest moves a waiting prompt.
type MoveQueuedRequest struct {
	SpaceID  string `json:"spaceId"`
	PromptID string `json:"promptId"`
	Before   string `json:"before,omitzero"` // the waiting prompt that comes after it then; empty: it is the last one
}

// StopRunRequest names what is stopped: a run, else a member, else all that works in the space.
type StopRunRequest struct {
	SpaceID  string `json:"spaceId"`
	MemberID string `json:"memberId"`
	RunID    string `json:"runId,omitzero"`
}
