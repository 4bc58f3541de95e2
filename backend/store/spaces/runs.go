package spaces

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
)

// Runs reads the runs of agents. Events add them, so results lack what isn't in rows yet.
type Runs struct{ db *db.DB }

// NewRuns returns the runs in d.
func NewRuns(d *db.DB) *Runs { return &Runs{d} }

// Run is one turn of an agent. Times are unix ms.
type Run struct {
	ID         string              `json:"id"`
	SpaceID    string              `json:"spaceId"`
	MessageID  string              `json:"messageId"`
	AgentID    string              `json:"agentId"`
	AgentName  string              `json:"agentName"`
	MemberID   string              `json:"memberId"`
	Model      string              `json:"model"`
	PromptID   string              `json:"promptId"` // the message that triggered it
	StartedAt  int64               `json:"startedAt"`
	EndedAt    int64               `json:"endedAt"` // 0 while it is running
	StopReason string              `json:"stopReason"`
	Usage      jsontext.Value      `json:"usage"`
	Error      *transcript.Failure `json:"error"`
}

// List returns the last runs of a space, newest first.
func (r *Runs) List(ctx context.Context, spaceID string, limit int) (list []Run, err error) {
	err = r.db.Read(ctx, "list the runs", func(c *db.Conn) error {
		list, err = readRuns(c, "WHERE space.id = ? ORDER BY rid DESC LIMIT ?", spaceID, limit)
		return err
	})
	return list, err
}

// OfAgent returns the last runs of an agent in spaces that are not deleted, newest first.
func (r *Runs) OfAgent(ctx context.Context, agentID string, limit int) (list []Run, err error) {
	err = r.db.Read(ctx, "list the runs", func(c *db.Conn) error {
		list, err = readRuns(c, "WHERE run.agent_id = ? AND home = '' AND deleted_at = 0 ORDER BY rid DESC LIMIT ?", agentID, limit)
		return err
	})
	return list, err
}

func readRuns(c *db.Conn, where string, args ...any) ([]Run, error) {
	list := []Run{}
	err := c.Each(`SELECT run.id, space.id, message_id, run.agent_id, run.agent_name, member_id, model, prompt_id, started_at, ended_at, stop_reason, usage, error
		FROM run JOIN space USING (sid) `+where, args, func(scan db.Scan) (bool, error) {
		var r Run
		var usage, failure []byte
		err := scan(&r.ID, &r.SpaceID, &r.MessageID, &r.AgentID, &r.AgentName, &r.MemberID, &r.Model, &r.PromptID, &r.StartedAt, &r.EndedAt, &r.StopReason, &usage, &failure)
		if err != nil {
			return false, err
		}
		r.Usage = usage
		err = db.Decode(failure, &r.Error)
		list = append(list, r)
		return true, err
	})
	return list, err
}

// RunMessage is a message of a run in one of the spaces that it has added to.
type RunMessage struct {
	SpaceID    string `json:"spaceId"`
	SpaceTitle string `json:"spaceTitle"`
	MessageID  string `json:"messageId"`
	CreatedAt  int64  `json:"createdAt"` // unix ms
}

// Messages returns a run and its messages in all spaces that are not deleted, oldest first. found is false if there is
// no such run.
func (r *Runs) Messages(ctx context.Context, runID string) (run Run, list []RunMessage, found bool, err error) {
	list = []RunMessage{}
	err = r.db.View(ctx, "read the run", func(c *db.Conn) error {
		runs, err := readRuns(c, "WHERE run.id = ? AND run.id <> '' AND home = '' ORDER BY rid LIMIT 1", runID)
		if err != nil || len(runs) == 0 {
			return err
		}
		run, found = runs[0], true
		return c.Each(`SELECT space.id, space.title, message.id, message.created_at FROM message JOIN space USING (sid)
			WHERE run_id = ? AND run_id <> '' AND role = 'agent' AND deleted_at = 0 ORDER BY message.created_at, message.mid`, []any{runID}, func(scan db.Scan) (bool, error) {
			var m RunMessage
			err := scan(&m.SpaceID, &m.SpaceTitle, &m.MessageID, &m.CreatedAt)
			list = append(list, m)
			return true, err
		})
	})
	return run, list, found, err
}

// Calls counts the tool calls of a run.
type Calls struct {
	All            int // that count as steps
	Failed         int
	Commands       int // without those that were rejected or canceled, up to maxCounted calls
	CommandsFailed int // -1 if there are too many calls to count
}

// maxCounted is the maximum number of a run's calls for which the failed commands are counted.
const maxCounted = 20_000

// Calls counts the tool calls of a run in a space.
func (r *Runs) Calls(ctx context.Context, spaceID, runID string) (n Calls, err error) {
	const from = " FROM message m JOIN space s USING (sid) "
	err = r.db.View(ctx, "read the run", func(c *db.Conn) error {
		n = Calls{}
		undone := 0
		err := c.Each("SELECT g.what, g.name, sum(g.n)"+from+`JOIN group_count g USING (mid) WHERE m.run_id = ? AND m.run_id <> '' AND s.id = ? GROUP BY 1, 2`, []any{runID, spaceID},
			func(scan db.Scan) (bool, error) {
				var what, count int
				var name string
				err := scan(&what, &name, &count)
				if what == 0 {
					n.All += count
				}
				switch {
				case what == 0 && name == "execute":
					n.Commands = count
				case what == 1 && name == string(transcript.StatusFailed):
					n.Failed = count
				case what == 1 && (name == string(transcript.StatusRejected) || name == string(transcript.StatusCancelled)):
					undone += count
				}
				return true, err
			})
		if err != nil || n.Commands == 0 || n.Failed+undone == 0 {
			return err
		}
		if n.All > maxCounted {
			if n.Failed > 0 {
				n.CommandsFailed = -1
			}
			return nil
		}
		err = c.Each("SELECT i.status, count(*)"+from+`JOIN item i USING (mid) WHERE m.run_id = ? AND m.run_id <> '' AND s.id = ? AND i.kind = 'execute' AND i.status IN (?, ?, ?) GROUP BY 1`,
			[]any{runID, spaceID, string(transcript.StatusFailed), string(transcript.StatusRejected), string(transcript.StatusCancelled)},
			func(scan db.Scan) (bool, error) {
				var status string
				var count int
				err := scan(&status, &count)
				if status == string(transcript.StatusFailed) {
					n.CommandsFailed = count
				} else {
					n.Commands -= count
				}
				return true, err
			})
		return err
	})
	return n, err
}

// Waited returns how long a run waited for the user in a space, in ms: the time with an open request, until its message
// ended. For a message in progress, it counts up to the last answer. Requests from before Weft stored their times don't
// count.
func (r *Runs) Waited(ctx context.Context, spaceID, runID string) (waited int64, err error) {
	err = r.db.View(ctx, "read the run", func(c *db.Conn) error {
		waited = 0
		var times [][2]int64
		err := c.Each(`SELECT m.ended_at, i.head FROM message m JOIN space s USING (sid) JOIN item i USING (mid)
			WHERE m.run_id = ? AND m.run_id <> '' AND s.id = ? AND instr(i.head, CAST('"requestedAt"' AS BLOB)) > 0`, []any{runID, spaceID},
			func(scan db.Scan) (bool, error) {
				var ended int64
				var head []byte
				if err := scan(&ended, &head); err != nil {
					return false, err
				}
				var call struct {
					Permissions []transcript.Permission `json:"permissions"`
				}
				if err := db.Decode(head, &call); err != nil {
					return false, err
				}
				for _, p := range call.Permissions {
					if p.RequestedAt == 0 {
						continue
					}
					until := p.ResolvedAt
					if ended != 0 && (until == 0 || until > ended) {
						until = ended // a display keeps waiting
					}
					times = append(times, [2]int64{p.RequestedAt, until})
				}
				return true, nil
			})
		slices.SortFunc(times, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
		var counted int64 // end of the time counted so far
		for _, t := range times {
			from := max(t[0], counted)
			waited += max(0, t[1]-from)
			counted = max(counted, t[1])
		}
		return err
	})
	return waited, err
}

// Usage is what runs have used, as far as their agents reported it.
type Usage struct {
	Runs       int        `json:"runs"`
	Input      int64      `json:"input"` // tokens, without those read from a cache if the agent counts them separately
	Output     int64      `json:"output"`
	CachedRead int64      `json:"cachedRead"`
	Total      int64      `json:"total"`
	Costs      []CostView `json:"costs"` // one per currency
}

// CostView is an amount of money.
type CostView struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// Usage adds up the runs of a space that started at since (unix ms) or later. An empty spaceID means all spaces.
func (r *Runs) Usage(ctx context.Context, spaceID string, since int64) (u Usage, err error) {
	const from = ` FROM (SELECT iif(json_valid(CAST(usage AS TEXT)), CAST(usage AS TEXT), '{}') AS u FROM run
		WHERE home = '' AND started_at >= ? AND (? = '' OR sid = (SELECT sid FROM space WHERE id = ?)))`
	args := []any{since, spaceID, spaceID}
	u.Costs = []CostView{}
	err = r.db.View(ctx, "read the usage", func(c *db.Conn) error {
		_, err := c.One(`SELECT count(*), coalesce(sum(CAST(u ->> 'inputTokens' AS INTEGER)), 0), coalesce(sum(CAST(u ->> 'outputTokens' AS INTEGER)), 0),
			coalesce(sum(CAST(u ->> 'cachedReadTokens' AS INTEGER)), 0), coalesce(sum(CAST(u ->> 'totalTokens' AS INTEGER)), 0)`+from,
			args, &u.Runs, &u.Input, &u.Output, &u.CachedRead, &u.Total)
		if err != nil {
			return err
		}
		return c.Each(`SELECT u ->> '$.cost.currency', sum(CAST(u ->> '$.cost.amount' AS REAL))`+from+
			` WHERE u ->> '$.cost.currency' IS NOT NULL GROUP BY 1 ORDER BY 2 DESC`, args, func(scan db.Scan) (bool, error) {
			var v CostView
			err := scan(&v.Currency, &v.Amount)
			u.Costs = append(u.Costs, v)
			return true, err
		})
	})
	return u, err
}
