package lifecycle

// Stage tracks one session of a member, from its opening until it is gone.
type Stage[S any] struct {
	machine *Machine[S]
	session S
	how     *Opening[S] // never changes
	phase   Phase
	opened  bool     // its opening has ended
	closed  bool     // it has left its process
	why     error    // why Weft ended it; nil if the agent or the user did
	gone    []func() // called once it is gone
}

// Ending is how a session ends.
type Ending struct {
	Polite bool  // tell the agent first
	Lost   bool  // the agent has closed the connection
	Why    error // the error for those who wait for the session; nil: [owner.ErrClosing]
}

// Phase returns the phase of the session.
func (g *Stage[S]) Phase() Phase { return g.phase }

// How returns how the session is opened. It may be called without the lock.
func (g *Stage[S]) How() *Opening[S] { return g.how }

// Opening reports whether the session is being opened or the user is signing in: it doesn't accept a prompt yet.
func (g *Stage[S]) Opening() bool { return g.phase == Starting || g.phase == SigningIn }

// End ends a session. Its updates are ignored from now on. It does nothing if the session has already ended.
func (g *Stage[S]) End(how Ending) {
	if g.phase == Closing || g.phase == Gone {
		return
	}
	m := g.machine
	g.to(Closing)
	g.why = how.Why
	m.live, m.closing = nil, g
	m.member.Close(g.session, how)
}

// Gone handles the end of a session: it has left its process, which has ended if it served no other session. The next
// session is opened once the result of the opening is known too, because that decides who still needs one.
func (g *Stage[S]) Gone() {
	if g.closed = true; g.opened {
		g.isGone()
	}
}

func (g *Stage[S]) isGone() {
	m := g.machine
	g.to(Gone)
	for _, do := range g.gone {
		m.space.Effect(do)
	}
	m.closing = nil
	m.proceed()
	m.space.Flush()
}

// WhenGone queues do as an effect once the session is gone.
func (g *Stage[S]) WhenGone(do func()) { g.gone = append(g.gone, do) }

// Lost handles a connection that the agent closed, after everything that it sent was processed. An opening or a turn
// in progress notices this by itself.
func (g *Stage[S]) Lost() {
	if g.phase != Starting {
		g.End(Ending{Lost: true})
	}
	g.machine.space.Flush()
}

// BeginTurn marks the session as taken by a run. It must be ready.
func (g *Stage[S]) BeginTurn() { g.to(InTurn) }

// EndTurn ends the turn. [Stage.Serve] must follow once the run has ended too.
func (g *Stage[S]) EndTurn() {
	if g.phase == InTurn {
		g.to(Ready)
	}
}

// SignIn begins a sign-in. The session must be ready.
func (g *Stage[S]) SignIn() {
	g.to(SigningIn)
	g.machine.rest++
}

// SignedIn handles the end of a sign-in. If err isn't nil, prompts continue to wait.
func (g *Stage[S]) SignedIn(err error) {
	if g.phase != SigningIn {
		return
	}
	g.to(Ready)
	g.Serve()
	if err == nil {
		g.machine.member.Next()
	}
	g.machine.Rest()
}
