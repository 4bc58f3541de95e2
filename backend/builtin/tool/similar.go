package tool

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// missing returns the error for a path that couldn't be used. If it doesn't exist, the error suggests similar paths.
func missing(ctx context.Context, env *Env, rel string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return failure(err)
	}
	message := rel + " doesn't exist."
	if names := similar(ctx, env, rel); len(names) > 0 {
		message += " Perhaps you mean " + strings.Join(names, " or ") + "."
	} else {
		message += " Use the glob or list tool to see what is there."
	}
	return &Error{Message: message, Err: err}
}

// similar returns up to three paths of the folder that are most similar to rel.
func similar(ctx context.Context, env *Env, rel string) []string {
	all, err := env.Folder.List(ctx, ".")
	if err != nil {
		return nil
	}
	type candidate struct {
		path     string
		distance int
	}
	var found []candidate
	want := strings.ToLower(path.Base(rel))
	if len(want) > 100 {
		return nil
	}
	for _, e := range all.Entries {
		name := strings.ToLower(path.Base(e.Path))
		d := 0
		switch stem := strings.TrimSuffix(name, path.Ext(name)); {
		case name == want:
		case stem == strings.TrimSuffix(want, path.Ext(want)):
			d = 1
		case len(name) > 100 || max(len(name), len(want))-min(len(name), len(want)) > 2:
			continue
		default:
			if d = distance(name, want); d > min(3, max(2, len(want)/4), len(want)-1) {
				continue
			}
		}
		// For equal names, prefer the most similar folder.
		d = 200*d + min(distance(head(path.Dir(e.Path), 100), head(path.Dir(rel), 100)), 199)
		found = append(found, candidate{e.Path, d})
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(a.distance-b.distance, strings.Compare(a.path, b.path)) })
	var names []string
	for _, c := range found[:min(len(found), 3)] {
		names = append(names, c.path)
	}
	return names
}

// distance returns the edit distance of a and b, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
