package registry

import "runtime"

// Platform returns the registry's name for this platform, e.g. "linux-x86_64".
func Platform() string { return platform(runtime.GOOS, runtime.GOARCH) }

func platform(goos, goarch string) string {
	switch goarch {
	case "amd64":
		goarch = "x86_64"
	case "arm64":
		goarch = "aarch64"
	}
	return goos + "-" + goarch
}
