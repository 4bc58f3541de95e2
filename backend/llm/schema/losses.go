package schema

import "fmt"

// losses are the sentences about what a reduced schema says less, each one once.
type losses struct {
	list   []string
	said   map[string]bool // those of the list
	untold int             // beyond maxLosses
}

// add notes a loss.
func (l *losses) add(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	switch {
	case l.said[s]:
	case len(l.list) == maxLosses:
		l.untold++
	default:
		l.said[s] = true
		l.list = append(l.list, s)
	}
}

// leftOut notes that a keyword of a schema is missing, and why.
func (l *losses) leftOut(keyword string, p place, why string) {
	l.add("“%s” of %s was left out: %s.", bounded(keyword, 40), p, why)
}

// told returns the sentences.
func (l *losses) told() []string {
	if l.untold > 0 {
		return append(l.list, fmt.Sprintf("%d more parts of the schema were reduced.", l.untold))
	}
	return l.list
}
