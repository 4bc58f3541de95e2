package acpsession

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/agent"
	"weft/backend/conversation/transcript"
)

func TestPromptWaitsForGreeting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opened time.Duration // before
		own    bool
		says   []time.Duration // after that
		gives  time.Duration   // up, 0: never
		want   time.Duration
	}{
		"nothing is said":       {want: greetingQuiet},
		"banner":                {says: []time.Duration{30 * time.Millisecond}, want: greetingQuiet + greetingQuiet},
		"banner in pieces":      {says: []time.Duration{200 * time.Millisecond, 400 * time.Millisecond}, want: 3 * greetingQuiet},
		"it goes on":            {says: []time.Duration{1, 200e6, 400e6, 600e6, 800e6, 1000e6, 1200e6}, want: greetingMost},
		"opened before":         {opened: time.Second},
		"opened a moment ago":   {opened: 100 * time.Millisecond, want: greetingQuiet - 100*time.Millisecond},
		"Weft's own agent":      {own: true},
		"nobody wants it":       {gives: 50 * time.Millisecond, want: 50 * time.Millisecond},
		"given up at the start": {opened: time.Second, gives: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				if c.own {
					f.session.opt.Config.Source = agent.SourceBuiltin
				}
				if err := f.session.Open(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(c.opened)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.gives > 0 {
					time.AfterFunc(c.gives, cancel)
				}
				for _, after := range c.says {
					time.AfterFunc(after, f.session.Replay.CountUpdate)
				}
				began := time.Now()
				f.session.AwaitGreeting(ctx)
				if took := time.Since(began); took != c.want {
					t.Errorf("it takes %s, want %s", took, c.want)
				}
				time.Sleep(2 * time.Second) // until all is said
			})
		})
	}
}

func TestTextInSessionResultIsGreeting(t *testing.T) {
	t.Parallel()
	text := func(s string) *transcript.Update { return &transcript.Update{Kind: transcript.UpdateText, Text: s} }
	thought := &transcript.Update{Kind: transcript.UpdateThought, Text: "Hm"}
	state := &transcript.Update{Kind: transcript.UpdateState}
	for name, c := range map[string]struct {
		meta string
		says []*transcript.Update
		want []bool
	}{
		"once":               {`{"pi":{"startupInfo":"pi v1\n---\n"}}`, []*transcript.Update{state, text("pi v1\n---\n"), text("pi v1\n---\n")}, []bool{false, true, false}},
		"two texts":          {`{"a":["one text","two texts"]}`, []*transcript.Update{text("two texts"), text("one text")}, []bool{true, true}},
		"not after others":   {`{"a":"one text"}`, []*transcript.Update{text("Hello"), text("one text")}, []bool{false, false}},
		"not after thoughts": {`{"a":"one text"}`, []*transcript.Update{thought, text("one text")}, []bool{false, false}},
		"no part of it":      {`{"a":"one text"}`, []*transcript.Update{text("one")}, []bool{false}},
		"no word":            {`{"a":"completed","b":"ok"}`, []*transcript.Update{text("completed")}, []bool{false}},
		"too deep":           {`{"a":{"b":{"c":{"d":{"e":"one text"}}}}}`, []*transcript.Update{text("one text")}, []bool{false}},
		"none":               {`null`, []*transcript.Update{text("null")}, []bool{false}},
		"broken":             {`{"a":`, []*transcript.Update{text("one text")}, []bool{false}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Session{}
			s.greeting.start(jsontext.Value(`{"sessionId":"s","_meta":` + c.meta + `}`))
			for i, u := range c.says {
				if got := s.IsGreeting(u); got != c.want[i] {
					t.Errorf("update %d: %v", i, got)
				}
			}
		})
	}
}
