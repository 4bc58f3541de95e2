// Package permissions stores the user's permission rules and the history of permission decisions.
package permissions

import (
	"context"

	"weft/backend/store/db"
)

// Rules are the user's permission rules.
type Rules struct{ db *db.DB }

// NewRules returns the rules in d.
func NewRules(d *db.DB) *Rules { return &Rules{d} }

// Rule is a permission rule of the user. The package backend/permission defines its fields. Times are unix ms.
type Rule struct {
	ID        string `json:"id"`
	Effect    string `json:"effect" enum:"allow,reject"`
	Scope     string `json:"scope" enum:"space,folder,everywhere"`
	SpaceID   string `json:"spaceId"`
	Folder    string `json:"folder"`
	AgentID   string `json:"agentId"`
	Kind      string `json:"kind"`
	Command   string `json:"command"`
	Path      string `json:"path"`
	Tool      string `json:"tool"`
	Enabled   bool   `json:"enabled"`
	CreatedAt int64  `json:"createdAt"`
	Used      int64  `json:"used"`     // how many requests it has answered
	LastUsed  int64  `json:"lastUsed"` // 0: never
}

const ruleColumns = "id, effect, scope, space_id, folder, agent_id, kind, command, path, tool, enabled, created_at, used, last_used"

// List returns the rules, newest first.
func (r *Rules) List(ctx context.Context) ([]Rule, error) {
	list := []Rule{}
	err := r.db.Read(ctx, "list the permission rules", func(c *db.Conn) error {
		return c.Each("SELECT "+ruleColumns+" FROM permission_rule ORDER BY n DESC", nil, func(scan db.Scan) (bool, error) {
			var r Rule
			err := scan(&r.ID, &r.Effect, &r.Scope, &r.SpaceID, &r.Folder, &r.AgentID, &r.Kind, &r.Command, &r.Path, &r.Tool, &r.Enabled, &r.CreatedAt, &r.Used, &r.LastUsed)
			list = append(list, r)
			return true, err
		})
	})
	return list, err
}

// Put adds rules and replaces those with the same ids: all of them or none. The usage counts of a replaced rule remain.
func (r *Rules) Put(ctx context.Context, rules ...Rule) error {
	return r.db.Change(ctx, "save the permission rules", func(c *db.Conn) error {
		for _, rule := range rules {
			if rule.CreatedAt == 0 {
				rule.CreatedAt = r.db.Now()
			}
			err := c.Exec(`INSERT INTO permission_rule (`+ruleColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (id) DO UPDATE SET effect = excluded.effect, scope = excluded.scope, space_id = excluded.space_id, folder = excluded.folder,
				agent_id = excluded.agent_id, kind = excluded.kind, command = excluded.command, path = excluded.path, tool = excluded.tool, enabled = excluded.enabled`,
				rule.ID, rule.Effect, rule.Scope, rule.SpaceID, rule.Folder, rule.AgentID, rule.Kind, rule.Command, rule.Path, rule.Tool, rule.Enabled,
				rule.CreatedAt, rule.Used, rule.LastUsed)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Remove deletes a rule. The error has the code not_found if there is none with that id.
func (r *Rules) Remove(ctx context.Context, id string) error {
	return r.db.Change(ctx, "delete the permission rule", func(c *db.Conn) error {
		removed, err := c.ExecRow("DELETE FROM permission_rule WHERE id = ?", id)
		if err == nil && !removed {
			err = db.Fail(db.CodeNotFound, "This rule was already deleted.")
		}
		return err
	})
}
