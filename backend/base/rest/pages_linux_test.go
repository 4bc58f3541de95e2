package rest

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
)

func TestMappingsAreRead(t *testing.T) {
	t.Parallel()
	const text = `00400000-00408000 r--p 00000000 fe:00 99                            /opt/a b/weft
Size:                 32 kB
Anonymous:             0 kB
Swap:                  4 kB
VmFlags: rd mr mw me
7f00-7f10 rw-p 00000000 00:00 0
Anonymous:            12 kB
zz-7f10 rw-p 00000000 00:00 0
7f10-7f00 rw-p 00000000 00:00 0
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
`
	want := []mapping{
		{start: 0x400000, end: 0x408000, access: "r--p", path: "/opt/a b/weft", anonymous: "0 kB", swapped: "4 kB"},
		{start: 0x7f00, end: 0x7f10, access: "rw-p", anonymous: "12 kB"},
		{start: 0xffffffffff600000, end: 0xffffffffff601000, access: "--xp", path: "[vsyscall]"},
	}
	if got := parse(strings.NewReader("Anonymous: 1 kB\n\n" + text)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// A program keeps running while its pages are unmapped again and again.
func TestPagesAreReadAgain(t *testing.T) {
	t.Parallel()
	of := startup()
	if len(of) == 0 {
		t.Fatal("the mappings of the program were not found")
	}
	for _, m := range of {
		if strings.Contains(m.access, "w") || !strings.HasPrefix(m.path, "/") {
			t.Errorf("%+v may be written", m)
		}
	}
	stop, working := make(chan struct{}), sync.WaitGroup{}
	for range 4 {
		working.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				f, err := os.Open("/proc/self/maps")
				if err != nil {
					t.Error(err)
					return
				}
				if len(parse(f)) < len(of) {
					t.Error("mappings are gone")
				}
				f.Close()
			}
		})
	}
	for range 200 {
		unmap(of)
	}
	close(stop)
	working.Wait()
	release(of)()
}
