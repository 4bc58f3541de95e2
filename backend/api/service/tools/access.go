package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/api/service/searches"
	"weft/backend/base/fault"
	"weft/backend/conversation/callview"
	"weft/backend/conversation/transcript"
	"weft/backend/gateway"
	"weft/backend/gateway/tools"
	"weft/backend/settings"
	"weft/backend/space/requests"
	"weft/backend/space/runs"
	"weft/backend/store"
	"weft/backend/store/pages"
	"weft/backend/store/spaces"
)

// access is what agents may read and do through the gateway.
type access struct {
	store    *store.Store
	settings *settings.File
	runs     func() *runs.Manager
	searches *searches.Searches
	looks    func() callview.Looks
}

var _ gateway.Host = access{}

// Reached implements gateway.Host.
func (a access) Reached(c gateway.Caller, tool string) error {
	return gatewayError(a.runs().Tools().Reached(sessionOf(c), tool))
}

// Spaces implements gateway.Host.
func (a access) Spaces(ctx context.Context, c gateway.Caller) ([]gateway.Space, error) {
	all, err := a.store.Spaces.List(ctx, spaces.Filter{})
	if err != nil {
		return nil, err
	}
	list := []gateway.Space{}
	for i := range all {
		sp := &all[i]
		me, ok := memberIn(sp, c)
		if !ok {
			continue
		}
		view := gateway.Space{ID: sp.ID, Name: sp.Title, Folder: sp.Folder, You: me.Name, Members: []string{}, Current: sp.ID == c.SpaceID}
		for _, m := range sp.Members {
			if m.ID != me.ID {
				view.Members = append(view.Members, m.Name)
			}
		}
		list = append(list, view)
	}
	return list, nil
}

// memberIn returns the caller's member in a space: itself in its own space, and in another space the member with the
// same agent, preferring the same name.
func memberIn(sp *spaces.Space, c gateway.Caller) (me spaces.Member, ok bool) {
	for _, m := range sp.Members {
		if sp.ID == c.SpaceID && m.ID == c.MemberID || sp.ID != c.SpaceID && m.AgentID == c.AgentID && !ok {
			me, ok = m, true
		}
	}
	return me, ok
}

// mayRead returns the last message that the caller may not read in a space of which it is a member.
func (a access) mayRead(ctx context.Context, c gateway.Caller, id string) (since int64, err error) {
	sp, err := a.store.Spaces.Get(ctx, id)
	var e *store.Error
	if errors.As(err, &e) && e.Code == store.CodeNotFound {
		return 0, &tools.Error{Code: "no_space", Message: fmt.Sprintf("There is no space %q. listSpaces returns those that exist.", id)}
	}
	if err != nil {
		return 0, err
	}
	me, ok := memberIn(&sp, c)
	if !ok {
		return 0, &tools.Error{Code: "not_member", Message: fmt.Sprintf("You aren't a member of the space %q. listSpaces returns those that you are a member of.", id)}
	}
	if me.Reads == spaces.ReadsJoined {
		since = me.JoinedOrd
	}
	return since, nil
}

// maxText is the maximum length of a message's text for agents, in bytes.
const maxText = 16 << 10

// cutMark ends a truncated text.
const cutMark = "… (cut)"

// Messages implements gateway.Host. The cursor is the position of the oldest message on the page.
func (a access) Messages(ctx context.Context, c gateway.Caller, spaceID string, limit int, before string) (gateway.Page, error) {
	out := gateway.Page{Messages: []gateway.Message{}}
	since, err := a.mayRead(ctx, c, spaceID)
	if err != nil {
		return out, err
	}
	at := &pages.Cursor{}
	if before != "" {
		ord, err := strconv.ParseInt(before, 10, 64)
		if err != nil || ord < 1 {
			return out, &tools.Error{Code: fault.Invalid, Message: "before isn't a cursor from readSpaceMessages."}
		}
		at.Ord = ord
	} else {
		at = nil
	}
	if err := a.store.Events.Flush(ctx, spaceID); err != nil { // to include the latest messages
		return out, err
	}
	looks := a.looks()
	for len(out.Messages) < limit {
		page, err := a.store.Pages.Before(ctx, spaceID, at, limit)
		if err != nil {
			return out, err
		}
		for i := len(page.Messages) - 1; i >= 0 && len(out.Messages) < limit; i-- {
			m := page.Messages[i]
			if m.Ord <= since {
				out.Before = ""
				return out, nil
			}
			at = &pages.Cursor{Ord: m.Ord}
			out.Messages = append([]gateway.Message{{ID: m.ID, Author: authorName(m), Text: messageText(m, looks), At: m.CreatedAt, RunID: m.RunID}}, out.Messages...)
			if out.Before = strconv.FormatInt(m.Ord, 10); m.Ord == since+1 {
				out.Before = ""
			}
		}
		if len(page.Messages) == 0 || !page.HasBefore && at.Ord <= page.Messages[0].Ord {
			out.Before = ""
			break
		}
	}
	return out, nil
}

func authorName(m pages.MessageView) string {
	switch {
	case m.Author.Name != "":
		return m.Author.Name
	case m.Role == transcript.RoleUser:
		return "the user"
	}
	return string(m.Role)
}

// messageText returns the text of a message, with a line for each call that the user sees.
func messageText(m pages.MessageView, looks callview.Looks) string {
	var b strings.Builder
	parents := parentsIn(m)
	for _, s := range m.Segments {
		switch s.Type {
		case transcript.SegmentText:
			b.WriteString(s.Text)
		case transcript.SegmentToolGroup:
			for _, it := range s.Items {
				if it.Call == nil {
					continue
				}
				if seen, _ := looks.Of(m.Author.ID, it.Call, parents[it.Call.ID]); seen != transcript.VisibilityHidden {
					fmt.Fprintf(&b, "\n[%s: %s]\n", it.Call.Title, it.Call.Status)
				}
			}
		default:
			b.WriteString("\n[an attachment]\n")
		}
		if b.Len() > maxText {
			return strings.ToValidUTF8(b.String()[:maxText], "") + cutMark
		}
	}
	return strings.TrimSpace(b.String())
}

// parentsIn returns the calls of a message that have calls below them.
func parentsIn(m pages.MessageView) map[string]bool {
	parents := map[string]bool{}
	for _, s := range m.Segments {
		parents[s.ParentToolCallID] = true
		for _, it := range s.Items {
			if parents[it.ParentToolCallID] = true; it.Call != nil {
				parents[it.Call.ParentID] = true
			}
		}
	}
	return parents
}

// maxRuns is the maximum number of runs for an agent.
const maxRuns = 20

// Runs implements gateway.Host: the latest runs of the caller's agent, in all spaces.
func (a access) Runs(ctx context.Context, c gateway.Caller) ([]gateway.Run, error) {
	if err := a.store.Events.Flush(ctx, c.SpaceID); err != nil { // to include the current run
		return nil, err
	}
	rows, err := a.store.Runs.OfAgent(ctx, c.AgentID, maxRuns)
	if err != nil {
		return nil, err
	}
	list := []gateway.Run{}
	for _, r := range rows {
		run := gateway.Run{ID: r.ID, SpaceID: r.SpaceID, State: runState(r), StartedAt: r.StartedAt, EndedAt: r.EndedAt, Messages: []gateway.RunMessage{}}
		_, messages, _, err := a.store.Runs.Messages(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			run.Messages = append(run.Messages, gateway.RunMessage{SpaceID: m.SpaceID, MessageID: m.MessageID})
		}
		list = append(list, run)
	}
	return list, nil
}

func runState(r spaces.Run) string {
	if r.EndedAt == 0 {
		return "running"
	}
	return r.StopReason
}

// Post implements gateway.Host.
func (a access) Post(ctx context.Context, c gateway.Caller, p gateway.Post) (gateway.Posted, error) {
	out, err := a.runs().Tools().Post(ctx, runs.ToPost{From: sessionOf(c), To: p.SpaceID, Text: p.Text, Mention: p.Mention, Wait: p.Wait, Sent: jsontext.Value(p.Input)})
	return gateway.Posted{MessageID: out.MessageID, Reply: out.Reply, From: out.From, Note: out.Note}, gatewayError(err)
}

// sessionOf returns the caller's member session.
func sessionOf(c gateway.Caller) runs.MemberKey {
	return runs.MemberKey{SpaceID: c.SpaceID, MemberID: c.MemberID}
}

// Show implements gateway.Host.
func (a access) Show(ctx context.Context, c gateway.Caller, want gateway.Show) (gateway.Shown, error) {
	if want.SpaceID == "" { // silent: not shown
		if !want.Tool.Acts() { // it asks for permission at its call
			a.runs().Tools().Pass(sessionOf(c), want.Tool.Name, jsontext.Value(want.Sent))
		}
		return gateway.Shown{State: gateway.StateShown}, nil
	}
	out, err := a.runs().Tools().Show(ctx, runs.ToShow{
		From: sessionOf(c), To: want.SpaceID, Tool: want.Tool.Name, Title: want.Tool.TitleOf(want.Input), Input: jsontext.Value(want.Input), Sent: jsontext.Value(want.Sent),
		Draw: jsontext.Value(want.Tool.Drawn()), Await: want.Await, Open: want.Open,
	})
	shown := gateway.Shown{Call: out.Call, Answer: json.RawMessage(out.Answer), State: out.State}
	if fill := out.Fill; fill != nil {
		if !want.Tool.Acts() {
			fill(nil, nil)
		} else {
			shown.Done = func(result json.RawMessage, err error) { fill(jsontext.Value(result), err) }
		}
	}
	return shown, gatewayError(err)
}

// Retried implements gateway.Host.
func (a access) Retried(c gateway.Caller, tool string, sent json.RawMessage) {
	a.runs().Tools().Retried(sessionOf(c), tool, jsontext.Value(sent))
}

// Arrived implements gateway.Host.
func (a access) Arrived(c gateway.Caller, tool string, sent json.RawMessage) {
	a.runs().Tools().Pass(sessionOf(c), tool, jsontext.Value(sent))
}

// Permit implements gateway.Host.
func (a access) Permit(ctx context.Context, c gateway.Caller, p gateway.Permit) error {
	return gatewayError(a.runs().Tools().Permit(ctx, sessionOf(c), requests.GatewayCall{
		Tool: p.Tool.Name, Key: p.Key, Kind: kindOf(p), Input: jsontext.Value(p.Input), Sent: jsontext.Value(p.Sent),
		Command: p.Command, Dir: p.Dir, Call: p.Call, Again: p.Again,
	}))
}

// kindOf returns the kind of a tool for rules. It is unknown what a server, or a request to one, changes.
func kindOf(p gateway.Permit) string {
	e := p.Tool.Execution
	switch {
	case p.Command != nil:
		return "execute"
	case e.Mode == tools.ModeHTTP && (e.Method == "" || e.Method == http.MethodGet):
		return "fetch"
	}
	return "other"
}

func gatewayError(err error) error {
	var e *runs.Error
	if errors.As(err, &e) {
		return &tools.Error{Code: e.Code, Message: e.Message, Err: err}
	}
	return err
}
