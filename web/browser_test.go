package web

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nodrop/app"
	"nodrop/store"
)

// browserFlags keep Chromium to this machine and to a profile that is thrown away.
func browserFlags(t *testing.T, path string) []chromedp.ExecAllocatorOption {
	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()))
	for _, name := range []string{"disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync"} {
		flags = append(flags, chromedp.Flag(name, true))
	}
	return flags
}

// findBrowser looks for Chromium; without it the test is skipped, unless the environment requires it.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("NODROP_BROWSER") == "required" {
		t.Fatal("NODROP_BROWSER is \"required\", but no Chromium is installed: install the package chromium")
	}
	t.Skip("no Chromium is installed, so the pages are not tried in a real browser: install the package chromium")
	return ""
}

// person sits before a real browser.
type person struct {
	*desk
	ctx context.Context

	mu       sync.Mutex // guards what follows
	requests []string
	trouble  []string // what the browser complained of
}

// seated opens a fresh window on a desk.
func seated(t *testing.T, browser context.Context, d *desk) *person {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(func() { stop(); cancel() })
	p := &person{desk: d, ctx: ctx}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	p.must(chromedp.Call(ctx, network.Enable, network.EnableParams{}))
	t.Cleanup(p.wantPeace)
	return p
}

func (p *person) listen(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !strings.Contains(e.Entry.Text, "the server responded with a status of 4") {
			p.trouble = append(p.trouble, e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		p.trouble = append(p.trouble, e.ExceptionDetails.Text)
	}
}

// wantPeace looks at everything that the browser sent and complained of.
func (p *person) wantPeace() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, address := range p.requests {
		if !strings.HasPrefix(address, p.private.URL+"/") && address != "about:blank" {
			p.t.Errorf("the page asked another host: %s", address)
		}
	}
	for _, text := range p.trouble {
		p.t.Errorf("the browser complains: %s", text)
	}
}

func (p *person) must(_ any, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) open(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.private.URL + path))
}

func evaluate[T any](p *person, script string) T {
	p.t.Helper()
	got, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", script, err)
	}
	return got
}

// sees waits until a text can be read on the page.
func (p *person) sees(text string) {
	p.t.Helper()
	p.awaits(strconv.Quote(text)+" does not appear", `document.body !== null && document.body.innerText.replace(/\s+/g, " ").includes(`+strconv.Quote(text)+`)`)
}

// awaits waits until a condition holds in the page.
func (p *person) awaits(otherwise, script string) {
	p.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		if ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](script)); err == nil && ok {
			return
		}
		select {
		case <-deadline:
			shown, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body.innerText`))
			p.t.Fatalf("%s; the page says:\n%s", otherwise, shown)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// at waits until something that can be clicked says a text, and gives where it lies in the window.
func (p *person) at(text string) []float64 {
	p.t.Helper()
	script := `(() => {
		const wanted = ` + strconv.Quote(text) + `;
		const all = [...document.querySelectorAll("a, button, summary")].filter((e) => e.checkVisibility());
		const found = all.find((e) => e.innerText.trim() === wanted) || all.find((e) => e.innerText.includes(wanted)) || all.find((e) => (e.getAttribute("aria-label") || "").includes(wanted));
		if (!found) return [];
		found.scrollIntoView({block: "center", behavior: "instant"});
		const box = found.getClientRects()[0];
		return [box.x + Math.min(box.width, 40) / 2, box.y + box.height / 2];
	})()`
	deadline := time.After(20 * time.Second)
	for {
		if spot, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]float64](script)); err == nil && len(spot) == 2 {
			return spot
		}
		select {
		case <-deadline:
			shown, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body.innerText`))
			p.t.Fatalf("nothing to click says %q; the page says:\n%s", text, shown)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (p *person) clicks(text string) {
	p.t.Helper()
	spot := p.at(text)
	p.do(chromedp.MouseClickXY(spot[0], spot[1]))
}

// follows clicks on what leads to another page, or sends a form, and waits until that page is there.
func (p *person) follows(text string) {
	p.t.Helper()
	spot := p.at(text)
	p.leaves(func() { p.do(chromedp.MouseClickXY(spot[0], spot[1])) })
}

// leaves waits until an act has replaced the page by another one.
func (p *person) leaves(act func()) {
	p.t.Helper()
	evaluate[bool](p, `document.documentElement.dataset.old = "1", true`)
	act()
	deadline := time.After(20 * time.Second)
	for {
		fresh, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`document.readyState === "complete" && document.documentElement.dataset.old === undefined`))
		if err == nil && fresh {
			return
		}
		select {
		case <-deadline:
			p.t.Fatal("the page was not left")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// types writes into the field that a label names, in place of what is there.
func (p *person) types(label, text string) {
	p.t.Helper()
	found := evaluate[bool](p, `(() => {
		const label = [...document.querySelectorAll("label")].find((l) => l.control && l.control.checkVisibility() && (l.innerText.includes(`+strconv.Quote(label)+`)) || l.textContent === `+strconv.Quote(label)+`);
		if (!label) return false;
		label.control.focus();
		label.control.select();
		return true;
	})()`)
	if !found {
		p.t.Fatalf("no field is called %q", label)
	}
	p.do(chromedp.KeyEvent(text))
}

// comesIn signs in as a person does.
func (p *person) comesIn() {
	p.t.Helper()
	p.open("/signin")
	p.types("Name", "maria")
	p.types("Password", deskPassword)
	p.follows("Sign in")
	p.sees("Sign out")
}

func (p *person) window(width int64, dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.must(chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1, Mobile: width < 500}))
	p.must(chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))
}

func TestInARealBrowser(t *testing.T) {
	browser := newBrowser(t)
	scenes := map[string]func(*testing.T, *person){
		"sign up and in": sceneSignUp, "find a payment": sceneFind, "answer a review": sceneReview, "double click": sceneDoubleClick, "stale page": sceneStale,
		"replay": sceneReplay, "hostile text": sceneHostile, "keyboard": sceneKeyboard, "narrow": sceneNarrow, "refresh": sceneRefresh, "without script": sceneNoScript, "policy": scenePolicy,
		"try a request": sceneTry, "verify again": sceneVerify,
	}
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) { scene(t, seated(t, browser, newDesk(t))) })
	}
}

func sceneSignUp(t *testing.T, p *person) {
	secret, err := p.engine.AddUser(t.Context(), "jo", "operator")
	if err != nil {
		t.Fatal(err)
	}
	p.open("/signup/" + secret)
	p.types("Password", deskPassword)
	p.types("The same password again", deskPassword)
	p.follows("Save and go to the sign-in")
	p.sees("Your password is set, jo.")
	p.types("Name", "jo")
	p.types("Password", "a wrong password")
	p.follows("Sign in")
	p.sees("The name or the password is wrong.")
	for range 4 {
		p.types("Password", "a wrong password")
		p.follows("Sign in")
		p.sees("wrong")
	}
	p.types("Password", deskPassword)
	p.follows("Sign in")
	p.sees("There were too many tries.")
	p.move(10 * time.Second)
	p.types("Password", deskPassword)
	p.follows("Sign in")
	p.sees("No payment has been registered yet.")
	p.follows("Sign out")
	p.sees("No access yet")
}

func sceneFind(t *testing.T, p *person) {
	p.morning()
	p.comesIn()
	p.follows("Payments")
	p.types("Find a payment", "1,250.50")
	p.leaves(func() { p.do(chromedp.KeyEvent(kb.Enter)) })
	p.sees("One payment matches.")
	p.follows("ORDER-1001")
	p.sees("The money was taken. The order can be fulfilled.")
	p.sees("₱1,250.50")
	p.follows("Raw bytes")
	p.sees(`"reference": "ORDER-1001"`)
}

func sceneReview(t *testing.T, p *person) {
	p.morning()
	p.comesIn()
	p.sees("2 questions wait for you, ₱165.00 at risk.")
	p.follows("₱90.00 came where ₱100.00 was expected")
	p.sees("Compare with the gateway's dashboard.")
	p.clicks("Accept what the gateway says")
	p.types("To confirm, type the amount", "100.00")
	p.types("Reason, for those who ask later", "agreed by telephone")
	p.submits("accept")
	p.sees("This is not the amount.")
	if title := evaluate[string](p, `document.title`); !strings.HasPrefix(title, "Error: ") {
		t.Errorf("the title is %q, which does not say that something went wrong", title)
	}
	if !evaluate[bool](p, `(() => { const box = document.querySelector("main > [role=alert]").getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })()`) {
		t.Error("what went wrong is not in view")
	}
	p.clicks("This is not the amount.")
	if name := evaluate[string](p, `document.activeElement.name`); name != "amount" {
		t.Errorf("the message leads to %q, not to the amount", name)
	}
	p.types("To confirm, type the amount", "90.00")
	p.submits("accept")
	p.sees("What the gateway said is accepted.")
	p.follows("Answered")
	p.sees("agreed by telephone")
	p.follows("Audit")
	p.sees("Accept what the gateway says")
}

func sceneDoubleClick(t *testing.T, p *person) {
	m := p.morning()
	p.comesIn()
	p.open("/payments/" + m.open)
	p.clicks("Write a note")
	p.types("Reason, for those who ask later", "written once")
	spot := p.submitOf("note")
	p.do(chromedp.MouseClickXY(spot[0], spot[1]), chromedp.MouseClickXY(spot[0], spot[1]))
	p.sees("The note is written down.")
	p.until("one note", func(rx *store.Rx) (bool, error) {
		list, err := rx.Audits(0, 0, 10)
		if len(list) > 1 {
			t.Fatalf("%d acts were written down, want one", len(list))
		}
		return len(list) == 1, err
	})
}

// submitOf is where the button of an act's open form lies.
func (p *person) submitOf(act string) []float64 {
	p.t.Helper()
	return evaluate[[]float64](p, fmt.Sprintf(`(() => {
		const b = document.querySelector('details[id$="-%s"][open] button.main');
		b.scrollIntoView({block: "center", behavior: "instant"});
		const box = b.getBoundingClientRect();
		return [box.x + box.width / 2, box.y + box.height / 2];
	})()`, act))
}

func (p *person) submits(act string) {
	p.t.Helper()
	spot := p.submitOf(act)
	p.leaves(func() { p.do(chromedp.MouseClickXY(spot[0], spot[1])) })
}

func sceneStale(t *testing.T, p *person) {
	m := p.morning()
	p.comesIn()
	p.open("/payments/" + m.open)
	p.clicks("Mark as failed")
	p.types("Reason, for those who ask later", "they never paid")
	p.post(p.notice("evt_9", "ORDER-1003", "paid", "75.00"))
	p.untilState(m.open, "succeeded")
	p.submits("mark_failed")
	p.sees("This has changed since you looked")
	p.sees("The gateway says: succeeded, ₱75.00")
	p.sees("they never paid")
	p.follows("Look again")
	p.sees("The money was taken")
}

func sceneReplay(t *testing.T, p *person) {
	p.morning()
	p.comesIn()
	p.follows("Dead letters")
	p.follows("1 of sandbox: The amount cannot be read")
	p.sees("One dead entry of sandbox would be worked on again.")
	p.types("Reason, for those who ask later", "the definition is corrected")
	p.follows("Replay 1")
	p.sees("One entry is being worked on again.")
	p.until("the replay in the audit", func(rx *store.Rx) (bool, error) {
		list, err := rx.Audits(0, 0, 10)
		return len(list) == 1 && list[0].Action == app.ActReplay && list[0].Detail == "the definition is corrected", err
	})
}

func sceneHostile(t *testing.T, p *person) {
	m := p.morning()
	p.comesIn()
	for _, path := range []string{"/payments", "/payments/" + m.hostile, "/inbox/4", "/payments?" + query("q", hostileRef)} {
		p.open(path)
		p.sees("Sign out")
		if title := evaluate[string](p, `document.title`); !strings.HasSuffix(title, "· nodrop") {
			t.Errorf("%s: hostile text changed the title to %q", path, title)
		}
		if n := evaluate[int](p, `document.querySelectorAll("main script, main b").length`); n != 0 {
			t.Errorf("%s: hostile text has become %d elements", path, n)
		}
	}
	p.open("/inbox/4")
	p.sees(`"note": "<b>bold</b>"`)
	p.sees("12345678901234567890123")
}

func sceneKeyboard(t *testing.T, p *person) {
	m := p.morning()
	p.open("/signin")
	p.awaits("the name is not the first field", `document.activeElement.name === "name"`)
	p.do(chromedp.KeyEvent("maria" + kb.Tab + deskPassword + kb.Enter))
	p.sees("Sign out")
	p.open("/payments/" + m.open)
	p.do(chromedp.KeyEvent(kb.Tab))
	if text := evaluate[string](p, `document.activeElement.innerText`); text != "Skip to the content" {
		t.Errorf("the first thing that the keyboard reaches is %q", text)
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	if id := evaluate[string](p, `document.activeElement.id`); id != "main" {
		t.Errorf("skipping leads to %q", id)
	}
	for range 200 {
		p.do(chromedp.KeyEvent(kb.Tab))
		if width := evaluate[string](p, `getComputedStyle(document.activeElement).outlineWidth + getComputedStyle(document.activeElement).outlineStyle`); width == "0px" || strings.HasSuffix(width, "none") {
			t.Errorf("the focus on %q cannot be seen", evaluate[string](p, `document.activeElement.outerHTML.slice(0, 120)`))
		}
		if evaluate[bool](p, `document.activeElement.tagName === "SUMMARY" && document.activeElement.innerText.includes("Write a note")`) {
			p.do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("by keyboard alone"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
			p.sees("The note is written down.")
			return
		}
	}
	t.Error("the keyboard does not reach “Write a note”")
}

func sceneNarrow(t *testing.T, p *person) {
	m := p.morning()
	p.comesIn()
	paths := append([]string{"/payments/" + m.odd, "/payments/" + m.hostile, "/inbox/4", "/inbox/refused/1", "/gateways/sandbox/try?refused=1", "/outbox/1", "/reviews/1", "/reviews?open=1", "/nowhere"}, readPaths...)
	for width, paths := range map[int64][]string{390: paths, 1440: paths[:9]} {
		p.window(width, width == 390)
		for _, path := range paths {
			p.open(path)
			if got := evaluate[int64](p, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%s is %d wide in a window of %d: it scrolls sideways", path, got, width)
			}
			if out := evaluate[string](p, `[...document.querySelectorAll("main *:not(pre *)")].filter((e) => e.checkVisibility() && !e.closest(".unseen, thead") && e.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map((e) => e.outerHTML.slice(0, 80)).join("\n")`); out != "" {
				t.Errorf("%s at %d: beyond the edge:\n%s", path, width, out)
			}
		}
	}
}

func sceneRefresh(t *testing.T, p *person) {
	m := p.morning()
	p.comesIn()
	p.open("/payments/" + m.open)
	p.sees("Nothing definite yet.")
	p.post(p.notice("evt_9", "ORDER-1003", "paid", "75.00"))
	p.untilState(m.open, "succeeded")
	evaluate[bool](p, `refresh([document.getElementById("live-payment")])`)
	p.sees("The money was taken")
	p.open("/reviews")
	p.follows("Answer") // the first one has most money at risk
	p.clicks("Ask the gateway now")
	if busy := evaluate[bool](p, `busy(document.getElementById("live-reviews"))`); !busy {
		t.Error("a part in which the person works would be replaced")
	}
}

func sceneNoScript(t *testing.T, p *person) {
	m := p.morning()
	p.must(chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	u, err := url.Parse(p.private.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.client.Jar.Cookies(u) {
		p.must(chromedp.Call(p.ctx, network.SetCookie, network.SetCookieParams{Name: c.Name, Value: c.Value, URL: p.private.URL}))
	}
	p.open("/payments/" + m.open)
	p.do(chromedp.Click(chromedp.CSS("#act-note > summary")), chromedp.SendKeys(chromedp.CSS("#act-note textarea"), "without script"), chromedp.Click(chromedp.CSS("#act-note button.main")),
		chromedp.WaitVisible(chromedp.CSS(".flash")))
	p.until("the note", func(rx *store.Rx) (bool, error) {
		list, err := rx.Audits(0, 0, 10)
		return len(list) == 1 && list[0].Detail == "without script", err
	})
}

// sceneTry pastes a request whose body has several lines; the browser itself changes their ends.
func sceneTry(t *testing.T, p *person) {
	p.comesIn()
	p.follows("Gateways")
	p.follows("sandbox")
	p.follows("Try a request")
	before := p.rows()
	pasted := p.capture(p.spread("\n"))
	evaluate[bool](p, `document.getElementById("capture").value = `+strconv.Quote(pasted)+`, true`)
	for range 2 {
		p.follows("Read it")
		p.sees("It would be stored, acknowledged and worked on.")
		p.sees("The body fits with its line ends as LF.")
		p.sees("₱1,250.50 (125050)")
		if shown := evaluate[string](p, `document.getElementById("capture").value`); shown != pasted {
			t.Errorf("the form shows again\n%q\nwant\n%q", shown, pasted)
		}
	}
	p.types("When it came in, if not now", "2031-03-08 01:00")
	p.follows("Read it")
	p.sees("Its signature states a time 24 h before it came in")
	p.types("When it came in, if not now", "tomorrow")
	p.follows("Read it")
	p.sees("This is no time.")
	p.wantNew(before, map[string]int{})
}

func sceneVerify(t *testing.T, p *person) {
	for _, id := range []string{"evt_1", "evt_2", "evt_3"} {
		p.toMute(id, "ORDER-"+id)
	}
	p.reconfigure(muteAlone, muteSpeaks)
	p.comesIn()
	p.open("/inbox/refused/1")
	p.sees("With the present configuration it is right")
	p.follows("Verify again")
	p.sees("It is right now and was taken in.")
	p.follows("Gateways")
	p.follows("mute")
	p.follows("Verify 2 requests of mute again")
	p.sees("All 2 refused requests of mute are right with the present configuration and would be taken in.")
	p.follows("Verify 2 again")
	p.sees("Verified again: 2 tried, 2 taken in, 0 still refused.")
	p.sees("Nothing was refused.")
	p.untilItems("parked", 3)
}

// scenePolicy has a page do what an attacker would wish for; the browser must refuse it and say so.
func scenePolicy(t *testing.T, p *person) {
	p.comesIn()
	got := evaluate[string](p, `fetch("https://other.example/").then(() => "sent", () => "refused")`)
	evaluate[bool](p, `(() => { const s = document.createElement("script"); s.textContent = "window.owned = true"; document.body.append(s); return true; })()`)
	if got != "refused" || evaluate[bool](p, `window.owned === true`) {
		t.Error("the content policy lets a page speak to another host or run what it was sent")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.trouble) < 2 || !strings.Contains(strings.Join(p.trouble, " "), "Content Security Policy") {
		t.Errorf("the browser complained of %q, want both acts", p.trouble)
	}
	p.trouble = nil
}
