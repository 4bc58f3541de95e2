// Package order has the commands about how the user orders the list of spaces: pins, tags, and projects that are put in order by hand.
package order

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"weft/backend/command"
	"weft/backend/fault"
	"weft/backend/store"
	"weft/backend/store/spaces"
)

// The bounds of what the user orders.
const (
	maxName     = 40     // characters of a tag's name
	tones       = 8      // colors of the theme
	maxSpaces   = 10_000 // of one command
	maxProjects = 10_000
	maxPath     = 4096
)

// SpaceOrder is how the user has ordered the list of spaces.
type SpaceOrder struct {
	Pins     []string `json:"pins"`     // ids of spaces, in their order; also of archived ones
	Tags     []Tag    `json:"tags"`     // oldest first
	Projects []string `json:"projects"` // those that were put in order by hand
}

// Tag is a name that spaces can have, with a color.
type Tag struct {
	ID   string `json:"id"`   // "" of a new one
	Name string `json:"name"` // unique in any case
	Tone int    `json:"tone"` // the color: from 1 to 8
}

// Order is the user's order of the spaces.
type Order struct {
	store   *store.Store
	changed func(spaceID string)
	told    func()
}

// New returns the order of the spaces of a store. changed is called for each space that has other tags, told after any other change.
func New(st *store.Store, changed func(spaceID string), told func()) *Order {
	return &Order{store: st, changed: changed, told: told}
}

// SpaceOrder returns how the list of spaces is ordered: its pins, tags and projects.
func (o *Order) SpaceOrder(ctx context.Context, _ command.None) (SpaceOrder, error) {
	return o.View(ctx)
}

// View returns how the list of spaces is ordered.
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
	Before   string   `json:"before,omitzero"` // the pinned space before which they are put; "": behind all others
}

// PinSpaces pins spaces in the order in which they are named, moves those that are pinned, or unpins them. Spaces that are gone are left
// out.
func (o *Order) PinSpaces(ctx context.Context, req PinSpacesRequest) (SpaceOrder, error) {
	if err := few(req.SpaceIDs); err != nil {
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

// OrderProjects puts projects in order by hand, in place of the order before. Projects that are not listed come first.
func (o *Order) OrderProjects(ctx context.Context, req OrderProjectsRequest) (SpaceOrder, error) {
	if len(req.Projects) > maxProjects {
		return SpaceOrder{}, fault.New(fault.Invalid, "You can reorder at most {{max}} projects.", maxProjects)
	}
	for _, project := range req.Projects {
		if len(project) > maxPath || !utf8.ValidString(project) {
			return SpaceOrder{}, fault.New(fault.Invalid, "A project must be named by its folder.")
		}
	}
	if err := o.store.Order.SetProjects(ctx, req.Projects); err != nil {
		return SpaceOrder{}, err
	}
	return o.tell(ctx)
}

// SaveTag adds a tag, or changes the name and the color of the one with its id. One that was deleted comes back with its id. Errors:
// conflict if another tag has the name, too_many.
func (o *Order) SaveTag(ctx context.Context, req Tag) (SpaceOrder, error) {
	req.Name = strings.Join(strings.Fields(req.Name), " ")
	switch {
	case req.Name == "":
		return SpaceOrder{}, fault.New(fault.Invalid, "Enter a name for the tag.")
	case !readable(req.Name):
		return SpaceOrder{}, fault.New(fault.Invalid, "The name of the tag has invalid characters. Enter another one.")
	case utf8.RuneCountInString(req.Name) > maxName:
		return SpaceOrder{}, fault.New(fault.Invalid, "The name of a tag can have at most {{max}} characters.", maxName)
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

// readable reports whether something of a name is seen, and nothing in it is hidden but what joins characters.
func readable(name string) bool {
	seen := false
	for _, r := range name {
		switch {
		case r == '\u200c' || r == '\u200d': // in emoji, and in languages that need them
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
	// RemovedTag tells from which spaces a tag was taken, so that it can be undone.
	RemovedTag struct {
		SpaceIDs []string   `json:"spaceIds"`
		Order    SpaceOrder `json:"order"`
	}
	// TagSpacesRequest puts tags on spaces and takes others off them.
	TagSpacesRequest struct {
		SpaceIDs []string `json:"spaceIds"`
		Add      []string `json:"add,omitzero"`    // ids of tags
		Remove   []string `json:"remove,omitzero"` // likewise
	}
)

// RemoveTag deletes a tag and takes it off all spaces. To undo it, save the tag with its id and put it on these spaces.
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

// TagSpaces puts tags on spaces and takes others off them: on all of them, or on none. Spaces that are gone are left out.
func (o *Order) TagSpaces(ctx context.Context, req TagSpacesRequest) (command.None, error) {
	if err := few(req.SpaceIDs); err != nil {
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

func few(ids []string) error {
	if len(ids) > maxSpaces {
		return fault.New(fault.Invalid, "At most {{max}} spaces can be changed at once.", maxSpaces)
	}
	return nil
}

func (o *Order) tell(ctx context.Context) (SpaceOrder, error) {
	o.told()
	return o.View(ctx)
}
