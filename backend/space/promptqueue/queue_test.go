package promptqueue

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/backend/base/raced"
	"weft/backend/conversation/transcript"
	"weft/backend/space/mentions"
	"weft/backend/space/prompt"
)

var seedFlag = flag.Uint64("seed", 1, "of the random queues")

// Whatever happens to a queue, a member gets its prompts in order, a group has one text and one message, and copies
// don't change. A stored queue is restored unchanged, except for reply waiters.
func TestQueueKeepsItsOrder(t *testing.T) {
	t.Parallel()
	sent, edited, moved := 0, 0, 0
	for n := range uint64(raced.Of(3000)) {
		rnd := rand.New(rand.NewPCG(*seedFlag, n))
		failf := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d, case %d: %s", *seedFlag, n, fmt.Sprintf(format, args...))
		}
		var q Queue
		var want []Prompt
		any := func() string {
			if len(want) == 0 || rnd.IntN(8) == 0 {
				return "unknown"
			}
			return want[rnd.IntN(len(want))].ID
		}
		for i := range 40 {
			was, before := q, fmt.Sprintf("%+v", q.list)
			switch rnd.IntN(9) {
			case 0, 1:
				p := Prompt{ID: fmt.Sprint(i), Text: fmt.Sprint("text", i), MemberID: fmt.Sprint(rnd.IntN(3)), Group: []string{"", "g", "h"}[rnd.IntN(3)], Reply: mentions.NewReplyWaiter()}
				q.Add(p)
				want = append(want, p)
			case 2: // a turn ends
				member := fmt.Sprint(rnd.IntN(3))
				p, ok := q.Next(member)
				k := slices.IndexFunc(want, func(p Prompt) bool { return p.MemberID == member && !p.Held })
				if ok != (k >= 0) || ok && p.ID != want[k].ID {
					failf("%s gets %+v next of %+v", member, p, want)
				}
				if !ok {
					break
				}
				q.Remove(p.ID)
				q.Said(p, "message")
				want = slices.Delete(want, k, k+1)
				for k := range want {
					if p.Group != "" && want[k].Group == p.Group {
						want[k].Said = "message"
					}
				}
				sent++
			case 3:
				id, text := any(), []string{"", "changed"}[rnd.IntN(2)]
				k := slices.IndexFunc(want, func(p Prompt) bool { return p.ID == id })
				p, err := q.Edit(id, text)
				switch {
				case k < 0:
					if !errors.Is(err, ErrSent) {
						failf("a prompt that doesn't wait is edited: %v", err)
					}
				case text != "" && want[k].Said != "":
					if err == nil {
						failf("words that are in the conversation are changed: %+v", p)
					}
				case err != nil || p.Text != want[k].Text || p.Reply != want[k].Reply:
					failf("%+v, %v, want %+v", p, err, want[k])
				case text == "":
					want = slices.Delete(want, k, k+1)
				default:
					edited++
					for o := range want {
						if o == k || want[k].Group != "" && want[o].Group == want[k].Group {
							want[o].Text = text
						}
					}
				}
			case 4:
				if rnd.IntN(4) > 0 {
					break
				}
				member := fmt.Sprint(rnd.IntN(3))
				removed := q.RemoveMember(member)
				n := len(want)
				want = slices.DeleteFunc(want, func(p Prompt) bool { return p.MemberID == member })
				if len(removed) != n-len(want) {
					failf("%d prompts of %s are removed, want %d", len(removed), member, n-len(want))
				}
			case 5: // the app restarts
				raw, err := q.Encode()
				if err != nil {
					failf("%v", err)
				}
				if q, err = Read(raw); err != nil {
					failf("%v", err)
				}
				for k := range want {
					want[k].Reply = nil
				}
			case 6:
				if rnd.IntN(4) > 0 {
					q.Add(Prompt{ID: "a change"})
					q = was // is undone
					break
				}
				if waiters := q.Abandon(); len(waiters) != len(want) {
					failf("%d wait for replies to %d prompts", len(waiters), len(want))
				}
				for k := range want {
					want[k].Reply = nil
				}
			case 8: // a turn is stopped, or its held prompts are resumed
				member, held := fmt.Sprint(rnd.IntN(3)), rnd.IntN(2) == 0
				changes := false
				for k := range want {
					if want[k].MemberID == member {
						changes = changes || want[k].Held != held
						want[k].Held = held
					}
				}
				if change := map[bool]func(string) bool{true: q.Hold, false: q.Resume}[held]; change(member) != changes {
					failf("held %v for %s, changes: %v", held, member, changes)
				}
			case 7:
				id, before := any(), any()
				if rnd.IntN(4) == 0 {
					before = ""
				}
				k := slices.IndexFunc(want, func(p Prompt) bool { return p.ID == id })
				to := slices.IndexFunc(want, func(p Prompt) bool { return p.ID == before })
				err := q.Move(id, before)
				switch {
				case k < 0:
					if !errors.Is(err, ErrBegun) {
						failf("a prompt that doesn't wait is moved: %v", err)
					}
				case before != "" && to < 0:
					if !errors.Is(err, ErrMoved) {
						failf("a prompt is moved before one that doesn't wait: %v", err)
					}
				case err != nil:
					failf("%s before %q: %v", id, before, err)
				default:
					if before == "" {
						to = len(want)
					}
					p := want[k]
					want = slices.Insert(slices.Clone(want), to, p)
					if k >= to {
						k++
					}
					want = slices.Delete(want, k, k+1)
					moved++
				}
			}
			if fmt.Sprintf("%+v", was.list) != before {
				failf("a copy has changed from\n%s to\n%+v", before, was.list)
			}
			if fmt.Sprintf("%+v", q.All()) != fmt.Sprintf("%+v", slices.Clone(want)) && len(q.All())+len(want) > 0 {
				failf("%+v waits, want\n%+v", q.All(), want)
			}
		}
	}
	if sent < 1000/10 || edited < 1000/10 || moved < 1000/10 {
		t.Errorf("only %d prompts were sent, %d edited and %d moved", sent, edited, moved)
	}
}

func TestMovedPromptIsSentInItsNewPlace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		id, before, want string
		err              error
	}{
		"to the front":              {"c", "a", "c a b", nil},
		"back by one":               {"a", "c", "b a c", nil},
		"to the end":                {"a", "", "b c a", nil},
		"before itself":             {"b", "b", "a b c", nil},
		"where it is":               {"b", "c", "a b c", nil},
		"one that has begun":        {"x", "a", "a b c", ErrBegun},
		"before one that has begun": {"b", "x", "a b c", ErrMoved},
		"the last one to the end":   {"c", "", "a b c", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var q Queue
			for _, id := range []string{"a", "b", "c"} {
				q.Add(Prompt{ID: id})
			}
			if err := q.Move(test.id, test.before); !errors.Is(err, test.err) {
				t.Errorf("the error is %v, want %v", err, test.err)
			}
			var got []string
			for _, p := range q.All() {
				got = append(got, p.ID)
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("%v waits, want %s", got, test.want)
			}
		})
	}
}

func TestStoredQueueOfOneMember(t *testing.T) {
	t.Parallel()
	q, err := Read([]byte(`[{"id":"1","text":"go","at":1,"memberId":"","said":"","from":"","parts":[{"path":"a.txt"},{"blob":{"hash":"abc"}}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := q.Next(transcript.MainMember); !ok || p.ID != "1" {
		t.Errorf("%+v", q.All())
	}
	if blobs := q.Blobs(); len(blobs) != 1 || !blobs["abc"] {
		t.Errorf("%v", blobs)
	}
	if _, err := Read([]byte(`{}`)); err == nil {
		t.Error("what is no queue is read")
	}
	var none Queue
	none.Add(Prompt{Parts: []prompt.Attachment{{Path: "a"}}})
	none.Remove("")
	if raw, err := (&Queue{}).Encode(); err != nil || string(raw) != "[]" || len(none.All()) != 0 {
		t.Errorf("%s, %v", raw, err)
	}
}
