package service

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"weft/backend/api/service/ref"
	"weft/backend/api/service/spaces"
	"weft/backend/store/relay"
)

// TestDeletedSpaceIsNotSentAgain deletes a space while others cause events about it. No event may bring the space back in the window.
func TestDeletedSpaceIsNotSentAgain(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), Options{DataDir: filepath.Join(dir, "data"), SettingsPath: filepath.Join(dir, "settings.json"), Mode: "serve", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	sp, err := s.spaces.CreateSpace(t.Context(), spaces.CreateSpaceRequest{NoFolder: true})
	if err != nil {
		t.Fatal(err)
	}
	sub := s.relay.Subscribe(relay.AppTopic)
	defer sub.Close()
	for round := range 60 {
		var others sync.WaitGroup
		stop := make(chan struct{})
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.spaceChanged(sp.ID)
				}
			}
		})
		if _, err := s.spaces.DeleteSpace(t.Context(), spaces.DeleteSpaceRequest{SpaceID: sp.ID}); err != nil {
			t.Fatal(err)
		}
		close(stop)
		others.Wait()
		s.work.Wait() // for what still reads the space
		end := fmt.Sprintf("end %d", round)
		DeskOf(s).ShowRequest(end, "")
		last := ""
		for ended := false; !ended; {
			b, err := sub.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if b.Gap {
				// So much was said that nobody has read that some of it is gone, maybe also the end. What comes after it still counts.
				last = "space_removed"
				DeskOf(s).ShowRequest(end, "")
			}
			for _, raw := range b.Raw {
				var event struct {
					Type    string `json:"type"`
					SpaceID string `json:"spaceId"`
					Space   struct {
						ID string `json:"id"`
					} `json:"space"`
				}
				if err := json.Unmarshal(raw, &event); err != nil {
					t.Fatal(err)
				}
				if event.Type == "show" {
					ended = ended || event.SpaceID == end
				} else if event.SpaceID == sp.ID || event.Space.ID == sp.ID {
					last = event.Type
				}
			}
		}
		if last != "space_removed" {
			t.Fatalf("round %d: the last event about the deleted space is %q", round, last)
		}
		if _, err := s.spaces.RestoreSpace(t.Context(), ref.SpaceRef{SpaceID: sp.ID}); err != nil {
			t.Fatal(err)
		}
	}
}
