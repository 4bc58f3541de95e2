//go:build linux

package systemtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"weft/backend/api/service/conversation"
	"weft/backend/api/service/spaces"
	"weft/backend/conversation/transcript"
)

// loom is some spaces that share members, each of which can be given a plan.
type loom struct {
	rooms []*room
	known []weaveSpace
	ids   map[string]string // of members, by "space/name"
	plans map[string]*weavePlan
	asks  []weaveAsk
	rnd   *rand.Rand
	dir   string
}

func (a *app) loom(t *testing.T, rnd *rand.Rand) *loom {
	t.Helper()
	l := &loom{ids: map[string]string{}, plans: map[string]*weavePlan{}, rnd: rnd, dir: t.TempDir()}
	ann, bob := a.custom(t, "Agent Ann", scriptedProgram, nil, "scripted", "weaver"), a.custom(t, "Agent Bob", scriptedProgram, nil, "scripted", "weaver")
	for _, names := range [][]string{{"Ann", "Bob"}, {"Ann", "Bob"}, {"Ann"}} {
		var team []spaces.MemberInput
		for _, name := range names {
			team = append(team, spaces.MemberInput{Name: name, AgentID: map[string]string{"Ann": ann, "Bob": bob}[name]})
		}
		dir := t.TempDir()
		var sp spaces.Space
		a.do(t, "CreateSpace", spaces.CreateSpaceRequest{Folder: dir, Members: team}, &sp)
		for _, m := range sp.Members {
			l.ids[sp.ID+"/"+m.Name] = m.ID
		}
		r := a.reenter(t, dir, sp.ID)
		t.Cleanup(r.st.close)
		l.rooms = append(l.rooms, r)
		l.known = append(l.known, weaveSpace{sp.ID, names})
	}
	return l
}

// begin gives every member a plan, all at once.
func (l *loom) begin(t *testing.T, round, parts int, overlap bool) {
	t.Helper()
	later := map[string]bool{}
	for i := len(l.rooms) - 1; i >= 0; i-- {
		for _, name := range slices.Backward(l.known[i].members) {
			p := &weavePlan{name: fmt.Sprintf("%d%s%d", round, name[:1], i), me: name, later: later, rnd: l.rnd, spaces: []weaveSpace{l.known[i]}}
			for j, sp := range l.known {
				if j != i && slices.Contains(sp.members, name) {
					p.spaces = append(p.spaces, sp)
				}
			}
			p.write(parts, overlap)
			l.asks = append(l.asks, p.asks...)
			path := filepath.Join(l.dir, p.name)
			raw, err := json.Marshal(p.ops)
			if err == nil {
				err = os.WriteFile(path, raw, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			l.plans[weaveOrder+path] = p
			later[l.known[i].id+"/"+name] = true
		}
	}
	for text, p := range l.plans {
		if strings.HasPrefix(p.name, strconv.Itoa(round)) {
			own := p.spaces[0].id
			l.rooms[0].do(t, "SendPrompt", conversation.SendPromptRequest{SpaceID: own, Text: text, To: []string{l.ids[own+"/"+p.me]}}, nil)
		}
	}
}

// expects is how many runs and choices a space has when all is over.
func (l *loom) expects(space string) (runs, choices int) {
	for _, p := range l.plans {
		if p.want.own == space {
			runs++
		}
		choices += p.choice[space]
	}
	for _, ask := range l.asks {
		if ask.space == space {
			runs++
		}
	}
	return runs, choices
}

// finish answers what waits for the user until every run has ended, and every message.
func (l *loom) finish(t *testing.T) {
	t.Helper()
	var all sync.WaitGroup
	errs := make([]error, len(l.rooms))
	for i, r := range l.rooms {
		all.Go(func() { errs[i] = r.attend(l.expects(r.id)) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, r := range l.rooms {
		r.st.until(t, "every message has an end", func(v *seen) bool {
			return !slices.ContainsFunc(v.conv.Messages, func(m *transcript.Message) bool { return m.EndedAt == 0 })
		})
	}
}

// attend answers the choices of a space until so many are there and so many runs have ended.
func (r *room) attend(runs, choices int) error {
	answered := map[string]bool{}
	for {
		var m *transcript.Message
		var c *transcript.ToolCall
		err := r.st.await(fmt.Sprintf("%d runs end and %d choices are made", runs, choices), func(v *seen) bool {
			made := 0
			for _, msg := range v.conv.Messages {
				for _, s := range msg.Segments {
					for _, it := range s.Items {
						if it.Call == nil || it.Call.Name != "showChoice" || it.Call.Kind != "display" {
							continue
						}
						if it.Call.Status == transcript.StatusWaiting || it.Call.Status.Ended() {
							made++
						}
						if it.Call.Status == transcript.StatusWaiting && !answered[it.Call.ID] {
							m, c = msg, it.Call
						}
					}
				}
			}
			return c != nil || v.runs["end_turn"] >= runs && made >= choices
		})
		if err != nil || c == nil {
			return err
		}
		answered[c.ID] = true
		if err := r.try("AnswerDisplay", conversation.AnswerDisplayRequest{SpaceID: r.id, MessageID: m.ID, ToolCallID: c.ID, Answer: []byte(`{"choice":"a"}`)}, nil); err != nil {
			return err
		}
	}
}

// check compares all messages of all runs with the plans. After a kill, what is there may be only the beginning.
func (l *loom) check(t *testing.T, conv func(*room) *transcript.Conversation, killed bool) {
	t.Helper()
	got := map[string]*woven{} // by run
	byPrompt := map[string]string{}
	for _, r := range l.rooms {
		c := conv(r)
		for _, m := range c.Messages {
			if m.EndedAt == 0 {
				t.Errorf("a message of %s has no end", m.Author.Name)
			}
			if m.Role != transcript.RoleAgent {
				continue
			}
			if got[m.RunID] == nil {
				got[m.RunID] = &woven{list: map[string][][]string{}}
			}
			got[m.RunID].list[r.id] = append(got[m.RunID].list[r.id], partsOf(m))
		}
		r.st.now(func(v *seen) {
			for run, prompt := range v.created {
				if m := messageOf(c, prompt); m != nil && m.Role == transcript.RoleUser {
					byPrompt[m.Content()] = run
				}
			}
		})
	}
	for text, p := range l.plans {
		run := byPrompt[text]
		if got[run] == nil {
			if !killed {
				t.Errorf("nothing came of the plan %s", p.name)
			}
			continue
		}
		for _, sp := range p.spaces {
			have, want := got[run].list[sp.id], p.want.list[sp.id]
			if killed {
				want = begun(have, want)
			}
			if !slices.EqualFunc(have, want, slices.Equal) {
				t.Errorf("plan %s in space %s:\n%s", p.name, sp.id, differ(have, want))
			}
			delete(got[run].list, sp.id)
		}
		if len(got[run].list) > 0 {
			t.Errorf("plan %s reached other spaces: %v", p.name, got[run].list)
		}
		delete(got, run)
	}
	left := map[weaveAsk]int{}
	for _, ask := range l.asks {
		left[ask]++
	}
	for run, w := range got {
		for space, messages := range w.list {
			fits := slices.IndexFunc(l.asks, func(k weaveAsk) bool {
				return k.space == space && left[k] > 0 && slices.EqualFunc(messages, [][]string{{"T:" + k.reply}}, slices.Equal)
			})
			if fits >= 0 {
				left[l.asks[fits]]--
			} else if !killed || len(messages) > 1 || len(messages[0]) > 0 {
				t.Errorf("run %s in space %s was not asked for: %q", run, space, messages)
			}
		}
	}
	for ask, n := range left {
		if n > 0 && !killed {
			t.Errorf("%d answers of %s in space %s are missing: %s", n, ask.name, ask.space, ask.reply)
		}
	}
}

// begun is the beginning of want that is as long as have.
func begun(have, want [][]string) [][]string {
	if len(have) == 0 || len(have) > len(want) {
		return want[:min(len(want), len(have))]
	}
	want = append([][]string(nil), want[:len(have)]...)
	last, is := &want[len(want)-1], have[len(have)-1]
	if len(is) > len(*last) {
		return want
	}
	*last = append([]string(nil), (*last)[:len(is)]...)
	for i := range is {
		if becomes(is[i], (*last)[i]) {
			(*last)[i] = is[i]
		}
	}
	if n := len(is) - 1; n >= 0 && strings.HasPrefix((*last)[n], is[n]) {
		(*last)[n] = is[n]
	}
	return want
}

// becomes reports whether a part can be what a display was before: a call, then drawn while its input was written.
func becomes(was, display string) bool {
	if !strings.HasPrefix(display, "D:") {
		return false
	}
	id, call := strings.CutPrefix(was, "C:")
	return was == weaveEarly || call && (display == weaveEarly || strings.HasSuffix(display, id))
}

func differ(have, want [][]string) string {
	if len(have) != len(want) {
		return fmt.Sprintf("%d messages, want %d\n%.3000q\nwant\n%.3000q", len(have), len(want), have, want)
	}
	for i := range have {
		for j := range max(len(have[i]), len(want[i])) {
			a, b := "nothing", "nothing"
			if j < len(have[i]) {
				a = have[i][j]
			}
			if j < len(want[i]) {
				b = want[i][j]
			}
			if a != b {
				at := 0
				for at < min(len(a), len(b)) && a[at] == b[at] {
					at++
				}
				return fmt.Sprintf("message %d, part %d, byte %d of %d (want %d):\n%.400q\nwant\n%.400q", i, j, at, len(a), len(b), a[max(0, at-40):], b[max(0, at-40):])
			}
		}
	}
	return ""
}

// TestRunsWeaveMessages has several members at once add random parts to several spaces. Of each run there is one message per space, and one
// more after each mention that something follows; it has the parts in their order, each once, byte for byte; and it looks the same to a
// subscriber, in the store, and after the app was killed.
func TestRunsWeaveMessages(t *testing.T) {
	t.Parallel()
	for _, overlap := range []bool{false, true} {
		t.Run(map[bool]string{false: "one by one", true: "overlapping"}[overlap], func(t *testing.T) {
			t.Parallel()
			rounds := 3
			if testing.Short() {
				rounds = 2
			}
			seed := rand.Uint64() // WEFT_WEAVE_SEED to see one again
			if s, err := strconv.ParseUint(os.Getenv("WEFT_WEAVE_SEED"), 10, 64); err == nil {
				seed = s
			}
			t.Logf("seed %d", seed)
			rnd, home := rand.New(rand.NewPCG(seed, 0)), t.TempDir()
			a := launch(t, home)
			l := a.loom(t, rnd)
			live := func(r *room) (c *transcript.Conversation) {
				r.st.now(func(v *seen) { c = &v.conv })
				return c
			}
			for n := range rounds {
				l.begin(t, n+1, 25, overlap)
				l.finish(t)
				l.check(t, live, false)
				if t.Failed() {
					t.Fatalf("in round %d", n+1)
				}
			}
			for _, r := range l.rooms {
				r.kept(t)
			}

			// What was shown when the app was killed is there, in its order, and has an end.
			seen0 := 0
			l.rooms[0].st.now(func(v *seen) { seen0 = v.events })
			l.begin(t, rounds+1, 25, overlap)
			more := seen0 + 10 + rnd.IntN(60)
			for _, r := range l.rooms {
				go func() { _ = r.attend(1<<20, 0) }() // until the app is gone
			}
			l.rooms[0].st.until(t, "some more events", func(v *seen) bool { return v.events >= more })
			a.kill()
			a = launch(t, home)
			l.check(t, func(r *room) *transcript.Conversation {
				<-r.st.done
				conv, err := a.stored(r.id, true)
				if err != nil {
					t.Fatal(err)
				}
				r.st.now(func(v *seen) {
					for i, m := range v.conv.Messages {
						if i >= len(conv.Messages) || conv.Messages[i].ID != m.ID {
							t.Fatalf("message %d of %d that were shown is lost", i, len(v.conv.Messages))
						}
						shown, kept := [][]string{partsOf(m)}, [][]string{partsOf(conv.Messages[i])}
						if want := begun(shown, kept); !slices.EqualFunc(shown, want, slices.Equal) {
							t.Errorf("something that was shown is lost: %s", differ(shown, want))
						}
					}
				})
				return conv
			}, true)
		})
	}
}
