package secret

import (
	"crypto/rand"
	"strings"

	"weft/backend/base/lazyregexp"
)

// Place is where a secret is kept.
type Place string

// The places.
const (
	Keychain Place = "keychain" // of the system: Secret Service, Keychain, Credential Manager
	File     Place = "file"     // encrypted, in Weft's folder
	LeftOut  Place = "left-out" // nowhere: it was left out of a backup that was restored
)

// Words say plainly where a secret is kept.
func (p Place) Words() string {
	switch p {
	case LeftOut:
		return "Left out of the backup that was restored: enter it again"
	case Keychain:
	case File:
		return "In an encrypted file in Weft's folder. This protects copies and backups of the file, but not against programs that run as you."
	}
	return "In the system keychain"
}

// Ref names a secret and says where it is kept: "keychain:github-token-K3J2…". It is no secret
// itself and is what is in the settings file.
type Ref string

var refForm = lazyregexp.New(`^(keychain|file|left-out):[A-Za-z0-9._-]{1,120}$`)

// Valid reports whether r has the form of a reference.
func (r Ref) Valid() bool { return refForm.MatchString(string(r)) }

// Place is where the secret is kept, "" where r is not valid.
func (r Ref) Place() Place {
	if !r.Valid() {
		return ""
	}
	place, _, _ := strings.Cut(string(r), ":")
	return Place(place)
}

func (r Ref) id() string {
	_, id, _ := strings.Cut(string(r), ":")
	return id
}

var notRef = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// newRef makes a reference that no other secret has. name lets a user who looks into the
// keychain know what it is.
func newRef(p Place, name string) Ref {
	name = strings.Trim(notRef.ReplaceAllString(name, "-"), "-")
	name = name[:min(len(name), 80)]
	return Ref(string(p) + ":" + name + "-" + rand.Text()[:12])
}
