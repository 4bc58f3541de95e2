package builtin

import (
	"encoding/json"
	"os"
	"strconv"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/builtin/loop"
	"weft/backend/llm"
	"weft/backend/settings/secret"
)

// record is one line of a session's log. One field besides At is set.
type record struct {
	At      int64           `json:"at"` // ms since 1970
	Session *sessionHead    `json:"session,omitempty"`
	Update  json.RawMessage `json:"update,omitempty"`  // as sent to the client
	Message *llm.Message    `json:"message,omitempty"` // a complete message of the conversation
	Short   *loop.Summary   `json:"short,omitempty"`   // replaces the oldest messages for the model
	Stop    string          `json:"stop,omitempty"`    // the turn ended: a stop reason, "error" or "interrupted"
	Grant   string          `json:"grant,omitempty"`   // what the user allowed for the rest of the session
	Options *options        `json:"options,omitempty"`
	System  string          `json:"system,omitempty"` // the system prompt
	Cost    float64         `json:"cost,omitempty"`   // US dollars so far
}

// sessionHead is the first record of a log.
type sessionHead struct {
	ID       acp.SessionId `json:"id"`
	Cwd      string        `json:"cwd"`
	Provider string        `json:"provider,omitempty"` // "" is the guide
}

// sessionLog is the append-only log of a session, with one JSON object per line. Each record is one write, so a killed
// process leaves at most one torn line at the end, which reading skips. Known secrets are removed, because a tool may
// have printed one.
type sessionLog struct {
	mu   sync.Mutex
	file *os.File
	hide *secret.Redactor
}

// append writes a record to the file without a buffer, so it survives a kill of the process.
func (l *sessionLog) append(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return l.write(line)
}

// appendUpdate appends an encoded update.
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

// sync makes all records survive a power loss.
func (l *sessionLog) sync() error { return l.file.Sync() }

func (l *sessionLog) close() error { return l.file.Close() }
