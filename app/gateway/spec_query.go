package gateway

// QuerySpec says how the gateway is asked.
type QuerySpec struct {
	Base    map[string]string `toml:"base"` // mode → https address
	Timeout Duration          `toml:"timeout"`
	Auth    AuthSpec          `toml:"auth"`
	Headers map[string]string `toml:"headers"`
	Sign    *SignSpec         `toml:"sign"`   // what {signature} stands for in every step
	Verify  *SignatureSpec    `toml:"verify"` // how an answer proves where it comes from
	Step    []StepSpec        `toml:"step"`   // the first that has what it needs is asked
}

// AuthSpec is how a question says who asks.
type AuthSpec struct {
	Kind      string            `toml:"kind"` // none, basic, bearer, header, oauth2
	User      string            `toml:"user"`
	Password  string            `toml:"password"`
	Token     string            `toml:"token"`
	Header    string            `toml:"header"`
	Value     string            `toml:"value"`
	TokenPath string            `toml:"token_path"` // oauth2: asked by POST with basic credentials, kept until it expires
	Form      map[string]string `toml:"form"`       // oauth2: fields of that request; default grant_type=client_credentials
}

// SignSpec signs a question: the same kinds as of notices, with our own keys.
type SignSpec struct {
	Kind        string            `toml:"kind"`      // hmac, digest, rsa, jwt
	Hash        string            `toml:"hash"`      // md5 (digest), sha1, sha256, sha512
	Algorithm   string            `toml:"algorithm"` // jwt: HS256, HS512, RS256, ES256, EdDSA
	Header      map[string]string `toml:"header"`    // jwt: members of its header beside alg and typ
	Key         string            `toml:"key"`       // api_key, api_secret, private_key, webhook_secret (the first that is valid)
	KeyEncoding string            `toml:"key_encoding"`
	Message     string            `toml:"message"` // template of what is signed; jwt: the claims as JSON
	Sorted      *SortedSpec       `toml:"sorted"`  // instead: the fields of the question's form, sorted; {secret} in End is the key
	Encoding    string            `toml:"encoding"`
}

// StepSpec is one question.
type StepSpec struct {
	By          string            `toml:"by"` // ref or merchant_ref
	Ref         string            `toml:"ref"`
	Method      string            `toml:"method"`
	Path        string            `toml:"path"`
	Query       map[string]string `toml:"query"`
	Form        map[string]string `toml:"form"`
	Encode      string            `toml:"encode"` // how Form is written: form (default), json, xml
	Body        string            `toml:"body"`   // JSON template
	ContentType string            `toml:"content_type"`
	Accept      string            `toml:"accept"`
	Headers     map[string]string `toml:"headers"`
	Sign        *SignSpec         `toml:"sign"` // instead of the query's
	Envelope    []EnvelopeSpec    `toml:"envelope"`
	Success     map[string]List   `toml:"success"` // the call itself worked
	List        string            `toml:"list"`    // path to several results; "." is the whole answer
	Pick        string            `toml:"pick"`    // newest_first, oldest_first: any paid, else the newest
	At          string            `toml:"at"`
	Shape       []Shape           `toml:"shape"` // instead of the definition's
	NotFound    []NotFoundSpec    `toml:"not_found"`
	Refused     []NotFoundSpec    `toml:"refused"`   // other ways of refusing the key than 401 and 403
	Throttled   []NotFoundSpec    `toml:"throttled"` // other ways of asking for patience than 429
	Failing     []NotFoundSpec    `toml:"failing"`   // other ways of being out of order than 5xx
	Grace       Duration          `toml:"grace"`     // a younger payment may not be visible yet
	Next        bool              `toml:"next"`      // not found here: ask the next step
}

// NotFoundSpec is one way of giving another answer than a payment.
type NotFoundSpec struct {
	Status int             `toml:"status"`
	When   map[string]List `toml:"when"`
	Empty  bool            `toml:"empty"` // an empty list
}
