package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"weft/backend/base/fault"
	"weft/backend/files/atomicfile"
)

// file keeps secrets encrypted (AES-256-GCM, each with a nonce of its own and bound to its id)
// under a random key in a file beside it that only the user can read.
type file struct {
	path, keyPath string
	mu            sync.Mutex
}

// contents is the file as it is written.
type contents struct {
	Note    string            `json:"note"`
	Version int               `json:"version"`
	Secrets map[string][]byte `json:"secrets"` // nonce and sealed value, by id
}

const fileNote = "Secrets of Weft, encrypted with the key in secrets.key. Whoever has both files can read them."

const keySize = 32

func (f *file) set(id, value string) error {
	return f.change(func(c *contents, seal cipher.AEAD) error {
		nonce := make([]byte, seal.NonceSize())
		_, _ = rand.Read(nonce) // never fails
		c.Secrets[id] = seal.Seal(nonce, nonce, []byte(value), []byte(id))
		return nil
	})
}

func (f *file) get(id string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, err := f.read()
	if err != nil {
		return "", err
	}
	sealed, ok := c.Secrets[id]
	if !ok {
		return "", fault.New(CodeMissing, "This secret is no longer in Weft's encrypted file. Enter it again in Settings.")
	}
	seal, err := f.cipher(false)
	if err != nil {
		return "", err
	}
	n := seal.NonceSize()
	if len(sealed) < n {
		return "", f.broken(errors.New("too short"))
	}
	value, err := seal.Open(nil, sealed[:n], sealed[n:], []byte(id))
	if err != nil {
		return "", f.broken(err)
	}
	return string(value), nil
}

func (f *file) remove(id string) error {
	f.mu.Lock()
	c, err := f.read()
	f.mu.Unlock()
	if err != nil {
		return err
	}
	if _, ok := c.Secrets[id]; !ok {
		return nil
	}
	return f.change(func(c *contents, _ cipher.AEAD) error {
		delete(c.Secrets, id)
		return nil
	})
}

func (f *file) change(do func(*contents, cipher.AEAD) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, err := f.read()
	if err != nil {
		return err
	}
	seal, err := f.cipher(len(c.Secrets) == 0)
	if err != nil {
		return err
	}
	if err := do(&c, seal); err != nil {
		return err
	}
	c.Note, c.Version = fileNote, 1
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(f.path, append(text, '\n'), 0o600); err != nil {
		return fault.New(CodeFile, "The secret couldn't be written to {{path}}: {{reason}}.", f.path, err).Because(err)
	}
	return nil
}

func (f *file) read() (contents, error) {
	c := contents{Secrets: map[string][]byte{}}
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err == nil && c.Version != 1 {
		err = fmt.Errorf("it has version %d", c.Version)
	}
	if err != nil {
		return c, f.broken(err)
	}
	if c.Secrets == nil {
		c.Secrets = map[string][]byte{}
	}
	return c, nil
}

func (f *file) broken(err error) error {
	return fault.New(CodeFile, "The encrypted file {{path}} can't be read with its key. Restore both files from a backup, or delete them and enter the secrets again.", f.path).Because(err)
}

// cipher reads the key; where there is none yet it is made, if there is nothing that another one has sealed.
func (f *file) cipher(mayMake bool) (cipher.AEAD, error) {
	key, err := os.ReadFile(f.keyPath)
	if errors.Is(err, fs.ErrNotExist) && mayMake {
		key = make([]byte, keySize)
		_, _ = rand.Read(key) // never fails
		err = atomicfile.Write(f.keyPath, key, 0o600)
	}
	if err == nil && len(key) != keySize {
		err = errors.New("the key has another length")
	}
	if err != nil {
		return nil, fault.New(CodeFile, "The key {{path}} of Weft's encrypted file can't be read. Restore it from a backup, or delete secrets.json next to it and enter the secrets again.", f.keyPath).Because(err)
	}
	if info, err := os.Stat(f.keyPath); err == nil && info.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(f.keyPath, 0o600) // a copy may have lost it; Windows has no such thing
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
