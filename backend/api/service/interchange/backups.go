package interchange

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/interchange/backup"
	"weft/backend/settings"
	"weft/backend/settings/secret"
)

const (
	// keptBackups is the number of backups that are kept.
	keptBackups = 7

	backupFolder  = "backups"
	backupPrefix  = "weft-"
	backupPattern = backupPrefix + "*.zip"
	backupTime    = "2006-01-02-150405" // UTC

	backupEvery = 24 * time.Hour
	// A backup waits until nothing was written for quiet, but at most for timeout.
	quietBefore  = 5 * time.Minute
	quietTimeout = 6 * time.Hour
	retryAfter   = time.Hour // after a failure
)

// KeptBackup is a backup in Weft's folder.
type KeptBackup struct {
	Path string `json:"path"`
	At   int64  `json:"at"`   // unix ms
	Size int64  `json:"size"` // bytes
}

// BackupState lists the backups.
type BackupState struct {
	Daily   bool         `json:"daily"` // make one each day on which something has changed
	Folder  string       `json:"folder"`
	Backups []KeptBackup `json:"backups"` // newest first
	Bytes   int64        `json:"bytes"`   // total size
	Running bool         `json:"running"`
	Error   string       `json:"error"` // why the last backup failed, as a sentence; "" if it didn't fail
	// LeftOut are the settings that a backup omits now because they look like secrets.
	LeftOut []string `json:"leftOut"`
}

// DailyBackups says whether Weft makes a backup each day.
type DailyBackups struct {
	Daily bool `json:"daily"`
}

// BackupOptions configures [NewBackups].
type BackupOptions struct {
	DataDir  string
	Settings *settings.File
	Redactor *secret.Redactor // may be nil
	Version  string
	Commits  func() int64 // number of writes since the start
	Now      func() time.Time
	Changed  func() // called when a backup begins or the list changes
	Log      zerolog.Logger
}

// Backups makes backups, one at a time.
type Backups struct {
	opt   BackupOptions
	wake  chan struct{}
	stop  context.CancelFunc // of the schedule
	ended sync.WaitGroup

	mu      sync.Mutex
	running bool
	failed  string

	// State of the schedule, used only by it.
	commits   int64     // at the last check
	dueSince  time.Time // zero if none is due
	triedLast time.Time
}

// NewBackups returns the backups of a data folder. Call [Backups.Start] to make them when they are due.
func NewBackups(opt BackupOptions) *Backups { return &Backups{opt: opt, wake: make(chan struct{}, 1)} }

// Start makes backups when they are due, until [Backups.Close].
func (b *Backups) Start(ctx context.Context) {
	ctx, b.stop = context.WithCancel(context.WithoutCancel(ctx))
	b.ended.Go(func() { b.schedule(ctx) })
}

// Close stops the schedule and cancels a scheduled backup in progress. It waits until both have ended.
func (b *Backups) Close() {
	if b.stop != nil {
		b.stop()
	}
	b.ended.Wait()
}

func (b *Backups) dir() string { return filepath.Join(b.opt.DataDir, backupFolder) }

// listBackups returns the backups, newest first.
func listBackups(dir string) (all []KeptBackup) {
	paths, err := filepath.Glob(filepath.Join(dir, backupPattern))
	if err != nil {
		return nil // can't happen: the pattern is constant
	}
	for _, path := range paths {
		at, err := time.Parse(backupTime, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), backupPrefix), ".zip"))
		info, statErr := os.Stat(path)
		if err == nil && statErr == nil && info.Mode().IsRegular() {
			all = append(all, KeptBackup{Path: path, At: at.UnixMilli(), Size: info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b KeptBackup) int { return int(b.At - a.At) })
	return all
}

// LastBackup returns the newest backup in a data folder, and whether there is one.
func LastBackup(dataDir string) (last KeptBackup, ok bool) {
	all := listBackups(filepath.Join(dataDir, backupFolder))
	if len(all) == 0 {
		return last, false
	}
	return all[0], true
}

// Backups returns the automatic backups.
func (b *Backups) Backups(context.Context, command.None) (BackupState, error) {
	s := b.opt.Settings.Get()
	out := BackupState{Daily: s.BackUpDaily(), Folder: b.dir()}
	b.mu.Lock()
	out.Running, out.Error = b.running, b.failed
	b.mu.Unlock()
	out.LeftOut = append([]string{}, backup.LeftOut(b.opt.Settings.Path(), b.opt.Redactor)...)
	// List them after reading the state, so that a backup that has just ended isn't missing.
	out.Backups = append([]KeptBackup{}, listBackups(b.dir())...)
	for _, one := range out.Backups {
		out.Bytes += one.Size
	}
	return out, nil
}

// SaveDailyBackups sets whether Weft makes a backup each day. Existing backups stay.
func (b *Backups) SaveDailyBackups(ctx context.Context, req DailyBackups) (BackupState, error) {
	err := b.opt.Settings.Update(func(now *settings.Settings) error {
		now.Backups = settings.BackupsOff
		if req.Daily {
			now.Backups = ""
		}
		return nil
	})
	if err != nil {
		return BackupState{}, err
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return b.Backups(ctx, command.None{})
}

// BackUp makes a backup and returns when it is complete. Error: busy while another one is being made.
func (b *Backups) BackUp(ctx context.Context, _ command.None) (BackupState, error) {
	if err := b.make(ctx); err != nil {
		return BackupState{}, err
	}
	return b.Backups(ctx, command.None{})
}

// make makes a backup and deletes the oldest ones.
func (b *Backups) make(ctx context.Context) (err error) {
	b.mu.Lock()
	if b.running {
		b.mu.Unlock()
		return fault.New("busy", "A backup is being made already.")
	}
	b.running = true
	b.mu.Unlock()
	b.opt.Changed()
	defer func() {
		b.mu.Lock()
		b.running, b.failed = false, ""
		if err != nil && ctx.Err() == nil {
			b.failed = err.Error()
		}
		b.mu.Unlock()
		b.opt.Changed()
	}()
	if err := os.MkdirAll(b.dir(), 0o700); err != nil {
		return fault.New("io", "Couldn't create the folder for backups {{folder}}.", b.dir()).Because(err)
	}
	path := filepath.Join(b.dir(), backupPrefix+b.opt.Now().UTC().Format(backupTime)+".zip")
	_, err = backup.Write(ctx, backup.Source{DataDir: b.opt.DataDir, Settings: b.opt.Settings.Path(), Redactor: b.opt.Redactor, Weft: b.opt.Version, Now: b.opt.Now}, path)
	if err != nil {
		return err
	}
	all := listBackups(b.dir())
	for _, old := range all[min(keptBackups, len(all)):] {
		if err := os.Remove(old.Path); err != nil {
			b.opt.Log.Warn().Err(err).Msg("an old backup could not be deleted")
		}
	}
	return nil
}

// schedule makes backups when they are due, until ctx ends. It sleeps in between.
func (b *Backups) schedule(ctx context.Context) {
	for wait := quietBefore; ; wait = b.look(ctx) {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-b.wake:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// look makes a backup if one is due, and returns how long to wait before the next check.
func (b *Backups) look(ctx context.Context) time.Duration {
	s := b.opt.Settings.Get()
	if !s.BackUpDaily() {
		b.dueSince = time.Time{}
		return backupEvery // a change of the setting wakes the schedule
	}
	now := b.opt.Now()
	last, ok := LastBackup(b.opt.DataDir)
	made := time.UnixMilli(last.At)
	if left := made.Add(backupEvery).Sub(now); ok && left > 0 && left <= backupEvery {
		return left
	}
	if ok && !b.changedSince(made) {
		return backupEvery
	}
	if left := b.triedLast.Add(retryAfter).Sub(now); left > 0 && left <= retryAfter {
		return left
	}
	commits := b.opt.Commits()
	busy := b.dueSince.IsZero() || commits != b.commits
	b.commits = commits
	if b.dueSince.IsZero() {
		b.dueSince = now
	}
	if busy && now.Sub(b.dueSince) < quietTimeout {
		return quietBefore
	}
	b.dueSince, b.triedLast = time.Time{}, now
	if err := b.make(ctx); err != nil {
		if ctx.Err() == nil {
			b.opt.Log.Warn().Err(err).Msg("the daily backup failed")
		}
		return retryAfter
	}
	return backupEvery
}

// changedSince reports whether the conversations have changed since then.
func (b *Backups) changedSince(then time.Time) bool {
	for _, side := range []string{"", "-wal"} {
		info, err := os.Stat(filepath.Join(b.opt.DataDir, "weft.db"+side))
		if err == nil && info.ModTime().After(then) {
			return true
		}
	}
	return false
}
