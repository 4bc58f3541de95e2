package spaces

import (
	"context"
	"slices"

	"weft/backend/store/db"
)

// Order is the user's manual order of spaces and projects.
type Order struct{ db *db.DB }

// NewOrder returns the order in d.
func NewOrder(d *db.DB) *Order { return &Order{d} }

// Pins returns the ids of the pinned spaces in order, including archived ones.
func (o *Order) Pins(ctx context.Context) (ids []string, err error) {
	err = o.db.Read(ctx, "list the pinned conversations", func(c *db.Conn) error {
		ids, err = pins(c)
		return err
	})
	return ids, err
}

func pins(c *db.Conn) ([]string, error) {
	return db.List[string](c, "SELECT id FROM space_pin JOIN space USING (sid) WHERE deleted_at = 0 ORDER BY n, sid")
}

// Pin pins spaces, or moves pinned ones, to the position before another one, or to the end if before is "" or not
// pinned. It ignores spaces that don't exist. It returns the new order.
func (o *Order) Pin(ctx context.Context, ids []string, before string) (order []string, err error) {
	err = o.db.Change(ctx, "pin the conversation", func(c *db.Conn) error {
		was, err := pins(c)
		if err != nil {
			return err
		}
		order = slices.DeleteFunc(was, func(id string) bool { return slices.Contains(ids, id) })
		at := slices.Index(order, before)
		if at < 0 {
			at = len(order)
		}
		for _, id := range ids {
			known, err := c.One("SELECT sid FROM space WHERE id = ? AND deleted_at = 0", []any{id}, new(int64))
			if err != nil {
				return err
			}
			if known && !slices.Contains(order, id) {
				order = slices.Insert(order, at, id)
				at++
			}
		}
		for n, id := range order {
			err := c.Exec("INSERT INTO space_pin (sid, n) SELECT sid, ?2 FROM space WHERE id = ?1 ON CONFLICT DO UPDATE SET n = excluded.n", id, n)
			if err != nil {
				return err
			}
		}
		order, err = pins(c)
		return err
	})
	return order, err
}

// Unpin unpins spaces and returns the new order.
func (o *Order) Unpin(ctx context.Context, ids []string) (order []string, err error) {
	err = o.db.Change(ctx, "unpin the conversation", func(c *db.Conn) error {
		for _, id := range ids {
			if err := c.Exec("DELETE FROM space_pin WHERE sid = (SELECT sid FROM space WHERE id = ?)", id); err != nil {
				return err
			}
		}
		order, err = pins(c)
		return err
	})
	return order, err
}

// Projects returns the projects in the user's order.
func (o *Order) Projects(ctx context.Context) (list []string, err error) {
	err = o.db.Read(ctx, "list the projects", func(c *db.Conn) error {
		list, err = db.List[string](c, "SELECT project FROM project_order ORDER BY n")
		return err
	})
	return list, err
}

// SetProjects replaces the order of projects.
func (o *Order) SetProjects(ctx context.Context, list []string) error {
	return o.db.Change(ctx, "save the order of the projects", func(c *db.Conn) error {
		if err := c.Exec("DELETE FROM project_order"); err != nil {
			return err
		}
		for n, project := range list {
			if err := c.Exec("INSERT INTO project_order (project, n) VALUES (?, ?) ON CONFLICT DO NOTHING", project, n); err != nil {
				return err
			}
		}
		return nil
	})
}
