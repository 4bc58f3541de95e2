// Command drive starts `weft serve` on Windows, or under Wine, and uses it as a browser and an agent would: the guide,
// an agent in Node, permissions, stop, kill, restart and review. It prints a line for each step and stops at the first
// that fails. With -update it has an installed Weft replace itself by another version instead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// patience is how long one step may take. Programs start slowly under Wine.
const patience = time.Minute

func main() {
	program := flag.String("weft", "", "path of weft.exe")
	node := flag.String("node", "", "path of node.exe")
	agent := flag.String("agent", "", "path of agent.mjs")
	work := flag.String("work", "", "an empty folder to work in")
	archive := flag.String("update", "", "path of the zip with version 1.1.0 of Weft, where the installed one is 1.0.0")
	flag.Parse()
	if *program == "" || *work == "" || *archive == "" && (*node == "" || *agent == "") {
		flag.Usage()
		os.Exit(2)
	}
	d := &drive{program: *program, node: *node, agent: *agent, work: *work}
	steps := d.steps()
	if *archive != "" {
		u := &updating{drive: d, archive: *archive}
		steps = u.steps()
	}
	code := 0
	for _, s := range steps {
		if s.notInWine != "" && wine() {
			fmt.Printf("left  %s: %s\n", s.name, s.notInWine)
			continue
		}
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := s.do(ctx)
		cancel()
		if err != nil {
			fmt.Printf("FAIL  %s: %v\n", s.name, err)
			code = 1
			break
		}
		fmt.Printf("ok    %s (%.1f s)\n", s.name, time.Since(begun).Seconds())
	}
	if d.weft != nil {
		d.weft.kill()
		if code != 0 {
			fmt.Printf("Weft said: %s\n", d.weft.said.String())
		}
	}
	os.Exit(code)
}

type drive struct {
	program, node, agent, work string

	weft       *weft
	cancel     context.CancelFunc // ends what follows events of weft
	life       context.Context    //nolint:containedctx // that of the process that is started and killed
	guide, own *space
	agentID    string
	folder     string
	said       string
	tree       []*os.Process
}

type step struct {
	name      string
	do        func(context.Context) error
	notInWine string // why it can't be done there; "": it can
}

func (d *drive) steps() []step {
	return []step{
		{name: "weft serve starts", do: d.start},
		{name: "a second one on the same data is refused", do: d.second},
		{name: "the guide answers", do: d.asksGuide},
		{name: "an agent in Node edits a file, and the change is reviewed and put back", do: d.reviews},
		{name: "a permission is given and refused", do: d.permits},
		{name: "the agent writes a file through Weft", do: d.writes},
		{name: "the agent runs a command in a terminal", do: d.runs},
		{name: "a turn is stopped", do: d.stops},
		{name: "the agent is killed, and all that it started is gone", do: d.killsAgent},
		{name: "the agent is started again", do: d.restartsAgent},
		{name: "Weft is killed, and all that its agent started is gone", do: d.killsWeft},
		{name: "after a restart the conversations are there, and continue", do: d.resumes},
		{name: "Ctrl+C in a console closes Weft in order", do: d.interrupts, notInWine: "Wine 8 ends programs in a pseudo console at Ctrl+C instead of telling them"},
	}
}

func (d *drive) start(context.Context) (err error) {
	d.weft, err = serve(d.program, filepath.Join(d.work, "data"))
	d.life, d.cancel = context.WithCancel(context.Background())
	return err
}

func (d *drive) second(context.Context) error {
	w, err := serve(d.program, filepath.Join(d.work, "data"))
	if err == nil {
		w.kill()
		return errors.New("it started")
	}
	if !strings.Contains(err.Error(), "already") && !strings.Contains(err.Error(), "another") {
		return fmt.Errorf("it doesn't say why: %w", err)
	}
	return nil
}

func (d *drive) asksGuide(ctx context.Context) (err error) {
	folder := filepath.Join(d.work, "lemon")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte("# Lemonade\r\n\r\nA stand that sells lemonade.\r\n"), 0o644); err != nil {
		return err
	}
	if d.guide, err = d.weft.newSpace(d.life, "guide", folder); err != nil {
		return err
	}
	if err := d.guide.send(ctx, "summarize this project"); err != nil {
		return err
	}
	said, err := d.guide.ends(ctx, "end_turn")
	if err != nil {
		return err
	}
	if !strings.Contains(strings.ToLower(said), "lemonade") {
		return fmt.Errorf("it doesn't know the project: %q", said)
	}
	d.said, err = d.guide.texts(ctx)
	return err
}

func (d *drive) reviews(ctx context.Context) (err error) {
	d.folder = filepath.Join(d.work, "Müll & Söhne 100%")
	if err := os.MkdirAll(d.folder, 0o755); err != nil {
		return err
	}
	file := filepath.Join(d.folder, "notes.txt")
	if err := os.WriteFile(file, []byte("written by the user\r\n"), 0o644); err != nil {
		return err
	}
	var saved struct{ ID string }
	err = d.weft.do(ctx, "SaveAgent", map[string]any{"name": "Node", "command": d.node, "args": []string{d.agent}, "env": map[string]string{}}, &saved)
	if err != nil {
		return err
	}
	d.agentID = saved.ID
	if d.own, err = d.weft.newSpace(d.life, d.agentID, d.folder); err != nil {
		return err
	}
	if err := d.own.send(ctx, "edit notes.txt"); err != nil {
		return err
	}
	if _, err := d.own.ends(ctx, "end_turn"); err != nil {
		return err
	}
	if err := holds(file, "written by the agent\r\n"); err != nil {
		return err
	}
	var changes struct {
		Files    []struct{ Path string }
		Watching bool
	}
	for changes.Watching = true; changes.Watching; { // until the turn has been looked at
		if err := d.weft.do(ctx, "ReviewChanges", map[string]any{"spaceId": d.own.id}, &changes); err != nil {
			return err
		}
	}
	if len(changes.Files) != 1 || !strings.HasSuffix(changes.Files[0].Path, "notes.txt") {
		return fmt.Errorf("the review has %+v", changes.Files)
	}
	if err := d.weft.do(ctx, "RejectChanges", map[string]any{"spaceId": d.own.id}, nil); err != nil {
		return err
	}
	return holds(file, "written by the user\r\n")
}

func (d *drive) permits(ctx context.Context) error {
	for kind, want := range map[string]string{"allow_once": "answer: yes", "reject_once": "answer: no"} {
		if err := d.own.send(ctx, "ask"); err != nil {
			return err
		}
		said, err := d.own.answers(ctx, kind)
		if err != nil {
			return err
		}
		if !strings.Contains(said, want) {
			return fmt.Errorf("the agent said %q", said)
		}
	}
	return nil
}

func (d *drive) writes(ctx context.Context) error {
	if err := d.own.send(ctx, "write through.txt"); err != nil {
		return err
	}
	said, err := d.own.answers(ctx, "allow_once")
	if err != nil {
		return err
	}
	if !strings.Contains(said, "written") {
		return fmt.Errorf("the agent said %q", said)
	}
	return holds(filepath.Join(d.folder, "through.txt"), "through the client\n")
}

func (d *drive) runs(ctx context.Context) error {
	// To the console itself: Wine gives programs in a pseudo console no standard output.
	if err := d.own.send(ctx, "run echo hello from %OS%>CONOUT$&& exit 7"); err != nil {
		return err
	}
	said, err := d.own.answers(ctx, "allow_once")
	if err != nil {
		return err
	}
	if !strings.Contains(said, "exit 7: ") || !strings.Contains(said, "hello from Windows_NT") {
		return fmt.Errorf("the agent said %q", said)
	}
	return nil
}

func (d *drive) stops(ctx context.Context) error {
	if err := d.own.send(ctx, "wait"); err != nil {
		return err
	}
	if _, _, err := d.own.until(ctx, "text_delta", func(e event) bool { return strings.Contains(e.Content, "waiting") }); err != nil {
		return err
	}
	if err := d.weft.do(ctx, "StopRun", map[string]any{"spaceId": d.own.id}, nil); err != nil {
		return err
	}
	_, err := d.own.ends(ctx, "cancelled")
	return err
}

// grow lets the agent start a tree of programs, and opens them all.
func (d *drive) grow(ctx context.Context) error {
	d.tree = nil
	if err := d.own.send(ctx, "tree"); err != nil {
		return err
	}
	var said strings.Builder
	for {
		_, e, err := d.own.until(ctx, "text_delta", nil)
		if err != nil {
			return err
		}
		said.WriteString(e.Content)
		_, list, ok := strings.Cut(said.String(), "pids ")
		if list, _, ended := strings.Cut(list, "."); ok && ended {
			for _, word := range strings.Fields(list) {
				pid, err := strconv.Atoi(word)
				if err != nil {
					return err
				}
				p, err := os.FindProcess(pid)
				if err != nil {
					return fmt.Errorf("process %d of %q: %w", pid, list, err)
				}
				d.tree = append(d.tree, p)
			}
			if len(d.tree) != 3 {
				return fmt.Errorf("the agent said %q", said.String())
			}
			return nil
		}
	}
}

// felled waits until the whole tree is gone.
func (d *drive) felled(ctx context.Context) error {
	for i, p := range d.tree {
		if err := waitFor(ctx, p); err != nil {
			return fmt.Errorf("number %d of the tree: %w", i, err)
		}
	}
	return nil
}

// waitFor waits until a process has ended, which need not be a child of this one.
func waitFor(ctx context.Context, p *os.Process) error {
	gone := make(chan error, 1)
	go func() {
		_, err := p.Wait()
		gone <- err
	}()
	select {
	case err := <-gone:
		return err
	case <-ctx.Done():
		return fmt.Errorf("process %d is still there", p.Pid)
	}
}

func (d *drive) killsAgent(ctx context.Context) error {
	if err := d.grow(ctx); err != nil {
		return err
	}
	// The root alone: the rest has to end by itself.
	if err := d.tree[0].Kill(); err != nil {
		return err
	}
	_, e, err := d.own.until(ctx, "run_completed", nil)
	if err != nil {
		return err
	}
	if e.Error == nil {
		return fmt.Errorf("the run has ended with %q and no error", e.StopReason)
	}
	return d.felled(ctx)
}

func (d *drive) restartsAgent(ctx context.Context) error {
	if err := d.own.send(ctx, "edit again.txt"); err != nil {
		return err
	}
	_, err := d.own.ends(ctx, "end_turn")
	return err
}

func (d *drive) killsWeft(ctx context.Context) error {
	if err := d.grow(ctx); err != nil {
		return err
	}
	d.weft.kill()
	d.cancel()
	return d.felled(ctx)
}

func (d *drive) resumes(ctx context.Context) error {
	guide, own := d.guide.id, d.own.id
	if err := d.start(ctx); err != nil {
		return err
	}
	var err error
	if d.guide, err = d.weft.follow(d.life, guide); err != nil {
		return err
	}
	said, err := d.guide.texts(ctx)
	if err != nil {
		return err
	}
	if said != d.said {
		return fmt.Errorf("the guide's conversation was\n%s\nand is\n%s", d.said, said)
	}
	if d.own, err = d.weft.follow(d.life, own); err != nil {
		return err
	}
	return d.restartsAgent(ctx)
}

func (d *drive) interrupts(ctx context.Context) error {
	data := filepath.Join(d.work, "console")
	if err := interruptInConsole(ctx, d.program, data); err != nil {
		return err
	}
	log, err := os.ReadFile(filepath.Join(data, "logs", "weft.log"))
	if err == nil && !strings.Contains(string(log), `"message":"closed"`) {
		err = fmt.Errorf("it wasn't closed in order: %s", log)
	}
	return err
}
