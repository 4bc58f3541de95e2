// Package guide is the offline guide: it answers a prompt from what it finds in a folder, by rules and without
// a language model, a key or a network. The same folder and the same prompt give the same answer.
//
// It speaks and acts only through a Turn, in the order a person would: it says what it is going to look at,
// looks, and says what it found. It never states anything about the folder that a tool did not return.
package guide

import (
	"context"
	"errors"

	"weft/backend/builtin/folder"
)

// Turn is what the guide can do while it answers. Every method but Say, Think and Plan is a tool call that
// the person sees; the error of one is a sentence for the person, or ctx's error once the turn is cancelled.
// Say, Think and Plan do nothing once the turn is cancelled.
type Turn interface {
	// Say sends a piece of the answer at once, as Markdown.
	Say(markdown string)
	// Think sends a piece of reasoning that is not part of the answer.
	Think(text string)
	// Plan shows the steps, replacing what was shown before.
	Plan(steps []Step)

	List(ctx context.Context, dir string) (folder.Listing, error)
	Glob(ctx context.Context, pattern string) (folder.Listing, error)
	Search(ctx context.Context, q folder.Query) (folder.Found, error)
	// Read returns lines from..to, counted from 1 and inclusive; to 0 means the end.
	Read(ctx context.Context, path string, from, to int) (folder.Text, error)
	// Write proposes new contents for a file, asks the person, and writes. It returns ErrDeclined if the
	// person said no.
	Write(ctx context.Context, edit Edit) error
}

// ErrDeclined is returned by Turn.Write when the person did not allow the edit.
var ErrDeclined = errors.New("you declined the edit")

// Edit is a proposed change of one file.
type Edit struct {
	Path    string
	New     bool   // the file is to be created; otherwise it has to hold Old when it is written
	Old     string // contents the change was worked out from
	Content string // contents after the change
	Title   string // what the change is, for the permission request
}

// Step is one line of a plan.
type Step struct {
	Text   string
	Status StepStatus
}

// StepStatus says how far a step is.
type StepStatus int

// The states of a step.
const (
	Waiting StepStatus = iota
	Working
	Done
)

// Request is one prompt, taken apart.
type Request struct {
	Text     string // what the person typed
	First    bool   // the first prompt of the session
	Folder   string // name of the folder, for talking about it
	Root     string // its absolute path
	Files    []string
	Embedded []Embedded
	Notices  []string // sentences about parts of the prompt that cannot be used
	// Problem is why the folder cannot be used at all; the guide then only says so.
	Problem error
}

// Embedded is text that came with the prompt.
type Embedded struct {
	Name string
	Text string
}

// plan keeps the steps of an answer and shows them as they are worked off.
type plan struct {
	turn  Turn
	steps []Step
	at    int
}

func newPlan(t Turn, steps ...string) *plan {
	p := &plan{turn: t, at: -1}
	for _, s := range steps {
		p.steps = append(p.steps, Step{Text: s})
	}
	p.next()
	return p
}

// next ticks the current step off and starts the one after it, if there is one.
func (p *plan) next() {
	if p.at >= 0 && p.at < len(p.steps) {
		p.steps[p.at].Status = Done
	}
	p.at++
	if p.at < len(p.steps) {
		p.steps[p.at].Status = Working
	}
	p.turn.Plan(append([]Step(nil), p.steps...))
}
