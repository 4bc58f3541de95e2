package db

import (
	"errors"
	"testing"
)

func TestErrorNamesWhatItIsAbout(t *testing.T) {
	err := Wrap(errors.New("no such thing"), "open {{path}}", "/x/weft.db")
	if got, want := err.Error(), "Couldn't open /x/weft.db: "; len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("got %q, want it to begin with %q", got, want)
	}
}
