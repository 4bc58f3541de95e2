// Package commandline reads the options of Weft's commands, and says what is wrong with them, in one way for all.
package commandline

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"weft/backend/lazyregexp"
)

// New returns the options of a command, which say nothing by themselves.
func New(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	return f
}

// Words reads options before, between and behind words, and returns the words. All behind "--" are words. The error is [flag.ErrHelp] where the help is
// asked for, and else what a sentence can say behind the name of the command.
func Words(f *flag.FlagSet, args []string) (words []string, err error) {
	for {
		rest, err := Leading(f, args)
		if err != nil {
			return nil, err
		}
		read := args[:len(args)-len(rest)]
		if len(rest) == 0 || closed(f, read) {
			return append(words, rest...), nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

// closed reports whether arguments that were read end with a "--" that isn't the value of an option.
func closed(f *flag.FlagSet, read []string) bool {
	last := len(read) - 1
	if last < 0 || read[last] != "--" {
		return false
	}
	defer func() { _ = f.Parse(read) }() // of two values of an option the last one counts
	return f.Parse(read[:last]) == nil
}

// Leading reads the options before the first word, and returns what is behind them. The error is that of [Words].
func Leading(f *flag.FlagSet, args []string) (rest []string, err error) {
	err = f.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		err = plain(f, err)
	}
	return f.Args(), err
}

// What package flag says.
var (
	unknown  = lazyregexp.New(`(?s)^flag provided but not defined: -(.*)$`)
	valued   = lazyregexp.New(`(?s)^flag needs an argument: -(.*)$`)
	spelled  = lazyregexp.New(`(?s)^bad flag syntax: (.*)$`)
	refused  = lazyregexp.New(`(?s)^invalid value (".*") for flag -([^ "]+): `)
	switched = lazyregexp.New(`(?s)^invalid boolean value (".*") for -([^ "]+): `)
)

// plain says in the words of Weft what is wrong.
func plain(f *flag.FlagSet, err error) error {
	said := err.Error()
	if m := unknown.FindStringSubmatch(said); m != nil {
		return fmt.Errorf("there is no option %s", dashed(m[1]))
	}
	if m := spelled.FindStringSubmatch(said); m != nil {
		return fmt.Errorf("there is no option %s", short(m[1]))
	}
	if m := valued.FindStringSubmatch(said); m != nil {
		return fmt.Errorf("the option --%s needs a value%s", m[1], named(f, m[1]))
	}
	if m := switched.FindStringSubmatch(said); m != nil {
		return fmt.Errorf("the option --%s takes no value", m[2])
	}
	if m := refused.FindStringSubmatch(said); m != nil {
		return fmt.Errorf("the option --%s can't have the value %s", m[2], short(m[1]))
	}
	return err
}

// named is how the help calls the value of an option.
func named(f *flag.FlagSet, name string) string {
	option := f.Lookup(name)
	if option == nil {
		return ""
	}
	if name, _ := flag.UnquoteUsage(option); name != "" && strings.ToUpper(name) == name {
		return ": " + name
	}
	return ""
}

// dashed is an option as it is written: with one dash if it has one letter.
func dashed(name string) string {
	if utf8.RuneCountInString(name) == 1 {
		return "-" + name
	}
	return "--" + short(name)
}

// maxShown is how many bytes of something wrong are said.
const maxShown = 80

func short(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}

// Options writes a paragraph about each option.
func Options(w io.Writer, f *flag.FlagSet) {
	f.VisitAll(func(option *flag.Flag) {
		name, about := flag.UnquoteUsage(option)
		if name != "" {
			name = " " + name
		}
		preset := ""
		if v := option.DefValue; v != "" && v != "0" && v != "false" && !strings.Contains(about, "(default") {
			preset = " (default " + v + ")"
		}
		_, _ = fmt.Fprintf(w, "  --%s%s\n    \t%s%s\n", option.Name, name, about, preset)
	})
}
