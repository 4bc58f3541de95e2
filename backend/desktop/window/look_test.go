package window

import (
	"image/color"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"
)

func TestWindowBeginsInTheColorOfItsPage(t *testing.T) {
	t.Parallel()
	light, dark := pageColors(t)
	for theme, want := range map[string]color.RGBA{"dark": dark, "light": light, "system": light, "": light} {
		if got := PageColor(theme); got != want {
			t.Errorf("%s: %v, want %v", theme, got, want)
		}
	}
}

// pageColors returns the colors that the page has behind all else.
func pageColors(t *testing.T) (light, dark color.RGBA) {
	t.Helper()
	tokens, err := os.ReadFile("../../../frontend/src/theme/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	var found []color.RGBA
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
func sRGB(lightness, chroma, hue float64) color.RGBA {
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
	return color.RGBA{
		R: part(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		G: part(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		B: part(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
		A: 255,
	}
}
