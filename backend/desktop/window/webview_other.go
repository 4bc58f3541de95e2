//go:build !linux || !production

package window

func prepareRenderer(string, bool) *renderer { return nil }

func lookAtWindow(func() bool) func() look { return nil }
