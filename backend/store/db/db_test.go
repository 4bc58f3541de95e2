package db

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// number is an item, stored as a row.
type number int

func (number) Size() int { return 8 }

// numbers stores numbers. Its fields belong to the writer's goroutine.
type numbers struct{ batches, forgotten int }

func (n *numbers) Commit(w *Writer, items []Item) []error {
	n.batches++
	errs := make([]error, len(items))
	err := w.Transaction(false, func(c *Conn) error {
		for _, it := range items {
			if err := c.Exec("INSERT INTO n (v) VALUES (?)", int(it.(number))); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range errs {
		errs[i] = err
	}
	return errs
}

func (n *numbers) Forget() { n.forgotten++ }

func openDB(t *testing.T) (*DB, *numbers) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	c, err := Dial(path, Create)
	if err == nil {
		err = c.Script("CREATE TABLE n (v INTEGER PRIMARY KEY)")
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(path, c, Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	b := &numbers{}
	d.Start(b)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, b
}

func count(t *testing.T, d *DB) (n int) {
	t.Helper()
	err := d.Read(t.Context(), "count", func(c *Conn) error {
		_, err := c.One("SELECT count(*) FROM n", nil, &n)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// hold keeps the writer busy until the returned function is called.
func hold(t *testing.T, d *DB) (release func()) {
	t.Helper()
	holding, let := make(chan struct{}), make(chan struct{})
	var task sync.WaitGroup
	task.Go(func() {
		if err := d.Change(context.Background(), "hold", func(*Conn) error { close(holding); <-let; return nil }); err != nil {
			t.Error(err)
		}
	})
	<-holding
	return func() { close(let); task.Wait() }
}

func TestReadWaitsForAConnectionUntilItsContextEnds(t *testing.T) {
	d, _ := openDB(t)
	reading, let := make(chan struct{}), make(chan struct{})
	var tasks sync.WaitGroup
	for range readers {
		tasks.Go(func() {
			if err := d.Read(context.Background(), "hold", func(*Conn) error { reading <- struct{}{}; <-let; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	for range readers {
		<-reading
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	nothing := func(*Conn) error { return nil }
	if err := d.Read(ctx, "read", nothing); CodeOf(err) != CodeCancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("read without a free connection: %v, want cancelled", err)
	}
	close(let)
	tasks.Wait()
	if err := d.Read(ctx, "read", nothing); err != nil {
		t.Errorf("read with free connections: %v", err)
	}
}

func TestReadsReturnWhileTheWriterIsBusy(t *testing.T) {
	d, _ := openDB(t)
	release := hold(t, d)
	if n := count(t, d); n != 0 {
		t.Errorf("%d rows", n)
	}
	release()
}

func TestQueueIsBoundedAndWaitingItemsShareATransaction(t *testing.T) {
	d, b := openDB(t)
	release := hold(t, d)
	var writing sync.WaitGroup
	for i := range maxWaiting {
		writing.Go(func() {
			if err := d.Batch(context.Background(), number(i)); err != nil {
				t.Error(err)
			}
		})
	}
	for len(d.requests) < maxWaiting {
		runtime.Gosched()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Batch(ctx, number(-1)); CodeOf(err) != CodeCancelled {
		t.Errorf("batch with a full queue: %v, want cancelled", err)
	}
	if err := d.Change(ctx, "change", func(*Conn) error { t.Error("a canceled change ran"); return nil }); CodeOf(err) != CodeCancelled {
		t.Errorf("change with a full queue: %v, want cancelled", err)
	}
	release()
	writing.Wait()
	if n := count(t, d); n != maxWaiting {
		t.Errorf("%d rows, want %d", n, maxWaiting)
	}
	if err := d.Close(); err != nil { // the writer has ended, so b can be read
		t.Fatal(err)
	}
	if b.batches != 1 {
		t.Errorf("%d transactions, want 1", b.batches)
	}
}

func TestFailedTransactionLeavesNothing(t *testing.T) {
	d, b := openDB(t)
	if err := d.Batch(t.Context(), number(1)); err != nil {
		t.Fatal(err)
	}
	failure, committed := errors.New("failure"), false
	err := d.ChangeThen(t.Context(), "do it", func(c *Conn) error {
		if err := c.Exec("INSERT INTO n (v) VALUES (2)"); err != nil {
			t.Error(err)
		}
		return failure
	}, func() { committed = true })
	if !errors.Is(err, failure) || committed {
		t.Errorf("change: %v, committed %v", err, committed)
	}
	if err := d.Batch(t.Context(), number(1)); err == nil {
		t.Error("a duplicate was stored")
	}
	if n := count(t, d); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if b.forgotten < 2 {
		t.Errorf("the batcher was told %d times to forget, want at least 2", b.forgotten)
	}
}

func TestCloseServesAcceptedRequestsAndRefusesLaterOnes(t *testing.T) {
	d, _ := openDB(t)
	release := hold(t, d)
	accepted := make(chan error, 1)
	go func() { accepted <- d.Batch(context.Background(), number(1)) }()
	for len(d.requests) == 0 {
		runtime.Gosched()
	}
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	<-d.closing
	if err := d.Batch(t.Context(), number(2)); CodeOf(err) != CodeClosed {
		t.Errorf("batch after close: %v, want closed", err)
	}
	if err := d.Read(t.Context(), "read", func(*Conn) error { return nil }); CodeOf(err) != CodeClosed {
		t.Errorf("read after close: %v, want closed", err)
	}
	release()
	if err := errors.Join(<-accepted, <-closed); err != nil {
		t.Error(err)
	}
	c, err := Dial(d.Path(), ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if list, err := List[int](c, "SELECT v FROM n"); err != nil || len(list) != 1 || list[0] != 1 {
		t.Errorf("stored: %v, %v, want 1", list, err)
	}
}

func TestBackgroundTaskEndsWhenTheDatabaseCloses(t *testing.T) {
	d, _ := openDB(t)
	ended := false
	d.Go(func(ctx context.Context) { <-ctx.Done(); ended = true })
	if err := d.Close(); err != nil || !ended {
		t.Errorf("close: %v, the task has ended: %v", err, ended)
	}
}
