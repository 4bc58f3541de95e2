package reviews

import "weft/backend/store/db"

const fileColumns = "fid, path, made, base, agent, added, removed, at"

func (tx *Tx) files(query string, args ...any) ([]File, error) {
	var list []File
	err := tx.c.Each(query, args, func(scan db.Scan) (bool, error) {
		var f File
		var base, agent []byte
		err := scan(&f.ID, &f.Path, &f.Made, &base, &agent, &f.Added, &f.Removed, &f.At)
		f.Base, f.Agent = base, agent
		list = append(list, f)
		return true, err
	})
	return list, err
}

// The paths of folders end with a slash.
const (
	isFile   = " AND path NOT LIKE '%/'"
	isFolder = " AND path LIKE '%/'"
)

// Files returns all files with changes to review, by path.
func (tx *Tx) Files() ([]File, error) {
	return tx.files("SELECT "+fileColumns+" FROM review_file WHERE sid = ?"+isFile+" ORDER BY path", tx.sid)
}

// Folders returns the created and removed folders, which are reviewed together with the files in them, by path.
func (tx *Tx) Folders() ([]File, error) {
	return tx.files("SELECT "+fileColumns+" FROM review_file WHERE sid = ?"+isFolder+" ORDER BY path", tx.sid)
}

// DropFolders deletes the folders, if there is no file with changes to review.
func (tx *Tx) DropFolders() error {
	if n, err := tx.CountFiles(); err != nil || n > 0 {
		return err
	}
	return tx.c.Exec("DELETE FROM review_file WHERE sid = ?"+isFolder, tx.sid)
}

// CountFiles returns the number of files with changes to review.
func (tx *Tx) CountFiles() (n int, err error) {
	_, err = tx.c.One("SELECT count(*) FROM review_file WHERE sid = ?"+isFile, []any{tx.sid}, &n)
	return n, err
}

// File returns a file by its path, nil if it has nothing to review.
func (tx *Tx) File(path string) (*File, error) {
	return first(tx.files("SELECT "+fileColumns+" FROM review_file WHERE sid = ? AND path = ?", tx.sid, path))
}

// FileByID returns a file by its number, nil if it has nothing to review.
func (tx *Tx) FileByID(id int64) (*File, error) {
	return first(tx.files("SELECT "+fileColumns+" FROM review_file WHERE sid = ? AND fid = ?", tx.sid, id))
}

func first(list []File, err error) (*File, error) {
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// PutFile adds or replaces a file. Its number stays.
func (tx *Tx) PutFile(f File) error {
	return tx.c.Exec(`INSERT INTO review_file (sid, path, made, base, agent, added, removed, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (sid, path) DO UPDATE SET made = excluded.made, base = excluded.base, agent = excluded.agent, added = excluded.added, removed = excluded.removed, at = excluded.at`,
		tx.sid, f.Path, f.Made, []byte(f.Base), []byte(f.Agent), f.Added, f.Removed, f.At)
}

// DropFile deletes a file that has nothing left to review.
func (tx *Tx) DropFile(path string) error {
	return tx.c.Exec("DELETE FROM review_file WHERE sid = ? AND path = ?", tx.sid, path)
}
