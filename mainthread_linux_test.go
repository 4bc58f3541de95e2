package main

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// onMainThread reports whether the main goroutine never left the main thread of the process.
var onMainThread = true

// TestMain runs on the main goroutine, as main does. It waits for other goroutines many times, so that the scheduler may move it.
func TestMain(m *testing.M) {
	work, done := make(chan func()), make(chan struct{})
	for range 4 * runtime.GOMAXPROCS(0) {
		go func() {
			for do := range work {
				do()
				done <- struct{}{}
			}
		}()
	}
	for range 10_000 {
		work <- runtime.Gosched
		<-done
		onMainThread = onMainThread && unix.Gettid() == os.Getpid()
	}
	close(work)
	os.Exit(m.Run())
}

// WebKitGTK 2.54 aborts where its first object isn't made on the main thread of the process.
func TestMainGoroutineStaysOnTheMainThread(t *testing.T) {
	t.Parallel()
	if !onMainThread {
		t.Error("the main goroutine has left the main thread, so a window can't be made")
	}
}
