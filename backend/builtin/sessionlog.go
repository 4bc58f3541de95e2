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
