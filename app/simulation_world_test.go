package app

import (
	"container/heap"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

const (
	simSecond = int64(1000)
	simMinute = 60 * simSecond
	simHour   = 60 * simMinute
	simDay    = 24 * simHour
	simSales  = 84 * simDay // during which payments are made
	simAfter  = 70 * simDay // until everything has settled
	simCrowd  = 40          // payments that begin within one minute
	simStep   = 10 * simSecond
)

// simDeed is something that the world outside does at an instant.
type simDeed struct {
	at  int64
	seq int
	do  func()
}

type simAgenda []simDeed

func (a simAgenda) Len() int { return len(a) }
func (a simAgenda) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].seq < a[j].seq
}
func (a simAgenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *simAgenda) Push(x any)   { *a = append(*a, x.(simDeed)) }
func (a *simAgenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// simulation is some weeks of one shop: an engine on a real database, and around it gateways, a shop, a person and
// misfortune, all drawn from one seed. Its own ledger, not the engine, says what became of each payment.
type simulation struct {
	t      *testing.T
	seed   uint64
	size   int
	rng    *rand.Rand
	random *rand.ChaCha8 // the engine's
	path   string

	db      *store.DB
	faults  *store.Faults
	armed   bool
	e       *Engine
	up      bool
	gate    *sync.RWMutex // closed while questions are taken, so that answers come in one order
	stopped error         // nothing goes on after this

	begin, now int64 // true time
	skew       int64 // of the engine's clock
	agenda     simAgenda
	seq        int
	wake       int64            // true time at which the engine is due
	blocked    map[string]int64 // until when a loop has nothing to do though something is due
	timers     map[string]int64 // when each loop was due, as last looked up
	looked     int              // commits by then
	touched    map[string]bool  // gateways whose timers may have moved since

	gateways map[string]*simGateway
	payments []*simPayment
	refs     map[string][]*simPayment // by gateway and reference
	orders   map[string]*simOrder
	shop     simShop
	count    map[string]int // what happened, so that a test can see that it did
	findings []string

	forgetful bool // acknowledged notices are lost and questions answered as at the beginning: the ledger must find out
}

func newSimulation(t *testing.T, seed uint64, size int) *simulation {
	begin := time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC).UnixMilli()
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	s := &simulation{
		t: t, seed: seed, size: size, rng: rand.New(rand.NewPCG(seed, 1)), random: rand.NewChaCha8(key), path: filepath.Join(simFolder(t), "nodrop.db"),
		faults: &store.Faults{}, gate: &sync.RWMutex{}, begin: begin, now: begin, blocked: map[string]int64{},
		timers: map[string]int64{}, touched: map[string]bool{},
		refs: map[string][]*simPayment{}, orders: map[string]*simOrder{}, count: map[string]int{},
	}
	s.shop.events = map[string]*simEvent{}
	s.gateways = simGateways()
	t.Cleanup(func() {
		if s.db != nil {
			_ = s.db.Close() // after a failure on purpose it may not close cleanly
		}
	})
	return s
}

// simFolder is where a simulated database lies: in memory where the system has such a folder, for the power is never cut
// here. Kills are simulated at the borders of commits, and an fsync would prove nothing.
func simFolder(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "nodrop")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (s *simulation) clock() time.Time { return time.UnixMilli(s.now + s.skew).UTC() }

// after has something done in a while, in milliseconds.
func (s *simulation) after(ms int64, do func()) {
	s.seq++
	heap.Push(&s.agenda, simDeed{s.now + max(ms, 0), s.seq, do})
}

// chance is true with a probability in thousandths.
func (s *simulation) chance(thousandths int) bool { return s.rng.IntN(1000) < thousandths }

// between is a whole number from low to high.
func (s *simulation) between(low, high int64) int64 { return low + s.rng.Int64N(high-low+1) }

func (s *simulation) find(text string, args ...any) {
	if len(s.findings) < 50 {
		s.findings = append(s.findings, fmt.Sprintf(text, args...))
	}
}

// run lives through everything and then settles the accounts.
func (s *simulation) run() {
	s.plan()
	s.start()
	end := s.begin + simSales + simAfter
	for s.stopped == nil && s.agenda.Len() > 0 {
		next := s.agenda[0].at
		if s.up && s.wake < next {
			next = s.wake
		}
		if next > end {
			break
		}
		s.now = max(s.now, (next+simStep-1)/simStep*simStep) // so that what is near in time is worked on together
		for s.agenda.Len() > 0 && s.agenda[0].at <= s.now {
			heap.Pop(&s.agenda).(simDeed).do()
		}
		s.drive()
	}
	s.settle()
}

// plan spreads the payments and the misfortunes over the weeks.
func (s *simulation) plan() {
	for i, at := 0, int64(0); i < s.size; i++ {
		if i%simCrowd == 0 {
			at = s.rng.Int64N(simSales)
		}
		s.after(at+s.rng.Int64N(simMinute), func() { s.sell(i) })
	}
	s.every(simHour, simSales+4*simDay, s.keep)
	s.after(simSales+4*simDay, func() { s.every(12*simHour, simAfter, s.keep) })
	s.every(3*simHour, simSales+simAfter-2*simDay, s.answerReviews)
	s.every(6*simHour, simSales+simAfter-simDay, s.shop.catchUp(s))
	for range 4 + s.size/40 {
		s.after(s.rng.Int64N(simSales), s.misfortune)
	}
	for range 10 {
		s.after(s.rng.Int64N(simSales), s.jump)
	}
	for _, name := range simNames {
		for range 20 {
			g := s.gateways[name]
			s.after(s.rng.Int64N(simSales), func() { s.breakDown(g) })
		}
	}
	for range 6 {
		s.after(s.rng.Int64N(simSales), func() { s.shop.breakDown(s) })
	}
	s.after(simSales/10, func() { s.shop.fail(s, "down", 6*simDay) }) // for longer than an event is tried
	s.after(simSales/2, func() { s.shop.fail(s, "gone", 6*simHour) })
}

func (s *simulation) every(ms, until int64, do func()) {
	end := s.now + until
	var again func()
	again = func() {
		do()
		if s.now+ms < end {
			s.after(ms, again)
		}
	}
	s.after(ms, again)
}

// jump sets the engine's clock an hour wrong for some hours.
func (s *simulation) jump() {
	by, way := simHour, "forward"
	if s.chance(500) {
		by, way = -simHour, "back"
	}
	s.skew += by
	s.count["clock jumps "+way]++
	s.after(s.between(20*simMinute, 5*simHour), func() { s.skew -= by })
}

// misfortune arms a failure of the disk, or ends the engine between two commits.
func (s *simulation) misfortune() {
	if !s.up || s.armed {
		return
	}
	if s.chance(150) {
		s.count["kills while idle"]++
		s.crash()
		return
	}
	kinds := []store.Fault{store.FailStatement, store.LoseGroup, store.FailCommit, store.DropCommit, store.HideCommit}
	kind := kinds[s.rng.IntN(len(kinds))]
	n := s.between(1, 60)
	if kind >= store.FailCommit {
		n = s.between(1, 15)
	}
	s.faults.Arm(kind, int(n))
	s.armed = true
}

// start opens the database and makes a new engine, as a start of the program does.
func (s *simulation) start() {
	s.faults.Arm(0, 0)
	s.armed = false
	db, err := store.Open(s.t.Context(), s.path, store.Options{Now: time.Now, Log: slog.New(slog.DiscardHandler), Faults: s.faults, Readers: 1})
	if err != nil {
		s.stopped = err
		return
	}
	cfg := config.Default(hookSecret, apiKey)
	cfg.Shop.URL = "https://shop.example/events"
	cfg.Shop.Secrets = []config.TimedSecret{{Value: config.NewSecret(shopSecret)}}
	s.configure(cfg)
	s.db = db
	s.e, err = New(Options{Store: db, Config: cfg, Now: s.clock, Random: s.random, Log: slog.New(slog.DiscardHandler), HTTP: s.client()})
	if err == nil {
		err = s.e.begin(s.t.Context())
	}
	if err == nil {
		err = s.load()
	}
	if err == nil {
		err = s.fewChecks()
	}
	s.stopped = err
	s.touch()
	s.looked = -1
	s.up, s.wake = true, s.now
	clear(s.blocked)
}

// load reads what the loops read when they start.
func (s *simulation) load() error {
	for _, name := range s.e.names {
		if err := s.e.loadHealth(s.t.Context(), s.e.gateways[name]); err != nil {
			return err
		}
	}
	return s.view(func(rx *store.Rx) error {
		_, open, err := rx.OpenReviewOf("shop_gone", shopSubject)
		s.e.shop.set(open)
		return err
	})
}

// fewChecks puts the nightly check off: it looks at everything, and the accounts are settled at the end anyway.
func (s *simulation) fewChecks() error {
	return s.db.Update(s.t.Context(), "few checks", func(tx *store.Tx) error {
		for _, j := range s.e.jobs() {
			if j.name != "check" {
				continue
			}
			at := s.begin + simSales/2
			if s.now+s.skew >= at {
				at = s.begin + simSales + 2*simAfter
			}
			return tx.SetJob(store.Job{Name: j.name, Schedule: j.schedule, NextMs: at})
		}
		return nil
	})
}

func (s *simulation) view(f func(*store.Rx) error) error {
	return s.db.View(s.t.Context(), "simulation", f)
}

// crash loses everything that the engine holds in memory; it is started again on the same file later.
func (s *simulation) crash() {
	s.up = false
	_ = s.db.Close() // what could not be written may also keep it from folding its log in
	wait := s.between(3*simSecond, 2*simMinute)
	switch {
	case s.chance(40):
		wait = s.between(2*simHour, 9*simHour)
	case s.chance(250):
		wait = s.between(2*simMinute, 40*simMinute)
	}
	s.count["restarts"]++
	s.after(wait, s.start)
}

// worked tells whether a step of the engine was carried out. A step that the database failed is repeated later.
func (s *simulation) worked(step string, err error) bool {
	if s.armed && s.faults.Fired() {
		s.armed = false
		s.count["disk faults"]++
	}
	select {
	case <-s.db.Refused():
		if s.up {
			s.count["kills between commits"]++
			s.crash()
		}
		return err == nil
	default:
	}
	if err == nil {
		return true
	}
	if KindOf(err) == KindInternal && !errors.Is(err, store.ErrRefusing) && !errors.Is(err, store.ErrUnknownOutcome) {
		s.find("%s: %v", step, err)
	}
	return false
}

// drive lets the engine do all that is due now.
func (s *simulation) drive() {
	for range 1000 {
		if !s.up || s.stopped != nil {
			return
		}
		due, busy := s.round()
		if !busy {
			s.look(due)
			return
		}
	}
	s.stopped = errors.New("the engine does not come to rest")
}

// round lets each loop of the engine that is due work once. It tells whether any was; if none, when each will be.
func (s *simulation) round() (due map[string]int64, busy bool) {
	due, err := s.due()
	if !s.worked("look", err) {
		return nil, s.pause("process", simSecond)
	}
	for _, loop := range simLoops {
		at := due[loop]
		if at == 0 || at > s.now || s.blocked[loop] > s.now {
			continue
		}
		delete(s.blocked, loop)
		busy = s.loop(loop) || busy
		if !s.up {
			return nil, true
		}
	}
	return due, busy
}

// simLoops are the loops of the engine, in the order in which they work.
var simLoops = append([]string{"process", "holds", "send"}, simNames...)

func (s *simulation) pause(loop string, ms int64) bool {
	s.blocked[loop] = s.now + ms
	return false
}

func (s *simulation) loop(name string) bool {
	switch name {
	case "process":
		s.touch()
		_, err := s.e.processOnce(s.t.Context())
		return s.worked(name, err) || s.pause(name, simSecond)
	case "holds":
		s.touch()
		_, err := s.e.holdsOnce(s.t.Context())
		return s.worked(name, err) || s.pause(name, simSecond)
	case "send":
		return s.send()
	}
	return s.ask(name)
}

// ask has one gateway asked what is due and allowed.
func (s *simulation) ask(name string) bool {
	s.touch(name)
	a := s.e.gateways[name]
	before := s.gateways[name].asked
	s.gate.Lock()
	wait, err := s.e.fireOnce(s.t.Context(), a)
	s.gate.Unlock()
	a.asking.Wait()
	if !s.worked("ask", err) {
		return s.pause(name, simSecond)
	}
	if s.gateways[name].asked > before {
		return true
	}
	if wait < 0 {
		return false
	}
	return s.pause(name, max(wait.Milliseconds(), 1))
}

// touch notes that the timers of a gateway may have moved; without a name, those of all.
func (s *simulation) touch(names ...string) {
	if len(names) == 0 {
		names = simNames
	}
	for _, name := range names {
		s.touched[name] = true
	}
}

// due gives for each loop the true instant at which it has something to do; a loop without one has nothing to do.
func (s *simulation) due() (map[string]int64, error) {
	if _, commits := s.faults.Counts(); commits != s.looked {
		if err := s.view(s.lookUp); err != nil {
			return nil, err
		}
		s.looked = commits
	}
	due := map[string]int64{}
	for loop, ms := range s.timers {
		if ms != 0 && (loop != "send" || !s.e.shop.closed()) {
			due[loop] = ms - s.skew
		}
	}
	return due, nil
}

// lookUp reads when each loop is due by the engine's clock, 0: never; timers only where they may have moved.
func (s *simulation) lookUp(rx *store.Rx) (err error) {
	if s.timers["process"], _, err = rx.NextWorkMs(); err != nil {
		return err
	}
	if s.timers["send"], _, err = rx.NextEventMs(); err != nil {
		return err
	}
	return s.lookUpTimers(rx)
}

// lookUpTimers brings up to date when the timers of the touched gateways are due, by the engine's clock.
func (s *simulation) lookUpTimers(rx *store.Rx) error {
	if len(s.touched) > 0 {
		ms, _, err := rx.NextHoldMs(holdLane)
		if err != nil {
			return err
		}
		s.timers["holds"] = ms
	}
	for name := range s.touched {
		lanes, err := rx.NextQuestionsMs(name)
		if err != nil {
			return err
		}
		s.timers[name] = 0
		for _, ms := range lanes {
			if ms != 0 && (s.timers[name] == 0 || ms < s.timers[name]) {
				s.timers[name] = ms
			}
		}
	}
	clear(s.touched)
	return nil
}

// look notes when the engine is due next.
func (s *simulation) look(due map[string]int64) {
	s.wake = s.now + simDay
	if due == nil || s.blocked["process"] > s.now {
		s.wake = s.now + simSecond
	}
	for loop, at := range due {
		s.wake = min(s.wake, max(at, s.blocked[loop], s.now+1))
	}
}

// keep is a round of housekeeping.
func (s *simulation) keep() {
	if s.up {
		s.touch()
		s.worked("keep", s.e.keepOnce(s.t.Context()))
	}
}

func (s *simulation) client() *http.Client { return &http.Client{Transport: s} }

// RoundTrip plays the gateways and the shop.
func (s *simulation) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "shop.example" {
		return s.shop.hear(s, r)
	}
	s.gate.RLock()
	defer s.gate.RUnlock()
	for _, name := range simNames {
		if g := s.gateways[name]; g.host == r.URL.Host {
			g.asked++
			return s.answer(g, r)
		}
	}
	return nil, fmt.Errorf("nobody is at %s", r.URL.Host)
}

// accept brings a request of a gateway to the engine and gives the status that it answers; 0: it is not there.
func (s *simulation) accept(name string, r gateway.Request) int {
	if !s.up {
		return 0
	}
	if s.forgetful {
		return http.StatusOK
	}
	r.At = s.clock()
	s.touch(name)
	ack, err := s.e.Accept(s.t.Context(), name, r)
	if !s.worked("accept", err) && ack.Status/100 == 2 {
		s.find("%s was acknowledged though it was not stored: %v", name, err)
	}
	return ack.Status
}
