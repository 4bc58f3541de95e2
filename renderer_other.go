//go:build !linux || !production

package main

import panel "weft/backend/desktop"

func newRenderer(string, bool) *panel.Renderer { return nil }

func windowLooks(func() bool) func() panel.Look { return nil }
