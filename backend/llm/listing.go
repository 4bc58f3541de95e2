package llm

import (
	"errors"
	"time"

	"weft/backend/base/fault"
)

// A program without the providers' SDKs asks one that has them for lists of models: the request is a line of JSON on
// its stdin, the answer one on its stdout. So keys are on no command line.

// Bounds of a list of models.
const (
	ListWithin = 15 * time.Second // how long a provider may take
	ListMost   = 1000             // how many models are in an answer
)

// Listing asks for the models of a provider, with the fields of [Options].
type Listing struct {
	Provider string `json:"provider"`
	Key      string `json:"key,omitempty"`
	BaseURL  string `json:"baseUrl,omitempty"`
	API      string `json:"api,omitempty"`
}

// Listed is the answer to a [Listing].
type Listed struct {
	Models []ModelInfo `json:"models"`
	Error  *ListError  `json:"error,omitempty"`
}

// ListError is an error that is passed on to another program, as far as it tells users something.
type ListError struct {
	Code    Code   `json:"code,omitempty"` // "" where it is no *Error
	Message string `json:"message"`
	// Said is the message with its template and its values apart.
	Said   fault.Said `json:"said,omitzero"`
	Silent bool       `json:"silent,omitempty"` // it is ErrSilent
}

// NewListError returns what is passed on of an error, nil of nil.
func NewListError(err error) *ListError {
	if err == nil {
		return nil
	}
	passed := &ListError{Message: err.Error(), Silent: errors.Is(err, ErrSilent)}
	if failed, ok := errors.AsType[*Error](err); ok {
		passed.Code, passed.Said = failed.Code, failed.Said.For(passed.Message)
	}
	return passed
}

// Err returns the error again: with the same code and message, and as [ErrSilent] if it was that.
func (e *ListError) Err() error {
	if e == nil {
		return nil
	}
	err := errors.New(e.Message)
	if e.Silent {
		err = ErrSilent
	}
	if e.Code.Known() {
		return &Error{Code: e.Code, Message: e.Message, Said: e.Said.For(e.Message), Err: err}
	}
	return err
}
