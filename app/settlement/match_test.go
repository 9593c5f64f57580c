package settlement

import "testing"

var (
	lineKey  = [16]byte{1}
	otherKey = [16]byte{2}
)

func TestMatch(t *testing.T) {
	paid := Books{PaymentID: 7, By: ByGatewayRef, State: "succeeded", ReceivedMinor: 10000, Currency: "PHP", PaidMs: 1}
	but := func(change func(*Books)) Books { b := paid; change(&b); return b }
	pay := func(gross int64) Line {
		return Line{Key: lineKey, Type: "payment", Currency: "PHP", Gross: known(gross)}
	}
	refunded := but(func(b *Books) {
		b.Refunds = []Movement{{Ref: "re_1", Minor: 4000, Status: "succeeded"}, {Ref: "re_2", Minor: 4000, Status: "succeeded"}}
	})
	disputed := func(status string) Books {
		return but(func(b *Books) { b.Disputes = []Movement{{Ref: "dp_1", Minor: 10000, Status: status}} })
	}
	for name, c := range map[string]struct {
		line  Line
		books []Books
		kind  Kind
		id    int64
		ref   string
	}{
		"the same":             {pay(10000), []Books{paid}, Matched, 7, ""},
		"fee and net add up":   {Line{Type: "payment", Currency: "PHP", Gross: known(10000), Fee: known(320), Net: known(9680)}, []Books{paid}, Matched, 7, ""},
		"net and fee alone":    {Line{Type: "payment", Currency: "PHP", Fee: known(320), Net: known(9680)}, []Books{paid}, Matched, 7, ""},
		"net alone":            {Line{Type: "payment", Currency: "PHP", Net: known(9680)}, []Books{paid}, KindFee, 7, ""},
		"net above":            {Line{Type: "payment", Currency: "PHP", Net: known(10001)}, []Books{paid}, KindAmount, 7, ""},
		"does not add up":      {Line{Type: "payment", Currency: "PHP", Gross: known(10000), Fee: known(320), Net: known(9000)}, []Books{paid}, KindFee, 7, ""},
		"one centavo less":     {pay(9999), []Books{paid}, KindAmount, 7, ""},
		"another currency":     {Line{Type: "payment", Currency: "USD", Gross: known(10000)}, []Books{paid}, KindCurrency, 7, ""},
		"we wait still":        {pay(10000), []Books{but(func(b *Books) { b.State, b.ReceivedMinor = "pending", 0 })}, StatusBehind, 7, ""},
		"we called it closed":  {pay(10000), []Books{but(func(b *Books) { b.State, b.ReceivedMinor = "closed", 0 })}, StatusBehind, 7, ""},
		"they call it failed":  {Line{Type: "payment", Currency: "PHP", Gross: known(10000), Status: "FAILED"}, []Books{paid}, StatusAhead, 7, ""},
		"both call it failed":  {Line{Type: "payment", Currency: "PHP", Gross: known(10000), Status: "failed"}, []Books{but(func(b *Books) { b.State = "failed" })}, OtherMoney, 7, ""},
		"nobody knows it":      {pay(10000), nil, MissingLocally, 0, ""},
		"nobody knows, failed": {Line{Type: "payment", Currency: "PHP", Gross: known(10000), Status: "Declined"}, nil, OtherMoney, 0, ""},
		"another line had it":  {pay(10000), []Books{but(func(b *Books) { b.SettledBy = &otherKey })}, SettledTwice, 7, ""},
		"id before reference":  {pay(10000), []Books{but(func(b *Books) { b.PaymentID, b.By = 8, ByMerchantRef }), paid}, Matched, 7, ""},
		"the one that fits":    {pay(10000), []Books{but(func(b *Books) { b.PaymentID, b.ReceivedMinor = 8, 5 }), paid}, Matched, 7, ""},
		"the one not settled":  {pay(10000), []Books{but(func(b *Books) { b.PaymentID, b.SettledBy = 8, &otherKey }), paid}, Matched, 7, ""},
		"suggested only":       {pay(10000), []Books{but(func(b *Books) { b.By = BySuggestion })}, MissingLocally, 7, ""},
		"refund by its id":     {Line{Type: "refund", ID: "re_2", Currency: "PHP", Gross: known(-4000)}, []Books{refunded}, Matched, 7, "re_2"},
		"refund by its amount": {Line{Type: "refund", Currency: "PHP", Gross: known(-4000)}, []Books{refunded}, Matched, 7, "re_1"},
		"refund, first is taken": {Line{Type: "refund", Currency: "PHP", Gross: known(-4000)}, []Books{but(func(b *Books) {
			b.Refunds = []Movement{{Ref: "re_1", Minor: 4000, Status: "succeeded", SettledBy: &otherKey}, {Ref: "re_2", Minor: 4000, Status: "succeeded"}}
		})}, Matched, 7, "re_2"},
		"refund settled twice": {Line{Type: "refund", ID: "re_1", Currency: "PHP", Gross: known(-4000)}, []Books{but(func(b *Books) {
			b.Refunds = []Movement{{Ref: "re_1", Minor: 4000, Status: "succeeded", SettledBy: &otherKey}}
		})}, SettledTwice, 7, "re_1"},
		"refund, other amount": {Line{Type: "refund", ID: "re_1", Currency: "PHP", Gross: known(-4100)}, []Books{refunded}, KindRefund, 7, "re_1"},
		"refund unknown":       {Line{Type: "refund", Currency: "PHP", Gross: known(-4100)}, []Books{refunded}, KindRefund, 7, ""},
		"refund, payment too":  {Line{Type: "refund", Currency: "PHP", Gross: known(-4100)}, nil, KindRefund, 0, ""},
		"refund that failed":   {Line{Type: "refund", ID: "re_1", Currency: "PHP", Gross: known(-4000)}, []Books{but(func(b *Books) { b.Refunds = []Movement{{Ref: "re_1", Minor: 4000, Status: "failed"}} })}, KindRefund, 7, "re_1"},
		"chargeback":           {Line{Type: "chargeback", Currency: "PHP", Gross: known(-10000)}, []Books{disputed("open")}, Matched, 7, "dp_1"},
		"chargeback, won":      {Line{Type: "chargeback", Currency: "PHP", Gross: known(-10000)}, []Books{disputed("won")}, KindDispute, 7, "dp_1"},
		"chargeback unknown":   {Line{Type: "chargeback", Currency: "PHP", Gross: known(-10000)}, []Books{paid}, KindDispute, 7, ""},
		"chargeback back":      {Line{Type: "chargeback_reversed", Currency: "PHP", Gross: known(10000)}, []Books{disputed("won")}, Matched, 7, "dp_1"},
		"fee of a payment":     {Line{Type: "fee", Currency: "PHP", Gross: known(-320)}, []Books{paid}, Matched, 7, ""},
		"fee, the second":      {Line{Type: "fee", Currency: "PHP", Gross: known(-320)}, []Books{but(func(b *Books) { b.FeeBy = &otherKey })}, KindFee, 7, ""},
		"fee of nothing":       {Line{Type: "fee", Currency: "PHP", Gross: known(-320)}, nil, OtherMoney, 0, ""},
		"payout":               {Line{Type: "payout", Currency: "PHP", Gross: known(-320000)}, nil, OtherMoney, 0, ""},
		"reserve":              {Line{Type: "reserve", Currency: "PHP", Gross: known(-320)}, []Books{paid}, OtherMoney, 0, ""},
		"cannot be used":       {Line{Type: "payment", Fault: "no amount"}, []Books{paid}, Unparseable, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := Match(&c.line, c.books)
			if got.Kind != c.kind || got.PaymentID != c.id || got.Movement != c.ref {
				t.Errorf("%+v, want %s of payment %d, %q", got, c.kind, c.id, c.ref)
			}
		})
	}
}

// TestMatchWithoutAStatedFee: a line that gives gross and net alone says what was kept, and does not contradict itself.
func TestMatchWithoutAStatedFee(t *testing.T) {
	books := []Books{{PaymentID: 7, By: ByGatewayRef, State: "succeeded", ReceivedMinor: 10000, Currency: "PHP", PaidMs: 1}}
	for net, want := range map[int64]Kind{9680: Matched, 10000: Matched, 10001: KindFee} {
		l := Line{Type: "payment", Currency: "PHP", Gross: known(10000), Net: known(net)}
		if got := Match(&l, books); got.Kind != want || got.PaymentID != 7 {
			t.Errorf("net %d: %+v, want %s", net, got, want)
		}
	}
}

func TestMatchShowsExpectedAgainstSeen(t *testing.T) {
	b := []Books{{PaymentID: 7, By: ByGatewayRef, State: "succeeded", ReceivedMinor: 10000, Currency: "PHP", Refunds: []Movement{{Ref: "r", Minor: 4000, Status: "succeeded"}}}}
	for _, c := range []struct {
		line           Line
		expected, seen int64
	}{
		{Line{Type: "payment", Currency: "PHP", Gross: known(9000)}, 10000, 9000},
		{Line{Type: "payment", Currency: "PHP", Gross: known(9000), Status: "void"}, 10000, 0},
		{Line{Type: "refund", ID: "r", Currency: "PHP", Gross: known(-4100)}, -4000, -4100},
		{Line{Type: "refund", Currency: "PHP", Gross: known(-1)}, 0, -1},
	} {
		if got := Match(&c.line, b); got.ExpectedMinor != c.expected || got.SeenMinor != c.seen {
			t.Errorf("%+v, want %d and %d", got, c.expected, c.seen)
		}
	}
}
