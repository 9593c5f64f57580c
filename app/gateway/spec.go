package gateway

import "time"

// List is one text or several; in TOML both "a" and ["a", "b"] are written. As a
// selector the first candidate that is present and not empty counts.
type List []string

// UnmarshalText takes the single-text form.
func (l *List) UnmarshalText(b []byte) error {
	*l = List{string(b)}
	return nil
}

// Duration is a time span such as "300s", "3h" or "7d".
type Duration time.Duration

// Spec is one gateway definition. Selectors are paths ("data.id") or templates
// ("{field:id}:{field:status}", "{header:X-Event}").
type Spec struct {
	Title          string          `toml:"title"`
	Status         string          `toml:"status"` // verified or unconfirmed
	Notes          []string        `toml:"notes"`
	Needs          []string        `toml:"needs"`    // keys of the instance that it needs
	Variants       []string        `toml:"variants"` // ways in which accounts differ, chosen by the instance; the first is the default
	Facts          FactsSpec       `toml:"facts"`
	Methods        []string        `toml:"methods"`    // default POST
	Envelope       []EnvelopeSpec  `toml:"envelope"`   // a pipeline; default one of kind json
	Signatures     string          `toml:"signatures"` // all, any, or first: the first that the request carries decides
	Signature      []SignatureSpec `toml:"signature"`
	Challenge      *ChallengeSpec  `toml:"challenge"`
	Mode           *ModeSpec       `toml:"mode"`
	ConfirmByQuery bool            `toml:"confirm_by_query"` // every notice is a hint
	Notice         NoticeSpec      `toml:"notice"`
	Fields         Shape           `toml:"fields"` // what every shape takes over unless it says otherwise
	Shape          []Shape         `toml:"shape"`  // the first whose guard holds reads the item
	Ack            AckSpec         `toml:"ack"`
	Query          *QuerySpec      `toml:"query"`
	Report         []ReportSpec    `toml:"report"`
}

// FactsSpec is what the gateway is known to do, beside its wire format.
type FactsSpec struct {
	PayerCreates bool              `toml:"payer_creates"` // nothing exists before the payer acts
	Grace        Duration          `toml:"grace"`         // after expires_at, before the last question
	FailureHold  Duration          `toml:"failure_hold"`
	AttemptKind  string            `toml:"attempt_kind"` // kind of ref that tells tries of one reference apart
	AckDeadline  Duration          `toml:"ack_deadline"`
	RetryHorizon Duration          `toml:"retry_horizon"` // how long the gateway repeats a notice
	Events       []string          `toml:"events"`        // event types to subscribe to
	Resend       string            `toml:"resend"`        // where to send a notice again by hand
	Where        map[string]string `toml:"where"`         // key of the instance → where the dashboard shows it
	Final        []string          `toml:"final"`         // words that the gateway never takes back
	MayTurn      []string          `toml:"may_turn"`      // words that can still turn
	QueryRate    string            `toml:"query_rate"`    // where the gateway bears less than the default: "20/m"
	Confirm      []string          `toml:"confirm"`       // what to confirm in a sandbox before trusting the definition
	Countries    []string          `toml:"countries"`     // where it is used first of all, ISO 3166
	KeyModes     map[string]List   `toml:"key_modes"`     // mode → how an api_key of that mode begins: "sk_test_*"
	Networks     NetworksSpec      `toml:"networks"`
}

// NetworksSpec lists where the gateway's requests come from, as addresses or CIDR networks.
type NetworksSpec struct {
	Live    []string `toml:"live"`
	Test    []string `toml:"test"`
	Checked string   `toml:"checked"` // date of the source, yyyy-mm-dd
}

// ModeSpec tells test messages from live ones by a value in the message.
type ModeSpec struct {
	From   List   `toml:"from"`
	Live   List   `toml:"live"`
	Test   List   `toml:"test"`
	Absent string `toml:"absent"` // mode when the value is missing: test, live, or own, that of the gateway; default: unreadable
}

// NoticeSpec is what belongs to the webhook message as a whole.
type NoticeSpec struct {
	Skip   map[string]List `toml:"skip"`  // guard on the whole message: it is not our concern
	Items  string          `toml:"items"` // path to the list of items of a batch
	Item   string          `toml:"item"`  // path inside one element
	Type   List            `toml:"type"`
	Dedupe List            `toml:"dedupe"`
	Ignore List            `toml:"ignore"` // types that are not our concern
	At     string          `toml:"at"`     // path, inside the item, that the shapes start from
}

// Shape says how one kind of object is read. Selectors are relative to At.
type Shape struct {
	When        map[string]List   `toml:"when"` // selector → allowed values, all must hold
	Kind        string            `toml:"kind"` // payment, refund, dispute, ignore
	At          string            `toml:"at"`
	Each        string            `toml:"each"` // path to a list: one observation for each element
	Refs        []RefSpec         `toml:"refs"`
	MerchantRef List              `toml:"merchant_ref"`
	Status      List              `toml:"status"`
	Words       map[string]string `toml:"words"`
	Rules       []RuleSpec        `toml:"rule"` // before words; the first whose guard holds counts
	FoldCase    bool              `toml:"fold_case"`
	Amount      *AmountSpec       `toml:"amount"`
	Account     List              `toml:"account"`
	Occurred    *InstantSpec      `toml:"occurred"`
	Ref         List              `toml:"ref"` // id of the refund or dispute
	Cumulative  bool              `toml:"cumulative"`
	Also        []Shape           `toml:"also"` // refunds and disputes inside the object
}

// RefSpec is one gateway id; From empty drops a kind taken over from the fields.
type RefSpec struct {
	Kind string `toml:"kind"`
	From List   `toml:"from"`
}

// RuleSpec gives a word where a guard holds.
type RuleSpec struct {
	When map[string]List `toml:"when"`
	Word string          `toml:"word"`
}

// AmountSpec says where an amount is and how it is written.
type AmountSpec struct {
	From      List           `toml:"from"`
	Kind      string         `toml:"kind"` // minor_int, minor_string, decimal_string, decimal_number, decimal, absent
	Currency  List           `toml:"currency"`
	Fixed     string         `toml:"fixed"`   // currency that is never written
	Assumed   bool           `toml:"assumed"` // Fixed is only the usual one: the instance's currency replaces it
	FoldCase  bool           `toml:"fold_case"`
	Thousands string         `toml:"thousands"`
	Exponents map[string]int `toml:"exponents"` // where the gateway differs from ISO 4217; "*" is all
}

// InstantSpec says where an instant is and how it is written.
type InstantSpec struct {
	From   List   `toml:"from"`
	Format string `toml:"format"` // unix, unix_ms, auto, rfc3339, or a pattern: yyyy-MM-dd HH:mm:ss
	Zone   string `toml:"zone"`   // of a pattern without offset
}

// AckSpec is the gateway's success answer and, by outcome, what differs from it.
type AckSpec struct {
	Status      int               `toml:"status"`
	ContentType string            `toml:"content_type"`
	Body        string            `toml:"body"`
	Header      map[string]string `toml:"header"`
	Duplicate   *AnswerSpec       `toml:"duplicate"`
	Ignored     *AnswerSpec       `toml:"ignored"`
	Refused     *AnswerSpec       `toml:"refused"`
	Busy        *AnswerSpec       `toml:"busy"`
}

// AnswerSpec is one exact HTTP answer.
type AnswerSpec struct {
	Status      int               `toml:"status"`
	ContentType string            `toml:"content_type"`
	Body        string            `toml:"body"`
	Header      map[string]string `toml:"header"`
}
