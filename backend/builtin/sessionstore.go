package builtin

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/backend/base/lazyregexp"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/llm/provider"
	"weft/backend/settings/secret"
)

// sessionStore is the folder of stored sessions, with a log and kept files for each.
type sessionStore struct {
	dir  string
	hide *secret.Redactor // removes secrets before writing
}

var sessionID = lazyregexp.New(`^[A-Za-z0-9_-]{1,80}$`)

// logPath returns the path of a session's log. ok is false for an invalid id.
func logPath(dir string, id acp.SessionId) (path string, ok bool) {
	return filepath.Join(dir, string(id)+".jsonl"), sessionID.MatchString(string(id))
}

// create creates the log of a new session.
func (st sessionStore) create(head sessionHead, at time.Time) (*sessionLog, error) {
	path, ok := logPath(st.dir, head.ID)
	if !ok {
		return nil, fmt.Errorf("%q isn't a session id", head.ID)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	l := &sessionLog{file: file, hide: st.hide}
	if err := l.append(record{At: at.UnixMilli(), Session: &head}); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// open opens the log of a session for appending. It terminates a torn last line.
func (st sessionStore) open(id acp.SessionId) (*sessionLog, error) {
	path, ok := logPath(st.dir, id)
	if !ok {
		return nil, fs.ErrNotExist
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	last := make([]byte, 1)
	if end, err := file.Seek(0, io.SeekEnd); err == nil && end > 0 {
		if _, err := file.ReadAt(last, end-1); err == nil && last[0] != '\n' {
			_, _ = file.WriteString("\n") // if this fails, so does the next append, which is reported
		}
	}
	return &sessionLog{file: file, hide: st.hide}, nil
}

// read calls fn for each complete record of a session, in order, until fn returns false. It skips invalid lines, and
// returns fs.ErrNotExist for an unknown session.
func (st sessionStore) read(id acp.SessionId, fn func(record) bool) error {
	path, ok := logPath(st.dir, id)
	if !ok {
		return fs.ErrNotExist
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err == nil {
			var r record
			if json.Unmarshal(line, &r) == nil && !fn(r) {
				return nil
			}
			continue
		}
		if errors.Is(err, io.EOF) {
			return nil // an unterminated last line was torn
		}
		return err
	}
}

// copy creates the log of a new session with all records of another one.
func (st sessionStore) copy(from acp.SessionId, head sessionHead, at time.Time) error {
	l, err := st.create(head, at)
	if err != nil {
		return err
	}
	defer l.close()
	var failed error
	err = st.read(from, func(r record) bool {
		if r.Session == nil {
			failed = l.append(r)
		}
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = l.sync()
	}
	if err != nil {
		_ = st.remove(head.ID) // half a copy is worse than none
	}
	return err
}

// remove deletes the log and the kept files of a session. It returns no error if there are none.
func (st sessionStore) remove(id acp.SessionId) error {
	path, ok := logPath(st.dir, id)
	if !ok {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(st.kept(id).dir)
}

// list returns the sessions of a provider, last used first. If cwd isn't nil, it returns only those of that folder.
func (st sessionStore) list(from string, cwd *string) ([]acp.SessionInfo, error) {
	files, err := os.ReadDir(st.dir)
	if err != nil {
		return nil, err
	}
	all := []acp.SessionInfo{}
	for _, file := range files {
		id, ok := strings.CutSuffix(file.Name(), ".jsonl")
		if !ok {
			continue
		}
		info, ok := st.info(acp.SessionId(id), file, from)
		if ok && (cwd == nil || filepath.Clean(*cwd) == info.Cwd) {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(x, y acp.SessionInfo) int {
		return cmp.Or(cmp.Compare(*y.UpdatedAt, *x.UpdatedAt), cmp.Compare(x.SessionId, y.SessionId))
	})
	return all, nil
}

// info reads the start of a log, up to the first prompt, which is the title. ok is false for a session of another
// provider.
func (st sessionStore) info(id acp.SessionId, file fs.DirEntry, from string) (info acp.SessionInfo, ok bool) {
	info.SessionId = id
	stat, err := file.Info()
	if err != nil {
		return info, false
	}
	info.UpdatedAt = acp.Ptr(stat.ModTime().UTC().Format("2006-01-02T15:04:05.000Z"))
	err = st.read(id, func(r record) bool {
		if r.Session != nil {
			info.Cwd = r.Session.Cwd
			if cmp.Or(r.Session.Provider, provider.Guide) != from {
				info.Cwd = "" // of another provider's agent
				return false
			}
		}
		if bytes.Contains(r.Update, []byte(`"user_message_chunk"`)) {
			var u acp.SessionUpdate
			if json.Unmarshal(r.Update, &u) == nil && u.UserMessageChunk != nil && u.UserMessageChunk.Content.Text != nil {
				info.Title = acp.Ptr(title(u.UserMessageChunk.Content.Text.Text))
				return false
			}
		}
		return true
	})
	return info, err == nil && info.Cwd != ""
}

const titleRunes = 60

// title returns a prompt as one short line.
func title(prompt string) string {
	line := []rune(strings.Join(strings.Fields(prompt), " "))
	if len(line) > titleRunes {
		return strings.TrimSpace(string(line[:titleRunes])) + "…"
	}
	return string(line)
}
