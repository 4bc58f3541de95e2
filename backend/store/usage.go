package store

import "context"

// Usage is what runs have used, as far as their agents told.
type Usage struct {
	Runs       int        `json:"runs"`
	Input      int64      `json:"input"` // tokens, without those read from a cache where the agent counts them apart
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

// UsageOf sums the runs of a space, or of all spaces if the id is empty, that began at since (unix ms) or
// later. What is not folded yet is not in it.
func (s *Store) UsageOf(_ context.Context, spaceID string, since int64) (u Usage, err error) {
	const which = ` FROM (SELECT iif(json_valid(CAST(usage AS TEXT)), CAST(usage AS TEXT), '{}') AS u FROM run
		WHERE home = '' AND started_at >= ? AND (? = '' OR sid = (SELECT sid FROM space WHERE id = ?)))`
	u.Costs = []CostView{}
	err = s.read(func(c *conn) error {
		_, err := c.one(`SELECT count(*), coalesce(sum(CAST(u ->> 'inputTokens' AS INTEGER)), 0), coalesce(sum(CAST(u ->> 'outputTokens' AS INTEGER)), 0),
			coalesce(sum(CAST(u ->> 'cachedReadTokens' AS INTEGER)), 0), coalesce(sum(CAST(u ->> 'totalTokens' AS INTEGER)), 0)`+which,
			[]any{since, spaceID, spaceID}, &u.Runs, &u.Input, &u.Output, &u.CachedRead, &u.Total)
		if err != nil {
			return err
		}
		return c.each(`SELECT u ->> '$.cost.currency', sum(CAST(u ->> '$.cost.amount' AS REAL))`+which+
			` WHERE u ->> '$.cost.currency' IS NOT NULL GROUP BY 1 ORDER BY 2 DESC`, []any{since, spaceID, spaceID},
			func(scan func(...any) error) (bool, error) {
				var v CostView
				if err := scan(&v.Currency, &v.Amount); err != nil {
					return false, err
				}
				u.Costs = append(u.Costs, v)
				return true, nil
			})
	})
	return u, wrap(err, "sum what was used")
}
