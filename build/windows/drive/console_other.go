//go:build !windows

package main

import (
	"context"
	"errors"
)

func interruptInConsole(context.Context, string, string) error {
	return errors.New("this is for Windows")
}

func wine() bool { return false }
