package acpsession

// Tried counts the failed attempts to continue a member's session. It outlives the session and is guarded by the lock
// of the space. The zero value has no failures.
type Tried struct {
	id     string
	failed int
}

// maxTries is the number of attempts to continue a session before the member gets a new one.
const maxTries = 2

// addFailure counts a failed attempt to continue a session.
func (t *Tried) addFailure(id string) {
	if t.id != id {
		*t = Tried{id: id}
	}
	t.failed++
}

// givenUp reports whether there were maxTries failed attempts to continue a session.
func (t *Tried) givenUp(id string) bool { return t.id == id && t.failed >= maxTries }

// forget clears the failures, so that the next attempt is the first again.
func (t *Tried) forget() { *t = Tried{} }
