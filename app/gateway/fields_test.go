package gateway

import (
	"strings"
	"testing"
)

// amounts: what is written as the amount, by kind → minor units, or -1 for unreadable.
func TestAmounts(t *testing.T) {
	cases := []struct {
		kind, currency, literal string
		minor                   int64
	}{
		{"minor_int", "PHP", `125050`, 125050},
		{"minor_int", "PHP", `0`, 0},
		{"minor_int", "JPY", `1250`, 1250},
		{"minor_int", "PHP", `"125050"`, -1},
		{"minor_int", "PHP", `125050.0`, -1},
		{"minor_int", "PHP", `1.2505e5`, -1},
		{"minor_int", "PHP", `-1`, -1},
		{"minor_int", "PHP", `true`, -1},
		{"minor_int", "PHP", `[125050]`, -1},
		{"minor_int", "PHP", `{"value":1}`, -1},
		{"minor_int", "PHP", `9223372036854775807`, 9223372036854775807},
		{"minor_int", "PHP", `9223372036854775808`, -1},
		{"minor_int", "PHP", `99999999999999999999999999999999999999`, -1},
		{"minor_string", "PHP", `"125050"`, 125050},
		{"minor_string", "PHP", `125050`, -1},
		{"minor", "PHP", `"125050"`, 125050},
		{"minor", "PHP", `125050`, 125050},
		{"decimal_string", "PHP", `"1250.5"`, 125050},
		{"decimal_string", "PHP", `"1250.50"`, 125050},
		{"decimal_string", "PHP", `"1250.5000"`, 125050},
		{"decimal_string", "PHP", `"1250.505"`, -1},
		{"decimal_string", "PHP", `1250.5`, -1},
		{"decimal_string", "PHP", `" 1250.50"`, -1},
		{"decimal_string", "PHP", `"1,250.50"`, -1},
		{"decimal_string", "PHP", `"+1250.50"`, -1},
		{"decimal_string", "PHP", `"1250."`, -1},
		{"decimal_string", "PHP", `".50"`, -1},
		{"decimal_string", "PHP", `"NaN"`, -1},
		{"decimal_string", "PHP", `"1250.50\u0000"`, -1},
		{"decimal_string", "PHP", `"\uff11"`, -1},
		{"decimal_string", "JPY", `"1250"`, 1250},
		{"decimal_string", "JPY", `"1250.00"`, 1250},
		{"decimal_string", "JPY", `"1250.50"`, -1},
		{"decimal_string", "KWD", `"1.234"`, 1234},
		{"decimal_string", "XXX", `"1.00"`, -1},
		{"decimal_string", "php", `"1.00"`, -1},
		{"decimal_number", "PHP", `0.1`, 10},
		{"decimal_number", "PHP", `1250.5`, 125050},
		{"decimal_number", "PHP", `90071992547409.93`, 9007199254740993},
		{"decimal_number", "PHP", `1e3`, -1},
		{"decimal_number", "PHP", `"1250.5"`, -1},
		{"decimal", "PHP", `"1250.5"`, 125050},
		{"decimal", "PHP", `1250.5`, 125050},
	}
	for _, c := range cases {
		g := custom(t, strings.Replace(signedJSON, `kind = "decimal"`, `kind = "`+c.kind+`"`, 1), "k")
		rd := g.Read(signed("k", `{"id":"1","ref":"A","status":"PAID","amount":`+c.literal+`,"currency":"`+c.currency+`"}`))
		o := only(t, rd)
		if c.minor < 0 {
			if rd.Verdict != Unreadable || rd.Reason != "amount_unreadable" || o.HasAmount {
				t.Errorf("%s %s %s: %s %s %d", c.kind, c.literal, c.currency, rd.Verdict, rd.Reason, o.AmountMinor)
			}
			continue
		}
		if rd.Verdict != Accepted || !o.HasAmount || o.AmountMinor != c.minor || o.Currency != c.currency {
			t.Errorf("%s %s %s: %s %d (%s), want %d", c.kind, c.literal, c.currency, rd.Verdict, o.AmountMinor, rd.Detail, c.minor)
		}
	}
}

func TestExponentsOfTheGateway(t *testing.T) {
	g := custom(t, strings.Replace(signedJSON, `kind = "decimal"`, `kind = "minor_int", exponents = { ISK = 2, KWD = 2 }`, 1), "k")
	for literal, want := range map[string]int64{`{"amount":12500,"currency":"ISK"`: 125, `{"amount":12550,"currency":"ISK"`: -1, `{"amount":5,"currency":"KWD"`: 50} {
		rd := g.Read(signed("k", literal+`,"id":"1","ref":"A","status":"PAID"}`))
		if o := only(t, rd); want < 0 && rd.Verdict != Unreadable || want >= 0 && o.AmountMinor != want {
			t.Errorf("%s: %s %d, want %d", literal, rd.Verdict, o.AmountMinor, want)
		}
	}
}

func TestNeverAWrongSuccess(t *testing.T) {
	good := `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP"}`
	g := custom(t, signedJSON, "k")
	wantVerdict(t, g.Read(signed("k", good)), Accepted, "")
	cases := map[string]string{
		"status twice":         `{"id":"1","ref":"A","status":"WAIT","status":"PAID","amount":"1.00","currency":"PHP"}`,
		"status twice, hidden": `{"id":"1","ref":"A","status":"WAIT","st\u0061tus":"PAID","amount":"1.00","currency":"PHP"}`,
		"amount twice":         `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP","amount":"9.00"}`,
		"currency twice":       `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP","currency":"JPY"}`,
		"reference twice":      `{"id":"1","ref":"A","ref":"B","status":"PAID","amount":"1.00","currency":"PHP"}`,
		"id twice":             `{"id":"1","id":"2","ref":"A","status":"PAID","amount":"1.00","currency":"PHP"}`,
		"amount missing":       `{"id":"1","ref":"A","status":"PAID","currency":"PHP"}`,
		"amount null":          `{"id":"1","ref":"A","status":"PAID","amount":null,"currency":"PHP"}`,
		"currency missing":     `{"id":"1","ref":"A","status":"PAID","amount":"1.00"}`,
		"status in a list":     `{"id":"1","ref":"A","status":["PAID"],"amount":"1.00","currency":"PHP"}`,
		"reference too long":   `{"id":"1","ref":"` + strings.Repeat("A", 256) + `","status":"PAID","amount":"1.00","currency":"PHP"}`,
		"reference with NUL":   `{"id":"1","ref":"A\u0000","status":"PAID","amount":"1.00","currency":"PHP"}`,
		"reference GBK":        "{\"id\":\"1\",\"ref\":\"\xb2\xe2\",\"status\":\"PAID\",\"amount\":\"1.00\",\"currency\":\"PHP\"}",
		"lone surrogate":       `{"id":"1","ref":"\ud800","status":"PAID","amount":"1.00","currency":"PHP"}`,
		"reference true":       `{"id":"1","ref":true,"status":"PAID","amount":"1.00","currency":"PHP"}`,
		"reference 1.5":        `{"id":"1","ref":1.5,"status":"PAID","amount":"1.00","currency":"PHP"}`,
		"NaN":                  `{"id":"1","ref":"A","status":"PAID","amount":NaN,"currency":"PHP"}`,
		"comma at the end":     `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP",}`,
		"cut off":              good[:len(good)-1],
		"text behind":          good + "x",
	}
	for name, body := range cases {
		rd := g.Read(signed("k", body))
		if o := only(t, rd); rd.Verdict != Unreadable || o.Verdict != Unreadable || rd.Ack.Status != 200 {
			t.Errorf("%s: %s %s, word %q", name, rd.Verdict, rd.Reason, o.Word)
		}
	}
	for name, body := range map[string]string{
		"byte order mark":       "\ufeff" + good,
		"space around":          " \r\n\t" + good + "\n",
		"number as reference":   strings.Replace(good, `"ref":"A"`, `"ref":12345678901234567890123`, 1),
		"unused duplicate":      strings.Replace(good, `{`, `{"x":1,"x":2,`, 1),
		"unused GBK":            strings.Replace(good, `{`, "{\"title\":\"\xb2\xe2\",", 1),
		"surrogate pair":        strings.Replace(good, `"ref":"A"`, `"ref":"\ud83d\ude00"`, 1),
		"escaped name":          strings.Replace(good, `"ref"`, `"r\u0065f"`, 1),
		"empty objects, arrays": strings.Replace(good, `{`, `{"a":{},"b":[],"c":[[],{}],`, 1),
	} {
		if rd := g.Read(signed("k", body)); rd.Verdict != Accepted {
			t.Errorf("%s: %s %s %s", name, rd.Verdict, rd.Reason, rd.Detail)
		}
	}
}

func TestJSONGrammar(t *testing.T) {
	for _, good := range []string{`0`, `-0`, `1.5e-7`, `1E+2`, `""`, `"\\\/\b\f\n\r\t\u12aF"`, `[1,[2,{"a":[]}]]`, ` true `, `null`} {
		if d, err := parseJSON([]byte(good), 8); err != nil {
			t.Errorf("%s: %v", good, err)
		} else {
			d.release()
		}
	}
	for _, bad := range []string{``, ` `, `01`, `1.`, `.5`, `+1`, `1e`, `--1`, `tru`, `nulll`, `"`, `"\x"`, `"\u12g4"`, `"\u12`, "\"\n\"", `[1,]`, `[1 2]`, `[`, `]`,
		`{"a"}`, `{"a":}`, `{a:1}`, `{"a":1,}`, `{,}`, `{"a":1`, `'a'`, `1 2`, `[[[[[[[[[1]]]]]]]]]`, "\x00"} {
		if _, err := parseJSON([]byte(bad), 8); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if _, err := parseJSON([]byte("["+strings.Repeat("0,", maxNodes)+"0]"), 8); err == nil {
		t.Error("a body of too many values was read")
	}
}

func TestPaths(t *testing.T) {
	d, err := parseJSON([]byte(`{"a":{"b.c":1,"list":[{"k":"x","v":1},{"k":"y","v":{"w":[7,8,9]}}]},"0":"zero","d":1,"d":2}`), 8)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]value{
		`a.b\.c`: {number, "1"}, `a.list.0.v`: {number, "1"}, `a.list.#(k=y).v.w.1`: {number, "8"}, `a.list.-1.v.w.-1`: {number, "9"}, `0`: {text, "zero"},
		`a.list.#(v.w.0=7).k`: {text, "y"}, `a.list.2.v`: {}, `a.list.#(k=z)`: {}, `a.x`: {}, `d`: {faulty, duplicateName}, `a.list.k`: {},
	} {
		compiled, err := compilePath(p)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		if got := d.at(0, &compiled); got != want {
			t.Errorf("%s = %v, want %v", p, got, want)
		}
	}
	for _, bad := range []string{"a..b", ".a", "a.", "a.#(k)", "a.#(=x)", "a.#(k=x"} {
		if _, err := compilePath(bad); err == nil {
			t.Errorf("%q was compiled", bad)
		}
	}
}

func TestGuards(t *testing.T) {
	for _, c := range []struct {
		when  string
		holds bool
	}{
		{`{ a = "x" }`, true}, {`{ a = ["y", "x"] }`, true}, {`{ a = "y" }`, false}, {`{ a = "*", none = "" }`, true}, {`{ none = "*" }`, false},
		{`{ a = "" }`, false}, {`{ long = "pay*" }`, true}, {`{ a = "pay*" }`, false}, {`{ a = "!x" }`, false}, {`{ a = "!y" }`, true}, {`{ a = ["!y", "!x"] }`, false},
		{`{ a = ["*", "!x"] }`, false}, {`{ none = "!x" }`, true}, {`{ list = "*" }`, true}, {`{ list = "" }`, false}, {`{ a = "y", twice = "*" }`, false},
		{`{ yes = "true" }`, true}, {`{ number = "7" }`, true}, {`{ "{field:a}-{field:number}" = "x-7" }`, true}, {`{ zero = "" }`, true},
	} {
		g := custom(t, strings.Replace(signedJSON, `words        = { PAID = "succeeded", WAIT = "pending" }`,
			`rule = [{ when = `+c.when+`, word = "expired" }, { word = "pending" }]`, 1), "k")
		o := only(t, g.Read(signed("k", `{"id":"1","ref":"A","a":"x","long":"payment.x","list":[1],"twice":1,"twice":1,"yes":true,"number":7,"zero":null}`)))
		if (o.Word == "expired") != c.holds {
			t.Errorf("%s: %q", c.when, o.Word)
		}
	}
}

func TestGuardThatCannotBeReadDecidesNothing(t *testing.T) {
	rules := strings.Replace(signedJSON, `amount       =`, `rule = [{ when = { fraud = "deny" }, word = "failed" }]
amount       =`, 1)
	shapes := signedJSON + "[[shape]]\nwhen = { fraud = \"deny\" }\nkind = \"ignore\"\n[[shape]]\n"
	for _, fraud := range []string{`"fraud":"x","fraud":"deny"`, `"fraud":["deny"]`, "\"fraud\":\"\xff\""} {
		body := `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP",` + fraud + `}`
		wantVerdict(t, custom(t, rules, "k").Read(signed("k", body)), Unreadable, "status_unreadable")
		wantVerdict(t, custom(t, shapes, "k").Read(signed("k", body)), Unreadable, "type_unreadable")
	}
	clear := `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP","fraud":"accept"}`
	wantVerdict(t, custom(t, rules, "k").Read(signed("k", clear)), Accepted, "")
	wantVerdict(t, custom(t, shapes, "k").Read(signed("k", clear)), Accepted, "")
}

func TestListInsideThatIsNone(t *testing.T) {
	g := custom(t, signedJSON+"[[fields.also]]\nkind = \"refund\"\neach = \"refunds\"\nref = \"id\"\nstatus = \"s\"\namount = { from = \"a\", kind = \"minor_int\", fixed = \"PHP\" }\n", "k")
	for refunds, want := range map[string]string{`null`: "", `[]`: "", `{}`: Unreadable, `"x"`: Unreadable, `[{"id":"r","s":"pending","a":1}]`: Accepted, `[7]`: Unreadable} {
		rd := g.Read(signed("k", `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP","refunds":`+refunds+`}`))
		wantVerdict(t, rd, Accepted, "")
		if want == "" {
			only(t, rd)
			continue
		}
		if len(rd.Observations) != 2 || rd.Observations[1].Verdict != want || rd.Observations[1].Kind != KindRefund {
			t.Errorf("%s: %+v", refunds, rd.Observations[1:])
		}
	}
}

func TestInstants(t *testing.T) {
	const want = "2031-03-07T01:15:00Z"
	for _, c := range []struct{ format, literal, want string }{
		{`format = "unix"`, `1930612500`, want}, {`format = "unix"`, `"1930612500"`, want}, {`format = "unix_ms"`, `1930612500000`, want},
		{`format = "auto"`, `1930612500000`, want}, {`format = "auto"`, `1930612500`, want}, {`format = "rfc3339"`, `"2031-03-07T09:15:00+08:00"`, want},
		{`format = "yyyy-MM-dd HH:mm:ss", zone = "Asia/Manila"`, `"2031-03-07 09:15:00"`, want}, {`format = "yyyyMMddHHmmss", zone = "Asia/Jakarta"`, `"20310307081500"`, want},
		{`format = "yyyy-MM-dd'T'HH:mm:ss"`, `"2031-03-07T01:15:00"`, want}, {`format = "rfc3339"`, `"yesterday"`, "0001-01-01T00:00:00Z"},
		{`format = "unix"`, `1930612500.5`, "0001-01-01T00:00:00Z"}, {`format = "unix"`, `0`, "0001-01-01T00:00:00Z"}, {`format = "unix"`, `null`, "0001-01-01T00:00:00Z"},
	} {
		g := custom(t, signedJSON+"occurred = { from = \"at\", "+c.format+" }\n", "k")
		rd := g.Read(signed("k", `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP","at":`+c.literal+`}`))
		wantVerdict(t, rd, Accepted, "")
		if got := only(t, rd).OccurredAt.Format("2006-01-02T15:04:05Z07:00"); got != c.want {
			t.Errorf("%s %s = %s, want %s", c.format, c.literal, got, c.want)
		}
	}
}

func TestMerchantRefFallsBackButNeverPastAFault(t *testing.T) {
	g := custom(t, strings.Replace(signedJSON, `merchant_ref = "ref"`, `merchant_ref = ["meta.order", "ref", "{header:X-Ref}"]`, 1), "k")
	for body, want := range map[string]string{`"meta":{"order":"M"},"ref":"A"`: "M", `"meta":[],"ref":"A"`: "A", `"meta":{"order":""},"ref":null`: "H"} {
		full := `{"id":"1","status":"WAIT",` + body + `}`
		rd := g.Read(post(full, "X-Ref", "H", "X-Sig", hex256("k", full)))
		if got := only(t, rd).MerchantRef; got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	rd := g.Read(signed("k", `{"id":"1","status":"WAIT","meta":{"order":{}},"ref":"A"}`))
	wantVerdict(t, rd, Unreadable, "reference_unreadable")
}
