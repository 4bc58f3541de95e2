package update

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"weft/backend/base/lazyregexp"

	"aead.dev/minisign"
	"github.com/go-json-experiment/json"
	"golang.org/x/mod/semver"

	"weft/backend/base/fault"
)

// Format is the version of the form of manifests. One of a later form is refused with a sentence.
const Format = 1

// The bounds of a manifest.
const (
	maxManifest  = 256 << 10
	maxSignature = 4 << 10
	maxNotes     = 64 << 10
	maxFiles     = 100
	maxDownload  = 1 << 30
)

// The kinds of files.
const (
	KindArchive = "tar.gz"
	KindDeb     = "deb"
	KindRPM     = "rpm"
	KindArch    = "pkg.tar.zst"
	KindAlpine  = "apk"
	KindZip     = "zip" // for Windows
	KindImage   = "dmg" // for Macs of both kinds
)

// Kinds are all kinds of files, as the names of the files end.
func Kinds() []string {
	return []string{KindArchive, KindDeb, KindRPM, KindArch, KindAlpine, KindZip, KindImage}
}

// Manifest describes the newest version of Weft.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // such as 1.2.3
	Date    time.Time `json:"date"`
	Notes   string    `json:"notes"` // Markdown
	Files   []File    `json:"files"`
}

// File is a file to download.
type File struct {
	OS     string `json:"os"`   // as Go names it
	Arch   string `json:"arch"` // as Go names it
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	URL    string `json:"url"`
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // in hexadecimal digits
}

var (
	nameForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._+~-]{0,150}$`)
	sumForm  = lazyregexp.New(`^[0-9a-f]{64}$`)
	wordForm = lazyregexp.New(`^[a-z0-9_]{1,20}$`)
	// afterTag is what git describe writes of a commit behind a tag, and of a tree with changes.
	afterTag = lazyregexp.New(`-[0-9]+-g[0-9a-f]+$|-dirty$`)
)

// canonical returns a version in the form of package semver, or "" if it is none.
func canonical(version string) string {
	v := "v" + strings.TrimPrefix(version, "v")
	if len(v) > 100 || !semver.IsValid(v) || semver.Canonical(v) != v || afterTag.MatchString(v) {
		return ""
	}
	return v
}

// Released reports whether a version is one that can be compared with those of manifests: 1.2.3 is, a commit isn't.
func Released(version string) bool { return canonical(version) != "" }

// Newer reports whether version a is newer than b.
func Newer(a, b string) bool { return semver.Compare(canonical(a), canonical(b)) > 0 }

// Verify reads a manifest that was signed with the private key of key. The manifest may come from a server on this
// machine; then its files may, too. Errors: update_unverified.
func Verify(key minisign.PublicKey, raw, signature []byte, local bool) (Manifest, error) {
	if !minisign.Verify(key, raw, signature) {
		return Manifest{}, fail(codeUnverified, nil, "The list of versions isn't signed with the key of this Weft. Nothing was installed. Try again later; if it happens again, download Weft from its web page.")
	}
	m, err := parse(raw)
	if err != nil {
		return Manifest{}, err
	}
	for _, f := range m.Files {
		if u, err := url.Parse(f.URL); err != nil || !mayFetch(u, local) {
			return Manifest{}, malformed(err, "the address of {{name}} isn't allowed", f.Name)
		}
	}
	return m, nil
}

func malformed(err error, template fault.Template, values ...any) error {
	return fail(codeUnverified, err, "Weft can't use the list of versions: {{why}}. Nothing was installed. Download Weft from its web page.", fault.Say(template, values...))
}

// parse reads a manifest and checks everything but its addresses.
func parse(raw []byte) (m Manifest, err error) {
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, malformed(err, "its format is unknown")
	}
	switch {
	case m.Format != Format:
		return m, malformed(nil, "it is written for a newer Weft")
	case canonical(m.Version) == "" || strings.HasPrefix(m.Version, "v"):
		return m, malformed(nil, "its version is invalid")
	case m.Date.IsZero():
		return m, malformed(nil, "it has no date")
	case len(m.Notes) > maxNotes || !utf8.ValidString(m.Notes):
		return m, malformed(nil, "its notes are too long")
	case len(m.Files) == 0 || len(m.Files) > maxFiles:
		return m, malformed(nil, "it has no files, or too many")
	}
	for _, f := range m.Files {
		switch {
		case !nameForm.MatchString(f.Name) || strings.Contains(f.Name, ".."):
			return m, malformed(nil, "the name of a file isn't allowed")
		case !slices.Contains(Kinds(), f.Kind) && !nameForm.MatchString(f.Kind), !wordForm.MatchString(f.OS), !wordForm.MatchString(f.Arch):
			return m, malformed(nil, "it doesn't say what {{name}} is for", f.Name)
		case f.Size <= 0 || f.Size > maxDownload || !sumForm.MatchString(f.SHA256):
			return m, malformed(nil, "the size or the checksum of {{name}} is invalid", f.Name)
		}
	}
	return m, nil
}

// File returns the file of a kind for a system. ok is false if there is none.
func (m *Manifest) File(goos, goarch, kind string) (f File, ok bool) {
	for _, f := range m.Files {
		if f.OS == goos && f.Arch == goarch && f.Kind == kind {
			return f, true
		}
	}
	return File{}, false
}

// forOther returns the file for a Weft of a system that was installed in no way that is known.
func (m *Manifest) forOther(goos, goarch string) (f File, ok bool) {
	switch goos {
	case "windows":
		return m.File(goos, goarch, KindZip)
	case "darwin":
		return m.File(goos, "universal", KindImage)
	}
	return m.File(goos, goarch, KindArchive)
}

// Sign returns the text of a manifest and its signature.
func Sign(m Manifest, key minisign.PrivateKey) (raw, signature []byte, err error) {
	m.Format = Format
	if raw, err = json.Marshal(m, json.Deterministic(true)); err != nil {
		return nil, nil, err
	}
	if _, err = parse(raw); err != nil {
		return nil, nil, err
	}
	comment := "weft " + m.Version + " " + m.Date.UTC().Format(time.RFC3339)
	return raw, minisign.SignWithComments(key, raw, comment, "signature of the versions of Weft"), nil
}
