// Package git is the one place where Weft runs git. Weft looks at repositories that may come from anywhere, so a repository's own
// configuration doesn't decide what is run.
//
// What it promises:
//
//   - Nothing that the repository defines is run: no filter, hook, file system monitor, pager, editor, diff or merge program, no
//     program for keys or passwords. What the user's own configuration defines (a filter such as Git LFS) is used.
//   - A folder that only looks like a repository (HEAD, objects, refs: a bare one, as a clone may hold) is not used.
//   - No other repository is talked to, submodules are not entered, missing objects are not fetched, no optional lock is taken.
//   - Variables of Weft's own environment that begin with GIT_ are not passed on. Nobody is asked for anything.
//   - Git is run as a program with arguments, never through a shell. Every call ends with its context, or after [Timeout].
//
// [Commands] tells what a repository would run. A filter of the repository is run only with [Options.Agreed].
//
// The configuration is read right before each call. Who can write into the git folder between that and git's own reading of it
// could still make git run something; such writes are what package permission always asks about.
package git
