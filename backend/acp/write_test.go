package acp

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// keep is a handler that answers no request by itself.
type keep struct{ requests []*Request }

func (k *keep) Handle(in *Inbound, _ bool) {
	if in.Kind == KindRequest {
		k.requests = append(k.requests, in.Request)
	}
}

func TestAnswersToAgentThatDoesNotReadDoNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = maxUnwritten + 200
		h := &keep{}
		over := make(chan struct{})
		c, wait := serve(t, Options{WriteTimeout: time.Hour}, h, func(a *agent) {
			for i := range n {
				a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x"}`, i))
			}
			<-over
		})
		synctest.Wait()
		answered := 0
		go func() {
			for _, r := range h.requests {
				if r.Result(nil) != nil {
					return
				}
				answered++
			}
		}()
		synctest.Wait()
		if len(h.requests) != n || answered != n {
			t.Errorf("%d of %d requests came, and %d were answered before the agent read anything", len(h.requests), n, answered)
		}
		c.Close()
		close(over)
		_ = wait()
	})
}

func TestAgentThatNeverReadsAnswersIsNotReadFurther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 20 * maxUnwritten
		said, answered := 0, 0
		h := HandlerFunc(func(in *Inbound, _ bool) {
			if in.Kind == KindRequest && in.Request.Result(nil) == nil {
				answered++
			}
		})
		c, wait := serve(t, Options{WriteTimeout: time.Hour}, h, func(a *agent) {
			for i := range n {
				if _, err := fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%d,"method":"x"}`+"\n", i); err != nil {
					return
				}
				said++
			}
		})
		synctest.Wait()
		if answered > 2*maxUnwritten {
			t.Errorf("%d answers are held for an agent that reads none of them", answered)
		}
		c.Close()
		_ = wait()
	})
}
