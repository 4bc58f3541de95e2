package shell

import "testing"

// A line for which rules allow what a POSIX shell makes of it is read by cmd.exe on Windows.
func TestLinesThatWindowsParsesDifferently(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		`git status`:                            true,
		`git log --oneline -n 5`:                true,
		`go test ./... && go vet ./...`:         true,
		`go build ./... || echo "it failed"`:    true,
		`git diff | findstr "a & b"`:            true,
		`go test ./... >out.txt 2>&1`:           true,
		`git log '& del /q src &'`:              false, // cmd.exe has no single quotes
		`git log "a" & del /q src`:              false,
		`git log &&& del`:                       false,
		`git log %PATH%`:                        false,
		`git log $HOME`:                         false,
		"git log `del`":                         false,
		`git log ^& del /q src`:                 false,
		`git log "\" & del /q src & echo \""`:   false, // \" ends a text here and begins one there
		`git log src\main.go`:                   false,
		`git log; del /q src`:                   false,
		"git log\ndel /q src":                   false,
		`git log # & del /q src`:                false,
		`(git log)`:                             false,
		`git log {a,b}`:                         false,
		`git log "!x!"`:                         false,
		`git log "unfinished & del /q src`:      false,
		`git log >& out`:                        false,
		`git log "a"" & del /q src & echo "b""`: true, // all three toggle at each
	} {
		if got := sameOnWindows(line); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}
