package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// weft is a running `weft serve`.
type weft struct {
	cmd       *exec.Cmd
	said      bytes.Buffer // on stderr; complete when gone is closed
	gone      chan struct{}
	base, key string
}

// serve starts Weft on a data folder and waits until it listens. env is added to the environment.
func serve(program, data string, env ...string) (*weft, error) {
	w := &weft{gone: make(chan struct{})}
	w.cmd = exec.Command(program, "serve", "--data", data, "--settings", filepath.Join(data, "settings.json")) //nolint:noctx // kill ends it
	w.cmd.Env = append(os.Environ(), env...)
	w.cmd.Stderr = &w.said
	w.cmd.WaitDelay = 5 * time.Second // Wine may leave a program of its own with this output
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	for w.key == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			_ = w.cmd.Wait()
			return nil, fmt.Errorf("weft serve ended: %s", strings.TrimSpace(w.said.String()))
		}
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "For programs: "); ok {
			w.base, w.key, _ = strings.Cut(rest, " with the header Authorization: Bearer ")
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	go func() {
		_ = w.cmd.Wait()
		close(w.gone)
	}()
	return w, nil
}

// kill ends Weft without giving it time for anything.
func (w *weft) kill() {
	_ = w.cmd.Process.Kill()
	<-w.gone
}

// do runs a command of the API.
func (w *weft) do(ctx context.Context, method string, req, res any) error {
	body, err := json.Marshal(req)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.base+"/api/"+method, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", method, answer.Status, text)
	}
	if res == nil {
		return nil
	}
	return json.Unmarshal(text, res)
}

// event is what a script looks at of an event of a space.
type event struct {
	Type, Content, RunID, StopReason, RequestID, Code, Message, Title string
	Options                                                           []struct{ OptionID, Kind string }
	Error                                                             *struct{ Code, Message string }
}

// space is a space whose events are followed.
type space struct {
	w  *weft
	id string

	mu     sync.Mutex
	events []event
	more   chan struct{} // closed when there are more
	err    error
	read   int // events that until has seen
}

// newSpace makes a space and follows it until ctx ends.
func (w *weft) newSpace(ctx context.Context, agent, folder string) (*space, error) {
	var made struct{ ID string }
	if err := w.do(ctx, "CreateSpace", map[string]any{"agentId": agent, "folder": folder, "title": "Windows"}, &made); err != nil {
		return nil, err
	}
	return w.follow(ctx, made.ID)
}

func (w *weft) follow(ctx context.Context, id string) (*space, error) {
	s := &space{w: w, id: id, more: make(chan struct{})}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+"/api/spaces/"+id+"/events", nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	answer, err := http.DefaultClient.Do(r) //nolint:bodyclose // the goroutine below closes it
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, fmt.Errorf("the events of a space: %s", answer.Status)
	}
	go func() {
		defer answer.Body.Close()
		lines := bufio.NewReader(answer.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				s.add(nil, err)
				return
			}
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			var e event
			if err := json.Unmarshal([]byte(data), &e); err == nil && e.Type != "" {
				s.add(&e, nil)
			}
		}
	}()
	return s, nil
}

func (s *space) add(e *event, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e != nil {
		s.events = append(s.events, *e)
	}
	s.err = err
	close(s.more)
	s.more = make(chan struct{})
}

// next returns the next event that was not returned yet.
func (s *space) next(ctx context.Context) (event, error) {
	for {
		s.mu.Lock()
		if s.read < len(s.events) {
			s.read++
			e := s.events[s.read-1]
			s.mu.Unlock()
			return e, nil
		}
		more, err := s.more, s.err
		s.mu.Unlock()
		if err != nil {
			return event{}, fmt.Errorf("the events of a space ended: %w", err)
		}
		select {
		case <-more:
		case <-ctx.Done():
			return event{}, errors.Join(errors.New("nothing more has happened in the space"), ctx.Err())
		}
	}
}

// until reads events until one is of a type and fits, and returns it with the text that agents have said in between.
func (s *space) until(ctx context.Context, kind string, fits func(event) bool) (said string, e event, err error) {
	var log strings.Builder
	for {
		e, err = s.next(ctx)
		if err != nil {
			return said, e, fmt.Errorf("waiting for %s in %s after %q %s: %w", kind, s.id, said, log.String(), err)
		}
		fmt.Fprintf(&log, "%s ", e.Type)
		if e.Type == "text_delta" {
			said += e.Content
		}
		if e.Type == kind && (fits == nil || fits(e)) {
			return said, e, nil
		}
		if e.Type == "run_completed" && kind != "run_completed" {
			return said, e, fmt.Errorf("the run ended (%s, %+v) before %s", e.StopReason, e.Error, kind)
		}
	}
}

// send sends a prompt and waits until its message begins, so that the text of it isn't taken for the agent's.
func (s *space) send(ctx context.Context, text string) error {
	if err := s.w.do(ctx, "SendPrompt", map[string]any{"spaceId": s.id, "text": text}, nil); err != nil {
		return err
	}
	_, _, err := s.until(ctx, "run_created", nil)
	return err
}

// ends waits for the end of the run and checks how it ended.
func (s *space) ends(ctx context.Context, reason string) (said string, err error) {
	said, e, err := s.until(ctx, "run_completed", nil)
	if err == nil && e.StopReason != reason {
		err = fmt.Errorf("the run ended with %q and not with %q: %+v", e.StopReason, reason, e.Error)
	}
	return said, err
}

// answers waits for a permission request, answers it with an option of a kind, and waits for the end of the run.
func (s *space) answers(ctx context.Context, kind string) (said string, err error) {
	before, e, err := s.until(ctx, "permission_request", nil)
	if err != nil {
		return before, err
	}
	option := ""
	for _, o := range e.Options {
		if o.Kind == kind {
			option = o.OptionID
		}
	}
	if option == "" {
		return before, fmt.Errorf("there is no option of the kind %s in %+v", kind, e.Options)
	}
	err = s.w.do(ctx, "AnswerPermission", map[string]any{"spaceId": s.id, "requestId": e.RequestID, "optionId": option}, nil)
	if err != nil {
		return before, err
	}
	said, err = s.ends(ctx, "end_turn")
	return before + said, err
}

// texts returns what was said in a space as it is stored.
func (s *space) texts(ctx context.Context) (string, error) {
	var snapshot struct {
		Page struct {
			Messages []struct {
				Role     string
				Segments []struct{ Text string }
			}
		}
	}
	if err := s.w.do(ctx, "OpenSpace", map[string]any{"spaceId": s.id}, &snapshot); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, m := range snapshot.Page.Messages {
		fmt.Fprintf(&b, "%s:", m.Role)
		for _, segment := range m.Segments {
			b.WriteString(segment.Text)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// holds checks what a file contains.
func holds(path, want string) error {
	text, err := os.ReadFile(path)
	if err == nil && string(text) != want {
		err = fmt.Errorf("%s has %q and not %q", path, text, want)
	}
	return err
}
