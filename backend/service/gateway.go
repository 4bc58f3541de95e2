package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/agentproc"
	"weft/backend/callview"
	"weft/backend/gatecalls"
	"weft/backend/gateway"
	"weft/backend/runs"
	"weft/backend/service/problems"
	"weft/backend/store"
	"weft/backend/store/pages"
	"weft/backend/store/spaces"
	"weft/backend/transcript"
)

// openGateway starts what hands Weft's own tools to agents. Without it agents go without these tools.
func (s *Service) openGateway() {
	g, err := gateway.Open(gateway.Options{
		Host: gatewayHost{s}, Log: s.opt.Log, Version: s.opt.Version, PidDir: agentproc.PidDir(s.opt.DataDir), Socket: agentproc.GatewaySocket(s.opt.DataDir), Definitions: s.ownTools,
		Proxied: s.servers.Proxied, Changed: func() { s.news.Send(MCPServersEvent{}) },
	})
	if err != nil {
		s.opt.Log.Error().Err(err).Msg("the gateway is not there")
		s.problems.Set("gateway", &problems.Problem{Code: "gateway", Message: "Agents cannot show anything or write to other spaces: " + err.Error() + ". Start Weft again."})
		return
	}
	s.gateway = g
}

// ownTools are the person's own tools: a JSON file for each, in the folder tools beside the settings (docs/gateway.md). What is wrong with one is told, and the
// others are there all the same.
func (s *Service) ownTools() []gateway.Definition {
	list, wrong := gateway.LoadDefinitions(filepath.Join(filepath.Dir(s.settings.Path()), "tools"))
	told := make([]problems.Problem, 0, len(wrong))
	for _, p := range wrong {
		one := problems.Problem{Code: "tools", Message: "A tool of your own is left out. " + p.Message, Path: p.File, Line: p.Line, Column: p.Column}
		if p.Warning {
			one.Code, one.Message = "tool_notice", p.Message
		}
		told = append(told, one)
		s.opt.Log.Warn().Str("file", p.File).Int("line", p.Line).Bool("left out", !p.Warning).Msg("tool definition: " + p.Message)
	}
	s.problems.SetAll("tools", told)
	return list
}

func (s *Service) closeGateway(ctx context.Context) error {
	if s.gateway == nil {
		return nil
	}
	return s.gateway.Close(ctx)
}

func (s *Service) gatewaySession(spaceID, memberID, agentID string) (url, token string, release func(), ok bool) {
	if s.gateway == nil {
		return "", "", nil, false
	}
	url, token, release = s.gateway.Session(gateway.Caller{SpaceID: spaceID, MemberID: memberID, AgentID: agentID})
	return url, token, release, true
}

// gateTool is the gateway's tool that an agent means by what it calls it.
func (s *Service) gateTool(called string) (gatecalls.Tool, bool) {
	if s.gateway == nil {
		return gatecalls.Tool{}, false
	}
	d, ok := s.gateway.Called(called)
	return gatecalls.Tool{
		Name: d.Name, Visibility: d.Visibility, Acts: d.Acts(), Draws: d.DisplayTool, Draw: jsontext.Value(d.Drawn()), Exact: ok && s.gateway.Exactly(called, d.Name),
		Takes: func(argument string) bool { return s.gateway.Takes(d.Name, argument) }, Bare: bareOf(d),
	}, ok
}

// bareOf takes the space in which a tool is shown out of its arguments; nil where it can't be shown.
func bareOf(d gateway.Definition) func(jsontext.Value) jsontext.Value {
	if !d.DisplayTool {
		return nil
	}
	return func(arguments jsontext.Value) jsontext.Value {
		return jsontext.Value(gateway.WithoutTarget(json.RawMessage(arguments)))
	}
}

// gatewayHost is what the gateway asks for.
type gatewayHost struct{ s *Service }

var _ gateway.Host = gatewayHost{}

// Reached implements gateway.Host.
func (h gatewayHost) Reached(c gateway.Caller, tool string) { h.s.runs.Reached(seat(c), tool) }

// Spaces implements gateway.Host.
func (h gatewayHost) Spaces(ctx context.Context, c gateway.Caller) ([]gateway.Space, error) {
	all, err := h.s.store.Spaces.List(ctx, spaces.Filter{})
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

// memberIn answers as which member the caller is in a space: in its own as itself, in another as one that is the same agent, of the same name if
// there are several.
func memberIn(sp *spaces.Space, c gateway.Caller) (me spaces.Member, ok bool) {
	for _, m := range sp.Members {
		if sp.ID == c.SpaceID && m.ID == c.MemberID || sp.ID != c.SpaceID && m.AgentID == c.AgentID && !ok {
			me, ok = m, true
		}
	}
	return me, ok
}

// mayRead answers, if the caller is a member of a space, up to which place it may not read it.
func (h gatewayHost) mayRead(ctx context.Context, c gateway.Caller, id string) (since int64, err error) {
	sp, err := h.s.store.Spaces.Get(ctx, id)
	var e *store.Error
	if errors.As(err, &e) && e.Code == store.CodeNotFound {
		return 0, &gateway.Error{Code: "no_space", Message: fmt.Sprintf("There is no space %q. listSpaces tells those that there are.", id)}
	}
	if err != nil {
		return 0, err
	}
	me, ok := memberIn(&sp, c)
	if !ok {
		return 0, &gateway.Error{Code: "not_member", Message: fmt.Sprintf("You are not a member of the space %q. listSpaces tells those that you are a member of.", id)}
	}
	if me.Reads == spaces.ReadsJoined {
		since = me.JoinedOrd
	}
	return since, nil
}

// maxTold is how much of one message an agent is told, in bytes.
const maxTold = 16 << 10

// Messages implements gateway.Host. The cursor is the place of the oldest message that was told.
func (h gatewayHost) Messages(ctx context.Context, c gateway.Caller, spaceID string, limit int, before string) (gateway.Page, error) {
	out := gateway.Page{Messages: []gateway.Message{}}
	since, err := h.mayRead(ctx, c, spaceID)
	if err != nil {
		return out, err
	}
	at := &pages.Cursor{}
	if before != "" {
		ord, err := strconv.ParseInt(before, 10, 64)
		if err != nil || ord < 1 {
			return out, &gateway.Error{Code: "invalid", Message: "before is not a cursor that readSpaceMessages gave."}
		}
		at.Ord = ord
	} else {
		at = nil
	}
	if err := h.s.store.Events.Flush(ctx, spaceID); err != nil { // so that what has just been said is among them
		return out, err
	}
	looks := h.s.looks()
	for len(out.Messages) < limit {
		page, err := h.s.store.Pages.Before(ctx, spaceID, at, limit)
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
			out.Messages = append([]gateway.Message{{ID: m.ID, Author: authorName(m), Text: toldText(m, looks), At: m.CreatedAt, RunID: m.RunID}}, out.Messages...)
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
		return "the person"
	}
	return string(m.Role)
}

// toldText is what was said in a message, with a line for each call that the user sees, too.
func toldText(m pages.MessageView, looks callview.Looks) string {
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
		if b.Len() > maxTold {
			return strings.ToValidUTF8(b.String()[:maxTold], "") + "… (cut)"
		}
	}
	return strings.TrimSpace(b.String())
}

// parentsIn are the calls of a message under which something stands.
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

// toldRuns is how many of its runs an agent is told.
const toldRuns = 20

// Runs implements gateway.Host: the latest runs of the caller's agent, in all spaces.
func (h gatewayHost) Runs(ctx context.Context, c gateway.Caller) ([]gateway.Run, error) {
	if err := h.s.store.Events.Flush(ctx, c.SpaceID); err != nil { // so that the one in progress is among them
		return nil, err
	}
	rows, err := h.s.store.Runs.OfAgent(ctx, c.AgentID, toldRuns)
	if err != nil {
		return nil, err
	}
	list := []gateway.Run{}
	for _, r := range rows {
		run := gateway.Run{ID: r.ID, SpaceID: r.SpaceID, State: runState(r), StartedAt: r.StartedAt, EndedAt: r.EndedAt, Messages: []gateway.RunMessage{}}
		_, messages, _, err := h.s.store.Runs.Messages(ctx, r.ID)
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
func (h gatewayHost) Post(ctx context.Context, c gateway.Caller, p gateway.Post) (gateway.Posted, error) {
	out, err := h.s.runs.Post(ctx, runs.ToPost{From: seat(c), To: p.SpaceID, Text: p.Text, Mention: p.Mention, Wait: p.Wait, Sent: jsontext.Value(p.Input)})
	return gateway.Posted{MessageID: out.MessageID, Reply: out.Reply, From: out.From, Note: out.Note}, gatewayError(err)
}

func seat(c gateway.Caller) runs.Seat { return runs.Seat{SpaceID: c.SpaceID, MemberID: c.MemberID} }

// Show implements gateway.Host.
func (h gatewayHost) Show(ctx context.Context, c gateway.Caller, want gateway.Show) (gateway.Shown, error) {
	if want.SpaceID == "" { // silent: nobody sees it
		if !want.Tool.Acts() { // permission is asked at its call
			h.s.runs.Pass(seat(c), want.Tool.Name, jsontext.Value(want.Sent))
		}
		return gateway.Shown{State: gateway.StateShown}, nil
	}
	out, err := h.s.runs.Show(ctx, runs.ToShow{
		From: seat(c), To: want.SpaceID, Tool: want.Tool.Name, Title: want.Tool.TitleOf(want.Input), Input: jsontext.Value(want.Input), Sent: jsontext.Value(want.Sent),
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
func (h gatewayHost) Retried(c gateway.Caller, tool string, sent json.RawMessage) {
	h.s.runs.Retried(seat(c), tool, jsontext.Value(sent))
}

// Arrived implements gateway.Host.
func (h gatewayHost) Arrived(c gateway.Caller, tool string, sent json.RawMessage) {
	h.s.runs.Pass(seat(c), tool, jsontext.Value(sent))
}

// Permit implements gateway.Host.
func (h gatewayHost) Permit(ctx context.Context, c gateway.Caller, p gateway.Permit) error {
	return gatewayError(h.s.runs.Permit(ctx, runs.ToPermit{
		From: seat(c), Tool: p.Tool.Name, Key: p.Key, Kind: kindOf(p), Input: jsontext.Value(p.Input), Sent: jsontext.Value(p.Sent),
		Command: p.Command, Dir: p.Dir, Call: p.Call, Again: p.Again,
	}))
}

// kindOf is the kind of tool as rules have it: of what a server or a request to one changes, nothing is known.
func kindOf(p gateway.Permit) string {
	e := p.Tool.Execution
	switch {
	case p.Command != nil:
		return "execute"
	case e.Mode == gateway.ModeHTTP && (e.Method == "" || e.Method == http.MethodGet):
		return "fetch"
	}
	return "other"
}

func gatewayError(err error) error {
	var e *runs.Error
	if errors.As(err, &e) {
		return &gateway.Error{Code: e.Code, Message: e.Message, Err: err}
	}
	return err
}

// AnswerDisplayRequest is the person's answer to a display.
type AnswerDisplayRequest struct {
	SpaceID    string         `json:"spaceId"`
	MessageID  string         `json:"messageId"`
	ToolCallID string         `json:"toolCallId"`
	Answer     jsontext.Value `json:"answer"`
	Cancel     bool           `json:"cancel,omitzero"` // there will be no answer
}

// AnswerDisplay gives the person's answer to a display that waits. Errors: not_waiting, invalid.
func (s *Service) AnswerDisplay(ctx context.Context, req AnswerDisplayRequest) (none, error) {
	return none{}, s.runs.AnswerDisplay(ctx, req.SpaceID, req.MessageID, req.ToolCallID, req.Answer, req.Cancel)
}
