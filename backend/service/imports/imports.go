// Package imports implements the commands that make spaces from conversations of agents and other programs.
package imports

import (
	"sync"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/runs"
	"weft/backend/service/background"
	"weft/backend/service/spaces"
	"weft/backend/service/trials"
	"weft/backend/sessionfiles"
	"weft/backend/store"
)

// Needs configures [New].
type Needs struct {
	Store   *store.Store
	Agents  *agent.Registry
	Runs    *runs.Manager
	Spaces  *spaces.Spaces
	Trials  *trials.Trials
	Work    *background.Work
	DataDir string
	Log     zerolog.Logger
	Changed func(spaceID string) // called after a space was created or has more messages
	Told    func()               // called when [Imports.State] has changed
	Env     sessionfiles.Env     // where programs store their conversations; zero: those of this user
}

// Imports makes spaces from conversations in a running Weft. For a data folder that no Weft uses, see [Open].
type Imports struct {
	store   *store.Store
	agents  *agent.Registry
	runs    *runs.Manager
	spaces  *spaces.Spaces
	trials  *trials.Trials
	work    *background.Work
	dataDir string
	log     zerolog.Logger
	changed func(spaceID string)
	env     sessionfiles.Env
	job     job
	one     sync.Mutex // one import at a time, so that no conversation is imported twice
}

// New returns imports into a store.
func New(need Needs) *Imports {
	return &Imports{
		store: need.Store, agents: need.Agents, runs: need.Runs, spaces: need.Spaces, trials: need.Trials, work: need.Work, dataDir: need.DataDir,
		log: need.Log, changed: need.Changed, env: envOr(need.Env), job: job{told: need.Told},
	}
}

// importer returns an importer into the store of the running Weft.
func (s *Imports) importer() *Importer {
	return &Importer{store: s.store, agents: s.agents, dataDir: s.dataDir, env: s.env, changed: s.changed, busy: func(id string) bool {
		st := s.runs.State(id)
		return st.Waiting || len(st.Runs) > 0
	}}
}
