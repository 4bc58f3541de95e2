package spaces

import (
	"context"

	"weft/backend/store/db"
)

// Folders returns the folders of all spaces that aren't deleted, with their projects. The project is "" if any space in
// the folder has none yet.
func (s *Spaces) Folders(ctx context.Context) (map[string]string, error) {
	list := map[string]string{}
	err := s.db.Read(ctx, "list the folders of the conversations", func(c *db.Conn) error {
		return c.Each("SELECT folder, min(project) FROM space WHERE deleted_at = 0 GROUP BY folder", nil, func(scan db.Scan) (bool, error) {
			var folder, project string
			err := scan(&folder, &project)
			list[folder] = project
			return true, err
		})
	})
	return list, err
}

// SetProject sets the project of the spaces in a folder, and returns the ids of those that changed.
func (s *Spaces) SetProject(ctx context.Context, folder, project string) (changed []string, err error) {
	err = s.db.Change(ctx, "save the project", func(c *db.Conn) (err error) {
		changed, err = db.List[string](c, "UPDATE space SET project = ?2 WHERE folder = ?1 AND project <> ?2 AND deleted_at = 0 RETURNING id", folder, project)
		return err
	})
	return changed, err
}
