package install

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"weft/backend/agent"
	"weft/backend/agent/registry"
	"weft/backend/base/fault"
)

// Limits are the limits of an install. Zero fields mean the defaults.
type Limits struct {
	Download int64         // bytes of an archive, 1 GiB
	Unpacked int64         // bytes of its unpacked content, 4 GiB
	Ratio    int64         // maximum ratio of that to the archive, 200 (plus 64 MiB)
	Files    int           // files, folders and links in it, 100 000
	Stall    time.Duration // without download progress, 60 s
	Packages time.Duration // for npm or uv, 20 min
}

func (l *Limits) fill() {
	def := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	def(&l.Download, 1<<30)
	def(&l.Unpacked, 4<<30)
	def(&l.Ratio, 200)
	if l.Files == 0 {
		l.Files = 100_000
	}
	if l.Stall == 0 {
		l.Stall = time.Minute
	}
	if l.Packages == 0 {
		l.Packages = 20 * time.Minute
	}
}

// Options configures [New].
type Options struct {
	Dir     string       // where agents are installed, absolute; created when needed
	PidDir  string       // see agent.Spec
	Answers string       // where the user's confirmations are stored, absolute; created when needed. "" stores none
	Paths   *agent.Paths // agent.DefaultPaths if nil
	Now     func() time.Time
	Limits  Limits
}

// Installer installs and removes agents. Create it with [New]. Its methods may be called from any goroutine.
type Installer struct {
	opt Options

	swept sync.Once
	mu    sync.Mutex
	busy  map[string]bool // by the registry's id
}

// New returns an Installer. It doesn't touch the disk.
func New(opt Options) *Installer {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Paths == nil {
		opt.Paths = agent.DefaultPaths()
	}
	opt.Limits.fill()
	return &Installer{opt: opt, busy: map[string]bool{}}
}

// Step is a step of an install.
type Step string

// The steps, in order. A binary is downloaded and unpacked; npm and uv have their own step; install scripts run if the
// user allows them.
const (
	StepDownload Step = "download"
	StepUnpack   Step = "unpack"
	StepPackages Step = "packages"
	StepScripts  Step = "scripts"
)

// Progress is the progress of an install.
type Progress struct {
	Step  Step
	Done  int64  // bytes downloaded or unpacked; packages fetched
	Total int64  // of Done, 0 if unknown
	Line  string // the last line that npm or uv wrote
}

// Install installs one version of an agent and blocks until it is done. progress is called often, but never
// concurrently. local allows archives on this machine; see registry.MayFetch. ask is called for what the user must
// confirm, unless they did so for this version before. If ctx ends, nothing remains.
//
// Error: *Error.
func (in *Installer) Install(ctx context.Context, e registry.Entry, t registry.Target, local bool, progress func(Progress), ask Ask) (Record, error) {
	release, err := in.claim(e)
	if err != nil {
		return Record{}, err
	}
	defer release()
	if err := in.Sweep(); err != nil {
		return Record{}, storage(err)
	}
	home := filepath.Join(in.opt.Dir, e.ID)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return Record{}, storage(err)
	}
	final := freeFolder(home, e.Version)
	w := &work{in: in, local: local, entry: e, target: t, progress: progress, ask: ask, answers: in.readAnswers(e), folder: filepath.Join(home, ".new-"+rand.Text()[:12])}
	if t.Kind == registry.KindUVX {
		w.folder = final // a virtual environment contains its own path
	}
	r := Record{
		ID: e.ID, Name: e.Name, Version: e.Version, Kind: t.Kind, Args: t.Args, Env: t.Env,
		InstalledAt: in.opt.Now().UnixMilli(), Folder: final,
	}
	err = w.do(ctx, &r)
	if err == nil {
		err = w.answers.save()
	}
	if err == nil {
		err = writeRecord(w.folder, r)
	}
	if err == nil && w.folder != final {
		err = os.Rename(w.folder, final)
	}
	if err == nil {
		err = ctx.Err() // canceled at the last moment
	}
	if err != nil {
		err = explain(ctx, err)
		if left := errors.Join(remove(w.folder), remove(final)); left != nil {
			err = fmt.Errorf("%w (%w)", err, left)
		}
		_ = os.Remove(home) // fails if there is another version
		return Record{}, err
	}
	return r, nil
}

// claim makes sure that only one install of an agent runs at a time.
func (in *Installer) claim(e registry.Entry) (release func(), err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.busy[e.ID] {
		return nil, fault.New(CodeBusy, "{{name}} is already being installed.", e.Name)
	}
	in.busy[e.ID] = true
	return func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		delete(in.busy, e.ID)
	}, nil
}

// freeFolder returns an unused folder for a version: its name, with a number appended if that is taken.
func freeFolder(home, version string) string {
	for n := 1; ; n++ {
		name := version
		if n > 1 {
			name += "_" + strconv.Itoa(n)
		}
		folder := filepath.Join(home, name)
		if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
			return folder
		}
	}
}

// Installed returns all installed agents, in no particular order.
func (in *Installer) Installed() []Record {
	var list []Record
	in.folders(func(folder string) {
		if r, err := readRecord(folder); err == nil {
			list = append(list, r)
		}
	})
	return list
}

// Owner returns the registry id of the agent whose folder a command is in, even if that no longer exists.
func (in *Installer) Owner(command string) (id string, ok bool) {
	id, _, ok = in.split(command)
	return id, ok
}

// Record returns the installed agent that a command belongs to.
func (in *Installer) Record(command string) (Record, bool) {
	_, folder, ok := in.split(command)
	if !ok {
		return Record{}, false
	}
	r, err := readRecord(folder)
	return r, err == nil
}

func (in *Installer) split(command string) (id, folder string, ok bool) {
	rel, err := filepath.Rel(in.opt.Dir, command)
	if err != nil || !filepath.IsLocal(rel) {
		return "", "", false
	}
	parts := strings.SplitN(rel, string(filepath.Separator), 3)
	if len(parts) < 3 {
		return "", "", false
	}
	return parts[0], filepath.Join(in.opt.Dir, parts[0], parts[1]), true
}

// Retire marks an installed agent for removal. It can be used until it is removed.
func (in *Installer) Retire(r Record) error {
	if r.Retired {
		return nil
	}
	r.Retired = true
	if err := writeRecord(r.Folder, r); err != nil {
		return storage(err)
	}
	return nil
}

// Remove deletes an installed agent. None of its programs may be running. Error: *Error.
func (in *Installer) Remove(r Record) error {
	rel, err := filepath.Rel(in.opt.Dir, r.Folder)
	if err != nil || !filepath.IsLocal(rel) || !strings.Contains(rel, string(filepath.Separator)) {
		return fault.New(CodeDisk, "The agent to remove isn't in Weft's own folder.")
	}
	// Without its record, it is no longer an installed agent, even if the rest fails.
	if err := os.Remove(filepath.Join(r.Folder, recordName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storage(err)
	}
	if err := remove(r.Folder); err != nil {
		return storage(err)
	}
	_ = os.Remove(filepath.Dir(r.Folder)) // fails if there is another version
	return nil
}

// Sweep removes incomplete installs of an earlier Weft. Only the first call does so, before anything is installed;
// concurrent calls wait for it.
func (in *Installer) Sweep() (err error) {
	in.swept.Do(func() {
		var errs []error
		in.folders(func(folder string) {
			_, err := readRecord(folder)
			if strings.HasPrefix(filepath.Base(folder), ".") || err != nil {
				errs = append(errs, remove(folder))
				_ = os.Remove(filepath.Dir(folder))
			}
		})
		err = errors.Join(errs...)
	})
	return err
}

// folders calls fn for every folder of a complete or incomplete installed agent.
func (in *Installer) folders(fn func(folder string)) {
	agents, _ := os.ReadDir(in.opt.Dir) // if it doesn't exist, nothing is installed
	for _, a := range agents {
		if !a.IsDir() {
			continue
		}
		versions, _ := os.ReadDir(filepath.Join(in.opt.Dir, a.Name()))
		for _, v := range versions {
			if v.IsDir() {
				fn(filepath.Join(in.opt.Dir, a.Name(), v.Name()))
			}
		}
	}
}

// remove deletes a folder, even if an archive has created read-only folders in it.
func remove(folder string) error {
	if os.RemoveAll(folder) == nil {
		return nil
	}
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // the folder is that of Weft, and nothing of it runs yet
		}
		return nil // make writable whatever can be reached
	})
	return os.RemoveAll(folder)
}

// size returns the total size of the files in a folder.
func size(folder string) (bytes int64) {
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil
	})
	return bytes
}

// work is one install.
type work struct {
	in       *Installer
	entry    registry.Entry
	target   registry.Target
	ask      Ask
	answers  *answers
	local    bool
	folder   string // where it is being created
	progress func(Progress)
}

func (w *work) files() string { return filepath.Join(w.folder, filesName) }

func (w *work) do(ctx context.Context, r *Record) error {
	if err := os.MkdirAll(w.files(), 0o700); err != nil {
		return err
	}
	switch w.target.Kind {
	case registry.KindBinary:
		return w.binary(ctx, r)
	case registry.KindNPX:
		return w.npm(ctx, r)
	case registry.KindUVX:
		return w.uv(ctx, r)
	}
	return fault.New(CodeUnsupported, "Weft doesn't know how to install this.")
}
