package update

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"

	"weft/backend/base/beside"
	"weft/backend/files/atomicfile"
	"weft/backend/files/filelock"
)

// tryTime is how long a new version may take to say which one it is.
const (
	tryTime  = 30 * time.Second
	tryAgain = 10 * time.Millisecond
)

// Stage downloads a version and puts it beside the one that is installed, for the next start. The one that is installed
// stays as it is, and nothing is left behind where it fails. Only one process at a time can do so. progress is told how
// many bytes there are, often. Codes of errors: update_older, download_failed, wrong_checksum, bad_archive,
// unsupported, busy, disk_full, read_only, io, cancelled.
func (p *Place) Stage(ctx context.Context, s *Source, m *Manifest, current string, progress func(done int64)) (err error) {
	f, ok := p.File(m)
	switch {
	case !p.Replaces() || !ok:
		return fail(codeUnsupported, nil, "Weft can't update itself here. Download the new version from its web page.")
	case !Newer(m.Version, current):
		return fail(codeOlder, nil, "Weft {{version}} isn't newer than the one that is installed ({{current}}).", m.Version, current)
	}
	if err := os.MkdirAll(p.dir(), 0o700); err != nil {
		return p.cantWrite(err)
	}
	lock, err := tryLock(p.dir(), filelock.Exclusive)
	if err != nil && !errors.Is(err, filelock.ErrHeld) {
		return p.cantWrite(err)
	}
	if err != nil {
		return fail("busy", err, "Another Weft is downloading an update. Try again when it is done.")
	}
	defer lock.Close()
	st, err := p.load()
	if err != nil {
		return err
	}
	if st.Phase != phaseNone && st.Phase != phaseReady {
		return fail("busy", nil, "An update is being finished. Restart Weft, then try again.")
	}
	p.mu.Lock()
	p.staging = true
	err = p.restart()
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.staging = false
		if err != nil {
			_ = p.tidy()
			_ = p.save(state{Outcome: p.Outcome()})
		}
	}()
	if err != nil {
		return p.cantWrite(err)
	}
	entries, err := p.fetch(ctx, s, f, progress)
	if err != nil {
		return err
	}
	if err := try(ctx, p.dir("new", filepath.FromSlash(p.layout.program)), m.Version); err != nil {
		return err
	}
	if err := p.ownEntry(entries); err != nil {
		return p.cantWrite(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	err = p.save(state{Phase: phaseReady, From: current, To: m.Version, New: entries, Outcome: p.Outcome()})
	if err != nil {
		return p.cantWrite(err)
	}
	return nil
}

// restart forgets a version that was staged before, but not how the last update has ended.
func (p *Place) restart() error {
	outcome := p.Outcome()
	err := os.Remove(p.dir(stateFile))
	if outcome != nil {
		err = p.save(state{Outcome: outcome})
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, p.tidy())
}

// fetch downloads and unpacks into the folder "new".
func (p *Place) fetch(ctx context.Context, s *Source, f File, progress func(done int64)) ([]Entry, error) {
	part, err := os.OpenFile(p.dir("download"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, p.cantWrite(err)
	}
	defer part.Close()
	if err := s.download(ctx, f, part, progress); err != nil {
		return nil, p.cantWrite(err)
	}
	if err := os.Mkdir(p.dir("new"), 0o755); err != nil {
		return nil, p.cantWrite(err)
	}
	entries, err := p.unpack(ctx, part, f.Size)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, p.cantWrite(err)
	}
	_ = part.Close() // Windows doesn't remove a file that is open
	return entries, os.Remove(p.dir("download"))
}

// try runs a new version, so that one that can't run here is found before it is in place: libraries may be missing. A
// process that is just becoming an agent or a command may still have the program open as a file that is written; it is
// tried again then, because the system doesn't report when that ends.
func try(ctx context.Context, path, version string) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	var out []byte
	var err error
	for {
		cmd := exec.CommandContext(ctx, path, "--version")
		cmd.WaitDelay = time.Second
		beside.WithoutWindow(cmd)
		if out, err = cmd.CombinedOutput(); !errors.Is(err, syscall.ETXTBSY) || ctx.Err() != nil {
			break
		}
		time.Sleep(tryAgain)
	}
	said := firstLine(strings.TrimSpace(string(out)))
	if err != nil {
		if said == "" {
			said = err.Error()
		}
		return fail(codeUnsupported, err, "Weft {{version}} doesn't run on this system, so it wasn't installed: “{{said}}”. Install what is missing, then try again.", version, said)
	}
	if got := strings.TrimPrefix(said, "weft "); canonical(got) != canonical(version) {
		return badArchive(errors.New(said), "it has another version of Weft than it should")
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, line)
	if r := []rune(line); len(r) > 200 {
		line = string(r[:200]) + "…"
	}
	return line
}

// desktopEntry names the program by its path where Weft isn't in a folder of the system.
const desktopEntry = "share/applications/weft.desktop"

// ownEntry has the desktop entry of a new version name the programs and the icon by their paths, as install.sh does.
func (p *Place) ownEntry(entries []Entry) error {
	path := p.dir("new", filepath.FromSlash(desktopEntry))
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text := strings.ReplaceAll("\n"+string(raw), "\nExec=weft", "\nExec=\""+p.at("bin/weft")+"\"")
	text = strings.ReplaceAll(text, "\nIcon=weft", "\nIcon="+p.at("share/icons/hicolor/scalable/apps/weft.svg"))
	if err := atomicfile.Write(path, []byte(text[1:]), 0o644); err != nil {
		return err
	}
	for i := range entries {
		if entries[i].Name == desktopEntry {
			entries[i].SHA256, err = sumOf(path)
		}
	}
	return err
}

// cantWrite explains why nothing can be written where Weft is installed. Errors that are explained already stay as they
// are.
func (p *Place) cantWrite(err error) error {
	switch {
	case explained(err):
		return err
	case atomicfile.Full(err):
		return fail("disk_full", err, "Couldn't install the update: the disk is full. Nothing was changed. Free some space and try again.")
	case atomicfile.Denied(err):
		return fail("read_only", err, "Couldn't install the update: Weft isn't allowed to write to {{folder}}. Nothing was changed. Install the new version as the user who installed Weft.", p.Prefix)
	case errors.Is(err, context.Canceled):
		return fail("cancelled", err, "The update was canceled.")
	}
	return fail("io", err, "Couldn't install the update in {{folder}}: {{reason}}. Nothing was changed.", p.Prefix, err)
}
