package static

import (
	"fmt"
	"math"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

func TestFilesAreServedUnderTheirHash(t *testing.T) {
	for name, contentType := range map[string]string{"style.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"} {
		address := URL(name)
		stem, ending, _ := strings.Cut(name, ".")
		if !regexp.MustCompile(`^/static/` + stem + `\.[0-9a-f]{16}\.` + ending + `$`).MatchString(address) {
			t.Errorf("%s is at %q, want a hash in its name", name, address)
		}
		w := get(t, address)
		if w.Code != 200 || w.Header().Get("Content-Type") != contentType || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") || w.Body.Len() == 0 {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	for _, path := range []string{"/static/", "/static/style.css", "/static/static.go", "/static/style.0000000000000000.css", "/static/../static.go"} {
		if w := get(t, path); w.Code != 404 {
			t.Errorf("%s: %d, want 404", path, w.Code)
		}
	}
	if got := URL("nothing.css"); got != "" {
		t.Errorf("a file that does not exist is at %q", got)
	}
}

func TestFilesLeadToNoOtherHost(t *testing.T) {
	for _, name := range []string{"style.css", "app.js"} {
		if body := get(t, URL(name)).Body.String(); strings.Contains(body, "//") && regexp.MustCompile(`(https?:)?//[a-z0-9]+\.[a-z]`).MatchString(body) || strings.Contains(body, "@import") {
			t.Errorf("%s names another host", name)
		}
	}
}

// pairs are the colours that lie on each other: text on its ground.
var pairs = [][2]string{
	{"ink", "ground"}, {"ink", "paper"}, {"ink", "sunk"}, {"soft", "ground"}, {"soft", "paper"}, {"soft", "sunk"}, {"accent", "ground"}, {"accent", "paper"}, {"accent-ink", "accent"},
	{"ok", "paper"}, {"ok", "ground"}, {"bad", "paper"}, {"bad", "ground"}, {"odd", "paper"}, {"odd", "ground"}, {"busy", "paper"}, {"busy", "ground"}, {"wait", "paper"}, {"off", "paper"},
	{"ok", "ok-ground"}, {"bad", "bad-ground"}, {"odd", "odd-ground"}, {"ok", "sunk"}, {"bad", "sunk"}, {"odd", "sunk"}, {"busy", "sunk"}, {"accent", "sunk"}, {"accent", "accent-ink"},
}

func TestContrast(t *testing.T) {
	light, dark := themes(t)
	for name, colours := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, p := range pairs {
			if got := contrast(t, colours[p[0]], colours[p[1]]); got < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want 4.5", name, p[0], p[1], got)
			}
		}
	}
}

func TestContrastOfKnownColours(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want string
	}{{"#000000", "#ffffff", "21.00"}, {"#777777", "#ffffff", "4.48"}, {"#ffffff", "#ffffff", "1.00"}} {
		if got := fmt.Sprintf("%.2f", contrast(t, c.a, c.b)); got != c.want {
			t.Errorf("%s on %s: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// themes reads the colours that the stylesheet names: the first block is the light one, the second the dark one.
func themes(t *testing.T) (light, dark map[string]string) {
	t.Helper()
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(get(t, URL("style.css")).Body.String(), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of colours, want 2", len(blocks))
	}
	read := func(block string) map[string]string {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block, -1) {
			colours[m[1]] = m[2]
		}
		return colours
	}
	return read(blocks[0][1]), read(blocks[1][1])
}

// contrast is the ratio of WCAG 2.2 between two colours.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	if len(colour) != 7 {
		t.Fatalf("the colour %q is not written as #rrggbb", colour)
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
