package acp

import (
	"context"
	"path/filepath"
	"time"

	"weft/backend/base/scan"
)

// SessionInfo describes a session that the agent has stored.
type SessionInfo struct {
	ID        string
	Cwd       string // absolute; "" if unknown
	Title     string
	UpdatedAt int64 // unix ms; 0 if unknown
}

// maxListed is the maximum number of sessions read from one response.
const maxListed = 1000

// ListSessions returns a page of the agent's stored sessions (session/list), only those of the folder
// cwd if it is not empty. next is the cursor of the next page, "" on the last one.
func (c *Conn) ListSessions(ctx context.Context, cwd, cursor string) (list []SessionInfo, next string, err error) {
	p := map[string]string{}
	if cwd != "" {
		p["cwd"] = cwd
	}
	if cursor != "" {
		p["cursor"] = cursor
	}
	raw, err := c.call(ctx, "session/list", "", p)
	if err != nil {
		return nil, "", err
	}
	for _, v := range scan.Elements(scan.Member(raw, "sessions")) {
		var s SessionInfo
		if s.ID, _ = scan.Label(scan.Member(v, "sessionId")); s.ID == "" || len(s.ID) > maxOptionID || len(list) == maxListed {
			continue
		}
		if cwd, _ := scan.Text(scan.Member(v, "cwd")); filepath.IsAbs(cwd) {
			s.Cwd = filepath.Clean(cwd)
		}
		s.Title = short(scan.Member(v, "title"))
		if at, ok := scan.Text(scan.Member(v, "updatedAt")); ok {
			if t, err := time.Parse(time.RFC3339, at); err == nil {
				s.UpdatedAt = t.UnixMilli()
			}
		}
		list = append(list, s)
	}
	next, _ = scan.Text(scan.Member(raw, "nextCursor"))
	return list, next, nil
}
