package app

import (
	"context"
	"slices"
	"sync"

	"nodrop/app/payment"
	"nodrop/app/settlement"
	"nodrop/store"
)

// settledLine is a line that counts as the report's word on a payment or on a movement of it.
type settledLine struct {
	key      [16]byte // as the file has it
	kind     string
	movement string
}

// book is a payment with the lines that it has already.
type book struct {
	payment   store.BookPayment
	lines     map[[16]byte]origin // by stored key
	settled   []settledLine
	movements []store.MovementFact
	refs      []string // the gateway's ids of it, read where a line names others
}

// origin is where a known line came from.
type origin struct{ of, number int64 }

// bookshelf holds what our books say of a number of lines.
type bookshelf struct {
	r       *importRun
	books   map[int64]*book
	byRef   map[string][]int64 // payments by gateway id
	byOwn   map[string][]int64 // by merchant reference
	found   [][]int64          // for each line: payments by gateway id
	foundBy [][]int64          // for each line: payments by merchant reference
	near    map[int][]int64    // for lines that nothing is found for: payments with nearly their id
	loose   map[[16]byte]origin
	flying  *flown
}

func newBookshelf(r *importRun) *bookshelf {
	return &bookshelf{r: r, books: map[int64]*book{}, byRef: map[string][]int64{}, byOwn: map[string][]int64{}, near: map[int][]int64{}, loose: map[[16]byte]origin{}}
}

// fetch looks up all that the lines may be about: by the best id first, by the other references only where that finds
// nothing.
func (s *bookshelf) fetch(ctx context.Context, lines []settlement.Line) error {
	s.flying = s.r.flight.look()
	s.found, s.foundBy = make([][]int64, len(lines)), make([][]int64, len(lines))
	return s.r.e.store.View(ctx, "books of a report", func(rx *store.Rx) error {
		if err := s.byBestRef(rx, lines); err != nil {
			return err
		}
		if err := s.byOthers(rx, lines); err != nil {
			return err
		}
		if err := s.fetchDoubts(rx, lines); err != nil {
			return err
		}
		if err := s.fetchLoose(rx, lines); err != nil {
			return err
		}
		return s.fetchMovements(rx, lines)
	})
}

func (s *bookshelf) byBestRef(rx *store.Rx, lines []settlement.Line) error {
	var refs []string
	for i := range lines {
		if ref := bestRef(&lines[i]); ref != "" && lines[i].Fault == "" {
			refs = want(refs, s.byRef, ref)
		}
	}
	if err := s.lookUp(refs, s.byRef, rx.BooksByRef); err != nil {
		return err
	}
	for i := range lines {
		s.found[i] = s.byRef[bestRef(&lines[i])]
	}
	return nil
}

// byOthers looks up the further ids and the merchant reference of the lines whose best id found nothing.
func (s *bookshelf) byOthers(rx *store.Rx, lines []settlement.Line) error {
	var refs, own []string
	for i := range lines {
		l := &lines[i]
		if len(s.found[i]) > 0 || l.Fault != "" {
			continue
		}
		for _, ref := range allRefs(l) {
			refs = want(refs, s.byRef, ref)
		}
		if l.MerchantRef != "" {
			own = want(own, s.byOwn, l.MerchantRef)
		}
	}
	if err := s.lookUp(refs, s.byRef, rx.BooksByRef); err != nil {
		return err
	}
	if err := s.lookUp(own, s.byOwn, rx.BooksByMerchantRef); err != nil {
		return err
	}
	for i := range lines {
		l := &lines[i]
		if len(s.found[i]) > 0 || l.Fault != "" {
			continue
		}
		for _, ref := range allRefs(l) {
			s.found[i] = union(s.found[i], s.byRef[ref])
		}
		s.foundBy[i] = s.byOwn[l.MerchantRef]
	}
	return nil
}

// want notes a reference that is to be looked up, once.
func want(list []string, index map[string][]int64, ref string) []string {
	if _, ok := index[ref]; ok {
		return list
	}
	index[ref] = nil
	return append(list, ref)
}

func union(a, b []int64) []int64 {
	for _, id := range b {
		if !slices.Contains(a, id) {
			a = append(slices.Clip(a), id)
		}
	}
	return a
}

func bestRef(l *settlement.Line) string {
	if l.GatewayRef != "" {
		return l.GatewayRef
	}
	return l.ParentRef
}

func allRefs(l *settlement.Line) []string {
	refs := l.GatewayRefs
	if l.GatewayRef != "" && !slices.Contains(refs, l.GatewayRef) {
		refs = append(slices.Clip(refs), l.GatewayRef)
	}
	if l.ParentRef != "" && !slices.Contains(refs, l.ParentRef) {
		refs = append(slices.Clip(refs), l.ParentRef)
	}
	return refs
}

// lookUp fetches payments by references.
func (s *bookshelf) lookUp(refs []string, index map[string][]int64, find func(string, []string, func(store.Book)) error) error {
	if len(refs) == 0 {
		return nil
	}
	return find(s.r.a.name, refs, func(row store.Book) {
		s.take(row)
		ref := refs[row.At]
		if ids := index[ref]; len(ids) == 0 || !slices.Contains(ids, row.Payment.ID) {
			index[ref] = append(ids, row.Payment.ID)
		}
	})
}

// take puts a payment on the shelf, or one more of its lines to it.
func (s *bookshelf) take(row store.Book) {
	b := s.books[row.Payment.ID]
	if b == nil {
		b = &book{payment: row.Payment}
		s.books[row.Payment.ID] = b
	}
	if row.LineID == 0 || len(row.LineKey) != 16 {
		return
	}
	b.line([16]byte(row.LineKey), origin{row.ImportID, row.Number})
	l := store.Line{Finding: row.Finding, Type: row.LineType, PaymentID: row.Payment.ID}
	if settles(l) {
		b.settled = append(b.settled, settledLine{s.r.stored([16]byte(row.LineKey)), row.LineType, row.Movement})
	}
}

func (b *book) line(key [16]byte, of origin) {
	if b.lines == nil {
		b.lines = map[[16]byte]origin{}
	}
	b.lines[key] = of
}

// mayBeLoose tells whether a line may be stored without a payment: nothing is found by its id, or it is of other money.
func (s *bookshelf) mayBeLoose(i int, l *settlement.Line) bool {
	switch l.Type {
	case linePayment, lineRefund, lineChargeback, lineChargebackReversed, lineFee:
		return len(s.found[i]) == 0 && (len(s.foundBy[i]) == 0 || l.GatewayRef != "")
	}
	return true
}

// fetchLoose looks for lines that are stored and belong to no payment.
func (s *bookshelf) fetchLoose(rx *store.Rx, lines []settlement.Line) error {
	var keys [][]byte
	for i := range lines {
		if lines[i].Fault == "" && s.mayBeLoose(i, &lines[i]) {
			key := s.r.stored(lines[i].Key)
			keys = append(keys, key[:])
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return rx.LinesWithoutPayment(keys, func(k store.KnownLine) { s.loose[[16]byte(keys[k.At])] = origin{k.ImportID, k.Number} })
}

// fetchMovements reads the refunds and disputes of the payments that lines of that kind are about.
func (s *bookshelf) fetchMovements(rx *store.Rx, lines []settlement.Line) error {
	var ids []int64
	for i := range lines {
		if t := lines[i].Type; t == lineRefund || t == lineChargeback || t == lineChargebackReversed {
			ids = union(union(ids, s.found[i]), s.foundBy[i])
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return rx.MovementsOf(ids, func(m store.MovementFact) {
		if b := s.books[m.PaymentID]; b != nil {
			b.movements = append(b.movements, m)
		}
	})
}

// knows tells whether a line is stored already, or stands in a batch that is on its way: by which import and, in this one,
// as which line.
func (s *bookshelf) knows(i int, key [16]byte) (of, number int64, known bool) {
	if n, ok := s.flying.keys[key]; ok {
		return s.r.row.ID, n, true
	}
	for _, list := range [][]int64{s.found[i], s.foundBy[i]} {
		for _, id := range list {
			if o, ok := s.books[id].lines[key]; ok {
				return o.of, o.number, true
			}
		}
	}
	o, ok := s.loose[key]
	return o.of, o.number, ok
}

// note remembers a line of this batch for those behind it.
func (s *bookshelf) note(key [16]byte, l store.Line) {
	of := origin{s.r.row.ID, l.Number}
	b := s.books[l.PaymentID]
	if b == nil {
		s.loose[key] = of
		return
	}
	b.line(key, of)
	if settles(l) {
		b.settled = append(b.settled, settledLine{s.r.stored(key), l.Type, l.Movement})
	}
}

func (s *bookshelf) version(paymentID int64) int64 {
	if b := s.books[paymentID]; b != nil {
		return b.payment.Version
	}
	return 0
}

// candidates are the payments that a line may be about: those under an id of the gateway, else those under the merchant
// reference.
func (s *bookshelf) candidates(i int, l *settlement.Line) []settlement.Books {
	var list []settlement.Books
	for _, id := range s.found[i] {
		list = append(list, s.candidate(s.books[id], settlement.ByGatewayRef))
	}
	if len(list) > 0 {
		return list
	}
	for _, id := range s.foundBy[i] {
		by := settlement.ByMerchantRef
		if damaged(l, s.books[id].refs) {
			by = settlement.BySuggestion
		}
		list = append(list, s.candidate(s.books[id], by))
	}
	for _, id := range s.near[i] {
		list = append(list, s.candidate(s.books[id], settlement.BySuggestion))
	}
	return list
}

func (s *bookshelf) candidate(b *book, by string) settlement.Books {
	flying := s.flying.settled[b.payment.ID]
	if s.flying.paid.has(b.payment.ID) {
		flying = append(slices.Clip(flying), settledLine{kind: linePayment})
	}
	return booksOf(b, by, flying)
}

// booksOf is a payment as a line is compared with it.
func booksOf(b *book, by string, flying []settledLine) settlement.Books {
	p := &b.payment
	c := settlement.Books{PaymentID: p.ID, By: by, State: p.State, Currency: p.Currency, ReceivedMinor: p.ReceivedMinor, ReversedMinor: p.ReversedMinor, PaidMs: p.PaidMs}
	settled := b.settled
	if len(flying) > 0 {
		settled = append(slices.Clip(settled), flying...)
	}
	for i := range settled {
		if settled[i].kind == linePayment && c.SettledBy == nil {
			c.SettledBy = &settled[i].key
		}
		if settled[i].kind == lineFee {
			c.FeeBy = &settled[i].key
		}
	}
	c.Refunds, c.Disputes = movementsOf(b.movements, settled)
	return c
}

// movementsOf lists the refunds and disputes of a payment, each by its latest word, with the line that it has already.
func movementsOf(facts []store.MovementFact, settled []settledLine) (refunds, disputes []settlement.Movement) {
	latest := map[[2]string]store.MovementFact{}
	var order [][2]string
	for _, f := range facts {
		if f.Cumulative { // a total so far is no movement of its own
			continue
		}
		at := [2]string{f.Kind, f.Ref}
		old, ok := latest[at]
		if !ok {
			order = append(order, at)
		}
		if !ok || f.OwnMs >= old.OwnMs {
			if !f.HasAmount {
				f.AmountMinor = old.AmountMinor
			}
			latest[at] = f
		}
	}
	for _, at := range order {
		f := latest[at]
		m := settlement.Movement{Ref: f.Ref, Minor: f.AmountMinor, Status: f.Status}
		for i := range settled {
			if settled[i].movement == f.Ref && (settled[i].kind == lineRefund) == (f.Kind == string(payment.FactRefund)) {
				m.SettledBy = &settled[i].key
			}
		}
		if f.Kind == string(payment.FactRefund) {
			refunds = append(refunds, m)
		} else {
			disputes = append(disputes, m)
		}
	}
	return refunds, disputes
}

// flight holds what batches that are judged and not stored yet mean for those behind them. In a dry run none is ever
// stored, and all is kept.
type flight struct {
	keep bool
	mu   sync.Mutex
	list []*lineBatch
	kept flown
}

type flightKey struct {
	key    [16]byte // as it is stored
	number int64
}

type flightSettled struct {
	payment int64
	line    settledLine
}

// flown is what batches on their way mean.
type flown struct {
	keys    map[[16]byte]int64
	settled map[int64][]settledLine
	paid    idSet // of a dry run: payments that a line is about, without its key
}

func (f *flown) add(b *lineBatch) {
	if f.keys == nil {
		f.keys, f.settled = map[[16]byte]int64{}, map[int64][]settledLine{}
	}
	for _, k := range b.keys {
		f.keys[k.key] = k.number
	}
	for _, s := range b.settled {
		if f.paid != nil && s.line.kind == linePayment {
			f.paid.add(s.payment)
			continue
		}
		f.settled[s.payment] = append(f.settled[s.payment], s.line)
	}
}

// takeOff adds a batch that is judged.
func (f *flight) takeOff(b *lineBatch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keep {
		f.kept.add(b)
		b.keys, b.settled, b.lines = nil, nil, nil
		return
	}
	f.list = append(f.list, b)
}

// landed takes out a batch that is stored.
func (f *flight) landed(b *lineBatch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = slices.DeleteFunc(f.list, func(x *lineBatch) bool { return x == b })
}

// look gives what is on its way now. Whatever has landed by then is seen by every reading that begins later.
func (f *flight) look() *flown {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keep {
		return &f.kept
	}
	all := &flown{}
	for _, b := range f.list {
		all.add(b)
	}
	return all
}

// idSet is a set of row ids; those of payments lie close together.
type idSet map[int64]*[64]uint64

func (s idSet) add(id int64) {
	block := s[id>>12]
	if block == nil {
		block = new([64]uint64)
		s[id>>12] = block
	}
	block[id>>6&63] |= 1 << (id & 63)
}

func (s idSet) has(id int64) bool {
	block := s[id>>12]
	return block != nil && block[id>>6&63]&(1<<(id&63)) != 0
}
