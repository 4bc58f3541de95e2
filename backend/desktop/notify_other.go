//go:build !linux

package desktop

import (
	"context"
	"errors"
)

// Notice is a desktop notification.
type Notice struct {
	Key, Title, Body, Show string
	Urgent                 bool
}

// Notices is unsupported on this system: the window itself shows notifications.
type Notices struct{}

// NewNotices returns notifications that can't be shown.
func NewNotices(func(key string)) *Notices { return &Notices{} }

// Show always fails.
func (*Notices) Show(context.Context, Notice) error { return errors.ErrUnsupported }

// Close does nothing.
func (*Notices) Close() {}
