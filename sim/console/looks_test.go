package console_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var pictures = flag.Bool("pictures", false, "write the pictures of the documentation")

// look is a page, full of data, as it is examined by axe-core and shown in the documentation.
type look struct {
	name    string // of its pictures
	open    func(t *testing.T) *browserTab
	schemes []string
}

// looks has each page at least once. Those with schemes are shown in the documentation, in these colours.
var looks = []look{
	{"journal", lookAtJournal, []string{"light", "dark"}},
	{"faults", lookAtFaults, light},
	{"sandboxes", lookAtSandboxes, light},
	{"bank", lookAtBank, light},
	{"coverage", lookAtCoverage, light},
	{"scenario", lookAtScenario, light},
	{"contract", lookAtContract, light},
	{"evidence", lookAtEvidence, nil},
	{"connect", lookAtConnect, nil},
}

var light = []string{"light"}

const maxPicture = 100_000 // bytes

// The documentation has a picture of each page. axe-core finds nothing on any page, in light and dark colours. In a
// narrow window no page scrolls sideways.
func TestLooks(t *testing.T) {
	t.Parallel()
	for _, look := range looks {
		t.Run(look.name, func(t *testing.T) {
			t.Parallel()
			page := look.open(t)
			for _, scheme := range look.schemes {
				file := filepath.Join("..", "..", "docs", "console", look.name+"-"+scheme+".png")
				if *pictures {
					page.Size(1200, 800)
					page.Dark(scheme == "dark")
					page.Picture(file)
					shrink(t, file)
				}
				info, err := os.Stat(file)
				require.NoError(t, err, "write it with go test ./sim/console -run TestLooks -pictures")
				assert.LessOrEqual(t, info.Size(), int64(maxPicture), file)
			}
			examine(t, page, look.name)
		})
	}
}

// examine looks at what a page shows, in all its colours and sizes.
func examine(t *testing.T, page *browserTab, name string) {
	t.Helper()
	for _, width := range []int64{1280, 320} {
		page.Size(width, 900)
		for _, dark := range []bool{false, true} {
			page.Dark(dark)
			page.Accessible(fmt.Sprintf("%s, %d pixels, dark %t", name, width, dark))
		}
		var wide []string
		page.Eval(`document.documentElement.scrollWidth <= innerWidth ? [] : ["the page",
		...[...document.querySelectorAll("#app *")].filter((e) => !e.closest(".scroll, pre, nav, svg"))
			.filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
			.map((e) => e.outerHTML.slice(0, 100))]`, &wide)
		assert.Empty(t, wide, "%s scrolls sideways at %d pixels", name, width)
	}
}

// shrink lets a picture have no more than 256 colours: its most frequent ones. The pages have few, besides the edges of
// letters.
func shrink(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	full, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	counts := map[color.Color]int{}
	bounds := full.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[full.At(x, y)]++
		}
	}
	colors := slices.SortedFunc(
		maps.Keys(counts), func(a, b color.Color) int { return cmp.Compare(counts[b], counts[a]) },
	)
	small := image.NewPaletted(bounds, colors[:min(len(colors), 256)])
	draw.Draw(small, bounds, full, bounds.Min, draw.Src)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	require.NoError(t, encoder.Encode(&out, small))
	require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
}
