package lifecycle

// Stage says where one session of a member stands, from its opening until it is gone.
type Stage[S any] struct {
	machine *Machine[S]
	session S
	how     *Opening[S] // never changes
	phase   Phase
	opened  bool     // its opening has ended
	closed  bool     // it has left its process
	why     error    // why Weft has ended it, nil if the agent has, or the user
	gone    []func() // what follows once it is gone
}

// Ending is how a session is ended.
type Ending struct {
	Polite bool  // the agent learns of it first
	Lost   bool  // the agent has closed the connection
	Why    error // what those are told who wait for the session, nil: that it is closing
}

// Phase returns where the session stands.
func (g *Stage[S]) Phase() Phase { return g.phase }

// How returns the way in which the session is opened. It may be called without the lock.
func (g *Stage[S]) How() *Opening[S] { return g.how }

// Opening reports whether the session is being opened, or the user signs the agent in: it takes no prompt yet.
func (g *Stage[S]) Opening() bool { return g.phase == Starting || g.phase == SigningIn }

// End ends a session. Nothing of it counts from now on.
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

// Gone takes the end of a session: it has left its process, which is gone if it served nobody else. The next session is opened once the end of the
// opening is known as well, which decides who still needs one.
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

// WhenGone has something done as an effect once the session is gone.
func (g *Stage[S]) WhenGone(do func()) { g.gone = append(g.gone, do) }

// Lost takes the end of a connection that the agent has closed; everything that it had sent was handled. An opening, and a turn, in progress learn of
// it by themselves.
func (g *Stage[S]) Lost() {
	if g.phase != Starting {
		g.End(Ending{Lost: true})
	}
	g.machine.space.Flush()
}

// BeginTurn notes that a run has the session. It must be ready.
func (g *Stage[S]) BeginTurn() { g.to(InTurn) }

// EndTurn notes that the turn is over. [Stage.Serve] must follow once the run is over, too.
func (g *Stage[S]) EndTurn() {
	if g.phase == InTurn {
		g.to(Ready)
	}
}

// SignIn notes that the user signs the agent in. The session must be ready.
func (g *Stage[S]) SignIn() {
	g.to(SigningIn)
	g.machine.rest++
}

// SignedIn takes the end of a sign-in, err where it failed: then prompts continue to wait.
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
