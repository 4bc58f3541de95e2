package window

import "sync"

// Step is what Weft does when the user closes its window.
type Step int

// The steps that [Closing.Next] returns.
const (
	Quit         Step = iota
	Hide              // hide the window and keep running
	AskInPage         // ask in the page
	AskInDialog       // ask in a dialog of the desktop, because the page doesn't answer
	BringToFront      // that dialog is open: bring the window to the front
)

// Closing stores how the window is being closed. The zero value is for a window whose page has not loaded. It is safe
// for concurrent use, and its methods don't block.
type Closing struct {
	mu       sync.Mutex
	page     bool // the page has loaded and can ask
	asked    bool // the page was asked and has not answered
	dialog   bool // the dialog of the desktop is open
	quitting bool
	ended    bool // the main loop was told to end
}

// PageLoaded must be called whenever the page has loaded. A page that reloads forgets an open question.
func (c *Closing) PageLoaded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.page, c.asked = true, false
}

// Next returns what to do when the user closes the window. keepsRunning is the user's setting, working the number of
// agents that are working. The caller must carry out the step.
func (c *Closing) Next(keepsRunning bool, working int) Step {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.quitting:
		return Quit
	case keepsRunning && !c.asked:
		return Hide
	case working == 0:
		return Quit
	case c.page && !c.asked:
		c.asked = true
		return AskInPage
	case c.dialog:
		return BringToFront
	}
	c.dialog = true
	return AskInDialog
}

// Ask reports whether the caller must ask in the page before it quits. It is false if the page can't ask, was asked
// already, or Weft is quitting.
func (c *Closing) Ask() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ask := c.page && !c.asked && !c.quitting
	c.asked = c.asked || ask
	return ask
}

// Answered must be called when the user has answered the question in the page.
func (c *Closing) Answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = false
}

// DialogAnswered must be called when the dialog of [AskInDialog] has closed.
func (c *Closing) DialogAnswered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialog = false
}

// Quitting makes every further Next return [Quit].
func (c *Closing) Quitting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.quitting = true
}

// End reports whether the caller must end the main loop of the window now. It is true once: Weft and Wails both answer
// a signal, the user may press keys twice, and GTK crashes or hangs if its loop is ended again while it ends.
func (c *Closing) End() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.ended
	c.ended = true
	return first
}
