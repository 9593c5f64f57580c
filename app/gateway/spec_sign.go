package gateway

// EnvelopeSpec is one stage of opening a body. From names the field of the stage
// before that holds the input; the first stage without it reads the body.
//
// The kinds: json; form; xml (flat or nested elements, no DTD); query (the address's
// query string); auto (json, xml, form or, for an empty body, query: told by the first
// byte); text (the trimmed body under the name text); jwt (the claims of a token that a
// signature of kind jwt proves); base64 and decrypt, whose output As says how to read.
type EnvelopeSpec struct {
	Kind        string `toml:"kind"`
	From        string `toml:"from"`
	As          string `toml:"as"`       // base64, decrypt: json, form, xml; default json
	Optional    bool   `toml:"optional"` // without From the stage before is the message
	Cipher      string `toml:"cipher"`   // decrypt: aes-gcm, aes-ecb (PKCS#7); the key's length tells 128, 192 or 256
	Nonce       string `toml:"nonce"`    // aes-gcm: path of the nonce, used as text
	AAD         string `toml:"aad"`      // aes-gcm: path of the associated data
	KeyEncoding string `toml:"key_encoding"`
	MaxDepth    int    `toml:"max_depth"`
}

// SignatureSpec is one way in which a request, or an answer, proves where it comes from.
//
// The kinds: static_token (the secret itself); hmac; digest (a plain hash of a text that
// holds {secret}); rsa (PKCS#1 v1.5) and ed25519 with public_keys; jwt (a compact token
// in From); none (nothing is proved, so that the gateway is asked).
type SignatureSpec struct {
	Kind        string           `toml:"kind"`
	Hash        string           `toml:"hash"`      // md5 (digest only), sha1, sha256, sha512
	Algorithm   string           `toml:"algorithm"` // jwt, pinned: HS256, HS512, RS256
	Message     List             `toml:"message"`   // templates of what is signed, any of which may fit; default {raw_body}
	Parts       List             `toml:"parts"`     // instead: templates that are joined; one with a missing value is left out
	Sorted      *SortedSpec      `toml:"sorted"`    // instead: the fields of the message, sorted
	Flattened   *FlattenedSpec   `toml:"flattened"` // instead: every value of a JSON message under its dotted name, sorted
	From        List             `toml:"from"`      // where the signature stands; the first place that is not empty
	Name        string           `toml:"name"`      // its name in a dictionary header: t=…,v1=…
	Prefix      string           `toml:"prefix"`    // stripped, and required
	Separator   string           `toml:"separator"` // of several signatures in one value
	Entry       string           `toml:"entry"`     // how one of several is written: {key}/SHA256/{signature}
	Encoding    string           `toml:"encoding"`  // hex (either case), HEX, base64, escaped_base64 (URL-escaped)
	KeyEncoding string           `toml:"key_encoding"`
	KeyPrefix   string           `toml:"key_prefix"`   // stripped from the key when there
	KeyID       List             `toml:"key_id"`       // which key signed, in the request: a serial, a version, {key} of the entry
	OwnKey      List             `toml:"own_key"`      // the id that our key has where it states none: {account}, {api_key}, {public_key}
	Certificate *CertificateSpec `toml:"certificate"`  // rsa: where the key is fetched when public_keys has none
	Mode        string           `toml:"mode"`         // this slot signs test or live requests only
	When        map[string]List  `toml:"when"`         // guard on the message: only such requests are signed like this
	WithoutKeys bool             `toml:"without_keys"` // none: only where no key is configured for the others; with one, a request without a signature is refused
	EachItem    bool             `toml:"each_item"`    // every item of the batch carries its own
	Only        string           `toml:"only"`         // base64: a signed text with other characters is refused
	Covers      []string         `toml:"covers"`       // body, or fields: status, amount, currency, reference
	Timestamp   *TimestampSpec   `toml:"timestamp"`
}

// SortedSpec makes the signed text of the fields at the top of the message.
type SortedSpec struct {
	Leave List    `toml:"leave"` // names that are left out
	Strip string  `toml:"strip"` // characters taken out of the names
	Empty string  `toml:"empty"` // keep, drop or either: what becomes of empty values; default keep
	By    string  `toml:"by"`    // name (bytes) or element (the whole pair, without regard to case); default name
	Pair  string  `toml:"pair"`  // default {name}={value}
	Join  *string `toml:"join"`  // between pairs; default &
	End   string  `toml:"end"`   // template that is appended: &key={secret}
}

// FlattenedSpec makes the signed text of every value in a JSON message: null, "", [] and
// {} are dropped, names are dotted, list places are numbers, pairs are sorted by bytes and
// joined with &. Numbers are tried as written and in their shortest form.
type FlattenedSpec struct {
	End string `toml:"end"` // template that is appended
}

// CertificateSpec says which certificate a request may point to. It is fetched after the
// request was kept, never before it was answered, and only from these places.
type CertificateSpec struct {
	URL   string   `toml:"url"`   // template of its address
	Hosts []string `toml:"hosts"` // hosts that it may come from, by https
	Path  string   `toml:"path"`  // beginning of the path
	Names string   `toml:"names"` // common name, with one * : messageverificationcerts*.paypal.com
}

// TimestampSpec bounds the age of a signed request at its arrival.
type TimestampSpec struct {
	From      string    `toml:"from"`
	Unit      string    `toml:"unit"` // s, ms, auto, rfc3339
	Tolerance Duration  `toml:"tolerance"`
	Future    *Duration `toml:"future"` // ahead of us; default as Tolerance
	Policy    string    `toml:"policy"` // reject, flag, or off: any age, unless the instance bounds it
}

// ChallengeSpec answers the request by which a gateway checks an address.
type ChallengeSpec struct {
	Kind        string `toml:"kind"` // fixed, echo, signed
	Method      string `toml:"method"`
	Param       string `toml:"param"`   // echo, signed: the query parameter that is sent back or signed
	Allowed     string `toml:"allowed"` // signed: hex; a parameter with other characters is refused
	Hash        string `toml:"hash"`
	KeyEncoding string `toml:"key_encoding"`
	OwnKey      List   `toml:"own_key"`
	Body        string `toml:"body"` // fixed: the exact answer; signed: a template with {key} and {signature} (hex)
	ContentType string `toml:"content_type"`
}
