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
	Needs          []string        `toml:"needs"` // keys of the instance that it needs
	Facts          FactsSpec       `toml:"facts"`
	Methods        []string        `toml:"methods"`  // default POST
	Envelope       []EnvelopeSpec  `toml:"envelope"` // a pipeline; default one of kind json
	Signatures     string          `toml:"signatures"`
	Signature      []SignatureSpec `toml:"signature"`
	Challenge      *ChallengeSpec  `toml:"challenge"`
	Mode           *ModeSpec       `toml:"mode"`
	ConfirmByQuery bool            `toml:"confirm_by_query"` // every notice is a hint
	Notice         NoticeSpec      `toml:"notice"`
	Fields         Shape           `toml:"fields"` // what every shape takes over unless it says otherwise
	Shape          []Shape         `toml:"shape"`  // the first whose guard holds reads the item
	Ack            AckSpec         `toml:"ack"`
	Query          *QuerySpec      `toml:"query"`
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
}

// EnvelopeSpec is one stage of opening a body. From names the field of the stage
// before that holds the input; the first stage without it reads the body.
type EnvelopeSpec struct {
	Kind     string `toml:"kind"`
	From     string `toml:"from"`
	MaxDepth int    `toml:"max_depth"`
}

// SignatureSpec is one way in which a request proves where it comes from.
type SignatureSpec struct {
	Kind        string         `toml:"kind"`         // hmac, static_token, none
	Hash        string         `toml:"hash"`         // sha1, sha256, sha512
	Message     string         `toml:"message"`      // template of what is signed; default {raw_body}
	From        string         `toml:"from"`         // where the signature stands
	Name        string         `toml:"name"`         // its name in a dictionary header: t=…,v1=…
	Prefix      string         `toml:"prefix"`       // stripped, and required
	Separator   string         `toml:"separator"`    // of several signatures in one value
	Encoding    string         `toml:"encoding"`     // hex (either case), HEX, base64
	KeyEncoding string         `toml:"key_encoding"` // text, hex, base64
	KeyPrefix   string         `toml:"key_prefix"`   // stripped from the secret when there
	Mode        string         `toml:"mode"`         // this slot signs test or live requests only
	Covers      []string       `toml:"covers"`       // body, or fields: status, amount, currency, reference
	Timestamp   *TimestampSpec `toml:"timestamp"`
}

// TimestampSpec bounds the age of a signed request at its arrival.
type TimestampSpec struct {
	From      string    `toml:"from"`
	Unit      string    `toml:"unit"` // s, ms, auto, rfc3339
	Tolerance Duration  `toml:"tolerance"`
	Future    *Duration `toml:"future"` // ahead of us; default as Tolerance
	Policy    string    `toml:"policy"` // reject or flag
}

// ChallengeSpec answers the request by which a gateway checks an address.
type ChallengeSpec struct {
	Kind        string `toml:"kind"` // fixed, echo
	Method      string `toml:"method"`
	Param       string `toml:"param"` // echo: query parameter that is sent back
	Body        string `toml:"body"`  // fixed: the exact answer
	ContentType string `toml:"content_type"`
}

// ModeSpec tells test messages from live ones by a value in the message.
type ModeSpec struct {
	From   List   `toml:"from"`
	Live   List   `toml:"live"`
	Test   List   `toml:"test"`
	Absent string `toml:"absent"` // mode when the value is missing; default: unreadable
}

// NoticeSpec is what belongs to the webhook message as a whole.
type NoticeSpec struct {
	Items  string `toml:"items"` // path to the list of items of a batch
	Item   string `toml:"item"`  // path inside one element
	Type   List   `toml:"type"`
	Dedupe List   `toml:"dedupe"`
	Ignore List   `toml:"ignore"` // types that are not our concern
	At     string `toml:"at"`     // path, inside the item, that the shapes start from
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
	Fixed     string         `toml:"fixed"` // currency that is never written
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

// QuerySpec says how the gateway is asked.
type QuerySpec struct {
	Base    map[string]string `toml:"base"` // mode → https address
	Timeout Duration          `toml:"timeout"`
	Auth    AuthSpec          `toml:"auth"`
	Headers map[string]string `toml:"headers"`
	Step    []StepSpec        `toml:"step"` // the first that has what it needs is asked
}

// AuthSpec is how a question says who asks.
type AuthSpec struct {
	Kind     string `toml:"kind"` // none, basic, bearer, header
	User     string `toml:"user"`
	Password string `toml:"password"`
	Token    string `toml:"token"`
	Header   string `toml:"header"`
	Value    string `toml:"value"`
}

// StepSpec is one question.
type StepSpec struct {
	By          string            `toml:"by"` // ref or merchant_ref
	Ref         string            `toml:"ref"`
	Method      string            `toml:"method"`
	Path        string            `toml:"path"`
	Query       map[string]string `toml:"query"`
	Form        map[string]string `toml:"form"`
	Body        string            `toml:"body"` // JSON template
	ContentType string            `toml:"content_type"`
	Headers     map[string]string `toml:"headers"`
	Envelope    []EnvelopeSpec    `toml:"envelope"`
	Success     map[string]List   `toml:"success"` // the call itself worked
	List        string            `toml:"list"`    // path to several results
	Pick        string            `toml:"pick"`    // newest_first, oldest_first: any paid, else the newest
	At          string            `toml:"at"`
	Shape       []Shape           `toml:"shape"` // instead of the definition's
	NotFound    []NotFoundSpec    `toml:"not_found"`
	Grace       Duration          `toml:"grace"` // a younger payment may not be visible yet
	Next        bool              `toml:"next"`  // not found here: ask the next step
}

// NotFoundSpec is one way of saying that the payment does not exist.
type NotFoundSpec struct {
	Status int             `toml:"status"`
	When   map[string]List `toml:"when"`
	Empty  bool            `toml:"empty"` // an empty list
}
