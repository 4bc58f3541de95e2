package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	"github.com/rs/zerolog"

	"weft/backend/httpapi"
	"weft/backend/relay"
	"weft/backend/service"
	"weft/backend/service/agents"
	"weft/backend/service/members"
	"weft/backend/service/prompts"
	"weft/backend/service/spaces"
	"weft/backend/transcript"
)

// hall is all of Weft but its window: spaces whose members write to each other through the gateway.
type hall struct {
	dir    string
	svc    *service.Service
	web    *httpapi.Server
	base   string
	agents []string
	spaces []hallSpace
	stop   context.CancelFunc
	served chan error
}

type hallSpace struct {
	id      string
	members map[int]string // ids, by agent
}

// openHall makes spaces and agents; in says whether an agent is a member of a space.
func openHall(spaceCount, agentCount int, in func(agent, space int) bool) (*hall, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "weft-bench-")
	if err != nil {
		return nil, err
	}
	h := &hall{dir: dir, served: make(chan error, 1)}
	log := zerolog.New(os.Stderr).Level(zerolog.WarnLevel)
	h.svc, err = service.Open(context.Background(), service.Options{DataDir: filepath.Join(dir, "data"), SettingsPath: filepath.Join(dir, "settings.json"), Mode: "serve", Version: "bench", Log: log})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	h.web = httpapi.New(httpapi.Options{Service: h.svc, Frontend: fstest.MapFS{}, Log: log})
	h.base = "http://" + l.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	go func() { h.served <- h.web.Serve(ctx, l) }()
	for i := range agentCount {
		var made agents.Agent
		err := h.do("SaveAgent", agents.SaveAgentRequest{Name: fmt.Sprint("member", i), Command: self, Args: []string{"member"}, Cwd: "space"}, &made)
		if err != nil {
			return nil, errors.Join(err, h.close())
		}
		h.agents = append(h.agents, made.ID)
	}
	for i := range spaceCount {
		folder := filepath.Join(dir, fmt.Sprint("space", i))
		req := spaces.CreateSpaceRequest{Folder: folder, Title: fmt.Sprint("Space ", i)}
		for a := range agentCount {
			if in(a, i) {
				req.Members = append(req.Members, members.MemberInput{Name: fmt.Sprint("member", a), AgentID: h.agents[a]})
			}
		}
		var made spaces.Space
		if err := errors.Join(os.Mkdir(folder, 0o700), h.do("CreateSpace", req, &made)); err != nil {
			return nil, errors.Join(err, h.close())
		}
		sp := hallSpace{id: made.ID, members: map[int]string{}}
		for _, m := range made.Members {
			sp.members[atoi(strings.TrimPrefix(m.Name, "member"))] = m.ID
		}
		h.spaces = append(h.spaces, sp)
	}
	return h, nil
}

func (h *hall) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	if h.stop != nil {
		h.stop()
		err = <-h.served
	}
	return errors.Join(err, h.svc.Close(ctx), os.RemoveAll(h.dir))
}

func (h *hall) do(name string, req, res any) error {
	in, err := json.Marshal(req)
	if err != nil {
		return err
	}
	out, err := h.svc.Call(context.Background(), name, in)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return json.Unmarshal(out, res)
}

// send prompts an agent in one of its spaces.
func (h *hall) send(agent, space int, text string) error {
	var res prompts.SendPromptResult
	return h.do("SendPrompt", prompts.SendPromptRequest{SpaceID: h.spaces[space].id, Text: text, To: []string{h.spaces[space].members[agent]}}, &res)
}

// turn prompts an agent and waits for the end of its run.
func (h *hall) turn(agent, space int, text string) error {
	var failure error
	done := h.watch(space, func(e *transcript.Event) bool {
		end, ok := e.Body.(*transcript.RunCompleted)
		if ok && end.Error != nil {
			failure = errors.New(end.Error.Message)
		}
		return ok
	})
	if err := h.send(agent, space, text); err != nil {
		return err
	}
	return errors.Join(<-done, failure)
}

// watch calls f with every event of a space until f is done with it. A gap is an error.
func (h *hall) watch(space int, f func(*transcript.Event) (done bool)) <-chan error {
	return watch(h.svc.Relay().Subscribe(relay.SpaceTopic(h.spaces[space].id)), f)
}

// follow is watch over Server-Sent Events, as a browser has them.
func (h *hall) follow(space int, f func(*transcript.Event) (done bool)) (<-chan error, error) {
	req, err := http.NewRequest(http.MethodGet, h.base+"/api/spaces/"+h.spaces[space].id+"/events", nil) //nolint:noctx // it ends with the server
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+h.web.Key())
	res, err := http.DefaultClient.Do(req) //nolint:bodyclose // the reader closes it
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("events: %s", res.Status), res.Body.Close())
	}
	result := make(chan error, 1)
	go func() {
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			e, err := transcript.ParseEvent([]byte(data))
			if err != nil {
				result <- err
				return
			}
			if f(&e) {
				result <- nil
				return
			}
		}
		result <- fmt.Errorf("the events ended: %w", lines.Err())
	}()
	return result, nil
}
