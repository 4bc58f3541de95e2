package app_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/api/service"
	"weft/backend/api/service/app"
	"weft/backend/store/relay"
)

// TestLastProblemsEventIsCurrent changes problems from several goroutines. The last event has to be the state after all changes.
func TestLastProblemsEventIsCurrent(t *testing.T) {
	for round := range 3000 {
		r := relay.New()
		publisher := app.NewPublisher(r, zerolog.Nop())
		var s *app.Problems
		s = app.NewProblems(func() {
			publisher.Tell("problems", func() app.Event { return service.ProblemsEvent{Problems: s.List()} })
		})
		sub := r.Subscribe(relay.AppTopic)
		var writers sync.WaitGroup
		for i := range 4 {
			writers.Go(func() { s.Set(strconv.Itoa(i), &app.Problem{Code: strconv.Itoa(i)}) })
			writers.Go(func() { s.SetAll("tools", []app.Problem{{Code: "a" + strconv.Itoa(i)}}) })
		}
		writers.Wait()
		publisher.Send(service.ShowEvent{SpaceID: "end"})
		var last []app.Problem
		for ended := false; !ended; {
			b, err := sub.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, raw := range b.Raw {
				var event struct {
					Type     string        `json:"type"`
					Problems []app.Problem `json:"problems"`
				}
				if err := json.Unmarshal(raw, &event); err != nil {
					t.Fatal(err)
				}
				if ended = event.Type == "show"; !ended {
					last = event.Problems
				}
			}
		}
		r.Close()
		if want := s.List(); !slices.Equal(last, want) {
			t.Fatalf("round %d: the last event has %v, the state is %v", round, last, want)
		}
	}
}
