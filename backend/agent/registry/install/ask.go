package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"weft/backend/agent/registry"
	"weft/backend/base/fault"
	"weft/backend/base/quantity"
)

// Question is what an install has to ask the user before it continues. Nothing of what it asks about has been
// run or downloaded yet.
type Question struct {
	Code     string   `json:"code" enum:"unverified_download,install_scripts,source_build"` // CodeUnverified, CodeScripts or CodeBuild
	Token    string   `json:"token"`                                                        // names exactly what is asked: it changes when anything of it does
	Message  string   `json:"message"`                                                      // full sentences
	Host     string   `json:"host"`                                                         // CodeUnverified: of the download; empty for a file on this computer
	Address  string   `json:"address"`                                                      // CodeUnverified
	Bytes    int64    `json:"bytes"`                                                        // CodeUnverified: size of the download, 0 if the server doesn't say
	Scripts  []Script `json:"scripts"`                                                      // CodeScripts
	Packages []string `json:"packages"`                                                     // CodeBuild: those that the installer named, none where it named none
}

// Script is an install script of a package, as npm would run it.
type Script struct {
	Package string `json:"package"`
	Version string `json:"version"`
	Event   string `json:"event"` // preinstall, install or postinstall
	Command string `json:"command"`

	folder   string // of the package, relative, with slashes
	optional bool   // the agent can do without the package
}

// Ask asks the user a question. It may block until ctx ends. A no to CodeUnverified or CodeBuild cancels the install; a
// no to CodeScripts installs without running the scripts. An error ends the install.
type Ask func(ctx context.Context, q Question) (yes bool, err error)

// token identifies a question about one version of an agent.
func token(e registry.Entry, code string, what any) string {
	raw, err := json.Marshal([]any{e.ID, e.Version, code, what})
	if err != nil {
		panic(err) // plain strings
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12])
}

// askDownload asks whether to download an archive without a checksum in the registry.
func (w *work) askDownload(ctx context.Context) error {
	u, err := url.Parse(w.target.Archive)
	if err != nil || !registry.MayFetch(u, w.local) {
		return forbidden(err) // nothing to ask about
	}
	q := Question{
		Code: CodeUnverified, Token: token(w.entry, CodeUnverified, w.target.Archive), Host: u.Hostname(), Address: w.target.Archive,
		Scripts: []Script{}, Packages: []string{},
	}
	if w.answers.has(q.Token) {
		return nil // no need to ask the server for the size
	}
	q.Bytes = Size(ctx, w.target.Archive, w.local)
	from, size := "from "+q.Host, "size unknown"
	if q.Host == "" {
		from = "from this computer"
	}
	if q.Bytes > 0 {
		size = quantity.Bytes(q.Bytes)
	}
	q.Message = fmt.Sprintf("The registry has no checksum for %s %s, so the download %s (%s) can't be verified. Install it anyway?",
		w.entry.Name, w.entry.Version, from, size)
	yes, err := w.confirm(ctx, q)
	if err == nil && !yes {
		err = fault.New(CodeCancelled, "The installation was canceled. Nothing was downloaded.")
	}
	return err
}

// confirm asks a question unless the user has confirmed it before, and stores a yes.
func (w *work) confirm(ctx context.Context, q Question) (yes bool, err error) {
	if w.answers.has(q.Token) {
		return true, nil
	}
	yes, err = w.ask(ctx, q)
	if err == nil && yes {
		w.answers.add(q.Token)
	}
	return yes, err
}

// askScripts asks about install scripts. It reports whether they may run.
func (w *work) askScripts(ctx context.Context, scripts []Script) (bool, error) {
	q := Question{Code: CodeScripts, Token: token(w.entry, CodeScripts, scripts), Scripts: scripts, Packages: []string{}}
	packages := packagesOf(scripts)
	q.Message = fmt.Sprintf("%s of %s %s want to run install scripts with your permissions. Run them?", quantity.Count(len(packages), "package", "packages"), w.entry.Name, w.entry.Version)
	if len(packages) == 1 {
		q.Message = fmt.Sprintf("1 package of %s %s wants to run install scripts with your permissions. Run them?", w.entry.Name, w.entry.Version)
	}
	return w.confirm(ctx, q)
}

// packagesOf returns the unique names of the packages, in the order of the scripts.
func packagesOf(scripts []Script) (names []string) {
	seen := map[string]bool{}
	for _, s := range scripts {
		if !seen[s.Package] {
			seen[s.Package] = true
			names = append(names, s.Package)
		}
	}
	return names
}

// few joins names for a sentence.
func few(names []string) string {
	const shown = 5
	if over := len(names) - shown; over > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), over)
	}
	return strings.Join(names, ", ")
}
