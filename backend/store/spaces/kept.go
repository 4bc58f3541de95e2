package spaces

import (
	"cmp"
	"context"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// KeptMember is a present or former member.
type KeptMember struct {
	Member
	LeftAt int64 // 0: it is present
}

// All returns the members of a space, including former ones, in the order in which they joined.
func (s *Members) All(ctx context.Context, spaceID string) (list []KeptMember, err error) {
	err = View(ctx, s.db, spaceID, "read the members", func(c *db.Conn, sid int64) error {
		list = nil
		return c.Each(`SELECT member.id, name, member.agent_id, member.agent_name, role, speaks, reads, joined_at, joined_ord, left_at, member.id = space.default_member
			FROM member JOIN space USING (sid) WHERE sid = ? ORDER BY n`, []any{sid}, func(scan db.Scan) (bool, error) {
			m := KeptMember{Member: Member{SpaceID: spaceID}}
			err := scan(&m.ID, &m.Name, &m.AgentID, &m.AgentName, &m.Role, &m.Speaks, &m.Reads, &m.JoinedAt, &m.JoinedOrd, &m.LeftAt, &m.Default)
			list = append(list, m)
			return true, err
		})
	})
	return list, err
}

// KeptRun is a run with the space that it works in.
type KeptRun struct {
	Run
	Home string // the id of the space that it works in, "" for its own
}

// runsAtOnce is the number of runs read in one transaction.
const runsAtOnce = 500

// Each calls f with the runs of a space, oldest first.
func (r *Runs) Each(ctx context.Context, spaceID string, f func(KeptRun) error) error {
	for last := int64(0); ; {
		var list []KeptRun
		err := View(ctx, r.db, spaceID, "list the runs", func(c *db.Conn, sid int64) error {
			list = nil
			return c.Each(`SELECT rid, id, message_id, agent_id, agent_name, member_id, model, prompt_id, started_at, ended_at, stop_reason, usage, error, home
				FROM run WHERE sid = ? AND rid > ? ORDER BY rid LIMIT ?`, []any{sid, last, runsAtOnce}, func(scan db.Scan) (bool, error) {
				k := KeptRun{Run: Run{SpaceID: spaceID}}
				var usage, failure []byte
				if err := scan(&last, &k.ID, &k.MessageID, &k.AgentID, &k.AgentName, &k.MemberID, &k.Model, &k.PromptID, &k.StartedAt, &k.EndedAt, &k.StopReason, &usage, &failure, &k.Home); err != nil {
					return false, err
				}
				k.Usage = usage
				list = append(list, k)
				return true, db.Decode(failure, &list[len(list)-1].Error)
			})
		})
		if err != nil {
			return err
		}
		for _, k := range list {
			if err := f(k); err != nil {
				return err
			}
		}
		if len(list) < runsAtOnce {
			return nil
		}
	}
}

// InsertKept adds a space with its members as they were, within a transaction, and returns its sid. The user counts as
// having seen it.
func InsertKept(c *db.Conn, sp Space, members []KeptMember) (sid int64, err error) {
	sid, err = c.Insert(`INSERT INTO space (id, title, folder, agent_id, agent_name, archived, last_state, created_at, last_activity, run_ended_at, seen_at, permission_mode,
		tree, origin, origin_message, origin_ord, default_member, epoch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		sp.ID, sp.Title, sp.Folder, sp.AgentID, sp.AgentName, sp.Archived, cmp.Or(sp.LastState, StateIdle), sp.CreatedAt, sp.LastActivity, sp.RunEndedAt, sp.RunEndedAt,
		cmp.Or(sp.Permissions, "rules"), sp.Tree, sp.Parent, sp.ParentMessage, sp.Shared, cmp.Or(sp.DefaultMember, transcript.MainMember), NewEpoch())
	for i, m := range members {
		if err != nil {
			return 0, err
		}
		err = c.Exec(`INSERT INTO member (sid, id, n, name, agent_id, agent_name, role, speaks, reads, joined_at, joined_ord, left_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			sid, m.ID, i+1, m.Name, m.AgentID, m.AgentName, m.Role, cmp.Or(m.Speaks, SpeaksDirect), cmp.Or(m.Reads, ReadsAll), m.JoinedAt, m.JoinedOrd, m.LeftAt)
	}
	return sid, err
}

// InsertKeptRun adds a run as it was, within a transaction.
func InsertKeptRun(c *db.Conn, sid int64, k *KeptRun) error {
	failure, err := db.Encode(k.Error)
	if err != nil {
		return err
	}
	return c.Exec(`INSERT INTO run (sid, id, message_id, agent_id, agent_name, member_id, model, prompt_id, started_at, ended_at, stop_reason, usage, error, home)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		sid, k.ID, k.MessageID, k.AgentID, k.AgentName, cmp.Or(k.MemberID, transcript.MainMember), k.Model, k.PromptID, k.StartedAt, k.EndedAt, k.StopReason, []byte(k.Usage), failure, k.Home)
}
