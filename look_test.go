package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/rs/zerolog"
	"github.com/wailsapp/wails/v2/pkg/options"

	"weft/backend/service"
	"weft/backend/settings"
)

func TestWindowBeginsInTheThemeOfItsPage(t *testing.T) {
	t.Parallel()
	light, dark := pageColors(t)
	for text, want := range map[string]options.RGBA{
		`{"appearance": {"theme": "dark"}}`:  dark,
		`{"appearance": {"theme": "light"}}`: light,
		`{}`:                                 light,
		`{`:                                  light,
	} {
		file := settingsFile(t, t.TempDir(), text)
		a := &App{begun: failedStart(common{settings: file}, errors.New("it failed"))}
		if got := *a.options().BackgroundColour; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestLookIsThatOfTheSettingsOnceTheServiceIsOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := settingsFile(t, dir, `{"appearance": {"theme": "dark", "language": "de"}}`)
	st := startService(t.Context(), common{data: dir, settings: file}, func() {}, func(*service.Service, zerolog.Logger) {})
	if got := st.look(); got.Theme != "dark" || got.Language != "de" {
		t.Errorf("while it is opened: %+v", got)
	}
	if <-st.done; st.err != nil {
		t.Fatal(st.err)
	}
	defer closeService(st.service.Close, st.log, closesIn)
	st.appearance = settings.Appearance{}
	if got := st.look(); got.Theme != "dark" || got.Language != "de" {
		t.Errorf("%+v", got)
	}
}

// settingsFile writes a settings file into dir.
func settingsFile(t *testing.T, dir, text string) string {
	t.Helper()
	file := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// pageColors returns the colors that the page has behind all else.
func pageColors(t *testing.T) (light, dark options.RGBA) {
	t.Helper()
	tokens, err := os.ReadFile("frontend/src/theme/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	var found []options.RGBA
	for _, m := range regexp.MustCompile(`(?m)^  --page: oklch\(([\d.]+) ([\d.]+) ([\d.]+)\);`).FindAllSubmatch(tokens, -1) {
		var lch [3]float64
		for i := range lch {
			if lch[i], err = strconv.ParseFloat(string(m[i+1]), 64); err != nil {
				t.Fatal(err)
			}
		}
		found = append(found, sRGB(lch[0], lch[1], lch[2]))
	}
	if len(found) != 2 {
		t.Fatalf("%d colors of the page, want that of the light theme and that of the dark one", len(found))
	}
	return found[0], found[1]
}

// sRGB converts from OKLCH (https://bottosson.github.io/posts/oklab).
func sRGB(lightness, chroma, hue float64) options.RGBA {
	sin, cos := math.Sincos(hue * math.Pi / 180)
	a, b := chroma*cos, chroma*sin
	cube := func(x float64) float64 { return x * x * x }
	l := cube(lightness + 0.3963377774*a + 0.2158037573*b)
	m := cube(lightness - 0.1055613458*a - 0.0638541728*b)
	s := cube(lightness - 0.0894841775*a - 1.2914855480*b)
	part := func(linear float64) uint8 {
		if linear <= 0.0031308 {
			return uint8(math.Round(255 * 12.92 * linear))
		}
		return uint8(math.Round(255 * (1.055*math.Pow(linear, 1/2.4) - 0.055)))
	}
	return options.RGBA{
		R: part(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		G: part(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		B: part(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
		A: 255,
	}
}
