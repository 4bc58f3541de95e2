// Package lazyregexp holds regular expressions that are compiled when they are first used.
//
// A program that starts compiles none of them, and one that only passes lines on never does. [Check] compiles all, for
// a test.
package lazyregexp

import (
	"fmt"
	"regexp"
	"sync"
)

// Regexp is a regular expression. Its methods are those of [regexp.Regexp], are safe for concurrent use, and panic if
// the expression can't be compiled.
type Regexp struct {
	source string
	once   sync.Once
	re     *regexp.Regexp
}

var (
	mu  sync.Mutex
	all []*Regexp
)

// New returns a regular expression, for a variable of a package: what it returns is kept forever.
func New(source string) *Regexp {
	r := &Regexp{source: source}
	mu.Lock()
	defer mu.Unlock()
	all = append(all, r)
	return r
}

// Check compiles all expressions of the program, and returns how many there are. The error is that of the first that
// can't be.
func Check() (n int, err error) {
	mu.Lock()
	defer mu.Unlock()
	for _, r := range all {
		if _, err := regexp.Compile(r.source); err != nil {
			return len(all), fmt.Errorf("%q: %w", r.source, err)
		}
	}
	return len(all), nil
}

func (r *Regexp) compiled() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.source) })
	return r.re
}

// Match is that of [regexp.Regexp].
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// MatchString is that of [regexp.Regexp].
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// Find is that of [regexp.Regexp].
func (r *Regexp) Find(b []byte) []byte { return r.compiled().Find(b) }

// FindSubmatch is that of [regexp.Regexp].
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

// FindAllSubmatch is that of [regexp.Regexp].
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}

// FindStringSubmatch is that of [regexp.Regexp].
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is that of [regexp.Regexp].
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindAllString is that of [regexp.Regexp].
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

// FindAllStringSubmatch is that of [regexp.Regexp].
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString is that of [regexp.Regexp].
func (r *Regexp) ReplaceAllString(s, by string) string { return r.compiled().ReplaceAllString(s, by) }

// ReplaceAllStringFunc is that of [regexp.Regexp].
func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, by)
}

// SubexpIndex is that of [regexp.Regexp].
func (r *Regexp) SubexpIndex(name string) int { return r.compiled().SubexpIndex(name) }
