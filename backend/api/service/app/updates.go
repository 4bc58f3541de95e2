package app

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/desktop/update"
	"weft/backend/settings"
)

// UpdatesFile is the file in the data folder with the time of the last check.
const UpdatesFile = "updates.json"

const (
	firstCheckAfter = time.Minute // after the start
	checkEvery      = 24 * time.Hour
	retryCheckAfter = 3 * time.Hour // after a failed check
	askAgainAfter   = 3 * 24 * time.Hour
)

// The phases of an update, as the frontend shows them.
const (
	UpdateIdle        = "idle"
	UpdateChecking    = "checking"
	UpdateDownloading = "downloading"
	UpdateReady       = "ready"      // a restart installs it
	UpdateWaiting     = "waiting"    // restarts when no turn is running
	UpdateRestarting  = "restarting" // now
)

// AvailableUpdate is a newer version.
type AvailableUpdate struct {
	Version string `json:"version"`
	Date    int64  `json:"date"`    // unix ms
	Notes   string `json:"notes"`   // Markdown
	Size    int64  `json:"size"`    // bytes to download; 0 without a file for this system
	URL     string `json:"url"`     // of the file, or ""
	Command string `json:"command"` // installs the downloaded package, if the user must do that; else ""
}

// UpdateOutcome is the result of the last update.
type UpdateOutcome struct {
	From   string `json:"from"` // versions
	To     string `json:"to"`
	Failed bool   `json:"failed"` // Weft has rolled back to From
	Why    string `json:"why"`    // why it failed, as a sentence
}

// UpdateState is the state of updates.
type UpdateState struct {
	Version    string           `json:"version"`                                                         // of this Weft
	Checks     string           `json:"checks" enum:"none,ask,daily,off"`                                // none: this build can't check; ask: the user was not asked yet
	How        string           `json:"how" enum:"archive,setup,deb,rpm,archlinux,apk,other"`            // how this Weft was installed
	Replaces   bool             `json:"replaces"`                                                        // it can replace itself
	Host       string           `json:"host"`                                                            // the update server
	CheckedAt  int64            `json:"checkedAt"`                                                       // unix ms, 0 if never
	Phase      string           `json:"phase" enum:"idle,checking,downloading,ready,waiting,restarting"` // what Weft is doing
	Available  *AvailableUpdate `json:"available"`                                                       // nil without a newer version
	Notice     bool             `json:"notice"`                                                          // show a quiet notification
	Ready      string           `json:"ready"`                                                           // the version that a restart installs, "" if none
	CanRestart bool             `json:"canRestart"`                                                      // Weft can restart itself
	Done       int64            `json:"done"`                                                            // downloaded bytes
	Error      string           `json:"error"`                                                           // why the last check or download failed, as a sentence
	Outcome    *UpdateOutcome   `json:"outcome"`                                                         // of the last update; nil if there was none or the user has seen it
}

// UpdateChecks says whether Weft checks for updates each day.
type UpdateChecks struct {
	Daily bool `json:"daily"`
}

// UpdateOptions configures [NewUpdates].
type UpdateOptions struct {
	Source   *update.Source // nil: this build doesn't check
	Place    *update.Place
	Version  string
	DataDir  string
	Settings *settings.File
	Busy     func() bool // a turn is running somewhere
	Restart  func()      // restarts Weft; nil if it can't
	Changed  func()      // the state has changed
	Now      func() time.Time
	Log      zerolog.Logger
}

// Updates checks for updates and installs them.
type Updates struct {
	opt     UpdateOptions
	checker *update.Checker // nil without a source
	wake    chan struct{}
	life    context.Context //nolint:containedctx // of downloads, which outlast their commands
	stop    context.CancelFunc
	ended   sync.WaitGroup

	mu     sync.Mutex
	phase  string
	done   int64
	shown  int64 // value of done in the last event
	failed string
	cancel context.CancelFunc // cancels the download
	tried  time.Time          // start of the last check
}

// NewUpdates returns the updates. Call [Updates.Start] to check for them each day, if that is allowed.
func NewUpdates(opt UpdateOptions) *Updates {
	if opt.Place == nil {
		opt.Place = &update.Place{How: update.HowOther}
	}
	u := &Updates{opt: opt, wake: make(chan struct{}, 1), phase: UpdateIdle}
	u.life, u.stop = context.WithCancel(context.Background())
	if !update.Released(opt.Version) {
		u.opt.Source = nil // there is no version to compare with
	}
	if u.opt.Source != nil {
		u.checker = &update.Checker{Source: u.opt.Source, Path: filepath.Join(opt.DataDir, UpdatesFile), Version: opt.Version, Now: opt.Now}
	}
	return u
}

// Start checks for updates each day, if that is allowed, until [Updates.Close].
func (u *Updates) Start() {
	if u.checker != nil {
		u.ended.Go(u.schedule)
	}
}

// Close cancels a check or download in progress and waits for its end.
func (u *Updates) Close() {
	u.stop()
	u.ended.Wait()
}

// schedule checks for updates when it is time. If checks aren't allowed, it has no timer.
func (u *Updates) schedule() {
	for wait := u.next(firstCheckAfter); ; wait = u.next(0) {
		var due <-chan time.Time
		stop := func() bool { return true }
		if wait > 0 {
			timer := time.NewTimer(wait)
			due, stop = timer.C, timer.Stop
		}
		select {
		case <-due:
			if u.daily() {
				_ = u.check(u.life) // the error is in the state
			}
		case <-u.wake:
		case <-u.life.Done():
			stop()
			return
		}
		stop()
	}
}

func (u *Updates) daily() bool {
	s := u.opt.Settings.Get()
	return s.Updates == settings.UpdatesDaily
}

// next returns the time until the next check, but not less than least; 0 for never.
func (u *Updates) next(least time.Duration) time.Duration {
	if !u.daily() {
		return 0
	}
	now := u.opt.Now()
	last := u.checker.Last().CheckedAt
	wait := last.Add(checkEvery).Sub(now)
	if last.IsZero() || wait > checkEvery || wait < 0 { // also if the clock was changed
		wait = 0
	}
	u.mu.Lock()
	if since := now.Sub(u.tried); u.failed != "" && since >= 0 {
		wait = max(wait, retryCheckAfter-since)
	}
	u.mu.Unlock()
	return max(wait, least, time.Second)
}

// wakeUp wakes the schedule.
func (u *Updates) wakeUp() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// enter begins a phase if the current phase is in from. Error: busy.
func (u *Updates) enter(phase string, from ...string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, one := range from {
		if u.phase == one {
			u.phase, u.done, u.shown = phase, 0, 0
			if phase == UpdateChecking || phase == UpdateDownloading {
				u.failed = ""
			}
			return nil
		}
	}
	if u.phase == UpdateChecking {
		return fault.New(fault.Busy, "Weft is already checking for updates.")
	}
	return fault.New(fault.Busy, "An update is already being installed.")
}

// leave ends a phase. It reports err unless Weft or the user canceled the phase.
func (u *Updates) leave(phase string, err error) {
	u.mu.Lock()
	u.phase, u.cancel = phase, nil
	if err != nil && u.life.Err() == nil && fault.CodeOf(err) != fault.Cancelled {
		u.failed = err.Error()
		u.opt.Log.Warn().Err(err).Msg("updates")
	}
	u.mu.Unlock()
	u.opt.Changed()
}

// check asks the server for a newer version.
func (u *Updates) check(ctx context.Context) error {
	if err := u.enter(UpdateChecking, UpdateIdle); err != nil {
		return err
	}
	u.mu.Lock()
	u.tried = u.opt.Now()
	u.mu.Unlock()
	u.opt.Changed()
	_, err := u.checker.Check(ctx)
	u.leave(UpdateIdle, err)
	return err
}

// Updates returns the state of updates. It does not contact a server.
func (u *Updates) Updates(context.Context, command.None) (UpdateState, error) {
	s := u.opt.Settings.Get()
	u.mu.Lock() // locked before the reads below, which running phases change
	phase, done, failed := u.phase, u.done, u.failed
	u.mu.Unlock()
	out := UpdateState{Version: u.opt.Version, How: u.opt.Place.How, Replaces: u.opt.Place.Replaces(), CanRestart: u.opt.Restart != nil, Checks: s.Updates}
	if o := u.opt.Place.Outcome(); o != nil {
		out.Outcome = &UpdateOutcome{From: o.From, To: o.To, Failed: o.Failed, Why: o.Why}
	}
	switch {
	case u.checker == nil:
		out.Checks, out.Phase = "none", UpdateIdle
		return out, nil
	case out.Checks == "":
		out.Checks = "ask"
	}
	out.Host = u.opt.Source.Host()
	last := u.checker.Last()
	if !last.CheckedAt.IsZero() {
		out.CheckedAt = last.CheckedAt.UnixMilli()
	}
	if m := last.Newer; m != nil {
		out.Available = &AvailableUpdate{Version: m.Version, Date: m.Date.UnixMilli(), Notes: m.Notes}
		if f, ok := u.opt.Place.File(m); ok {
			out.Available.Size, out.Available.URL, out.Available.Command = f.Size, f.URL, u.opt.Place.CommandFor(f)
		}
		out.Notice = !last.Later
	}
	if u.opt.Place.Replaces() {
		out.Ready = u.opt.Place.Ready()
	}
	out.Phase, out.Done, out.Error = phase, done, failed
	if out.Phase == UpdateIdle && out.Ready != "" {
		out.Phase = UpdateReady
	}
	return out, nil
}

func (u *Updates) state(ctx context.Context) (UpdateState, error) {
	return u.Updates(ctx, command.None{})
}

// requireSource returns the error for a build without a source.
func (u *Updates) requireSource() error {
	if u.checker == nil {
		return fault.New("unsupported", "This build of Weft doesn't check for updates.")
	}
	return nil
}

// CheckForUpdates asks the server for a newer version.
func (u *Updates) CheckForUpdates(ctx context.Context, _ command.None) (UpdateState, error) {
	if err := u.requireSource(); err != nil {
		return UpdateState{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(u.life, cancel)()
	if err := u.check(ctx); err != nil {
		return UpdateState{}, err
	}
	u.wakeUp()
	return u.state(ctx)
}

// SaveUpdateChecks sets whether Weft checks for updates each day.
func (u *Updates) SaveUpdateChecks(ctx context.Context, req UpdateChecks) (UpdateState, error) {
	if err := u.requireSource(); err != nil {
		return UpdateState{}, err
	}
	err := u.opt.Settings.Update(func(now *settings.Settings) error {
		now.Updates = settings.UpdatesOff
		if req.Daily {
			now.Updates = settings.UpdatesDaily
		}
		return nil
	})
	if err != nil {
		return UpdateState{}, err
	}
	u.SettingsChanged()
	return u.state(ctx)
}

// SettingsChanged wakes the schedule, which reads the settings again.
func (u *Updates) SettingsChanged() {
	u.wakeUp()
	u.opt.Changed()
}

// InstallUpdate starts downloading the newest known version. A restart installs it. The state has the progress.
func (u *Updates) InstallUpdate(ctx context.Context, _ command.None) (UpdateState, error) {
	if err := u.requireSource(); err != nil {
		return UpdateState{}, err
	}
	m := u.checker.Last().Newer
	if m == nil {
		return UpdateState{}, fault.New(fault.NotFound, "There is no newer version of Weft to install. Check for updates first.")
	}
	if !u.opt.Place.Replaces() {
		return UpdateState{}, fault.New("unsupported", "Weft can't update itself here. Download the new version and install it as before.")
	}
	if err := u.enter(UpdateDownloading, UpdateIdle); err != nil {
		return UpdateState{}, err
	}
	download, cancel := context.WithCancel(u.life)
	u.mu.Lock()
	u.cancel = cancel
	u.mu.Unlock()
	u.ended.Go(func() {
		defer cancel()
		u.leave(UpdateIdle, u.opt.Place.Stage(download, u.opt.Source, m, u.opt.Version, u.progress))
	})
	return u.state(ctx)
}

// progress records the downloaded bytes and reports each megabyte.
func (u *Updates) progress(done int64) {
	const step = 1 << 20
	u.mu.Lock()
	u.done = done
	tell := done-u.shown >= step
	if tell {
		u.shown = done
	}
	u.mu.Unlock()
	if tell {
		u.opt.Changed()
	}
}

// CancelUpdate cancels a download, or a restart that waits for turns. A downloaded version stays ready.
func (u *Updates) CancelUpdate(ctx context.Context, _ command.None) (UpdateState, error) {
	u.mu.Lock()
	if u.cancel != nil {
		u.cancel()
	}
	if u.phase == UpdateWaiting {
		u.phase = UpdateIdle
	}
	u.mu.Unlock()
	u.opt.Changed()
	return u.state(ctx)
}

// RestartToUpdate restarts Weft, which installs the downloaded version. While a turn is running, it waits for its end.
func (u *Updates) RestartToUpdate(ctx context.Context, _ command.None) (UpdateState, error) {
	switch {
	case u.opt.Restart == nil:
		return UpdateState{}, fault.New("unsupported", "Weft can't restart itself here. Close it and start it again.")
	case !u.opt.Place.Replaces() || u.opt.Place.Ready() == "":
		return UpdateState{}, fault.New(fault.NotFound, "No update is ready to be installed.")
	}
	if err := u.enter(UpdateWaiting, UpdateIdle, UpdateWaiting); err != nil {
		return UpdateState{}, err
	}
	u.opt.Changed()
	u.TurnsChanged()
	return u.state(ctx)
}

// TurnsChanged restarts Weft if a restart waits for turns and none is running. It is called whenever a turn may have
// ended, and must be fast.
func (u *Updates) TurnsChanged() {
	u.mu.Lock()
	waits := u.phase == UpdateWaiting
	u.mu.Unlock()
	if !waits || u.opt.Busy() {
		return
	}
	if u.enter(UpdateRestarting, UpdateWaiting) == nil {
		u.opt.Changed()
		u.opt.Restart()
	}
}

// PostponeUpdate hides notifications about the newest version for some days. Settings still show it.
func (u *Updates) PostponeUpdate(ctx context.Context, _ command.None) (UpdateState, error) {
	if err := u.requireSource(); err != nil {
		return UpdateState{}, err
	}
	if m := u.checker.Last().Newer; m != nil {
		if err := u.checker.Later(m.Version, u.opt.Now().Add(askAgainAfter)); err != nil {
			return UpdateState{}, err
		}
	}
	u.opt.Changed()
	return u.state(ctx)
}

// DismissUpdateOutcome records that the user has seen the result of the last update.
func (u *Updates) DismissUpdateOutcome(ctx context.Context, _ command.None) (UpdateState, error) {
	if !u.opt.Place.Replaces() {
		return u.state(ctx)
	}
	if err := u.opt.Place.Seen(); err != nil {
		return UpdateState{}, fault.New("io", "Couldn't mark it as seen.").Because(err)
	}
	u.opt.Changed()
	return u.state(ctx)
}
