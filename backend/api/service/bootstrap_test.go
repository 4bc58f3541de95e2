package service_test

import (
	"testing"

	"weft/backend/api/service"
	"weft/backend/api/service/servicetest"
	"weft/backend/api/service/spaces"
)

func TestBootstrapBringsTheSpaceThatIsShown(t *testing.T) {
	s := servicetest.Open(t, t.TempDir())
	shown, err := servicetest.Call[spaces.Space](t, s, "CreateSpace", spaces.CreateSpaceRequest{NoFolder: true, Title: "Shown"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, spaceID string
		want          string // the id of the space that comes along
	}{
		{"none", "", ""},
		{"the space", shown.ID, shown.ID},
		{"a space that is gone", "s-gone", ""},
		{"no id at all", "../\x00'\"", ""},
	} {
		boot, err := servicetest.Call[service.Bootstrap](t, s, "Bootstrap", service.BootstrapRequest{SpaceID: c.spaceID})
		got := ""
		if boot.Opened != nil {
			got = boot.Opened.Space.ID
		}
		if err != nil || got != c.want || len(boot.Spaces) != 1 {
			t.Errorf("%s: %q with %d spaces, %v", c.name, got, len(boot.Spaces), err)
		}
	}
}
