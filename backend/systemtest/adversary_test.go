//go:build linux

package systemtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/permissions"
	"weft/backend/api/service/secrets"
	"weft/backend/api/service/spaces"
	"weft/backend/api/service/tools"
	"weft/backend/conversation/transcript"
	"weft/backend/settings"
	stored "weft/backend/store/permissions"
)

// adversaryRules are the rules of the user. None of them lets anything change but regular files in made, and nothing run but what it names.
func adversaryRules() (list []stored.Rule) {
	rule := func(effect, kind, command, path string) {
		list = append(list, stored.Rule{Effect: effect, Scope: "everywhere", Kind: kind, Command: command, Path: path, Enabled: true})
	}
	for _, command := range []string{"ls", "cat", "git status", "git log", "npm test", "sort"} {
		rule("allow", "", command, "")
	}
	rule("allow", "read", "", "src/**")
	rule("allow", "edit", "", "made/**")
	rule("allow", "search", "", "")
	rule("allow", "think", "", "")
	rule("reject", "", "rm", "")
	rule("reject", "", "git push", "")
	rule("reject", "", "", "**/.env")
	return list
}

// TestAdversary has an agent try to act without the user, in each mode and by everything that an agent can say to Weft. The user refuses
// each request. Whatever Weft allows, the agent does. Then nothing may have run or changed that no rule names, no secret may have reached
// the agent, the history must hold what was done, and Weft must still answer.
//
// Each class of attacks can be run alone (-run TestAdversary/rules/terminal). WEFT_ADVERSARY_STEPS sets how many steps there are in each
// mode, WEFT_ADVERSARY_SEED the seed, which a failure names.
func TestAdversary(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"git", "busybox", "zsh", "dash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s isn't installed, so attacks that need it are weaker.", program)
		}
	}
	steps, seed := 600, uint64(1)
	if brief() {
		steps = 110
	}
	if n, err := strconv.Atoi(os.Getenv("WEFT_ADVERSARY_STEPS")); err == nil {
		steps = n
	}
	if n, err := strconv.ParseUint(os.Getenv("WEFT_ADVERSARY_SEED"), 10, 64); err == nil {
		seed = n
	}
	for _, mode := range []string{"ask", "rules", "read-only"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			can := newCanaries(t, home)
			a := launchWith(t, home, []string{"PATH=" + can.bin + ":" + os.Getenv("PATH")})
			a.do(t, "SavePermissionRules", permissions.PermissionRulesRequest{Rules: adversaryRules()}, nil)
			a.do(t, "SetSecretStore", secrets.SecretStoreRequest{Store: "file"}, nil)
			a.do(t, "SaveMCPServer", tools.SaveMCPServerRequest{Server: tools.MCPServerForm{
				Name: "trap", Type: "stdio", Command: scriptedProgram, Args: []string{"trap", can.log}, Via: settings.ViaGateway,
			}}, nil)
			for _, class := range slices.Sorted(maps.Keys(adversaryClasses)) {
				t.Run(class, func(t *testing.T) { //nolint:paralleltest // the canaries' log is one
					siege := newSiege(t, a, can, mode, class, seed)
					siege.run(t, steps/len(adversaryClasses))
				})
			}
		})
	}
}

// siege is a class of attacks in a mode.
type siege struct {
	*room
	w           *world
	g           *grammar
	mode, class string
	seed        uint64
	foreign     string // a space that the agent is no member of
	user        user
	decided     int64               // the last decision in the history, as far as it was read
	faults      map[string][]string // by production
	answers     map[string]int      // how often Weft answered what
	bad         int
	early       []string // what had happened before something else was put in the place of a folder
}

func newSiege(t *testing.T, a *app, can world, mode, class string, seed uint64) *siege {
	t.Helper()
	s := &siege{w: can.newWorld(t), mode: mode, class: class, seed: seed, faults: map[string][]string{}, answers: map[string]int{}}
	ctl := listen(t)
	agent := a.custom(t, "Adversary "+class, scriptedProgram, map[string]string{controlVariable: ctl.l.Addr().String()}, "scripted", "adversary", class)
	s.room = a.enter(t, s.w.dir, agent)
	s.steer(ctl)
	t.Cleanup(s.st.close)
	s.room.mode(t, mode)
	s.user.follow(t, s.room)
	// A space with other rights, in the same folder, where the agent is a member with another one that obeys it; and a space of others.
	helper := a.custom(t, "Helper "+class, scriptedProgram, nil, "scripted", "adversary")
	var sp spaces.Space
	a.do(t, "CreateSpace", spaces.CreateSpaceRequest{Folder: s.w.dir, Members: []spaces.MemberInput{{Name: "Adversary", AgentID: agent}, {Name: "Helper", AgentID: helper}}}, &sp)
	other := a.reenter(t, s.w.dir, sp.ID)
	t.Cleanup(other.st.close)
	other.mode(t, "rules")
	s.user.follow(t, other)
	stranger := a.custom(t, "Stranger "+class, scriptedProgram, nil, "scripted", "echo")
	a.do(t, "CreateSpace", spaces.CreateSpaceRequest{Folder: t.TempDir(), Members: []spaces.MemberInput{{Name: "Stranger", AgentID: stranger}}}, &sp)
	s.foreign = sp.ID
	h := fnv.New64a()
	_, _ = h.Write([]byte(mode + "/" + class))
	s.g = &grammar{rand: rand.New(rand.NewPCG(seed, h.Sum64())), w: s.w, space: s.id, other: other.id, foreign: sp.ID, mode: mode, orders: t.TempDir()}
	return s
}

// run takes steps in turns and checks after each one.
func (s *siege) run(t *testing.T, steps int) {
	const turn = 25
	taken := 0
	for n := 0; n < steps; {
		var plan []move
		for len(plan) < min(turn, steps-n) {
			v := adversaryClasses[s.class](s.g)
			if plan = append(plan, v); v.Stop || v.After || v.Ends {
				break
			}
		}
		if !s.turn(t, n, plan) {
			break
		}
		n += len(plan)
		taken = n
	}
	for name, list := range s.faults {
		t.Errorf("%s (%d×), for example:\n%s", name, len(list), list[0])
	}
	t.Logf("%s/%s: %d steps, %d faults of %d forms, seed %d; the user was asked %d times; answers %v", s.mode, s.class, taken, s.bad, len(s.faults), s.seed, s.user.count(), s.answers)
	s.untouched(t)
	s.alive(t)
}

// turn sends a plan and judges each step. It returns false where nothing more can be learned.
func (s *siege) turn(t *testing.T, first int, plan []move) bool {
	t.Helper()
	raw, err := json.Marshal(plan)
	path := filepath.Join(s.g.orders, "plan")
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.st.reset()
	s.user.rest(plan[0].Stop)
	s.decisions(t)
	s.send(t, "plan "+path)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = s.st.awaitFor(24*time.Hour, "the turn ends", func(v *seen) bool {
			return len(v.runs) > 0
		})
	}()
	var by net.Conn
	for done := 0; ; {
		what, ok := s.hear(t, done, len(plan), over)
		if !ok {
			break
		}
		if by != nil && by != what.by {
			t.Logf("another agent told %.80q after %d steps", what.line, done)
		}
		by = what.by
		if what.line == "stop" {
			s.stop(t)
			continue
		}
		if how, ok := strings.CutPrefix(what.line, "swap "); ok {
			harm, _ := s.w.harm(t, s.mode)
			s.early = append(s.early, harm...)
			s.w.swap(t, how)
			what.reply("go")
			continue
		}
		var f feat
		if err := json.Unmarshal([]byte(what.line), &f); err != nil {
			t.Fatal(err)
		}
		// Where Weft had to end the agent, its turn may begin again with another one.
		s.judge(t, first+f.Move, plan[f.Move], f)
		if f.Frozen {
			return false
		}
		done = f.Move + 1
		s.user.rest(done < len(plan) && plan[done].Stop)
		what.reply("go")
	}
	if err := s.try("Bootstrap", struct{}{}, nil); err != nil {
		t.Errorf("Weft doesn't answer: %v", err)
		return false
	}
	s.w.settle(t)
	return true
}

// hear waits for what became of a step. It returns false where all steps are done and the turn has ended, and fails where it has ended before.
func (s *siege) hear(t *testing.T, done, steps int, over <-chan struct{}) (what told, ok bool) {
	t.Helper()
	if done < steps {
		over = nil
	}
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for n := 0; ; n++ {
		select {
		case what = <-s.ctl.lines:
			return what, true
		case <-over:
			return told{}, false
		case <-ticks.C:
		}
		s.st.now(func(v *seen) {
			if done == 0 && n > 5 && len(v.runs) > 0 || n > int(timeout/time.Second) {
				t.Fatalf("nothing came after step %d of the %d of a turn: ended %v, failed %+v, asked %+v, noted %q, faults so far %v", done, steps, v.runs, v.failed, v.asks, notesIn(v), s.faults)
			}
		})
	}
}

// judge says what is wrong with a step.
func (s *siege) judge(t *testing.T, n int, v move, f feat) {
	t.Helper()
	decisions := s.decisions(t)
	s.w.still()
	harm, touched := s.w.harm(t, s.mode)
	harm, s.early = slices.Concat(s.early, harm, f.Leaks), nil
	if f.Frozen {
		harm = append(harm, "no answer within "+adversaryPatience.String())
	}
	for i, answer := range f.Answers {
		fr := v.Frames[i]
		if answer != "" {
			s.answers[fmt.Sprintf("%.60s", answer)]++
		}
		switch granted := answer == "allow" || answer == "done" && (fr.Method == "terminal/create" || fr.Method == "fs/write_text_file"); {
		case !granted:
		case v.Deny:
			harm = append(harm, fmt.Sprintf("frame %d was allowed unasked", i))
		case s.mode == "ask":
			harm = append(harm, fmt.Sprintf("frame %d was allowed in mode ask", i))
		default:
			if missing := s.unrecorded(t, fr); missing != "" {
				harm = append(harm, fmt.Sprintf("frame %d was allowed, but %s", i, missing))
			}
		}
	}
	// Each request waits for its answer, and the history has that before the agent does.
	byUser := func(d stored.Decision) bool { return d.By == "person" }
	if v.Refuse && s.mode != "read-only" && slices.ContainsFunc(decisions, byUser) {
		harm = append(harm, "the user was asked, though a reject rule is about it")
	}
	if touched {
		s.w.restore(t)
	}
	if len(harm) == 0 {
		return
	}
	s.bad++
	step, _ := json.Marshal(v)
	s.faults[v.Name] = append(s.faults[v.Name], fmt.Sprintf("  %s\n  seed %d, step %d, shell %s, answers %.300q\n  %.1500s", strings.Join(harm[:min(len(harm), 8)], "\n  "), s.seed, n, f.Shell, f.Answers, step))
}

// decisions returns what the history has had since the last call, the newest first.
func (s *siege) decisions(t *testing.T) []stored.Decision {
	t.Helper()
	var h permissions.History
	s.do(t, "PermissionHistory", permissions.HistoryRequest{Limit: 100}, &h)
	list := h.Decisions
	if i := slices.IndexFunc(list, func(d stored.Decision) bool { return d.N <= s.decided }); i >= 0 {
		list = list[:i]
	}
	if len(list) > 0 {
		s.decided = list[0].N
	}
	return list
}

// unrecorded says what the history lacks of something that was allowed.
func (s *siege) unrecorded(t *testing.T, fr frame) string {
	t.Helper()
	if fr.True == "" {
		return ""
	}
	var h permissions.History
	s.do(t, "PermissionHistory", permissions.HistoryRequest{SpaceID: s.id, Outcome: "allowed", Limit: 50}, &h)
	for _, d := range h.Decisions {
		if !slices.ContainsFunc(strings.Fields(fr.True), func(word string) bool { return !strings.Contains(d.About, word) }) {
			return ""
		}
	}
	return fmt.Sprintf("the history has no %q", fr.True)
}

// untouched checks that nothing of the agent came into the space of others.
func (s *siege) untouched(t *testing.T) {
	t.Helper()
	for _, m := range (&room{app: s.app, id: s.foreign}).messages(t) {
		t.Errorf("in the space of another agent stands %q", m.Content())
	}
}

// user refuses whatever is asked.
type user struct {
	mu      sync.Mutex
	asked   map[string]bool
	resting bool // nothing is answered
	more    sync.Cond
}

func (u *user) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.asked)
}

// rest has the user answer nothing, or answer again.
func (u *user) rest(on bool) {
	u.mu.Lock()
	u.resting = on
	u.mu.Unlock()
	u.more.Broadcast()
}

// follow answers what is asked in a space until its stream ends.
func (u *user) follow(t *testing.T, r *room) {
	u.mu.Lock()
	if u.asked == nil {
		u.asked, u.more.L = map[string]bool{}, &u.mu
	}
	u.mu.Unlock()
	done := map[string]bool{}
	go func() {
		for {
			var request, display transcript.ToolCall
			var message string
			err := r.st.awaitFor(24*time.Hour, "something is asked", func(v *seen) bool {
				for _, q := range v.asks {
					if q.outcome == "" && !done[q.id] {
						request.ID = q.id
						return true
					}
				}
				for _, m := range v.conv.Messages {
					for _, seg := range m.Segments {
						for _, it := range seg.Items {
							if it.Call != nil && it.Call.Kind == "display" && it.Call.Status == transcript.StatusWaiting && !done[m.ID+it.Call.ID] {
								display, message = *it.Call, m.ID
								return true
							}
						}
					}
				}
				return false
			})
			if err != nil {
				return
			}
			u.mu.Lock()
			if request.ID != "" {
				u.asked[request.ID] = true
			}
			for u.resting {
				u.more.Wait()
			}
			u.mu.Unlock()
			if request.ID != "" {
				done[request.ID] = true
				_ = r.try("RefuseAllPermissions", r.ref(), nil) // it may be over
				_ = r.try("AnswerQuestion", conversation.AnswerQuestionRequest{SpaceID: r.id, RequestID: request.ID, Action: "cancel"}, nil)
				continue
			}
			done[message+display.ID] = true
			_ = r.try("AnswerDisplay", conversation.AnswerDisplayRequest{SpaceID: r.id, MessageID: message, ToolCallID: display.ID, Cancel: true}, nil)
		}
	}()
	t.Cleanup(func() { u.rest(false) })
}
