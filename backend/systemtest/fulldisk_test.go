//go:build linux

package systemtest

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sys/unix"

	"weft/backend/api/service/agents"
	"weft/backend/api/service/conversation"
	"weft/backend/api/service/permissions"
	"weft/backend/conversation/transcript"
	"weft/backend/settings"
	stored "weft/backend/store/permissions"
)

// grow lets the files of the app grow to n bytes and no further.
func (a *app) grow(t testing.TB, n uint64) {
	t.Helper()
	if err := unix.Prlimit(a.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: unix.RLIM_INFINITY}, nil); err != nil {
		t.Fatal(err)
	}
}

// notSaved checks that a command was refused because of the disk, with a sentence.
func notSaved(t testing.TB, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s was accepted on a full disk", what)
		return
	}
	if !strings.Contains(err.Error(), "disk_full: ") && !strings.Contains(err.Error(), "io: ") {
		t.Errorf("%s was refused with %v", what, err)
	}
	sentence(t, err.Error())
}

// said are the words of the user that a space's conversation holds, as they are stored.
func (r *room) said(t testing.TB) []string {
	t.Helper()
	conv, err := r.stored(r.id, true)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range conv.Messages {
		if m.Role == transcript.RoleUser {
			list = append(list, m.Content())
		}
	}
	return list
}

// A prompt that was accepted is stored. One that can't be is refused, and neither sent nor shown, then or later.
func TestPromptOnAFullDiskIsRefused(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "counts", "2", "1")
	r.st.reset()
	r.send(t, "first")
	r.ctl.expect(t, "half")
	r.ctl.say(t, "go")
	r.ctl.expect(t, "done")
	r.ended(t, "end_turn")

	a.grow(t, 1024)
	notSaved(t, "a prompt", r.try("SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Text: "lost?"}, nil))
	notSaved(t, "a second prompt", r.try("SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Text: "lost, too?"}, nil))
	a.grow(t, unix.RLIM_INFINITY)
	a.problem(t, false, "disk_full", "io")

	r.st.reset()
	r.send(t, "again")
	r.ctl.expect(t, "half")
	if got := strings.Join(r.said(t), "|"); got != "first|again" {
		t.Errorf("the conversation holds %q", got)
	}

	// While the agent works, prompts wait in a queue, which is stored as well.
	var queued conversation.SendPromptResult
	r.do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Text: "waits"}, &queued)
	a.grow(t, 1024)
	notSaved(t, "a prompt for the queue", r.try("SendPrompt", conversation.SendPromptRequest{SpaceID: r.id, Text: "lost?"}, nil))
	notSaved(t, "a change of a prompt that waits", r.try("EditQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: queued.PromptID, Text: "changed"}, nil))
	notSaved(t, "another order of the queue", r.try("MoveQueued", conversation.MoveQueuedRequest{SpaceID: r.id, PromptID: queued.PromptID}, nil))
	notSaved(t, "a removal", r.try("RemoveQueued", conversation.QueuedPromptRequest{SpaceID: r.id, PromptID: queued.PromptID}, nil))
	a.grow(t, unix.RLIM_INFINITY)
	r.ctl.say(t, "go")
	r.ctl.expect(t, "done")
	r.ctl.expect(t, "half") // of the prompt that waited
	if got := strings.Join(r.said(t), "|"); got != "first|again|waits" {
		t.Errorf("the conversation holds %q", got)
	}
	r.ctl.say(t, "go")
	r.ctl.expect(t, "done")
	a.stop(t)
}

// An answer that can't be stored is refused, what was asked stays open, and it can be answered once there is room again.
func TestAnswersOnAFullDiskAreRefused(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	full := func(what, method string, req any) {
		t.Helper()
		a.grow(t, 1024)
		notSaved(t, what, a.try(method, req, nil))
		a.grow(t, unix.RLIM_INFINITY)
		a.problem(t, false, "disk_full", "io")
		a.do(t, method, req, nil)
	}

	asking := a.scripted(t, "asks")
	asking.st.reset()
	asking.send(t, "hello")
	asking.ctl.expect(t, "asked")
	asking.st.until(t, "three requests", func(v *seen) bool { return len(v.asks) == 3 })
	var ids []string
	asking.st.now(func(v *seen) {
		for _, ask := range v.asks {
			ids = append(ids, ask.id)
		}
	})
	full("an answer to a permission request", "AnswerPermission", conversation.AnswerPermissionRequest{SpaceID: asking.id, RequestID: ids[0], OptionID: "yes"})
	asking.ctl.expect(t, "1 selected yes")
	full("a refusal of all requests", "RefuseAllPermissions", asking.ref())
	asking.ended(t, "end_turn")
	asking.check(t)

	curious := a.scripted(t, "curious")
	curious.st.reset()
	curious.send(t, form)
	full("an answer to a question", "AnswerQuestion", conversation.AnswerQuestionRequest{SpaceID: curious.id, RequestID: curious.asked(t), Action: "accept", Content: jsontext.Value(`{"fruit":"pear"}`)})
	curious.ended(t, "end_turn")
	curious.check(t)

	shows := a.scripted(t, "caller")
	shows.st.reset()
	shows.send(t, wishes(wish{Say: "Choose. ", Tool: "showChoice", Args: map[string]any{"question": "Which?", "options": []any{map[string]any{"id": "a", "label": "A"}}, "targetSpaceId": shows.id}}))
	m, c := shows.display(t, "the choice", isWaiting)
	answer := conversation.AnswerDisplayRequest{SpaceID: shows.id, MessageID: m.ID, ToolCallID: c.ID, Answer: jsontext.Value(`{"choice":"a"}`)}
	full("an answer to a display", "AnswerDisplay", answer)
	shows.ended(t, "end_turn")
	if text := shows.agentText(); !strings.Contains(text, `{"choice":"a"}`) {
		t.Errorf("the agent heard %s", text)
	}
	shows.check(t)
	a.stop(t)
}

// Settings that can't be saved are refused, and the file stays as it was.
func TestSettingsOnAFullDiskAreRefused(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "echo")
	before, err := os.ReadFile(settingsPath(a.home))
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		method string
		req    any
	}{
		"the appearance": {"SaveAppearance", settings.Appearance{Theme: "dark", Density: "compact", TextScale: 110, Thoughts: "hidden"}},
		"an agent":       {"SaveAgent", agents.SaveAgentRequest{Name: "Other", Command: "/bin/true", Args: []string{strings.Repeat("x", 2000)}}},
		"a rule":         {"SavePermissionRules", permissions.PermissionRulesRequest{Rules: []stored.Rule{{Effect: "allow", Kind: "edit", Path: "**", Scope: "everywhere", Enabled: true}}}},
		"a title":        {"UpdateSpace", map[string]string{"spaceId": r.id, "title": "Lost?"}},
	} {
		a.grow(t, 64)
		notSaved(t, what, a.try(c.method, c.req, nil))
		a.grow(t, unix.RLIM_INFINITY)
	}
	after, err := os.ReadFile(settingsPath(a.home))
	if err != nil || string(after) != string(before) {
		t.Errorf("the settings have changed: %v\n%s", err, after)
	}
	a.problem(t, false, "disk_full", "io")
	r.check(t)
	a.stop(t)
}

// An option that can't be stored is not set at all: neither is the agent told, nor does the space show it.
func TestOptionsOnAFullDiskAreRefused(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	r := a.scripted(t, "offers")
	a.do(t, "PrepareAgent", r.ref(), nil)
	r.ctl.expect(t, "new")
	high := conversation.SetOptionRequest{SpaceID: r.id, OptionID: "think", Value: jsontext.Value(`"high"`)}
	a.grow(t, 1024)
	notSaved(t, "an option", a.try("SetOption", high, nil))
	a.grow(t, unix.RLIM_INFINITY)
	a.problem(t, false, "disk_full", "io")
	if text, _ := r.offered(t); text != `model="small" fast=false think="low"` {
		t.Errorf("offered after the refusal: %s", text)
	}
	r.choose(t, "fast", `true`)
	r.ctl.expect(t, `fast=trueboolean`) // and nothing before it
	a.stop(t)
}

// A write to a pipe is refused, and holds up neither what comes after it nor the end of the app.
func TestWriteThroughALinkToAPipeIsRefused(t *testing.T) {
	t.Parallel()
	a := launch(t, t.TempDir())
	a.rule(t, stored.Rule{Effect: "allow", Kind: "edit", Path: "**"})
	r := a.scripted(t, "edits")
	r.turn(t, "quiet mkfifo pipe && ln -s pipe link\nfs link text\nfs pipe text\nfs fine.txt text", "end_turn")
	r.turn(t, "fs fine.txt more", "end_turn")
	a.stop(t)
}
