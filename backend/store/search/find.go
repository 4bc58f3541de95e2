package search

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"weft/backend/conversation/search"
	"weft/backend/conversation/transcript"
	"weft/backend/store/db"
	"weft/backend/store/rows"
)

// Request is a query and where to search.
type Request struct {
	Query search.Query
	// Limited limits the search to the spaces with the ids in Spaces.
	Limited bool
	Spaces  []string
	// Agents are the ids of the agents that the query's filter names. The filter also matches agents that had such a
	// name when they wrote a message.
	Agents []string
	// NotAgents are the same for the filter that excludes agents.
	NotAgents []string
	// Below is Next of the previous page, 0 for the first page.
	Below int64
}

// Page is one page of hits.
type Page struct {
	Hits []Hit
	Next int64 // Below of the next page, 0 if there is none
}

// Hit is a text that matches a query.
type Hit struct {
	SpaceID   string
	MessageID string
	Ord       int64 // of the message
	Segment   int   // -1: the error of the message
	Item      int   // -1: the segment itself
	Pos       int64 // of the piece of a long text, in bytes
	Kind      search.Kind
	Failed    bool
	Field     string // that the snippet is from
	Title     string // of a call
	Author    string // name of the agent
	At        int64  // unix ms
	Snippet   []search.Piece
	Score     float64
}

const (
	pageDocs    = 100 // documents read and ranked together
	pageHits    = 20  // a page with fewer reads on, for at most pageTime
	pageTime    = 15 * time.Millisecond
	emptyTime   = 60 * time.Millisecond // for a page without any hit
	countDocs   = 300                   // documents counted together
	countTime   = 40 * time.Millisecond
	leanDocs    = 300     // maximum number of a table's documents to read instead of looking up prefixes
	notedBytes  = 8 << 20 // of unindexed texts that are read for the first page
	notedUnits  = 4000
	snippetSize = 180 // bytes
	monthMarks  = 120 // maximum number of months that the index filters by
	spaceMarks  = 64  // maximum number of spaces that the index filters by
)

// Search returns a page of hits, best first. It ranks the newest [pageDocs] documents that the index finds, by how
// often and how close together the terms occur, by age and by kind. Later pages have older documents. The first page
// also has texts that aren't indexed yet. Deleted spaces are left out, archived ones are not.
//
// It blocks for a few milliseconds. ctx interrupts it.
func (x *Index) Search(ctx context.Context, req Request) (page Page, err error) {
	f := finder{}
	if err := x.run(ctx, &req, &f); err != nil {
		return Page{}, err
	}
	slices.SortStableFunc(f.page.Hits, func(a, b Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return f.page, nil
}

// run runs a search with a finder.
func (x *Index) run(ctx context.Context, req *Request, f *finder) error {
	restarts := x.restarts.Load()
	f.x, f.ctx, f.req, f.now, f.read, f.old, f.without = x, ctx, req, x.db.Now(), map[rows.Location]bool{}, map[int64]bool{}, map[rows.Location]bool{}
	err := x.db.View(ctx, "search", func(c *db.Conn) error {
		f.c = c
		ok, err := f.limit()
		if err != nil || !ok {
			return err
		}
		if req.Below == 0 {
			if err := f.noted(); err != nil {
				return err
			}
		}
		return f.indexed()
	})
	if !isDamage(err) {
		return err
	}
	if x.restarts.Load() == restarts {
		x.damaged.Store(true)
		x.Wake()
	}
	return db.Fail(db.CodeIO, "The search index is damaged and is being rebuilt. Try again in a moment.")
}

// Count is the number of hits in a part of a search.
type Count struct {
	Hits   int
	Spaces []string // the ids of those with hits
	Next   int64    // Below to continue counting with, 0 at the end
}

// Count counts the hits of a search from a page on, for at most [countTime].
func (x *Index) Count(ctx context.Context, req Request) (Count, error) {
	f := finder{counted: map[string]bool{}}
	err := x.run(ctx, &req, &f)
	return Count{Hits: f.count, Spaces: slices.Sorted(maps.Keys(f.counted)), Next: f.page.Next}, err
}

// finder runs one search.
type finder struct {
	x    *Index
	ctx  context.Context //nolint:containedctx // lives for one call
	req  *Request
	c    *db.Conn
	now  int64
	sids map[int64]bool // nil: all spaces
	page Page
	idf  []float64              // by term
	read map[rows.Location]bool // units with an outdated index, which were read
	old  map[int64]bool         // documents of pieces that have grown, which were read

	without map[rows.Location]bool // long texts searched for excluded terms, and whether they are left out

	counted map[string]bool // the spaces of hits that are only counted, nil for a page of hits
	count   int
}

// limit resolves the spaces that are searched. ok is false if there are none.
func (f *finder) limit() (ok bool, err error) {
	if !f.req.Limited {
		return true, nil
	}
	f.sids = map[int64]bool{}
	for _, id := range f.req.Spaces {
		var sid int64
		found, err := f.c.One("SELECT sid FROM space WHERE id = ? AND deleted_at = 0 AND purging = 0", []any{id}, &sid)
		if err != nil {
			return false, err
		}
		if found {
			f.sids[sid] = true
		}
	}
	return len(f.sids) > 0, nil
}

// candidate is a document that may be a hit.
type candidate struct {
	rows.Location
	did, pos, size int64
	message        message
	spaceID        string
	messageID      string
	ord            int64
}

// indexed adds the hits that the index finds.
func (f *finder) indexed() error {
	match, err := f.match()
	if err != nil || match.full == "" {
		return err
	}
	gen, err := generation(f.c)
	if err != nil {
		return err
	}
	var top int64
	if _, err := f.c.One("SELECT coalesce(max(did), 0) FROM search_doc", nil, &top); err != nil || top == 0 {
		return err
	}
	if f.counted == nil {
		if err := f.weigh(gen, shardOf(top)); err != nil {
			return err
		}
	}
	below := f.req.Below
	if below == 0 {
		below = math.MaxInt64
	}
	docs, began := pageDocs, time.Now()
	if f.counted != nil {
		docs = countDocs
	}
	left := docs
	for shard := shardOf(min(below-1, top)); shard >= 1; {
		list, err := f.candidates(tableName(gen, shard), match, below, left)
		if err != nil {
			return err
		}
		for i := range list {
			below = list[i].did
			if err := f.judge(&list[i]); err != nil {
				return err
			}
		}
		if left -= len(list); left > 0 {
			shard-- // this table has no more
			below = math.MaxInt64
			continue
		}
		f.page.Next = below
		switch took := time.Since(began); {
		case f.counted != nil && took <= countTime, f.counted == nil && len(f.page.Hits) < pageHits && took <= pageTime,
			f.counted == nil && len(f.page.Hits) == 0 && took <= emptyTime:
		default:
			return nil
		}
		left = docs
	}
	f.page.Next = 0
	return nil
}

// expression is an FTS5 query for a token table. lean is the query without prefixes, "" if there is none: it finds more
// documents, and is faster if those are few.
type expression struct{ full, lean string }

// choose returns which of the two queries to use for a table.
func (f *finder) choose(table string, match expression, below int64) (string, error) {
	if match.lean == "" {
		return match.full, nil
	}
	n, err := f.many(table, match.lean, below, leanDocs)
	if n < leanDocs {
		return match.lean, err
	}
	return match.full, err
}

// many returns the number of documents that a query finds in a table, at most limit.
func (f *finder) many(table, match string, below int64, limit int) (n int, err error) {
	rows, err := f.c.Query(f.ctx, "SELECT count(*) FROM (SELECT 1 FROM "+table+" WHERE "+table+" MATCH ? AND rowid < ? LIMIT ?)", match, below, limit)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		err = rows.Scan(&n)
	}
	return n, errors.Join(err, rows.Err())
}

// candidates returns documents of one table, newest first.
func (f *finder) candidates(table string, match expression, below int64, limit int) (list []candidate, err error) {
	chosen, err := f.choose(table, match, below)
	if err != nil {
		return nil, err
	}
	filters := &f.req.Query.Filters
	before := filters.Before
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := f.c.Query(f.ctx, `SELECT d.did, d.mid, d.seg, d.item, d.pos, d.size, m.sid, m.created_at, m.role, m.author, m.id, m.ord, m.error IS NOT NULL, s.id
		FROM `+table+` f CROSS JOIN search_doc d ON d.did = f.rowid CROSS JOIN message m ON m.mid = d.mid CROSS JOIN space s ON s.sid = m.sid
		WHERE `+table+` MATCH ?1 AND f.rowid < ?2 AND s.deleted_at = 0 AND s.purging = 0 AND m.created_at >= ?3 AND m.created_at < ?4 ORDER BY f.rowid DESC LIMIT ?5`, chosen, below, filters.After, before, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one candidate
		var author []byte
		m := &one.message
		err := rows.Scan(&one.did, &one.Mid, &one.Seg, &one.Item, &one.pos, &one.size, &m.sid, &m.at, &m.role, &author, &one.messageID, &one.ord, &m.failed, &one.spaceID)
		if err == nil {
			m.mid = one.Mid
			err = db.Decode(author, &m.author)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// judge reads a document and adds it if it is a hit.
func (f *finder) judge(one *candidate) error {
	if err := f.ctx.Err(); err != nil {
		return db.Canceled(err)
	}
	if f.sids != nil && !f.sids[one.message.sid] || f.read[one.Location] || f.old[one.did] {
		return nil
	}
	var only *piece
	if one.size > 0 {
		only = &piece{one.pos, one.size}
	}
	units, _, err := readUnit(f.c, &one.message, one.Location, 0, math.MaxInt, only)
	if err != nil {
		return err
	}
	for i := range units {
		if err := f.add(one, &units[i]); err != nil {
			return err
		}
	}
	return nil
}

// add adds a unit if it matches the query.
func (f *finder) add(one *candidate, u *unit) error {
	if !f.fits(one, u) {
		return nil
	}
	found, ok := f.req.Query.Match(u.texts()...)
	if !ok {
		return nil
	}
	if out, err := f.excluded(one, u); err != nil || out {
		return err
	}
	if f.counted != nil {
		f.count++
		f.counted[one.spaceID] = true
		return nil
	}
	hit := Hit{
		SpaceID: one.spaceID, MessageID: one.messageID, Ord: one.ord, Segment: u.Seg, Item: u.Item, Pos: u.pos, Kind: u.kind, Failed: u.failed,
		Title: u.title, Author: one.message.author.Name, At: one.message.at,
	}
	best := bestField(found)
	if len(f.req.Query.Terms) == 0 {
		best = tellingField(u)
	}
	if len(u.fields) > 0 {
		hit.Field, hit.Snippet = u.fields[best].Name, search.Snippet(u.fields[best].Text, found[best].Spans, snippetSize)
	}
	hit.Score = f.score(one, u, found)
	f.page.Hits = append(f.page.Hits, hit)
	return nil
}

// wholeText is how many bytes of a long text are searched for excluded terms.
const wholeText = 4 << 20

// excluded reports whether another piece of the same text has an excluded term. It misses phrases that span two pieces.
func (f *finder) excluded(one *candidate, u *unit) (out bool, err error) {
	not := search.Query{Not: f.req.Query.Not}
	if len(not.Not) == 0 || u.size == 0 || u.pos == 0 && u.size < pieceSize-pieceSlack {
		return false, nil
	}
	out, known := f.without[u.Location]
	if known {
		return out, nil
	}
	units, _, err := readUnit(f.c, &one.message, u.Location, 0, wholeText, nil)
	for i := range units {
		if _, ok := not.Match(units[i].texts()...); !ok {
			out = true
			break
		}
	}
	f.without[u.Location] = out
	return out, err
}

// bestField returns the index of the first text with the most terms.
func bestField(found []search.Found) (best int) {
	most := -1
	for i, f := range found {
		n := 0
		for _, count := range f.Counts {
			if count > 0 {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

// tellingField returns the index of the most informative text of a unit for a query without terms: its error, else its
// output, its input or its first text.
func tellingField(u *unit) int {
	for _, name := range []string{FieldError, FieldOutput, FieldInput} {
		if i := slices.IndexFunc(u.fields, func(f Field) bool { return f.Name == name }); i >= 0 {
			return i
		}
	}
	return 0
}

// fits reports whether a unit passes the filters that the index can't check.
func (f *finder) fits(one *candidate, u *unit) bool {
	filters, without := &f.req.Query.Filters, &f.req.Query.Without
	m := &one.message
	switch {
	case filters.Error && !u.failed, without.Error && u.failed,
		len(filters.Kind) > 0 && !slices.Contains(filters.Kind, u.kind), slices.Contains(without.Kind, u.kind),
		len(filters.Agent) > 0 && !by(m, f.req.Agents, filters.Agent), len(without.Agent) > 0 && by(m, f.req.NotAgents, without.Agent),
		m.at < filters.After, filters.Before > 0 && m.at >= filters.Before:
		return false
	}
	about := func(file string) bool { return hasPath(u, file) }
	return (len(filters.File) == 0 || slices.ContainsFunc(filters.File, about)) && !slices.ContainsFunc(without.File, about)
}

// by reports whether the agent that wrote a message has one of the ids, or had one of the names then.
func by(m *message, ids, names []string) bool {
	if m.role != string(transcript.RoleAgent) {
		return false
	}
	return slices.Contains(ids, m.author.ID) || slices.ContainsFunc(names, func(name string) bool { return search.Contains(m.author.Name, name) })
}

// hasPath reports whether a unit is about a file whose path contains file.
func hasPath(u *unit, file string) bool {
	file = strings.ToLower(strings.ReplaceAll(file, `\`, "/"))
	for _, field := range u.fields {
		if field.Name == FieldPath && strings.Contains(strings.ToLower(strings.ReplaceAll(field.Text, `\`, "/")), file) {
			return true
		}
	}
	return false
}

// kindWeight weighs the kinds of texts in the ranking.
var kindWeight = map[search.Kind]float64{
	search.KindPrompt: 1.5, search.KindAnswer: 1.2, search.KindDisplay: 1.1, search.KindNote: 1, search.KindCall: 0.8, search.KindThought: 0.7,
}

// score ranks a hit: bm25 of its terms, times the weight of its kind, times a factor for its age that falls from 1 to
// 0.25 with a half-life of 60 days.
func (f *finder) score(one *candidate, u *unit, found []search.Found) float64 {
	const k, b, average = 1.2, 0.75, 800.0
	length := float64(u.bytes())
	sum := 0.1 // so that queries with only filters rank by time
	for t := range f.req.Query.Terms {
		n := 0.0
		for i := range found {
			n += float64(found[i].Counts[t])
		}
		weight := 1.0
		if t < len(f.idf) {
			weight = f.idf[t]
		}
		sum += weight * n * (k + 1) / (n + k*(1-b+b*length/average))
	}
	days := math.Max(0, float64(f.now-one.message.at)) / float64(24*time.Hour/time.Millisecond)
	recency := 0.25 + 0.75*math.Exp2(-days/60)
	return sum * recency * kindWeight[u.kind]
}

// weigh computes how rare the terms are, in the newest table.
func (f *finder) weigh(gen, shard int64) error {
	terms := f.req.Query.Terms
	if len(terms) < 2 {
		return nil
	}
	const most = 1000
	table := tableName(gen, shard)
	for i := range terms {
		match, err := f.needs(terms[i].Needs)
		if err != nil {
			return err
		}
		n := 0
		if match != "" {
			if n, err = f.many(table, match, math.MaxInt64, most); err != nil {
				return err
			}
		}
		f.idf = append(f.idf, math.Log(1+shardDocs/float64(n+1)))
	}
	return nil
}

// match returns the query for the token tables, or an empty one if there is nothing to look up.
func (f *finder) match() (match expression, err error) {
	var full, lean []string
	both := func(part string) { full, lean = append(full, part), append(lean, part) }
	prefixes := false
	for _, term := range f.req.Query.Terms {
		part, err := f.needs(term.Needs)
		if err != nil {
			return match, err
		}
		switch {
		case part == "":
		case slices.ContainsFunc(term.Needs, func(n search.Need) bool { return n.Prefix }):
			prefixes = true
			full = append(full, part)
			if part, err = f.needs(slices.DeleteFunc(slices.Clone(term.Needs), func(n search.Need) bool { return n.Prefix })); err != nil {
				return match, err
			}
			if part != "" {
				lean = append(lean, part)
			}
		default:
			both(part)
		}
	}
	if files := f.req.Query.Filters.File; len(files) == 1 {
		both(f.path(files[0]))
	}
	for _, marks := range f.marks() {
		both(either(marks))
	}
	kinds, limited := f.kinds()
	if limited && len(kinds) == 0 {
		return expression{}, nil
	}
	if limited || len(full) == 0 { // without a term to look up, all documents are read
		both(either(kinds))
	}
	match.full = strings.Join(full, " AND ")
	if prefixes {
		match.lean = strings.Join(lean, " AND ")
	}
	return match, nil
}

// marks returns groups of marks; a document must have one of each group.
func (f *finder) marks() (all [][]string) {
	filters := &f.req.Query.Filters
	add := func(marks []string) {
		if len(marks) > 0 {
			all = append(all, marks)
		}
	}
	var spaces, agents []string
	if len(f.sids) <= spaceMarks {
		for sid := range f.sids {
			spaces = append(spaces, quote(spaceMark(sid)))
		}
		slices.Sort(spaces)
	}
	if len(filters.Agent) > 0 {
		for _, id := range f.req.Agents {
			agents = append(agents, quote(agentMark(id)))
		}
		for _, name := range filters.Agent {
			if tokens := nameTokens(name); len(tokens) > 0 {
				agents = append(agents, quote(nameMark+tokens[0])+"*")
			}
		}
	}
	add(spaces)
	add(agents)
	add(f.months())
	if filters.Error {
		add([]string{quote(errorMark)})
	}
	return all
}

// kinds returns the marks of the kinds to search. limited reports whether some kinds are left out.
func (f *finder) kinds() (marks []string, limited bool) {
	wanted, without := f.req.Query.Filters.Kind, f.req.Query.Without.Kind
	for _, kind := range search.Kinds {
		if (len(wanted) == 0 || slices.Contains(wanted, kind)) && !slices.Contains(without, kind) {
			marks = append(marks, quote(kindMark(kind)))
		}
	}
	return marks, len(marks) < len(search.Kinds)
}

// months returns the marks of the months to search, nil for all.
func (f *finder) months() (list []string) {
	filters := &f.req.Query.Filters
	if filters.After == 0 {
		return nil
	}
	at, end := time.UnixMilli(filters.After).UTC(), f.now
	if filters.Before > 0 {
		end = min(end, filters.Before)
	}
	for at = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC); at.UnixMilli() <= end+int64(32*24*time.Hour/time.Millisecond); at = at.AddDate(0, 1, 0) {
		if len(list) == monthMarks {
			return nil
		}
		list = append(list, quote(monthMark(at)))
	}
	return list
}

// path returns the query for texts about a file: the words of its path except the first and the last, which may be
// parts of words.
func (f *finder) path(file string) string {
	q := search.Parse(`"`+strings.ReplaceAll(file, `"`, "")+`"`, time.UnixMilli(f.now))
	if len(q.Terms) == 0 || len(q.Terms[0].Needs) < 3 {
		return quote(kindMark(search.KindCall)) // both ends may be parts of words, so all calls are candidates
	}
	var all []string
	needs := q.Terms[0].Needs
	for _, need := range needs[1 : len(needs)-1] {
		all = append(all, quote(need.Token))
	}
	return strings.Join(all, " AND ")
}

// needs returns the query for the tokens that a term needs.
func (f *finder) needs(needs []search.Need) (string, error) {
	var all []string
	for _, need := range needs {
		if need.Token == "" {
			continue
		}
		list := []string{quote(need.Token)}
		if need.Prefix {
			list[0] += "*"
		}
		if need.Inside {
			words, err := f.x.words.with(f.ctx, f.c, need.Token)
			if err != nil {
				return "", err
			}
			for _, word := range words {
				if word == need.Token || need.Prefix && strings.HasPrefix(word, need.Token) {
					continue
				}
				list = append(list, quote(word))
			}
		}
		all = append(all, either(list))
	}
	return strings.Join(all, " AND "), nil
}

func either(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return "(" + strings.Join(list, " OR ") + ")"
}

// quote returns the query for a token. Tokens have no quotes.
func quote(token string) string { return `"` + token + `"` }

// noted adds hits in rows that aren't indexed yet.
func (f *finder) noted() error {
	list, err := todo(f.c, "ORDER BY mid DESC, seg DESC, item DESC LIMIT ?", notedUnits)
	if err != nil {
		return err
	}
	left := notedBytes
	var one candidate
	known := false
	for _, p := range list {
		if left <= 0 {
			return nil
		}
		if err := f.ctx.Err(); err != nil {
			return db.Canceled(err)
		}
		if one.Mid != p.Mid {
			if known, err = f.message(&one, p.Mid); err != nil {
				return err
			}
		}
		one.Location = p
		if !known || f.sids != nil && !f.sids[one.message.sid] {
			continue
		}
		if left, err = f.unindexed(&one, left); err != nil {
			return err
		}
	}
	return nil
}

// unindexed adds the pieces of a unit that aren't indexed, and returns what remains of left bytes.
func (f *finder) unindexed(one *candidate, left int) (int, error) {
	p := one.Location
	var from int64
	text, err := isText(f.c, p)
	if err == nil && text {
		var outdated int64
		from, outdated, err = resume(f.c, p)
		f.old[outdated] = true
	}
	if err != nil {
		return left, err
	}
	if !text {
		f.read[p] = true // the index may have an older version
	}
	units, _, err := readUnit(f.c, &one.message, p, from, left, nil)
	if err != nil {
		return left, err
	}
	for i := range units {
		left -= units[i].bytes()
		if err := f.add(one, &units[i]); err != nil {
			return left, err
		}
	}
	return left, nil
}

// message reads the message of a candidate. ok is false if it is gone, or its space is deleted.
func (f *finder) message(one *candidate, mid int64) (ok bool, err error) {
	one.Mid = mid
	if one.message, ok, err = readMessage(f.c, mid); err != nil || !ok {
		return false, err
	}
	return f.c.One(`SELECT s.id, m.id, m.ord FROM message m JOIN space s ON s.sid = m.sid WHERE m.mid = ? AND s.deleted_at = 0 AND s.purging = 0`,
		[]any{mid}, &one.spaceID, &one.messageID, &one.ord)
}
