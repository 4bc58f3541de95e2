package google

import (
	"encoding/json"
	"time"
)

// What is sent to the API and what it answers, as far as Weft uses it. Raw JSON stays as it came: keys in their order,
// large numbers.

type body struct {
	Contents   []*content `json:"contents"`
	Generation generation `json:"generationConfig,omitzero"`
	System     *content   `json:"systemInstruction,omitempty"`
	ToolConfig toolConfig `json:"toolConfig,omitzero"`
	Tools      []tools    `json:"tools,omitempty"`
}

type content struct {
	Parts []*sentPart `json:"parts"`
	Role  string      `json:"role"`
}

type sentPart struct {
	Call      *call     `json:"functionCall,omitempty"`
	Response  *response `json:"functionResponse,omitempty"`
	Data      *blob     `json:"inlineData,omitempty"`
	Text      *string   `json:"text,omitempty"`
	Thought   bool      `json:"thought,omitempty"`
	Signature string    `json:"thoughtSignature,omitempty"`
}

type call struct {
	Args json.RawMessage `json:"args"`
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
}

type response struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Parts    []*sentPart       `json:"parts,omitempty"` // with data
	Response map[string]string `json:"response"`
}

type blob struct {
	Data []byte `json:"data"`
	MIME string `json:"mimeType"`
}

type generation struct {
	MaxTokens int             `json:"maxOutputTokens,omitempty"`
	Schema    json.RawMessage `json:"responseJsonSchema,omitempty"`
	MIME      string          `json:"responseMimeType,omitempty"`
	Thinking  *thinking       `json:"thinkingConfig,omitempty"`
}

type thinking struct {
	Include bool   `json:"includeThoughts,omitempty"`
	Budget  *int   `json:"thinkingBudget,omitempty"` // tokens
	Level   string `json:"thinkingLevel,omitempty"`
}

type tools struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Description string          `json:"description,omitempty"`
	Name        string          `json:"name"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
}

type toolConfig struct {
	Calling struct {
		Streams bool `json:"streamFunctionCallArguments"`
	} `json:"functionCallingConfig"`
}

// streamArguments is the field that asks for arguments in pieces.
const streamArguments = "streamFunctionCallArguments"

// Roles of a [content].
const (
	roleUser  = "user"
	roleModel = "model"
)

// finishReason is why a model has ended its answer.
type finishReason string

// Reasons that Weft tells apart.
const (
	finishNone       finishReason = "FINISH_REASON_UNSPECIFIED"
	finishLength     finishReason = "MAX_TOKENS"
	finishMalformed  finishReason = "MALFORMED_FUNCTION_CALL"
	finishUnexpected finishReason = "UNEXPECTED_TOOL_CALL"
)

// refusals are the reasons that are about what the answer says.
var refusals = []finishReason{
	"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
}

// apiError is an error as the API writes it.
type apiError struct {
	Code    int              `json:"code"`
	Message string           `json:"message"`
	Details []map[string]any `json:"details"`
}

// detail returns a text of the details.
func (e *apiError) detail(field string) string {
	for _, d := range e.Details {
		if s, ok := d[field].(string); ok {
			return s
		}
	}
	return ""
}

// retryDelay returns how long to wait, 0 if the error doesn't say.
func (e *apiError) retryDelay() time.Duration {
	wait, _ := time.ParseDuration(e.detail("retryDelay")) // none is 0
	return max(wait, 0)
}

// readError reads the body of an answer that isn't 200: an error, a list of one, or any text.
func readError(body []byte) *apiError {
	type failed struct {
		Error *apiError `json:"error"`
	}
	var one failed
	var list []failed
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		one = list[0]
	} else if json.Unmarshal(body, &one) != nil {
		one.Error = nil
	}
	if one.Error != nil && (one.Error.Message != "" || len(one.Error.Details) > 0) {
		return one.Error
	}
	return &apiError{Message: string(body)}
}

// listed is a page of models.
type listed struct {
	Models []struct {
		Name    string   `json:"name"`
		Display string   `json:"displayName"`
		Input   int64    `json:"inputTokenLimit"`
		Actions []string `json:"supportedGenerationMethods"`
	} `json:"models"`
	Next string `json:"nextPageToken"`
}
