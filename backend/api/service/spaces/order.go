package spaces

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"weft/backend/base/command"
	"weft/backend/base/fault"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// Limits.
const (
	maxTagName     = 40     // characters of a tag's name
	tones          = 8      // colors of the theme
	maxSpaces      = 10_000 // in one command
	maxProjects    = 10_000
	maxProjectPath = 4096
)

// SpaceOrder is the user's order of the list of spaces.
type SpaceOrder struct {
	Pins     []string `json:"pins"`     // ids of spaces, in order; includes archived ones
	Tags     []Tag    `json:"tags"`     // oldest first
	Projects []string `json:"projects"` // in the user's order
}

// Tag is a name with a color for spaces.
type Tag struct {
	ID   string `json:"id"`   // "": a new tag
	Name string `json:"name"` // unique, ignoring case
	Tone int    `json:"tone"` // color, 1 to 8
}

// Order stores the user's order of the list of spaces.
type Order struct {
	store   *store.Store
	changed func(spaceID string)
	told    func()
}

// NewOrder returns the order for a store. changed is called for each space with changed tags, told after any other
// change.
func NewOrder(st *store.Store, changed func(spaceID string), told func()) *Order {
	return &Order{store: st, changed: changed, told: told}
}

// SpaceOrder returns the order of the list of spaces: pins, tags and projects.
func (o *Order) SpaceOrder(ctx context.Context, _ command.None) (SpaceOrder, error) {
	return o.View(ctx)
}

// View returns the order of the list of spaces.
func (o *Order) View(ctx context.Context) (SpaceOrder, error) {
	pins, err := o.store.Order.Pins(ctx)
	if err != nil {
		return SpaceOrder{}, err
	}
	tags, err := o.store.Tags.List(ctx)
	if err != nil {
		return SpaceOrder{}, err
	}
	projects, err := o.store.Order.Projects(ctx)
	if err != nil {
		return SpaceOrder{}, err
	}
	v := SpaceOrder{Pins: pins, Tags: make([]Tag, len(tags)), Projects: projects}
	for i, tag := range tags {
		v.Tags[i] = Tag(tag)
	}
	return v, nil
}

// PinSpacesRequest pins spaces or unpins them.
type PinSpacesRequest struct {
	SpaceIDs []string `json:"spaceIds"`
	Pinned   bool     `json:"pinned"`
	Before   string   `json:"before,omitzero"` // the pinned space that follows; "": at the end
}

// PinSpaces pins spaces in the given order, moves pinned ones, or unpins them. It ignores spaces that are gone.
func (o *Order) PinSpaces(ctx context.Context, req PinSpacesRequest) (SpaceOrder, error) {
	if err := checkCount(req.SpaceIDs); err != nil {
		return SpaceOrder{}, err
	}
	var err error
	if req.Pinned {
		_, err = o.store.Order.Pin(ctx, req.SpaceIDs, req.Before)
	} else {
		_, err = o.store.Order.Unpin(ctx, req.SpaceIDs)
	}
	if err != nil {
		return SpaceOrder{}, err
	}
	return o.tell(ctx)
}

// OrderProjectsRequest lists projects.
type OrderProjectsRequest struct {
	Projects []string `json:"projects"`
}

// OrderProjects sets the user's order of the projects. Projects that are not listed come first.
func (o *Order) OrderProjects(ctx context.Context, req OrderProjectsRequest) (SpaceOrder, error) {
	if len(req.Projects) > maxProjects {
		return SpaceOrder{}, fault.New(fault.Invalid, "You can reorder at most {{max}} projects.", maxProjects)
	}
	for _, project := range req.Projects {
		if len(project) > maxProjectPath || !utf8.ValidString(project) {
			return SpaceOrder{}, fault.New(fault.Invalid, "A project must be named by its folder.")
		}
	}
	if err := o.store.Order.SetProjects(ctx, req.Projects); err != nil {
		return SpaceOrder{}, err
	}
	return o.tell(ctx)
}

// SaveTag adds a tag, or changes the name and color of the tag with this id. A deleted tag is restored with its id.
// Errors: conflict if another tag has the name, too_many.
func (o *Order) SaveTag(ctx context.Context, req Tag) (SpaceOrder, error) {
	req.Name = strings.Join(strings.Fields(req.Name), " ")
	switch {
	case req.Name == "":
		return SpaceOrder{}, fault.New(fault.Invalid, "Enter a name for the tag.")
	case !isReadable(req.Name):
		return SpaceOrder{}, fault.New(fault.Invalid, "The name of the tag has invalid characters. Enter another one.")
	case utf8.RuneCountInString(req.Name) > maxTagName:
		return SpaceOrder{}, fault.New(fault.Invalid, "The name of a tag can have at most {{max}} characters.", maxTagName)
	case req.Tone < 1 || req.Tone > tones:
		return SpaceOrder{}, fault.New(fault.Invalid, "The color of a tag must be a number from 1 to {{max}}.", tones)
	case strings.ContainsAny(req.ID, " \t\n") || len(req.ID) > 64:
		return SpaceOrder{}, fault.New(fault.Invalid, "The id of the tag is invalid.")
	}
	if _, err := o.store.Tags.Save(ctx, spaces.Tag(req)); err != nil {
		return SpaceOrder{}, err
	}
	return o.tell(ctx)
}

// isReadable reports whether a name is visible and has no hidden characters except joiners.
func isReadable(name string) bool {
	seen := false
	for _, r := range name {
		switch {
		case r == '\u200c' || r == '\u200d': // needed in emoji and some languages
		case r == utf8.RuneError || !unicode.IsGraphic(r):
			return false
		case !unicode.IsSpace(r) && !unicode.IsMark(r):
			seen = true
		}
	}
	return seen
}

type (
	// TagRef names a tag.
	TagRef struct {
		TagID string `json:"tagId"`
	}
	// RemovedTag has the spaces that had a tag, for undo.
	RemovedTag struct {
		SpaceIDs []string   `json:"spaceIds"`
		Order    SpaceOrder `json:"order"`
	}
	// TagSpacesRequest adds tags to spaces and removes tags.
	TagSpacesRequest struct {
		SpaceIDs []string `json:"spaceIds"`
		Add      []string `json:"add,omitzero"`    // ids of tags
		Remove   []string `json:"remove,omitzero"` // likewise
	}
)

// RemoveTag deletes a tag and removes it from all spaces. To undo, save the tag with its id and add it to the returned
// spaces.
func (o *Order) RemoveTag(ctx context.Context, req TagRef) (RemovedTag, error) {
	ids, err := o.store.Tags.Remove(ctx, req.TagID)
	if err != nil {
		return RemovedTag{}, err
	}
	for _, id := range ids {
		o.changed(id)
	}
	v, err := o.tell(ctx)
	return RemovedTag{SpaceIDs: ids, Order: v}, err
}

// TagSpaces adds tags to spaces and removes tags, on all of the spaces or none. It ignores spaces that are gone.
func (o *Order) TagSpaces(ctx context.Context, req TagSpacesRequest) (command.None, error) {
	if err := checkCount(req.SpaceIDs); err != nil {
		return command.None{}, err
	}
	if len(req.Add)+len(req.Remove) > 2*spaces.MaxTags {
		return command.None{}, fault.New(fault.Invalid, "At most {{max}} tags can be changed at once.", 2*spaces.MaxTags)
	}
	changed, err := o.store.Tags.Set(ctx, req.SpaceIDs, req.Add, req.Remove)
	if err != nil {
		return command.None{}, err
	}
	for _, id := range changed {
		o.changed(id)
	}
	return command.None{}, nil
}

func checkCount(ids []string) error {
	if len(ids) > maxSpaces {
		return fault.New(fault.Invalid, "At most {{max}} spaces can be changed at once.", maxSpaces)
	}
	return nil
}

func (o *Order) tell(ctx context.Context) (SpaceOrder, error) {
	o.told()
	return o.View(ctx)
}
