package snapshots

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"weft/backend/base/private"
)

// Limits.
const (
	MaxShown   = 5 << 20   // bytes of a file that is compared line by line
	maxKept    = 64 << 20  // bytes of a file that is stored
	maxLarge   = 256 << 20 // total bytes of a folder's files above MaxShown
	maxStored  = 2 << 30   // total compressed bytes
	maxEntries = 100_000   // files per folder
	maxDepth   = 60
)

const schema = `
CREATE TABLE IF NOT EXISTS folder (
	fid      INTEGER PRIMARY KEY,
	path     TEXT    NOT NULL UNIQUE,
	used_at  INTEGER NOT NULL,
	complete INTEGER NOT NULL DEFAULT 0 -- a scan has seen all of it once
) STRICT;
-- What every file of a folder was when it was last seen. The times are those of the file, 0 if it
-- has to be read again.
CREATE TABLE IF NOT EXISTS file (
	fid   INTEGER NOT NULL,
	path  TEXT    NOT NULL,
	kind  TEXT    NOT NULL,
	hash  TEXT    NOT NULL,
	size  INTEGER NOT NULL,
	mode  INTEGER NOT NULL,
	text  INTEGER NOT NULL,
	mtime INTEGER NOT NULL,
	ctime INTEGER NOT NULL,
	ino   INTEGER NOT NULL,
	PRIMARY KEY (fid, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dir (
	fid  INTEGER NOT NULL,
	path TEXT    NOT NULL,
	PRIMARY KEY (fid, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS object (
	oid  INTEGER PRIMARY KEY,
	hash TEXT    NOT NULL UNIQUE,
	data BLOB    NOT NULL, -- zstd
	at   INTEGER NOT NULL
) STRICT;
PRAGMA user_version=1;
`

// Migrations returns the statements that create the tables of review.db. Their number is the schema version.
func Migrations() []string { return []string{schema} }

// Store is an open review.db. All methods are safe for concurrent use.
type Store struct {
	db     *sql.DB
	now    func() time.Time
	enc    *zstd.Encoder
	dec    *zstd.Decoder
	mu     sync.Mutex // held by the only writer
	stored int64      // compressed bytes of all objects

	folderMu sync.Mutex
	folders  map[string]*Folder
}

// Open opens or creates DIR/review.db. An unreadable file is renamed, and aside is its new path. Its contents are
// lost, and the reviews report that for each file.
func Open(dir string, now func() time.Time) (s *Store, aside string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", fmt.Errorf("make the data folder: %w", err)
	}
	path := filepath.Join(dir, "review.db")
	for _, side := range []string{"-wal", "-shm"} {
		_ = private.Narrow(path + side) // a file of another owner is used as it is
	}
	if s, err = open(path, now); err == nil {
		return s, "", nil
	}
	aside = path + ".damaged"
	if renameErr := os.Rename(path, aside); renameErr != nil {
		return nil, "", errors.Join(err, renameErr)
	}
	for _, side := range []string{"-wal", "-shm"} {
		_ = os.Remove(path + side)
	}
	s, err = open(path, now)
	return s, aside, err
}

func open(path string, now func() time.Time) (*Store, error) {
	// SQLite creates its other files with the mode of this one.
	if err := private.Create(path); err != nil && !errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("keep %s private: %w", path, err)
	}
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	u := url.URL{Scheme: "file", Path: p, RawQuery: "_dqs=0&_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=auto_vacuum(INCREMENTAL)" +
		"&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=wal_autocheckpoint(4000)&_pragma=journal_size_limit(67108864)"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.SetMaxOpenConns(2)
	s := &Store{db: db, now: now, folders: map[string]*Folder{}}
	if _, err = db.Exec(schema); err == nil {
		err = db.QueryRow("SELECT coalesce(sum(length(data)), 0) FROM object").Scan(&s.stored)
	}
	if err == nil {
		// The encoders keep a buffer as large as their window, by default twice 8 MB.
		s.enc, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	}
	if err == nil {
		s.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxKept+1<<20))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return s, nil
}

// Close closes the database. All scans must have ended.
func (s *Store) Close() error {
	s.dec.Close()
	return errors.Join(s.enc.Close(), s.db.Close())
}

// change runs f in a transaction.
func (s *Store) change(f func(tx *sql.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// object is content that is ready to be stored.
type object struct {
	hash string
	data []byte // compressed
}

func (s *Store) pack(hash string, data []byte) *object {
	return &object{hash, s.enc.EncodeAll(data, make([]byte, 0, len(data)/3+64))}
}

// putObjects stores new objects. They are dropped if the store is full.
func (s *Store) putObjects(tx *sql.Tx, objects []*object) error {
	if len(objects) == 0 {
		return nil
	}
	put, err := tx.Prepare("INSERT INTO object (hash, data, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at")
	if err != nil {
		return err
	}
	defer put.Close()
	now := s.now().Unix()
	for _, o := range objects {
		if s.stored+int64(len(o.data)) > maxStored {
			continue
		}
		if _, err := put.Exec(o.hash, o.data, now); err != nil {
			return err
		}
		s.stored += int64(len(o.data))
	}
	return nil
}

// Put stores bytes and returns their hash.
func (s *Store) Put(data []byte) (string, error) {
	hash := Hash(data)
	return hash, s.change(func(tx *sql.Tx) error { return s.putObjects(tx, []*object{s.pack(hash, data)}) })
}

// Get returns the bytes with a hash. ok is false if they aren't stored.
func (s *Store) Get(ctx context.Context, hash string) (data []byte, ok bool, err error) {
	if hash == emptyHash {
		return nil, true, nil
	}
	var packed []byte
	err = s.db.QueryRowContext(ctx, "SELECT data FROM object WHERE hash = ?", hash).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read a kept file: %w", err)
	}
	data, err = s.dec.DecodeAll(packed, nil)
	if err != nil || Hash(data) != hash {
		return nil, false, nil //nolint:nilerr // damaged, so the same as not stored
	}
	return data, true, nil
}

// Kept reports whether the bytes with a hash are stored.
func (s *Store) Kept(ctx context.Context, hash string) bool {
	var one int
	return hash == emptyHash || s.db.QueryRowContext(ctx, "SELECT 1 FROM object WHERE hash = ?", hash).Scan(&one) == nil
}

// minObjectAge is how long unreferenced bytes are kept.
const minObjectAge = time.Hour

// Prune deletes the state of folders that aren't in folders, and bytes that neither a folder nor used refers to.
func (s *Store) Prune(ctx context.Context, folders map[string]bool, used map[string]bool) error {
	rows, err := s.db.QueryContext(ctx, "SELECT fid, path FROM folder")
	if err != nil {
		return err
	}
	var gone []int64
	for rows.Next() {
		var fid int64
		var path string
		if err := errors.Join(rows.Scan(&fid, &path)); err != nil {
			return errors.Join(err, rows.Close())
		}
		if !folders[path] {
			gone = append(gone, fid)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, fid := range gone {
		if err := s.change(func(tx *sql.Tx) error {
			for _, q := range []string{"DELETE FROM file WHERE fid = ?", "DELETE FROM dir WHERE fid = ?", "DELETE FROM folder WHERE fid = ?"} {
				if _, err := tx.Exec(q, fid); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return s.pruneObjects(ctx, used)
}

func (s *Store) pruneObjects(ctx context.Context, used map[string]bool) error {
	rows, err := s.db.QueryContext(ctx, "SELECT oid, hash FROM object o WHERE at < ? AND NOT EXISTS (SELECT 1 FROM file f WHERE f.hash = o.hash)", s.now().Add(-minObjectAge).Unix())
	if err != nil {
		return err
	}
	var gone []int64
	for rows.Next() {
		var oid int64
		var hash string
		if err := rows.Scan(&oid, &hash); err != nil {
			return errors.Join(err, rows.Close())
		}
		if !used[hash] {
			gone = append(gone, oid)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(gone) == 0 {
		return err
	}
	return s.change(func(tx *sql.Tx) error {
		for _, oid := range gone {
			if _, err := tx.Exec("DELETE FROM object WHERE oid = ?", oid); err != nil {
				return err
			}
		}
		if err := tx.QueryRow("SELECT coalesce(sum(length(data)), 0) FROM object").Scan(&s.stored); err != nil {
			return err
		}
		_, err := tx.Exec("PRAGMA incremental_vacuum")
		return err
	})
}
