package update

import (
	"errors"
	"os"
)

type lockMode int

const (
	shared lockMode = iota
	exclusive
)

var errHeld = errors.New("the lock is held")

// tryLock fails: Weft doesn't replace itself on Windows (see [Find]).
func tryLock(string, lockMode) (*os.File, error) { return nil, errors.ErrUnsupported }

func relock(*os.File, lockMode) error { return errors.ErrUnsupported }
