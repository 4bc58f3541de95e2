package builtin

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/loop"
	"weft/backend/llm"
	"weft/backend/secret"
)

// record is one line of a session's log. One of its fields is set, beside At.
type record struct {
	At      int64           `json:"at"` // ms since 1970
	Session *sessionHead    `json:"session,omitempty"`
	Update  json.RawMessage `json:"update,omitempty"`  // as sent to the client
	Message *llm.Message    `json:"message,omitempty"` // of the conversation, when it is whole
	Short   *loop.Summary   `json:"short,omitempty"`   // the model is sent this instead of its oldest messages
	Stop    string          `json:"stop,omitempty"`    // the turn ended: a stop reason, "error" or "interrupted"
	Grant   string          `json:"grant,omitempty"`   // what the user allowed for the rest of the session
	Options *options        `json:"options,omitempty"`
	System  string          `json:"system,omitempty"` // what the model is told first
	Cost    float64         `json:"cost,omitempty"`   // US dollars so far
}

// sessionHead is the first record of a log.
type sessionHead struct {
	ID       acp.SessionId `json:"id"`
	Cwd      string        `json:"cwd"`
	Provider string        `json:"provider,omitempty"` // "" is the guide
}

// sessionLog is a session on disk: one JSON object per line, only ever appended to. Each record is one write,
// so a process that is killed leaves whole records and at most one torn line at the end, which reading skips. Known
// secrets are not in it: a tool may have printed one.
type sessionLog struct {
	mu   sync.Mutex
	file *os.File
	hide *secret.Redactor
}

var sessionID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// logPath returns where a session is stored; ok is false for an id that is not one of ours.
func logPath(dir string, id acp.SessionId) (path string, ok bool) {
	return filepath.Join(dir, string(id)+".jsonl"), sessionID.MatchString(string(id))
}

// createLog starts the log of a new session.
func createLog(dir string, head sessionHead, at time.Time, hide *secret.Redactor) (*sessionLog, error) {
	path, ok := logPath(dir, head.ID)
	if !ok {
		return nil, fmt.Errorf("%q isn't a session id", head.ID)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	l := &sessionLog{file: file, hide: hide}
	if err := l.append(record{At: at.UnixMilli(), Session: &head}); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// openLog opens the log of a session to continue with it. A torn last line is closed off with a line end.
func openLog(dir string, id acp.SessionId, hide *secret.Redactor) (*sessionLog, error) {
	path, ok := logPath(dir, id)
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
	return &sessionLog{file: file, hide: hide}, nil
}

// append adds a record. It is in the system's hands when append returns, so a kill of the process keeps it.
func (l *sessionLog) append(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return l.write(line)
}

// appendUpdate adds an update that is encoded already.
func (l *sessionLog) appendUpdate(at time.Time, update []byte) error {
	line := make([]byte, 0, len(update)+40)
	line = strconv.AppendInt(append(line, `{"at":`...), at.UnixMilli(), 10)
	return l.write(append(append(append(line, `,"update":`...), update...), '}'))
}

func (l *sessionLog) write(line []byte) error {
	line = append(l.hide.PrintedJSON(line), '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.file.Write(line)
	return err
}

// sync makes what was appended survive a loss of power.
func (l *sessionLog) sync() error { return l.file.Sync() }

func (l *sessionLog) close() error { return l.file.Close() }

// readLog calls fn for each whole record of a session, in order, until fn returns false. Lines that are not
// records are skipped. It returns fs.ErrNotExist for an unknown session.
func readLog(dir string, id acp.SessionId, fn func(record) bool) error {
	path, ok := logPath(dir, id)
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
			return nil // a last line without an end was torn
		}
		return err
	}
}

// copyLog makes the log of a new session from all records of another one.
func copyLog(dir string, from acp.SessionId, head sessionHead, at time.Time, hide *secret.Redactor) error {
	l, err := createLog(dir, head, at, hide)
	if err != nil {
		return err
	}
	defer l.close()
	var failed error
	err = readLog(dir, from, func(r record) bool {
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
		_ = removeLog(dir, head.ID) // half a copy is worse than none
	}
	return err
}

// keptDir is where the long results of a session are.
func keptDir(dir string, id acp.SessionId) string { return filepath.Join(dir, string(id)+".files") }

// removeLog deletes a session; it is no error if it is not there.
func removeLog(dir string, id acp.SessionId) error {
	path, ok := logPath(dir, id)
	if !ok {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(keptDir(dir, id))
}
