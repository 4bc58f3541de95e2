package export

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/backend/base/clip"
	"weft/backend/base/quantity"
)

// The size of a drawing, in units that are pixels in a wide window.
const (
	chartWidth  = 640.0
	chartRight  = 624.0
	chartTop    = 12.0
	chartBottom = 236.0
	mostDrawn   = 2000 // points
	mostSlices  = 10   // the smallest ones beyond that are merged
)

// shapes are the marks of points, relative to their positions.
var shapes = []string{"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", "m-3 -3h6v6h-6z", "m0 -4l4 7h-8z", "m0 -4.5l4 4.5l-4 4.5l-4 -4.5z"}

// look returns the color of a series, and the number of its shape and dash, which distinguish series of the same color.
func look(n int) (color string, turn int) { return "k" + itoa(n%8+1), (n + n/8) % len(shapes) }

// scale maps values to positions in a drawing.
type scale struct{ left, lowX, highX, lowY, highY float64 }

func (s *scale) px(x float64) float64 {
	return s.left + (x-s.lowX)/(s.highX-s.lowX)*(chartRight-s.left)
}

func (s *scale) py(y float64) float64 {
	return chartBottom - (y-s.lowY)/(s.highY-s.lowY)*(chartBottom-chartTop)
}

// chart draws a chart. It returns false if there is nothing to draw.
func (h *page) chart(c *chart) bool {
	if c.kind == "pie" {
		return h.pie(c)
	}
	at := scale{lowY: math.Inf(1), highY: math.Inf(-1)}
	told := cmp.Or(map[string]string{"bar": "Bar", "area": "Area", "scatter": "Scatter"}[c.kind], "Line") + " chart."
	names := make([]string, len(c.series))
	for n, s := range c.series {
		names[n] = brief(s.name)
		low, high, count := math.Inf(1), math.Inf(-1), 0
		for _, v := range s.points {
			if !math.IsNaN(v.y) {
				low, high, count = min(low, v.y), max(high, v.y), count+1
			}
		}
		at.lowY, at.highY = min(at.lowY, low), max(at.highY, high)
		switch {
		case n == 4:
			told += " And " + itoa(len(c.series)-n) + " more series."
		case n < 4 && count > 0:
			told += " " + brief(s.name) + ": " + quantity.Count(count, "point", "points") + ", between " + figure(low) + " and " + figure(high) + "."
		}
	}
	if at.lowY > at.highY {
		return false
	}
	fromZero := c.kind == "bar" || c.kind == "area"
	if fromZero {
		at.lowY, at.highY = min(at.lowY, 0), max(at.highY, 0)
	}
	at.lowY, at.highY = roomy(at.lowY, at.highY, 0.06, fromZero)
	xs := slices.Compact(slices.Sorted(slices.Values(c.at)))
	at.lowX, at.highX = xs[0], xs[len(xs)-1]
	step := cmp.Or(at.highX-at.lowX, math.Abs(at.lowX), 1) // the smallest distance of two places
	for i, x := range xs[1:] {
		step = min(step, x-xs[i])
	}
	if c.kind == "bar" {
		at.lowX, at.highX = at.lowX-step/2, at.highX+step/2
	} else {
		at.lowX, at.highX = roomy(at.lowX, at.highX, 0.02, false)
	}
	h.tag("<div class=\"chart\" tabindex=\"0\"><svg viewBox=\"0 0 640 260\" role=\"img\" aria-label=\"", told, "\">")
	h.axes(c, &at)
	for n, s := range c.series {
		points := slices.Clone(s.points)
		slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(c.at[a.place], c.at[b.place]) })
		points = thinned(points, max(mostDrawn/len(c.series), 30))
		if c.kind == "bar" {
			h.bars(c, &at, n, points, min(step/(at.highX-at.lowX)*0.78, 0.5)*(chartRight-at.left))
		} else {
			h.curve(c, &at, n, points)
		}
	}
	h.put("</svg></div>")
	if c.x != "" {
		h.tag("<p class=\"l x\">", brief(c.x), "</p>")
	}
	if len(c.series) > 1 {
		h.key(c.kind, names)
	}
	return true
}

// roomy widens a scale by a share at both ends, even if all values are the same. With fromZero, it doesn't widen an end
// that is 0.
func roomy(low, high, share float64, fromZero bool) (float64, float64) {
	room := (high - low) * share
	if high-low <= max(math.Abs(low), math.Abs(high))*1e-9 {
		room, fromZero = cmp.Or(math.Abs(high)/2, 1), false
	}
	if !fromZero || low != 0 {
		low -= room
	}
	if !fromZero || high != 0 {
		high += room
	}
	return low, high
}

// ticks returns about n round numbers on a scale.
func ticks(low, high float64, n int) (list []float64) {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(n))))
	for _, more := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if (high-low)/step > float64(n) {
			step *= more
		}
	}
	for k := math.Ceil(low / step); k*step <= high && len(list) < 2*n; k++ {
		list = append(list, k*step+0) // not -0
	}
	return list
}

// axes draws the grid with its numbers, and below it round numbers, or as many names as fit.
func (h *page) axes(c *chart, at *scale) {
	rows := ticks(at.lowY, at.highY, 6)
	for _, y := range rows {
		at.left = max(at.left, 14+width(figure(y)))
	}
	grid := ""
	for _, y := range rows {
		grid += "M" + num(at.left) + " " + num(at.py(y)) + "H" + num(chartRight)
		h.put("<text class=\"e\" x=\"", num(at.left-8), "\" y=\"", num(at.py(y)+4), "\">", figure(y), "</text>")
	}
	h.path("grid", grid)
	texts := map[float64]string{}
	if c.numbers {
		for _, x := range ticks(at.lowX, at.highX, 8) {
			texts[x] = figure(x)
		}
	} else {
		for i, name := range c.places {
			texts[c.at[i]] = clip.Line(oneLine(name), 16)
		}
	}
	widest, end := 0.0, 0.0
	for _, text := range texts {
		widest = max(widest, width(text))
	}
	for _, place := range slices.Sorted(maps.Keys(texts)) {
		half := width(texts[place]) / 2
		if x := min(max(at.px(place), half), chartWidth-half); x >= end {
			h.tag("<text x=\""+num(x)+"\" y=\"254\">", texts[place], "</text>")
			end = x + widest + 10
		}
	}
}

// bars draws the bars of the nth series. group is the total width of the bars at one place.
func (h *page) bars(c *chart, at *scale, n int, points []point, group float64) {
	wide := group / float64(len(c.series))
	var d strings.Builder
	for _, v := range points {
		if !math.IsNaN(v.y) {
			d.WriteString("M" + num(at.px(c.at[v.place])-group/2+float64(n)*wide) + " " + num(at.py(0)) + "V" + num(at.py(v.y)) + "h" + num(max(wide-min(1, wide/6), 1)) + "V" + num(at.py(0)) + "z")
		}
	}
	color, _ := look(n)
	h.path(color, d.String())
}

// curve draws the nth series as a line with gaps, as an area, or as points.
func (h *page) curve(c *chart, at *scale, n int, points []point) {
	color, turn := look(n)
	zero := num(at.py(0))
	var line, area, dots strings.Builder
	for i, v := range points {
		if math.IsNaN(v.y) {
			continue
		}
		x, y := num(at.px(c.at[v.place])), num(at.py(v.y))
		begins := i == 0 || math.IsNaN(points[i-1].y)
		ends := i == len(points)-1 || math.IsNaN(points[i+1].y)
		if begins {
			line.WriteString("M" + x + " " + y)
			area.WriteString("M" + x + " " + zero)
		} else {
			line.WriteString("L" + x + " " + y)
		}
		area.WriteString("L" + x + " " + y)
		if ends {
			area.WriteString("V" + zero + "z")
		}
		if c.kind == "scatter" || begins && ends || float64(len(points))*14 < chartRight-at.left {
			dots.WriteString("M" + x + " " + y + shapes[turn])
		}
	}
	if c.kind == "area" {
		h.path(color+" wash", area.String())
	}
	if c.kind != "scatter" {
		h.path(color+" stroke d"+itoa(turn), line.String())
	}
	h.path(color+" dot", dots.String())
}

// thinned reduces points to about most: of each chunk, it keeps the highest, and the lowest or a gap.
func thinned(points []point, most int) (kept []point) {
	if len(points) <= most {
		return points
	}
	for part := range slices.Chunk(points, 2*len(points)/most+1) {
		low, high := 0, 0
		for i, v := range part {
			if cmp.Less(v.y, part[low].y) { // a gap (NaN) sorts first
				low = i
			}
			if cmp.Less(part[high].y, v.y) {
				high = i
			}
		}
		kept = append(kept, part[min(low, high)])
		if low != high {
			kept = append(kept, part[max(low, high)])
		}
	}
	return kept
}

type slice struct {
	name  string
	value float64
	place int
}

// slices returns the parts of a pie: the values of the first series, or those of all series if each has only one.
func (c *chart) slices() (all []slice, total float64, negative int) {
	single := len(c.series) > 1 && !slices.ContainsFunc(c.series, func(s series) bool { return len(s.points) > 1 })
	for n, s := range c.series {
		for i, v := range s.points {
			one := slice{c.places[v.place], v.y, i + n}
			if single {
				one.name = s.name
			}
			switch {
			case n > 0 && !single:
			case v.y > 0:
				all = append(all, one)
				total += v.y
			case v.y < 0:
				negative++
			}
		}
	}
	if len(all) > mostSlices {
		slices.SortStableFunc(all, func(a, b slice) int { return cmp.Compare(b.value, a.value) })
		rest := slice{name: itoa(len(all)-mostSlices+1) + " others"}
		for _, s := range all[mostSlices-1:] {
			rest.value += s.value
		}
		all = all[:mostSlices-1]
		slices.SortFunc(all, func(a, b slice) int { return cmp.Compare(a.place, b.place) })
		all = append(all, rest)
	}
	return all, total, negative
}

// pie draws a ring with an arc for each slice.
func (h *page) pie(c *chart) bool {
	all, total, negative := c.slices()
	if len(all) == 0 {
		return false
	}
	names, told := make([]string, len(all)), make([]string, len(all))
	for i, s := range all {
		share := strconv.FormatFloat(s.value/total*100, 'g', 3, 64) + "%"
		names[i] = brief(s.name) + " · " + figure(s.value) + " · " + share
		told[i] = brief(s.name) + " " + share
	}
	h.tag("<div class=\"pie\"><svg viewBox=\"-104 -104 208 208\" role=\"img\" aria-label=\"", "Pie chart. "+strings.Join(told, ", ")+".", "\">")
	from := 0.0
	for i, s := range all {
		share := s.value / total
		end := from + share
		if len(all) > 1 {
			end -= min(0.004, share/2) // a gap between slices
		}
		color, _ := look(i)
		h.path(color+" ring", "M"+onRing(from)+"A78 78 0 0 1 "+onRing((from+end)/2)+"A78 78 0 0 1 "+onRing(end))
		from += share
	}
	h.put("<text class=\"b\" x=\"0\" y=\"2\">", figure(total), "</text><text x=\"0\" y=\"18\">Total</text></svg>")
	h.key(c.kind, names)
	h.put("</div>")
	if negative > 0 {
		h.put("<p class=\"l\">", quantity.Count(negative, "negative value has", "negative values have"), " no slice.</p>")
	}
	return true
}

func onRing(turn float64) string {
	return num(78*math.Sin(2*math.Pi*turn)) + " " + num(-78*math.Cos(2*math.Pi*turn))
}

// key draws the legend.
func (h *page) key(kind string, names []string) {
	h.put("<ul class=\"key\">")
	for n, name := range names {
		color, turn := look(n)
		h.put("<li><svg class=\"", color, "\" viewBox=\"0 0 22 10\" aria-hidden=\"true\">")
		switch kind {
		case "bar", "pie":
			h.path("", "M6 0h10v10h-10z")
		case "scatter":
			h.path("dot", "M11 5"+shapes[turn])
		default:
			h.path("stroke d"+itoa(turn), "M0 5H22")
		}
		h.tag("</svg><span>", name, "</span></li>")
	}
	h.put("</ul>")
}

func (h *page) path(class, d string) {
	if d != "" {
		h.put("<path class=\"", class, "\" d=\"", d, "\"/>")
	}
}

// figure formats a number in a few characters.
func figure(n float64) string {
	size := math.Abs(n)
	switch {
	case size >= 1e15 || size < 1e-4:
		return strconv.FormatFloat(n, 'g', 4, 64)
	case size >= 1e4:
		unit := min(int(math.Log10(size)/3), 4)
		return strconv.FormatFloat(n/math.Pow(1000, float64(unit)), 'g', 6, 64) + []string{"", "K", "M", "B", "T"}[unit]
	}
	return strconv.FormatFloat(n, 'g', 8, 64)
}

// num formats a number of a drawing.
func num(n float64) string { return strconv.FormatFloat(math.Round(n*10)/10+0, 'f', -1, 64) }

func brief(s string) string { return clip.Line(oneLine(s), 80) }

// width returns the approximate width of a drawn text.
func width(s string) (w float64) {
	for _, r := range s {
		w += 6.2
		if r >= 0x1100 {
			w += 5
		}
	}
	return w
}
