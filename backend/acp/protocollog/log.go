// Package protocollog writes the traffic of an agent's session to a file: a recording with one JSON object per line
// that can be folded and replayed. Secrets that Weft knows are removed.
package protocollog

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rs/zerolog"

	"weft/backend/acp/recording"
	"weft/backend/settings/secret"
)

// maxSize is the maximum size of a log in bytes. The last line says that the limit was reached.
const maxSize = 64 << 20

// flushAfter is the maximum time that a line is buffered.
const flushAfter = 200 * time.Millisecond

// Log is the protocol log of a session. After a write error it stops, with one line in the app's own log. It is safe
// for concurrent use.
type Log struct {
	start time.Time
	now   func() time.Time
	log   zerolog.Logger
	hide  *secret.Redactor // may be nil

	mu    sync.Mutex
	file  *os.File
	w     *bufio.Writer
	size  int64
	full  bool
	armed bool // the timer is running
	timer *time.Timer
}

// Open starts the log at path and replaces an earlier one. The log omits the secrets that hide knows. hide may be nil.
func Open(path string, now func() time.Time, log zerolog.Logger, hide *secret.Redactor) *Log {
	p := &Log{start: now(), now: now, log: log, hide: hide}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		log.Warn().Err(err).Msg("no protocol log")
		return p
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		log.Warn().Err(err).Msg("no protocol log")
		return p
	}
	p.file, p.w = file, bufio.NewWriterSize(file, 64<<10)
	p.timer = time.AfterFunc(flushAfter, p.Flush)
	p.timer.Stop()
	return p
}

// Line writes one line. Callers must write the lines of one direction in order.
func (p *Log) Line(dir string, line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || p.full {
		return
	}
	shown := p.hide.Bytes(line)
	hidden := len(shown) != len(line) || !bytes.Equal(shown, line)
	line = shown
	if p.size+int64(len(line)) > maxSize {
		p.full = true
		line = []byte(`{"weft":"the log ends here: it has reached its limit of 64 MB"}`)
	}
	b := p.w.AvailableBuffer()
	b = append(b, `{"t":`...)
	b = strconv.AppendInt(b, p.now().Sub(p.start).Microseconds(), 10)
	b = append(b, `,"dir":"`...)
	b = append(b, dir...)
	isMessage := dir != recording.Stderr && len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}'
	if isMessage && hidden && !jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		isMessage = false // a secret such as "true" was part of the JSON syntax
	}
	if isMessage {
		b = append(b, `","msg":`...)
	} else {
		b = append(b, `","raw":`...)
		b, _ = jsontext.AppendQuote(b, line) // its only error is invalid UTF-8, which it replaces
		line = nil
	}
	p.size += int64(len(b) + len(line) + 2)
	_, err := p.w.Write(b)
	if err == nil {
		_, err = p.w.Write(line) // not copied: it may be long
	}
	if err == nil {
		_, err = p.w.WriteString("}\n")
	}
	if err != nil {
		p.log.Warn().Err(err).Msg("the protocol log cannot be written")
		p.full = true
	}
	if !p.armed {
		p.armed = true
		p.timer.Reset(flushAfter)
	}
}

// Flush writes buffered lines to the file.
func (p *Log) Flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = false
	if p.w != nil {
		_ = p.w.Flush() // the writer keeps an error and returns it for the next line
	}
}

// Close ends the log. Later lines are ignored.
func (p *Log) Close() {
	p.Flush()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	p.timer.Stop()
	if err := p.file.Close(); err != nil {
		p.log.Warn().Err(err).Msg("the protocol log cannot be closed")
	}
	p.w = nil
}
