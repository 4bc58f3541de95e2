// Package imports has the commands that make spaces of conversations which agents or other programs have kept.
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

// Needs is what imports are made with in a running Weft.
type Needs struct {
	Store   *store.Store
	Agents  *agent.Registry
	Runs    *runs.Manager
	Spaces  *spaces.Spaces
	Trials  *trials.Trials
	Work    *background.Work
	DataDir string
	Log     zerolog.Logger
	Changed func(spaceID string) // called after a space was made or has more messages
	Told    func()               // called when [Imports.State] has changed
	Env     sessionfiles.Env     // where programs keep their conversations; the zero value is that of this user
}

// Imports makes spaces of conversations in a running Weft. See [Open] for imports into the data folder of one that doesn't run.
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
	one     sync.Mutex // one import at a time: none is made twice
}

// New returns imports into a store.
func New(need Needs) *Imports {
	return &Imports{
		store: need.Store, agents: need.Agents, runs: need.Runs, spaces: need.Spaces, trials: need.Trials, work: need.Work, dataDir: need.DataDir,
		log: need.Log, changed: need.Changed, env: envOr(need.Env), job: job{told: need.Told},
	}
}

// importer imports into the store of the running Weft.
func (s *Imports) importer() *Importer {
	return &Importer{store: s.store, agents: s.agents, dataDir: s.dataDir, env: s.env, changed: s.changed, busy: func(id string) bool {
		st := s.runs.State(id)
		return st.Waiting || len(st.Runs) > 0
	}}
}
