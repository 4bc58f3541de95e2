package store

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/conversation/transcript"
	"weft/backend/store/blobs"
	"weft/backend/store/db"
	"weft/backend/store/events"
	"weft/backend/store/file"
	"weft/backend/store/pages"
	"weft/backend/store/permissions"
	"weft/backend/store/reviews"
	"weft/backend/store/search"
	"weft/backend/store/spaces"
)

// Options configures [Open]. The zero value is valid.
type Options struct {
	Log zerolog.Logger
	Now func() time.Time // nil: the system's clock
	// OnCommit is called with the events of each append; see [events.Options].
	OnCommit func(spaceID string, events []transcript.Event)
	// OnDamage is called on a goroutine of the store if damage is found while Weft runs. The next start repairs it.
	OnDamage func(err *Error)
	// OnLock is called when the folder is locked, before the database is opened. It may be nil.
	OnLock func()
	// TakenBack is when a newer Weft that was rolled back first started; see [file.Options].
	TakenBack time.Time
	// MaxDecisions is the number of permission decisions to keep; 0 means [permissions.MaxDecisions].
	MaxDecisions int64
}

// Store is an open database. Its fields and methods are safe for concurrent use.
type Store struct {
	Events     *events.Log
	Pages      *pages.Pages
	Search     *search.Index
	Unfinished *pages.Unfinished
	spaceTables
	Blobs     *blobs.Blobs
	Rules     *permissions.Rules
	Decisions *permissions.Decisions
	Reviews   *reviews.Reviews
	Meta      *db.Meta // values of the app

	db   *db.DB
	file *file.File
}

// spaceTables are the tables of package spaces.
type spaceTables struct {
	Spaces    *spaces.Spaces
	Members   *spaces.Members
	Sessions  *spaces.Sessions
	Runs      *spaces.Runs
	Worktrees *spaces.Worktrees
	Order     *spaces.Order
	Tags      *spaces.Tags
	Drafts    *spaces.Drafts
}

// Recovery describes the recovery of a damaged database.
type Recovery = file.Recovery

// Open opens or creates the database in dir, and creates dir. It blocks for the check of the file (at most a fraction
// of a second), a migration or a recovery. The returned Recovery is nil unless the file was damaged. Error codes:
// in_use, read_only, disk_full, locked, newer_version, io.
func Open(ctx context.Context, dir string, opt Options) (*Store, *Recovery, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	f, c, rec, err := file.Open(ctx, dir, file.Options{Log: opt.Log, Now: opt.Now, OnDamage: opt.OnDamage, OnLock: opt.OnLock, TakenBack: opt.TakenBack})
	if err != nil {
		return nil, nil, err
	}
	d, err := db.New(f.Path(), c, db.Options{Log: opt.Log, Now: opt.Now, OnDamage: f.Suspect})
	if err != nil {
		return nil, nil, errors.Join(err, f.Unlock())
	}
	index := search.New(d, opt.Log)
	log, leftovers, err := events.Open(d, events.Options{Log: opt.Log, OnCommit: opt.OnCommit, Index: index, MaxDecisions: opt.MaxDecisions})
	if err != nil {
		return nil, nil, errors.Join(err, d.Close(), f.Unlock())
	}
	if rec != nil {
		rec.Events = leftovers
	}
	s := &Store{
		Events: log,
		Pages:  pages.New(d), Search: index, Unfinished: pages.NewUnfinished(d),
		spaceTables: spaceTables{
			Spaces: spaces.New(d), Members: spaces.NewMembers(d), Sessions: spaces.NewSessions(d), Runs: spaces.NewRuns(d), Worktrees: spaces.NewWorktrees(d),
			Order: spaces.NewOrder(d), Tags: spaces.NewTags(d), Drafts: spaces.NewDrafts(d),
		},
		Blobs: blobs.New(d), Rules: permissions.NewRules(d), Decisions: permissions.NewDecisions(d), Reviews: reviews.New(d), Meta: d.Meta(),
		db: d, file: f,
	}
	if err := dropImports(d.Writer().Conn()); err != nil {
		return nil, nil, errors.Join(db.Wrap(err, "delete the partial import"), d.Close(), f.Unlock())
	}
	d.Start(log)
	index.Start()
	f.CheckInBackground(d)
	d.Go(func(ctx context.Context) {
		if err := s.resumePurges(ctx); err != nil && db.CodeOf(err) != db.CodeClosed && db.CodeOf(err) != db.CodeCancelled {
			opt.Log.Warn().Err(err).Msg("purge of deleted conversations")
		}
	})
	return s, rec, nil
}

// Close stores accepted writes, closes the file and unlocks the folder. All later calls fail with the code closed. It
// ignores the context, because stopping early would lose data.
func (s *Store) Close(context.Context) error {
	if err := s.db.Close(); err != nil {
		return db.Wrap(errors.Join(err, s.file.Unlock()), "close the database")
	}
	return s.file.Close()
}

// Stats are counters since Open.
type Stats struct {
	Commits     int64 // transactions
	Events      int64
	EventBytes  int64 // JSON of events
	Folds       int64
	Checkpoints int64
	WALBytes    int64 // bytes written to the write-ahead log, counted at each checkpoint
}

// Changes returns the number of commits, except those of events and the search index. See [db.DB.Changes].
func (s *Store) Changes() uint64 { return s.db.Changes() }

// Stats returns the counters.
func (s *Store) Stats() Stats {
	d, e := s.db.Stats(), s.Events.Stats()
	return Stats{
		Commits: d.Commits, Checkpoints: d.Checkpoints, WALBytes: d.WALBytes,
		Events: e.Events, EventBytes: e.EventBytes, Folds: e.Folds,
	}
}
