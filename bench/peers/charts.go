package main

import (
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// chart is a picture of one task: a group of bars for each size of tree, one
// for each peer. Each group has a scale of its own, since the sizes differ by a
// hundred times and only the ratios within a group mean anything.
type chart struct {
	file, title, task string
}

func charts() []chart {
	return []chart{
		{"bench-noop.svg", "A sync without news", "no-op"},
		{"bench-edit.svg", "One edit, up and down", "one edit, up and down"},
		{"bench-first.svg", "A first sync, up and down", "first sync, up and down"},
	}
}

// Measures of a chart, in pixels.
const (
	chartWidth = 720
	barLeft    = 150
	barWidth   = 400
	barHeight  = 18
	barStep    = 24
	groupGap   = 34
)

// chartStyle is legible on light and dark pages alike.
const chartStyle = `text{font:13px system-ui,sans-serif;fill:#1f2328}.t{font-weight:600;font-size:15px}.g{fill:#59636e}` +
	`rect{fill:#9aa4b0}.us{fill:#0f766e}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.g{fill:#9198a1}rect{fill:#59636e}.us{fill:#2dd4bf}}`

// writeCharts draws all tasks.
func writeCharts(dir string, all []figure) error {
	errs := os.MkdirAll(dir, 0o755)
	for _, c := range charts() {
		errs = errors.Join(errs, os.WriteFile(filepath.Join(dir, c.file), []byte(c.draw(all)), 0o644))
	}
	return errs
}

func (c chart) draw(all []figure) string {
	t, _ := taskOf(c.task)
	var b strings.Builder
	fmt.Fprintf(&b, "<text class=\"t\" x=\"0\" y=\"16\">%s</text>\n", html.EscapeString(c.title+": median wall time"))
	y := 30
	for _, files := range sizes(all) {
		y = drawGroup(&b, t, all, files, y)
	}
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">\n<style>%s</style>\n%s</svg>\n",
		chartWidth, y, chartWidth, y, html.EscapeString(c.title), chartStyle, b.String())
}

// drawGroup draws the bars of one size, and returns where the next group begins.
func drawGroup(b *strings.Builder, t task, all []figure, files, y int) int {
	var shown []figure
	var longest time.Duration
	for _, peer := range names(all) {
		if f, has := t.of(all, files, peer); has && peer != "unscanned" {
			shown, longest = append(shown, f), max(longest, f.wall)
		}
	}
	if len(shown) == 0 {
		return y
	}
	fmt.Fprintf(b, "<text class=\"g\" x=\"0\" y=\"%d\">%d files</text>\n", y+16, files)
	y += barStep
	for _, f := range shown {
		class, label := "", f.peer
		if f.peer == "teammem" {
			class = ` class="us"`
		}
		if f.peer == "rsync" {
			label = "rsync (one way)"
		}
		width := max(1, int(int64(barWidth)*int64(f.wall)/int64(max(longest, 1))))
		fmt.Fprintf(b, "<text x=\"0\" y=\"%d\">%s</text><rect%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"/><text x=\"%d\" y=\"%d\">%s ms</text>\n",
			y+14, html.EscapeString(label), class, barLeft, y, width, barHeight, barLeft+width+8, y+14, milliseconds(f.wall))
		y += barStep
	}
	return y + groupGap - barStep
}
