package service

import (
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/relay"
	"weft/backend/service/news"
)

// TestLastProblemsEventIsCurrent changes problems from several goroutines. The last event has to be the state after all changes.
func TestLastProblemsEventIsCurrent(t *testing.T) {
	for round := range 3000 {
		s := &Service{opt: Options{Log: zerolog.Nop()}, relay: relay.New(), problems: map[string]Problem{}}
		s.news = news.New(s.relay, zerolog.Nop())
		sub := s.relay.Subscribe(relay.AppTopic)
		var writers sync.WaitGroup
		for i := range 4 {
			writers.Go(func() { s.setProblem(strconv.Itoa(i), &Problem{Code: strconv.Itoa(i)}) })
			writers.Go(func() { s.setProblems("tools", []Problem{{Code: "a" + strconv.Itoa(i)}}) })
		}
		writers.Wait()
		s.Show("end")
		var last []Problem
		for ended := false; !ended; {
			b, err := sub.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, raw := range b.Raw {
				var event struct {
					Type     string    `json:"type"`
					Problems []Problem `json:"problems"`
				}
				if err := json.Unmarshal(raw, &event); err != nil {
					t.Fatal(err)
				}
				if ended = event.Type == "show"; !ended {
					last = event.Problems
				}
			}
		}
		s.relay.Close()
		s.mu.Lock()
		want := s.problemList()
		s.mu.Unlock()
		if !slices.Equal(last, want) {
			t.Fatalf("round %d: the last event has %v, the state is %v", round, last, want)
		}
	}
}
