package db

const (
	softLog = 16 << 20 // bytes of the log at which the checkpointer starts
	hardLog = 64 << 20 // bytes of the log at which the writer itself makes a checkpoint
	frame   = PageSize + 24
)

// checkpointer moves the log into the file on its own connection, so that writes do not wait for it. If the writer is
// always faster, the log never restarts; then the writer makes the checkpoint.
func (w *Writer) checkpointer() {
	defer w.db.tasks.Done()
	c, err := Dial(w.db.path, ReadWrite)
	if err != nil {
		w.db.opt.Log.Error().Err(err).Msg("no connection for checkpoints; the writer makes them")
		return
	}
	defer c.Close()
	for {
		select {
		case <-w.wake:
			w.checkpoint(c)
		case <-w.db.closing:
			return
		}
	}
}

// checkpoint moves as much of the log as is possible without waiting for readers or writers.
func (w *Writer) checkpoint(c *Conn) {
	since, log := w.sinceCheckpoint.Swap(0), w.log.Load()
	var busy, frames, moved int64
	if _, err := c.One("PRAGMA wal_checkpoint(PASSIVE)", nil, &busy, &frames, &moved); err != nil {
		w.db.opt.Log.Warn().Err(err).Int64("bytes", since).Msg("checkpoint")
		return
	}
	w.db.checkpoints.Add(1)
	fresh := frames - w.frames.Swap(frames)
	if fresh < 0 {
		fresh = frames // the log was restarted
	}
	w.db.walBytes.Add(fresh * frame)
	if frames == moved {
		w.log.CompareAndSwap(log, 0) // the next commit restarts the log
	}
}

// Wrote counts a commit of the given approximate size, and starts a checkpoint if the log is long.
func (w *Writer) Wrote(bytes, pages int) {
	n := int64(bytes + pages*frame)
	since, log := w.sinceCheckpoint.Add(n), w.log.Add(n)
	switch {
	case log > hardLog:
		w.checkpoint(w.conn)
	case since > softLog:
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}
