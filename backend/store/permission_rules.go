package store

import "context"

// PermissionRule is a rule of the person about permissions; backend/permission says what its
// fields mean. Times are unix ms.
type PermissionRule struct {
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

// PermissionRules lists the rules, newest first.
func (s *Store) PermissionRules(_ context.Context) ([]PermissionRule, error) {
	list := []PermissionRule{}
	err := s.read(func(c *conn) error {
		return c.each("SELECT "+ruleColumns+" FROM permission_rule ORDER BY n DESC", nil, func(scan func(...any) error) (bool, error) {
			var r PermissionRule
			err := scan(&r.ID, &r.Effect, &r.Scope, &r.SpaceID, &r.Folder, &r.AgentID, &r.Kind, &r.Command, &r.Path, &r.Tool, &r.Enabled, &r.CreatedAt, &r.Used, &r.LastUsed)
			list = append(list, r)
			return true, err
		})
	})
	return list, wrap(err, "list the permission rules")
}

// PutPermissionRules adds rules, or changes those whose ids are there; all of them or none. How often a rule was
// used stays.
func (s *Store) PutPermissionRules(ctx context.Context, rules ...PermissionRule) error {
	return s.change(ctx, "store the permission rules", func(c *conn) error {
		for _, r := range rules {
			if r.CreatedAt == 0 {
				r.CreatedAt = s.opt.Now().UnixMilli()
			}
			err := c.exec(`INSERT INTO permission_rule (`+ruleColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (id) DO UPDATE SET effect = excluded.effect, scope = excluded.scope, space_id = excluded.space_id, folder = excluded.folder,
				agent_id = excluded.agent_id, kind = excluded.kind, command = excluded.command, path = excluded.path, tool = excluded.tool, enabled = excluded.enabled`,
				r.ID, r.Effect, r.Scope, r.SpaceID, r.Folder, r.AgentID, r.Kind, r.Command, r.Path, r.Tool, r.Enabled, r.CreatedAt, r.Used, r.LastUsed)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// RemovePermissionRule deletes a rule, not_found if there is none of that id.
func (s *Store) RemovePermissionRule(ctx context.Context, id string) error {
	return s.change(ctx, "delete the permission rule", func(c *conn) error {
		res, err := c.execResult("DELETE FROM permission_rule WHERE id = ?", id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return fail(CodeNotFound, "This rule was deleted already.")
		}
		return nil
	})
}
