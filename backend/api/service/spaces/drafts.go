package spaces

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"weft/backend/api/service/ref"
	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// Limits of a draft.
const (
	MaxDraft      = 1 << 20  // bytes
	maxMore       = 64 << 10 // bytes of the JSON of attachments and form fields
	maxDraftParts = 20
	maxAside      = 4 << 20 // bytes of all texts in Aside
)

// Draft is unsent text in a space.
type Draft struct {
	Text     string      `json:"text"`
	Parts    []DraftPart `json:"parts"`             // attachments
	Start    *DraftStart `json:"start"`             // for the form for a new space, else null
	Aside    []string    `json:"aside,omitzero"`    // earlier prompts that were edited and not sent, oldest first
	EditedAt int64       `json:"editedAt,omitzero"` // unix ms; 0: never
}

// DraftPart is an attachment of a draft: a file in the space's folder, or an upload. One of Path and Hash is set.
type DraftPart struct {
	Path string `json:"path,omitzero"` // slash-separated, relative to the space's folder
	Hash string `json:"hash,omitzero"`
	Name string `json:"name"`
	Size int64  `json:"size"` // bytes
	Kind string `json:"kind" enum:"image,audio,text,other"`
}

// DraftStart has the fields of the form for a new space. Empty fields are not chosen.
type DraftStart struct {
	AgentID  string        `json:"agentId,omitzero"`
	Folder   string        `json:"folder,omitzero"`
	NoFolder bool          `json:"noFolder,omitzero"`
	Members  []MemberInput `json:"members,omitzero"`
	Worktree bool          `json:"worktree,omitzero"` // make a new worktree
	Branch   string        `json:"branch,omitzero"`   // of the worktree
}

// SaveDraftRequest saves a draft; SpaceID is "" for the form for a new space.
type SaveDraftRequest struct {
	SpaceID string      `json:"spaceId"`
	Text    string      `json:"text"`
	Parts   []DraftPart `json:"parts,omitzero"`
	Start   *DraftStart `json:"start,omitzero"`
	Aside   []string    `json:"aside,omitzero"`
	// Ago is how long ago the draft was edited, in ms. Weft keeps the saved draft if that was edited later. Relative
	// times don't require the windows' clocks to agree.
	Ago int64 `json:"ago,omitzero"`
	// Over is the editedAt of the draft on which this edit is based, if known. If that draft is still the saved one,
	// this edit is later, however long the request took.
	Over int64 `json:"over,omitzero"`
	// By identifies the window that saves, so that it recognizes its own changes.
	By string `json:"by,omitzero"`
}

// DraftChange reports that a draft has changed: if you show it, read it again.
type DraftChange struct {
	SpaceID  string `json:"spaceId"`  // "": the form for a new space
	By       string `json:"by"`       // the window that saved it
	EditedAt int64  `json:"editedAt"` // unix ms
}

// Drafts stores unsent text.
type Drafts struct {
	store   *store.Store
	changed func(spaceID string)
	told    func(DraftChange)
}

// NewDrafts returns the drafts of a store. changed is called for a space whose draft becomes empty or is no longer
// empty; told is called after each change.
func NewDrafts(st *store.Store, changed func(spaceID string), told func(DraftChange)) *Drafts {
	return &Drafts{store: st, changed: changed, told: told}
}

// draftMore is stored with the text.
type draftMore struct {
	Parts []DraftPart `json:"parts,omitempty"`
	Start *DraftStart `json:"start,omitempty"`
	Aside []string    `json:"aside,omitempty"`
}

// Draft returns the unsent text of a space or, without a space, of the form for a new one.
func (d *Drafts) Draft(ctx context.Context, req ref.SpaceRef) (Draft, error) {
	row, err := d.store.Drafts.Get(ctx, req.SpaceID)
	if err != nil {
		return Draft{}, err
	}
	return draftView(row)
}

// SaveDraft saves unsent text unless the saved draft was edited later, and returns the saved draft. Error: too_large.
func (d *Drafts) SaveDraft(ctx context.Context, req SaveDraftRequest) (Draft, error) {
	if len(req.Text) > MaxDraft {
		return Draft{}, fault.New("too_large", "A draft can have at most {{max}} MB of text. Shorten it, or attach the text as a file.", MaxDraft>>20)
	}
	if len(req.Parts) > maxDraftParts {
		return Draft{}, fault.New(fault.Invalid, "A draft can have at most {{max}} attachments.", maxDraftParts)
	}
	row := spaces.Draft{SpaceID: req.SpaceID, Text: req.Text}
	if req.Start != nil && req.Start.empty() {
		req.Start = nil
	}
	aside := 0
	for _, text := range req.Aside {
		aside += len(text)
	}
	if aside > maxAside {
		return Draft{}, fault.New("too_large", "A draft can have at most {{max}} MB of text. Shorten it, or attach the text as a file.", maxAside>>20)
	}
	if len(req.Parts) > 0 || req.Start != nil {
		var err error
		if row.More, err = json.Marshal(draftMore{Parts: req.Parts, Start: req.Start}, command.Wire); err != nil {
			return Draft{}, err
		}
	}
	if len(row.More) > maxMore {
		return Draft{}, fault.New("too_large", "The names of the attachments or the roles of the agents are too long to be kept in a draft. Shorten them.")
	}
	if len(req.Aside) > 0 {
		var err error
		if row.More, err = json.Marshal(draftMore{Parts: req.Parts, Start: req.Start, Aside: req.Aside}, command.Wire); err != nil {
			return Draft{}, err
		}
	}
	saved, turned, err := d.store.Drafts.Save(ctx, row, req.Ago, req.Over)
	if err != nil {
		return Draft{}, err
	}
	if turned && req.SpaceID != "" {
		d.changed(req.SpaceID)
	}
	d.told(DraftChange{SpaceID: req.SpaceID, By: req.By, EditedAt: saved.EditedAt})
	return draftView(saved)
}

func (s *DraftStart) empty() bool {
	return s.AgentID == "" && s.Folder == "" && !s.NoFolder && len(s.Members) == 0 && !s.Worktree && s.Branch == ""
}

func draftView(row spaces.Draft) (Draft, error) {
	out := Draft{Text: row.Text, Parts: []DraftPart{}, EditedAt: row.EditedAt}
	if row.More == nil {
		return out, nil
	}
	var m draftMore
	if err := json.Unmarshal(row.More, &m, command.Wire); err != nil {
		return out, nil //nolint:nilerr // the text matters more than the rest
	}
	out.Parts, out.Start, out.Aside = append(out.Parts, m.Parts...), m.Start, m.Aside
	return out, nil
}

// DraftUploads returns the hashes of uploads in drafts, by space id.
func DraftUploads(ctx context.Context, st *store.Store) (map[string][]string, error) {
	extras, err := st.Drafts.Extras(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for id, extra := range extras {
		var m draftMore
		if err := json.Unmarshal(extra, &m, command.Wire); err != nil {
			continue
		}
		for _, part := range m.Parts {
			if part.Hash != "" && !slices.Contains(out[id], part.Hash) {
				out[id] = append(out[id], part.Hash)
			}
		}
	}
	return out, nil
}
