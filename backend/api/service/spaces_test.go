package service_test

import (
	"fmt"
	"sync"
	"testing"

	"weft/backend/api/service"
	"weft/backend/api/service/agents"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/ref"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
)

// TestSpaceIsNotIdleBeforeItsFailureIsTold asks while a turn fails, with each command that returns spaces: who sees the end of the turn sees how it ended.
func TestSpaceIsNotIdleBeforeItsFailureIsTold(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	broken, err := servicetest.Call[agents.Agent](t, s, "SaveAgent", agents.SaveAgentRequest{Name: "Broken", Command: "false"})
	if err != nil {
		t.Fatal(err)
	}
	looks := map[string]func(id string) (spaces.Space, error){
		"ListSpaces": func(string) (spaces.Space, error) {
			list, err := servicetest.Call[[]spaces.Space](t, s, "ListSpaces", spaces.ListSpacesRequest{})
			return list[0], err
		},
		"OpenSpace": func(id string) (spaces.Space, error) {
			snap, err := servicetest.Call[conversation.Snapshot](t, s, "OpenSpace", ref.SpaceRef{SpaceID: id})
			return snap.Space, err
		},
		"Bootstrap": func(id string) (spaces.Space, error) {
			boot, err := servicetest.Call[service.Bootstrap](t, s, "Bootstrap", service.BootstrapRequest{SpaceID: id})
			return boot.Spaces[0], err
		},
		"Branches": func(id string) (spaces.Space, error) {
			tree, err := servicetest.Call[conversation.Tree](t, s, "Branches", ref.SpaceRef{SpaceID: id})
			return tree.Spaces[0].Space, err
		},
		"UpdateSpace": func(id string) (spaces.Space, error) {
			return servicetest.Call[spaces.Space](t, s, "UpdateSpace", spaces.UpdateSpaceRequest{SpaceID: id})
		},
	}
	for round := range 10 {
		made, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true, AgentID: broken.ID, Title: fmt.Sprint("Round ", round)})
		if err == nil {
			_, err = servicetest.Call[conversation.SendPromptResult](t, s, "SendPrompt", conversation.SendPromptRequest{SpaceID: made.ID, Text: "Go"})
		}
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for name, look := range looks {
			all.Go(func() {
				for {
					switch sp, err := look(made.ID); {
					case err != nil:
						t.Errorf("%s: %v", name, err)
						return
					case sp.ID == made.ID && sp.State != spaces.SpaceRunning:
						if sp.State != spaces.SpaceFailed || !sp.Unseen {
							t.Errorf("%s, round %d: the turn is over, and the space is %s, unseen: %v", name, round, sp.State, sp.Unseen)
						}
						return
					}
				}
			})
		}
		all.Wait()
	}
}
