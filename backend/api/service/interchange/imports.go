package interchange

import (
	"sync"

	"github.com/rs/zerolog"

	"weft/backend/agent"
	"weft/backend/api/service/jobs"
	"weft/backend/api/service/spaces"
	"weft/backend/interchange/sessionfiles"
	"weft/backend/space/runs"
	"weft/backend/store"
)

// ImportNeeds configures [NewImports].
type ImportNeeds struct {
	Store   *store.Store
	Agents  *agent.Registry
	Runs    *runs.Manager
	Spaces  *spaces.Spaces
	Tests   *jobs.Tests
	Work    *jobs.Work
	DataDir string
	Log     zerolog.Logger
	Changed func(spaceID string) // called after a space was created or has more messages
	Told    func()               // called when [Imports.State] has changed
	Env     sessionfiles.Env     // where programs store their conversations; zero: those of this user
}

// Imports makes spaces from conversations in a running Weft. For a data folder that no Weft uses, see [OpenImporter].
type Imports struct {
	store   *store.Store
	agents  *agent.Registry
	runs    *runs.Manager
	spaces  *spaces.Spaces
	tests   *jobs.Tests
	work    *jobs.Work
	dataDir string
	log     zerolog.Logger
	changed func(spaceID string)
	env     sessionfiles.Env
	job     importJob
	one     sync.Mutex // one import at a time, so that no conversation is imported twice
}

// NewImports returns imports into a store.
func NewImports(need ImportNeeds) *Imports {
	return &Imports{
		store: need.Store, agents: need.Agents, runs: need.Runs, spaces: need.Spaces, tests: need.Tests, work: need.Work, dataDir: need.DataDir,
		log: need.Log, changed: need.Changed, env: envOr(need.Env), job: importJob{told: need.Told},
	}
}

// importer returns an importer into the store of the running Weft.
func (s *Imports) importer() *Importer {
	return &Importer{store: s.store, agents: s.agents, dataDir: s.dataDir, env: s.env, changed: s.changed, busy: func(id string) bool {
		st := s.runs.State(id)
		return st.Waiting || len(st.Runs) > 0
	}}
}
