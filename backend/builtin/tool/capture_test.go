package tool

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestOutputIsReportedImmediatelyAndThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCapture()
		done, told := make(chan struct{}), make(chan struct{})
		began := time.Now()
		var at []time.Duration
		last := ""
		go func() {
			defer close(told)
			c.tell(done, func(p Progress) {
				at = append(at, time.Since(began))
				last = p.Content[0].Content.Content.Text.Text
			})
		}()
		for range 1000 {
			_, _ = c.Write([]byte("a line of the output\n"))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(streamEvery)
		synctest.Wait()
		close(done)
		<-told
		if len(at) == 0 || at[0] != 0 {
			t.Fatalf("the first wasn't told at once: %v", at)
		}
		for i := 1; i < len(at); i++ {
			if at[i]-at[i-1] < streamEvery {
				t.Errorf("told after %s and again after %s", at[i-1], at[i])
			}
		}
		if n := strings.Count(last, "a line"); n != 1000 {
			t.Errorf("the last that was told has %d lines", n)
		}
	})
}
