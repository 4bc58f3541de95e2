// Manifest writes the list of versions that Weft reads to find updates, and signs it:
//
//	manifest -version 1.2.3 -date 1700000000 -notes notes.md -url https://example.com/v1.2.3/ -out weft.json FILE …
//	manifest -new-key
//
// The files are packages as build.sh names them. The key is the private key of minisign in the environment variable
// WEFT_SIGNING_KEY, without a password or with that of WEFT_SIGNING_PASSWORD. The signature is written to
// weft.json.minisig; minisign verifies it, too.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aead.dev/minisign"

	"weft/backend/desktop/update"
)

// The environment variables of the key. They are no arguments, which all users of a machine can see.
const (
	envKey      = "WEFT_SIGNING_KEY"
	envPassword = "WEFT_SIGNING_PASSWORD"
)

func main() {
	if err := run(os.Args[1:], os.Getenv, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "manifest: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string, getenv func(string) string, stdout io.Writer) error {
	f := flag.NewFlagSet("manifest", flag.ContinueOnError)
	version := f.String("version", "", "the version")
	date := f.Int64("date", 0, "its date, in seconds since 1970")
	notes := f.String("notes", "", "the file with its notes, in Markdown")
	base := f.String("url", "", "the address of the folder with its files")
	out := f.String("out", "", "the file to write")
	newKey := f.Bool("new-key", false, "print a new pair of keys and exit")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *newKey {
		return printKey(stdout)
	}
	if *version == "" || *date <= 0 || *base == "" || *out == "" || f.NArg() == 0 {
		return errors.New("-version, -date, -url, -out and the files are required")
	}
	key, err := signingKey(getenv)
	if err != nil {
		return err
	}
	m := update.Manifest{Version: *version, Date: time.Unix(*date, 0).UTC()}
	if *notes != "" {
		text, err := os.ReadFile(*notes)
		if err != nil {
			return err
		}
		m.Notes = strings.TrimSpace(string(text))
	}
	for _, path := range f.Args() {
		file, err := describe(path, *version)
		if err != nil {
			return err
		}
		file.URL = strings.TrimSuffix(*base, "/") + "/" + file.Name
		m.Files = append(m.Files, file)
	}
	raw, signature, err := update.Sign(m, key)
	if err != nil {
		return err
	}
	public, ok := key.Public().(minisign.PublicKey)
	if !ok {
		return errors.New("the key has no public part")
	}
	// What no Weft would accept must not be published. Servers of this machine are for tests.
	if _, err := update.Verify(public, raw, signature, strings.HasPrefix(*base, "http://127.0.0.1:")); err != nil {
		return err
	}
	if err := os.WriteFile(*out, raw, 0o644); err != nil {
		return err
	}
	return os.WriteFile(*out+".minisig", signature, 0o644)
}

// describe returns what a manifest says of a package, such as weft-1.2.3-linux-amd64.tar.gz.
func describe(path, version string) (update.File, error) {
	name := filepath.Base(path)
	rest, ok := strings.CutPrefix(name, "weft-"+version+"-")
	goos, rest, ok2 := strings.Cut(rest, "-")
	arch, kind, ok3 := strings.Cut(rest, ".")
	if !ok || !ok2 || !ok3 {
		return update.File{}, fmt.Errorf("%s isn't named like a package of Weft %s", name, version)
	}
	f, err := os.Open(path)
	if err != nil {
		return update.File{}, err
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	return update.File{OS: goos, Arch: arch, Kind: kind, Name: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}

func signingKey(getenv func(string) string) (key minisign.PrivateKey, err error) {
	text := []byte(getenv(envKey))
	if len(text) == 0 {
		return key, errors.New(envKey + " has no key; manifest -new-key makes one")
	}
	if minisign.IsEncrypted(text) {
		return minisign.DecryptKey(getenv(envPassword), text)
	}
	return key, key.UnmarshalText(text)
}

func printKey(out io.Writer) error {
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		return err
	}
	text, err := private.MarshalText()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Public key, for make packages (UPDATE_KEY):\n%s\n\nPrivate key, for %s. Keep it secret:\n%s\n", public, envKey, text)
	return err
}
