package builtin

import (
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"weft/backend/base/fault"
)

// reporter reports a turn to the client. It stores each update in the session's log and then sends it, in the same
// order.
type reporter struct {
	session *session
	now     func() time.Time
	logger  *slog.Logger

	emitting sync.Mutex // held while an update is stored and sent

	mu      sync.Mutex // protects failure
	failure error      // of the first update that couldn't be stored or sent
}

// emit stores an update and then sends it.
func (r *reporter) emit(update acp.SessionUpdate) {
	raw, err := json.Marshal(update)
	if err != nil {
		r.fail(err)
		return
	}
	r.emitRaw(raw)
}

// store stores an update without sending it.
func (r *reporter) store(update acp.SessionUpdate) {
	raw, err := json.Marshal(update)
	if err == nil {
		err = r.session.log.appendUpdate(r.now(), raw)
	}
	r.fail(err)
}

// emitRaw is emit for an encoded update.
func (r *reporter) emitRaw(update []byte) {
	r.emitting.Lock()
	defer r.emitting.Unlock()
	r.fail(r.session.log.appendUpdate(r.now(), update))
	r.fail(r.session.updates.send(update))
}

// record stores a record without sending it.
func (r *reporter) record(rec record) {
	rec.At = r.now().UnixMilli()
	r.fail(r.session.log.append(rec))
}

// fail records the error of the first lost update.
func (r *reporter) fail(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
		r.logger.Warn("update lost", "session", r.session.id, "err", err)
	}
}

// note shows a sentence about the turn that isn't part of the answer. Weft shows a note, other clients a thought.
func (r *reporter) note(sentence fault.Said) {
	update := chunk("agent_thought_chunk", sentence.String()+"\n\n")
	r.emitRaw(append(update[:len(update)-1], `,"_meta":{`+noteKey+`:true}}`...))
}

// announceTitle names the session after its first prompt.
func (r *reporter) announceTitle(blocks []acp.ContentBlock) {
	for _, b := range blocks {
		if b.Text != nil && title(b.Text.Text) != "" {
			r.emit(acp.SessionUpdate{SessionInfoUpdate: &acp.SessionSessionInfoUpdate{Title: acp.Ptr(title(b.Text.Text))}})
			return
		}
	}
}

// lost returns the error of the first lost update, or nil.
func (r *reporter) lost() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}
