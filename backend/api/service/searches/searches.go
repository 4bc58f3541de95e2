// Package searches implements the commands that search all conversations.
package searches

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/backend/agent"
	"weft/backend/base/fault"
	"weft/backend/conversation/search"
	"weft/backend/settings"
	"weft/backend/store"
	index "weft/backend/store/search"
	stored "weft/backend/store/spaces"
)

// Searches searches spaces.
type Searches struct {
	store    *store.Store
	agents   *agent.Registry
	settings *settings.File
}

// New returns searches in a store.
func New(st *store.Store, agents *agent.Registry, file *settings.File) *Searches {
	return &Searches{store: st, agents: agents, settings: file}
}

// SearchRequest is a query, or a further page of it.
type SearchRequest struct {
	// Query has words, "phrases", excluded -words, and filters: space: agent: kind: file: before: after: has:error. A -
	// before a filter excludes its matches.
	Query string `json:"query"`
	// Next is from the page before, 0 for the first page.
	Next int64 `json:"next,omitzero"`
}

// SearchAnswer is a page of hits, best first.
type SearchAnswer struct {
	Hits   []SearchHit   `json:"hits"`
	Spaces []FoundSpace  `json:"spaces"` // the spaces of the hits
	Titles []FoundTitle  `json:"titles"` // spaces whose titles match; only on the first page
	Next   int64         `json:"next"`   // for the next page; 0 if there is none
	Notes  []string      `json:"notes"`  // sentences about ignored parts of the query
	Index  IndexProgress `json:"index"`
}

// IndexProgress is how many of the messages from before the index are indexed. Total is 0 once all are.
type IndexProgress = index.Progress

// SearchHit is a match.
type SearchHit struct {
	SpaceID   string         `json:"spaceId"`
	MessageID string         `json:"messageId"`
	Segment   int            `json:"segment"`      // -1: the error of the message
	Item      int            `json:"item"`         // -1: not in a group
	Pos       int64          `json:"pos,omitzero"` // for SearchPreview
	Ord       int64          `json:"-"`
	Kind      search.Kind    `json:"kind" enum:"prompt,answer,thought,call,display,note"`
	Field     string         `json:"field" enum:"text,title,path,input,output,error"` // the field of the snippet
	Failed    bool           `json:"failed,omitzero"`
	Title     string         `json:"title,omitzero"`  // of a call
	Author    string         `json:"author,omitzero"` // name of the agent
	At        int64          `json:"at"`              // unix ms
	Snippet   []search.Piece `json:"snippet"`
}

// SearchPreviewRequest names a hit.
type SearchPreviewRequest struct {
	Query     string `json:"query"`
	SpaceID   string `json:"spaceId"`
	MessageID string `json:"messageId"`
	Segment   int    `json:"segment"`
	Item      int    `json:"item"`
	Pos       int64  `json:"pos,omitzero"`
}

// SearchPreview is the text around a hit.
type SearchPreview struct {
	Parts []PreviewPart `json:"parts"` // the text, or the texts of a call
}

// PreviewPart is a text with marked matches.
type PreviewPart = index.Part

// SearchPreview returns the text of a hit and its surroundings. Error: not_found.
func (s *Searches) SearchPreview(ctx context.Context, req SearchPreviewRequest) (SearchPreview, error) {
	q := search.Parse(req.Query, time.Now())
	parts, err := s.store.Search.Preview(ctx, req.SpaceID, req.MessageID, req.Segment, req.Item, req.Pos, &q)
	return SearchPreview{Parts: parts}, err
}

// FoundSpace is a space with hits.
type FoundSpace struct {
	ID           string `json:"id"`
	Title        string `json:"title"`
	Folder       string `json:"folder"`
	AgentName    string `json:"agentName"`
	Archived     bool   `json:"archived,omitzero"`
	LastActivity int64  `json:"lastActivity"` // unix ms
}

// FoundTitle is a space whose title matches.
type FoundTitle struct {
	FoundSpace
	Pieces []search.Piece `json:"pieces"` // the title with marked matches
}

// maxTitles is the maximum number of matching titles.
const maxTitles = 20

// Search searches all spaces, including archived ones. It finds everything up to now, including text that is being
// streamed. Later pages have older texts. Error: invalid for a query without search terms.
func (s *Searches) Search(ctx context.Context, req SearchRequest) (SearchAnswer, error) {
	return s.Within(ctx, req, nil)
}

// Within is Search in the spaces that allowed accepts; nil accepts all.
func (s *Searches) Within(ctx context.Context, req SearchRequest, allowed func(sp *stored.Space) bool) (SearchAnswer, error) {
	find, all, err := s.prepare(ctx, req, allowed)
	q := &find.Query
	told := err != nil && len(q.Unknown) > 0 && req.Next == 0 && fault.CodeOf(err) == fault.Invalid // report the query's problem
	if err != nil && !told {
		return SearchAnswer{}, err
	}
	progress, err := s.store.Search.Progress(ctx) // read before the search, which may miss what is indexed in the meantime
	if err != nil {
		return SearchAnswer{}, err
	}
	if told {
		return SearchAnswer{Hits: []SearchHit{}, Spaces: []FoundSpace{}, Titles: []FoundTitle{}, Notes: notes(q), Index: progress}, nil
	}
	page, err := s.store.Search.Search(ctx, find)
	if err != nil {
		return SearchAnswer{}, err
	}
	out := SearchAnswer{
		Hits: make([]SearchHit, len(page.Hits)), Spaces: []FoundSpace{}, Titles: []FoundTitle{}, Next: page.Next, Notes: notes(q), Index: progress,
	}
	shown := map[string]bool{}
	for i, h := range page.Hits {
		out.Hits[i] = SearchHit{
			SpaceID: h.SpaceID, MessageID: h.MessageID, Segment: h.Segment, Item: h.Item, Pos: h.Pos, Ord: h.Ord, Kind: h.Kind, Field: h.Field, Failed: h.Failed, Title: h.Title,
			Author: h.Author, At: h.At, Snippet: h.Snippet,
		}
		if sp := all[h.SpaceID]; sp != nil && !shown[h.SpaceID] {
			shown[h.SpaceID] = true
			out.Spaces = append(out.Spaces, found(sp))
		}
	}
	if req.Next == 0 {
		out.Titles = titles(all, q)
	}
	return out, nil
}

// ResultCount is the number of further results.
type ResultCount struct {
	Results int      `json:"results"`
	Spaces  []string `json:"spaces"` // ids of the spaces with results
	Next    int64    `json:"next"`   // to continue counting; 0 at the end
}

// CountResults counts the results of a query, starting at a page of Search, for a limited time. Call it again with
// `next` to continue. Error: invalid for a query without search terms.
func (s *Searches) CountResults(ctx context.Context, req SearchRequest) (ResultCount, error) {
	find, _, err := s.prepare(ctx, req, nil)
	if err != nil {
		return ResultCount{}, err
	}
	n, err := s.store.Search.Count(ctx, find)
	return ResultCount{Results: n.Hits, Spaces: append([]string{}, n.Spaces...), Next: n.Next}, err
}

// prepare parses a query and returns the spaces to search, by id.
func (s *Searches) prepare(ctx context.Context, req SearchRequest, allowed func(sp *stored.Space) bool) (find index.Request, all map[string]*stored.Space, err error) {
	q := search.Parse(req.Query, time.Now())
	if q.Empty() && !q.Limited() {
		return index.Request{Query: q}, nil, fault.New(fault.Invalid, "Enter a word to search for.")
	}
	if req.Next == 0 {
		if err := s.store.Events.FlushAll(ctx); err != nil {
			return find, nil, err
		}
	}
	all, err = s.spaces(ctx, allowed)
	find = index.Request{
		Query: q, Below: req.Next, Spaces: spacesNamed(all, q.Filters.Space, q.Without.Space), Limited: allowed != nil || len(q.Filters.Space)+len(q.Without.Space) > 0,
		Agents: s.agentsNamed(all, q.Filters.Agent), NotAgents: s.agentsNamed(all, q.Without.Agent),
	}
	return find, all, err
}

// spaces returns the spaces that may be searched, by id.
func (s *Searches) spaces(ctx context.Context, allowed func(sp *stored.Space) bool) (map[string]*stored.Space, error) {
	all, err := s.store.Spaces.Heads(ctx)
	if allowed != nil {
		maps.DeleteFunc(all, func(_ string, sp *stored.Space) bool { return !allowed(sp) })
	}
	return all, err
}

func found(sp *stored.Space) FoundSpace {
	return FoundSpace{ID: sp.ID, Title: sp.Title, Folder: sp.Folder, AgentName: sp.AgentName, Archived: sp.Archived, LastActivity: sp.LastActivity}
}

// spacesNamed returns the ids of the spaces that filters select by id or by a part of the title. Without names it
// returns all except those in not.
func spacesNamed(all map[string]*stored.Space, names, not []string) (ids []string) {
	for id, sp := range all {
		if (len(names) == 0 || isNamed(sp, names)) && !isNamed(sp, not) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// isNamed reports whether one of the names selects a space.
func isNamed(sp *stored.Space, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return sp.ID == name || search.Contains(sp.Title, name) })
}

// agentsNamed returns the ids of the agents that a filter selects by id or by a part of the name, now or in a space.
// The index also has the agents' names in messages.
func (s *Searches) agentsNamed(all map[string]*stored.Space, names []string) (ids []string) {
	if len(names) == 0 {
		return nil
	}
	add := func(id, name string) {
		if !slices.Contains(ids, id) && slices.ContainsFunc(names, func(wanted string) bool { return id == wanted || search.Contains(name, wanted) }) {
			ids = append(ids, id)
		}
	}
	for _, config := range s.agents.Agents() {
		add(config.ID, config.Name)
	}
	for _, sp := range all {
		add(sp.AgentID, sp.AgentName)
	}
	slices.Sort(ids)
	return ids
}

// titles returns the spaces whose titles match all terms, last activity first.
func titles(all map[string]*stored.Space, q *search.Query) []FoundTitle {
	list := []FoundTitle{}
	f := &q.Filters
	if q.Empty() || len(f.Space)+len(f.Agent)+len(f.Kind)+len(f.File) > 0 || f.Error {
		return list
	}
	for _, sp := range all {
		if isNamed(sp, q.Without.Space) {
			continue
		}
		if sp.LastActivity < f.After || f.Before > 0 && sp.CreatedAt >= f.Before {
			continue
		}
		if places, ok := q.Match(sp.Title); ok {
			list = append(list, FoundTitle{found(sp), search.Snippet(sp.Title, places[0].Spans, 1000)})
		}
	}
	slices.SortFunc(list, func(a, b FoundTitle) int {
		if a.LastActivity != b.LastActivity {
			return int(b.LastActivity - a.LastActivity)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list[:min(len(list), maxTitles)]
}

// notes returns sentences about ignored parts of a query.
func notes(q *search.Query) []string {
	list := []string{}
	for _, unknown := range q.Unknown {
		name, value, _ := strings.Cut(unknown, ":")
		switch name {
		case "kind":
			kinds := make([]string, len(search.Kinds))
			for i, kind := range search.Kinds {
				kinds[i] = string(kind)
			}
			list = append(list, fault.Text("There is no kind {{kind}}. Use one of: {{kinds}}.", strconv.Quote(value), strings.Join(kinds, ", ")))
		case "has":
			list = append(list, fault.Text("{{filter}} is unknown. Use has:error.", "has:"+value))
		default:
			list = append(list, fault.Text("{{filter}} isn't a date. Use a date such as 2026-11-25, or a time span such as 7d, 3w or 2m.", name+":"+value))
		}
	}
	if q.Cut {
		list = append(list, fault.Text("The query is too long. Only its beginning was used."))
	}
	return list
}
