package conversation

// SendPromptRequest is a prompt for members of a space. With attachments, the text may be empty.
type SendPromptRequest struct {
	SpaceID string       `json:"spaceId"`
	Text    string       `json:"text"`
	Parts   []PromptPart `json:"parts,omitzero"`
	To      []string     `json:"to,omitzero"`      // ids of members; empty: a run that waits for any reply there, or else the default member
	Answers string       `json:"answers,omitzero"` // the wait for a reply that it answers, by requestId; refused if that has ended
}

// SendPromptResult says whether the prompt was sent, queued or used as a reply.
type SendPromptResult struct {
	Queued   bool   `json:"queued"`
	PromptID string `json:"promptId"` // of the queue entry or the message
	Answered string `json:"answered"` // the wait that it answered, "" for a prompt
}

// QueuedPromptRequest changes a queued prompt; RemoveQueued removes it.
type QueuedPromptRequest struct {
	SpaceID  string `json:"spaceId"`
	PromptID string `json:"promptId"`
	Text     string `json:"text"`
}

// MoveQueuedRequest moves a queued prompt.
type MoveQueuedRequest struct {
	SpaceID  string `json:"spaceId"`
	PromptID string `json:"promptId"`
	Before   string `json:"before,omitzero"` // the queued prompt that follows it; empty: move it to the end
}

// StopRunRequest names what to stop: a run, or else a member, or else all members of the space.
type StopRunRequest struct {
	SpaceID  string `json:"spaceId"`
	MemberID string `json:"memberId"`
	RunID    string `json:"runId,omitzero"`
}
