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
	Changed func(spaceID string) // called after a space was made of a file
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
	one     sync.Mutex // one import at a time: none is made twice
}

// New returns imports into a store.
func New(need Needs) *Imports {
	return &Imports{
		store: need.Store, agents: need.Agents, runs: need.Runs, spaces: need.Spaces, trials: need.Trials, work: need.Work, dataDir: need.DataDir,
		log: need.Log, changed: need.Changed,
	}
}
