package acpsession

// Tried remembers which session of a member its agent could not continue, and how often. It outlives the session, and belongs to whoever has the lock of
// the space. The zero value remembers none.
type Tried struct {
	id     string
	failed int
}

// maxTries is how often an agent is asked to continue a session before the member gets a new one.
const maxTries = 2

// fails notes that the agent could not continue a session.
func (t *Tried) fails(id string) {
	if t.id != id {
		*t = Tried{id: id}
	}
	t.failed++
}

// givenUp reports whether the agent isn't asked for a session any more.
func (t *Tried) givenUp(id string) bool { return t.id == id && t.failed >= maxTries }

// forget has the agent asked again.
func (t *Tried) forget() { *t = Tried{} }
