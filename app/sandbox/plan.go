package sandbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// How the shop tells nodrop the gateway's id of a payment.
const (
	linkAtOnce = "at once" // created first, registered with its id
	linkLater  = "later"   // registered first, the id added by PATCH
	linkNever  = "never"   // nodrop must ask by the merchant's reference
)

// How the shop misbehaves when it is told about an order.
const (
	shopFine     = ""
	shopRefuses  = "refuses" // 500 for the first deliveries
	shopSlow     = "slow"
	shopVanishes = "vanishes" // does the work, then the connection breaks
	shopForgets  = "forgets"  // answers 200, crashes with nothing written down, and reads the feed when it is back
)

// Plan is what will happen to one payment.
type Plan struct {
	Index     int
	Ref       string // merchant_ref
	Order     string // order_ref
	Amount    int64  // minor units
	Currency  string // ISO 4217
	Story     Story
	At        time.Duration // when the shop sells it, from the start of the run
	Pace      time.Duration // how long the payer thinks before the first step
	Link      string
	Claims    bool // the shop's two workers claim the order before one fulfils it
	ShopFault string
	SecondOf  int // index of the order's first payment, or -1
}

// MakePlan draws the plan of a run from o.Seed, o.Payments, o.Stories and o.Spread; nothing
// else changes it. Every story comes up once before any comes up again.
func MakePlan(o Options) ([]Plan, error) {
	o = o.withDefaults()
	deck, err := chosen(o.Stories)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x6e6f64726f70))
	drawn := draw(rng, deck, o.Payments)
	plans := make([]Plan, 0, o.Payments)
	for i := 0; len(plans) < o.Payments; i++ {
		p := drawOne(rng, drawn[i], len(plans), o)
		plans = append(plans, p)
		if second, ok := StoryByName(drawn[i].Second); ok && len(plans) < o.Payments {
			plans = append(plans, drawSecond(rng, second, p, o))
		}
	}
	return plans, nil
}

func chosen(names []string) ([]Story, error) {
	var deck []Story
	for _, name := range names {
		s, ok := StoryByName(name)
		if !ok || s.follower {
			return nil, fmt.Errorf("sandbox: no story %q can be chosen", name)
		}
		deck = append(deck, s)
	}
	if len(names) == 0 {
		deck = slices.DeleteFunc(slices.Clone(stories), func(s Story) bool { return s.follower })
	}
	return deck, nil
}

// draw returns enough stories for n payments: each once in a drawn order, then
// by weight, or once more each if none has a weight. The last place never goes to a story that needs two payments.
func draw(rng *rand.Rand, deck []Story, n int) []Story {
	out := slices.Clone(deck)
	total := 0
	for _, s := range deck {
		total += s.weight
	}
	places := 0
	for _, s := range out {
		places += size(s)
	}
	for places < n {
		s := deck[len(out)%len(deck)]
		if total > 0 {
			s = byWeight(deck, rng.IntN(total))
		}
		out = append(out, s)
		places += size(s)
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return fit(out, n)
}

func byWeight(deck []Story, k int) Story {
	for _, s := range deck {
		if k -= s.weight; k < 0 {
			return s
		}
	}
	return deck[0]
}

func size(s Story) int {
	if s.Second != "" {
		return 2
	}
	return 1
}

// fit cuts the stories to n places and puts a plain payment where half a pair would stand.
func fit(out []Story, n int) []Story {
	left := n
	for i, s := range out {
		if size(s) > left {
			out[i], _ = StoryByName("paid")
			s = out[i]
		}
		if left -= size(s); left <= 0 {
			return out[:i+1]
		}
	}
	return out
}

func drawOne(rng *rand.Rand, s Story, index int, o Options) Plan {
	p := Plan{Index: index, Story: s, SecondOf: -1}
	p.Ref = fmt.Sprintf("ORDER-%04d", index+1)
	p.Order = p.Ref
	p.Amount, p.Currency = drawMoney(rng)
	p.At = time.Duration(rng.Int64N(int64(o.Spread)/int64(ms)+1)) * ms
	p.Pace = time.Duration(rng.Int64N(150)) * ms
	p.Link = pick(rng, linkAtOnce, linkAtOnce, linkLater, linkNever)
	p.Claims = s.Second == "" && rng.IntN(4) == 0
	p.ShopFault = pick(rng, shopFine, shopFine, shopFine, shopFine, shopRefuses, shopSlow, shopVanishes, shopForgets)
	noise := pick(rng, "", "", "", answerFailing, answerHTML, answerTruncated)
	if s.noise && noise != "" {
		p.Story.Query.First = []string{noise}
	}
	return p
}

func drawSecond(rng *rand.Rand, s Story, first Plan, o Options) Plan {
	p := drawOne(rng, s, first.Index+1, o)
	p.Order, p.Amount, p.Currency = first.Order, first.Amount, first.Currency
	p.At, p.Claims, p.ShopFault, p.SecondOf = first.At, first.Claims, first.ShopFault, first.Index
	return p
}

func drawMoney(rng *rand.Rand) (int64, string) {
	amount := 10_000 + rng.Int64N(990_000)
	return amount, pick(rng, "PHP", "PHP", "PHP", "PHP", "PHP", "PHP", "JPY", "KWD")
}

func pick(rng *rand.Rand, from ...string) string { return from[rng.IntN(len(from))] }
