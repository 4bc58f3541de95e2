package quantity

import (
	"testing"
	"time"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 entries", 1: "1 entry", 2: "2 entries"} {
		if got := Count(n, "entry", "entries"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KB", 1536: "1.5 KB", 10 << 10: "10 KB", 1<<20 - 1: "1023 KB", 1 << 20: "1.0 MB", 5 << 29: "2560.0 MB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		50 * time.Millisecond: "0.05 s", time.Second: "1 s", 1500 * time.Millisecond: "1.5 s", 3 * time.Minute: "180 s", 10 * time.Minute: "600 s",
	} {
		if got := Seconds(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}
