package search

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// add parses a filter and adds it. It returns false if the value is invalid.
func (f *Filters) add(name, value string, now time.Time) bool {
	if value == "" {
		return true // still being typed
	}
	switch name {
	case "space":
		f.Space = append(f.Space, value)
	case "agent":
		f.Agent = append(f.Agent, value)
	case "file":
		f.File = append(f.File, value)
	case "kind":
		kind := Kind(strings.ToLower(value))
		if other, ok := otherKinds[string(kind)]; ok {
			kind = other
		}
		if !slices.Contains(Kinds, kind) {
			return false
		}
		f.Kind = append(f.Kind, kind)
	case "has":
		f.Error = f.Error || isError(value)
		return isError(value)
	case "before", "after":
		from, ok := day(value, now)
		if !ok {
			return false
		}
		if name == "before" {
			f.Before = max(from.UnixMilli(), 1) // 0 means no limit
		} else {
			f.After = from.UnixMilli()
		}
	}
	return true
}

func isError(value string) bool {
	switch strings.ToLower(value) {
	case "error", "errors", "failure", "failed":
		return true
	}
	return false
}

// day parses a time: 2026-11-25, 2026-11, 2026, today, yesterday, or an age: 7d, 3w, 2m (months), 1y, 12h.
func day(value string, now time.Time) (time.Time, bool) {
	for _, form := range []string{"2006-01-02", "2006-1-2", "2006-01", "2006"} {
		if at, err := time.ParseInLocation(form, value, now.Location()); err == nil && at.Year() >= 1970 {
			return at, true
		}
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ToLower(value) {
	case "today":
		return today, true
	case "yesterday":
		return today.AddDate(0, 0, -1), true
	}
	n, err := strconv.Atoi(value[:len(value)-1])
	if err != nil || n < 0 || n > 5000 {
		return time.Time{}, false
	}
	switch value[len(value)-1] {
	case 'h':
		return now.Add(-time.Duration(n) * time.Hour), true
	case 'd':
		return today.AddDate(0, 0, -n), true
	case 'w':
		return today.AddDate(0, 0, -7*n), true
	case 'm':
		return today.AddDate(0, -n, 0), true
	case 'y':
		return today.AddDate(-n, 0, 0), true
	}
	return time.Time{}, false
}
