package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// wrong is a configuration with one fault and how it must be reported.
type wrong struct {
	text   string
	line   int
	key    string
	says   string // in the text
	remedy string // in the remedy
}

const gatewayHead = "[[gateway]]\nname = \"g\"\npreset = \"sandbox\"\nmode = \"test\"\napi_key = \"env:KEY\"\nwebhook_secrets = [\"env:HOOK\"]\n"

var topLevel = []wrong{
	{"data = \"a.db\"\nlanguag = \"en\"\n", 2, "languag", "not a key", "did you mean language?"},
	{"\n\ncolour = 1\n", 3, "colour", "not a key of the top of the file", "known here: acme, data, gateway, jobs"},
	{"data = \"a\"\ndata = \"b\"\n", 2, "", "", "key = value"},
	{"data = a.db\n", 1, "", "unexpected character", "double quotes"},
	{"data = \"file:nodrop.db\"\n", 1, "data", "not the path of a file", `data = "nodrop.db"`},
	{"data = true\n", 1, "data", "is true or false, not a text", "double quotes"},
	{"data = 2031-04-01\n", 1, "data", "is a date or time, not a text", "double quotes"},
	{"data = [\"a\"]\n", 1, "data", "is a list, not a text", "double quotes"},
	{"data = {}\n", 1, "data", "is a table, not a text", "double quotes"},
	{"[limits]\nmax_body = true\n", 2, "limits.max_body", "is true or false", "double quotes"},
	{"data = 3\n", 1, "data", "is a number, not a text", "double quotes"},
	{"timezone = \"asia-manila\"\n", 1, "timezone", `"asia-manila" is not a time zone`, "Asia/Manila"},
	{"timezone = \"Local\"\n", 1, "timezone", "is not a time zone", "IANA"},
	{"language = \"cn\"\n", 1, "language", `"cn" is none of "en", "zh"`, "write language ="},
	{"language = \"ZH\"\n", 1, "language", "is none of", `write language = "zh"`},
	{"public = 3\n", 1, "public", "is a number, not a table", "write [public]"},
	{"gateway = \"x\"\n", 1, "gateway", "is a text, not a list of tables", "[[gateway]]"},
	{"[gateway]\nname = \"g\"\n", 1, "gateway", "is a table, not a list of tables", "[[gateway]]"},
	{"gateway = [1]\n", 1, "gateway[0]", "is a number, not a table", "[[gateway]]"},
	{"[[gateways]]\nname = \"g\"\n", 1, "gateways", "not a key", "did you mean gateway?"},
	{"[jobs]\nreconcile_schedule = \"hourly\"\n", 2, "jobs.reconcile_schedule", "1 fields", "five fields"},
	{"[jobs]\nreconcile_schedule = \"61 * * * *\"\n", 2, "jobs.reconcile_schedule", "above maximum", "five fields"},
	{"[jobs]\nreconcile_schedule = \"0 0 31 2 *\"\n", 2, "jobs.reconcile_schedule", "no day that exists", "five fields"},
	{"[jobs]\nreconcile_schedule = \"CRON_TZ=UTC * * * *\"\n", 2, "jobs.reconcile_schedule", "not a calendar expression", "five fields"},
	{"[limits]\nmax_body = \"1GB\"\n", 2, "limits.max_body", "not a size", `max_body = "1MiB"`},
	{"[limits]\nmax_body = 100\n", 2, "limits.max_body", "not a size", "1MiB"},
	{"[limits]\nrefused_keep = 0\n", 2, "limits.refused_keep", "not a whole number", "refused_keep = 200"},
	{"[limits]\nrefused_age = \"5m\"\n", 2, "limits.refused_age", "out of range", "from 1h to 365d"},
}

var listeners = []wrong{
	{"[public]\nlisten = \"8080\"\n", 2, "public.listen", `"8080" is not an address`, `listen = ":8080"`},
	{"[public]\nlisten = \":http\"\n", 2, "public.listen", "not an address", "port number"},
	{"[public]\nlisten = \":70000\"\n", 2, "public.listen", "not an address", "port number"},
	{"[public]\nlisten = \"pay.example.com:80\"\n", 2, "public.listen", "not an address", "IP address"},
	{"[public]\nlistn = \":1\"\n", 2, "public.listn", "not a key of [public]", "did you mean listen?"},
	{"[public]\nhostname = \"https://pay.example.com\"\n", 2, "public.hostname", "not a host name", "without scheme"},
	{"[public]\nhostname = \"192.0.2.1\"\n", 2, "public.hostname", "not a host name", "pay.example.com"},
	{"[public]\ntrusted_proxies = [\"10.0.0.0/8\",\n \"10.0.0.1/8\"]\n", 3, "public.trusted_proxies[1]", "bits beyond", `write "10.0.0.0/8"`},
	{"[public]\ntrusted_proxies = [\"proxy\"]\n", 2, "public.trusted_proxies[0]", "not a network", "10.0.0.0/8"},
	{"[public]\ntrusted_proxies = \"10.0.0.0/8\"\n", 2, "public.trusted_proxies", "is a text, not a list", "square brackets"},
	{"[private]\nlisten = \":8081\"\n", 2, "private.listen", "plain HTTP beyond this machine", `listen = "127.0.0.1:8081"`},
	{"[private]\nlisten = \"192.0.2.1:9000\"\n", 2, "private.listen", "plain HTTP", `"127.0.0.1:9000"`},
	{"[public]\nlisten = \"127.0.0.1:8080\"\n[private]\nlisten = \"127.0.0.1:8080\"\n", 4, "private.listen", "side by side", "another port"},
	{"[public]\nlisten = \":8081\"\n", 2, "public.listen", "side by side", "another port"},
	{"[public]\nhostname = \"a.example.com\"\n[private]\nhostname = \"a.example.com\"\n", 4, "private.hostname", "also the hostname", "name of their own"},
}

var shops = []wrong{
	{"[shop]\nurl = \"https://s.example\"\n", 1, "shop.secrets", "missing", "env:NODROP_SHOP_SECRET"},
	{"[shop]\nurl = \"https://s.example\"\nsecrets = []\n", 3, "shop.secrets", "unsigned", "whsec_"},
	{"[shop]\nsecrets = [\"env:SHOP\"]\n", 1, "shop.url", "missing", "url ="},
	{"[shop]\nurl = \"shop.example/events\"\nsecrets = [\"env:SHOP\"]\n", 2, "shop.url", "not an http or https address", `"https://host/path"`},
	{"[shop]\nurl = \"https://u:p@s.example\"\nsecrets = [\"env:SHOP\"]\n", 2, "shop.url", "password", "without it"},
	{"[shop]\nurl = \"https://s.example/#x\"\nsecrets = [\"env:SHOP\"]\n", 2, "shop.url", "fragment", "without it"},
	{"[shop]\nurl = \"https://s.example\"\nsecrets = [\n  \"env:SHOP\",\n  \"env:HOOK\",\n]\n", 5, "shop.secrets[1]", "whsec_", "head -c 32"},
	{"[shop]\ntimeout = \"15\"\n", 2, "shop.timeout", `"15" is not a duration`, `"30s"`},
	{"[shop]\ntimeout = 15\n", 2, "shop.timeout", "is a number, not a text", "double quotes"},
	{"[shop]\ntimeout = \"2m\"\n", 2, "shop.timeout", "out of range", "from 1s to 1m"},
	{"[shop]\nclaim_timeout = \"1 h\"\n", 2, "shop.claim_timeout", "not a duration", "whole number"},
	{"[shop]\nclaim_timeout = \"99999999999999999999d\"\n", 2, "shop.claim_timeout", "not a duration", "whole number"},
}

var values = []wrong{
	{gatewayHead + "api_secret = \"env:NONE\"\n", 7, "gateway[0].api_secret", "NONE is not set", "set NONE"},
	{gatewayHead + "api_secret = \"env:EMPTY\"\n", 7, "gateway[0].api_secret", "EMPTY is empty", "give EMPTY its value"},
	{gatewayHead + "api_secret = \"env:\"\n", 7, "gateway[0].api_secret", "names no environment variable", "env:"},
	{gatewayHead + "api_secret = \"env:SPACES\"\n", 7, "gateway[0].api_secret", "the secret is empty", "env:NAME"},
	{gatewayHead + "api_secret = \"env:LINES\"\n", 7, "gateway[0].api_secret", "control character", "one line"},
	{gatewayHead + "api_secret = \"\"\n", 7, "gateway[0].api_secret", "the secret is empty", "env:NAME"},
	{gatewayHead + "api_secret = \"file:\"\n", 7, "gateway[0].api_secret", "names no file", "path of the file"},
	{gatewayHead + "api_secret = \"file:none\"\n", 7, "gateway[0].api_secret", "/etc/nodrop/none", "correct the path"},
	{gatewayHead + "api_secret = \"file:blank\"\n", 7, "gateway[0].api_secret", "is empty", "write the value into the file"},
	{gatewayHead + "api_secret = \"file:binary\"\n", 7, "gateway[0].api_secret", "not a text", "text file"},
	{gatewayHead + "account = 7\n", 7, "gateway[0].account", "is a number, not a text", "double quotes"},
	{"[[gateway]]\nname = \"g\"\npreset = \"sandbox\"\nmode = \"env:MODE\"\napi_key = \"env:KEY\"\nwebhook_secrets = [\"env:HOOK\"]\n",
		4, "gateway[0].mode", "the value of env:MODE is none of", "write mode ="},
}

var gateways = []wrong{
	{strings.Replace(gatewayHead, `mode = "test"`, "", 1), 1, "gateway[0].mode", "missing", `mode = "test" or mode = "live"`},
	{strings.Replace(gatewayHead, `"test"`, `"Live"`, 1), 4, "gateway[0].mode", `"Live" is none of`, `write mode = "live"`},
	{strings.Replace(gatewayHead, `name = "g"`, "", 1), 1, "gateway[0].name", "missing", "/hooks/{name}"},
	{strings.Replace(gatewayHead, `"g"`, `"G Cash"`, 1), 2, "gateway[0].name", `"G Cash" is not a name`, "lower-case"},
	{strings.Replace(gatewayHead, `preset = "sandbox"`, "", 1), 1, "gateway[0].preset", "missing", "custom"},
	{strings.Replace(gatewayHead, `"sandbox"`, `"paymongoo"`, 1), 3, "gateway[0].preset", "not a shipped preset", `preset = "paymongo"`},
	{strings.Replace(gatewayHead, `"sandbox"`, `"unheard-of"`, 1), 3, "gateway[0].preset", "not a shipped preset", "choose one of: "},
	{gatewayHead + "\n" + gatewayHead, 9, "gateway[1].name", `"g" is already the gateway on line 1`, "name of its own"},
	{gatewayHead + "api_kee = \"x\"\n", 7, "gateway[0].api_kee", "not a key of [gateway]", "did you mean api_key?"},
	{gatewayHead + "query_rate = \"5\"\n", 7, "gateway[0].query_rate", "not a rate", `"5/s" or "300/m"`},
	{gatewayHead + "query_rate = \"0/s\"\n", 7, "gateway[0].query_rate", "not a rate", `"5/s"`},
	{gatewayHead + "query_concurrency = 65\n", 7, "gateway[0].query_concurrency", "from 1 to 64", "query_concurrency = 4"},
	{gatewayHead + "query_schedule = []\n", 7, "gateway[0].query_schedule", "has 0 times", "1 to 50"},
	{gatewayHead + "query_schedule = [\"1m\", \"30s\"]\n", 7, "gateway[0].query_schedule[1]", "30s does not come after 1m", "ascending"},
	{gatewayHead + "query_schedule = [\"1m\", \"1m\"]\n", 7, "gateway[0].query_schedule[1]", "1m does not come after 1m", "ascending"},
	{gatewayHead + "query_schedule = [\"1m\",\n\n \"3d\"]\n", 9, "gateway[0].query_schedule[1]", "3d is later than give_up_after (2d)", "raise give_up_after"},
	{gatewayHead + "query_schedule = [\"soon\"]\n", 7, "gateway[0].query_schedule[0]", `"soon" is not a duration`, `"30s"`},
	{gatewayHead + "unregistered = \"drop\"\n", 7, "gateway[0].unregistered", "none of", `"review" or "count"`},
	{gatewayHead + "base_url = \"localhost:9090\"\n", 7, "gateway[0].base_url", "not an http", "https://"},
	{gatewayHead + "[gateway.custom]\ntitle = \"x\"\n", 7, "gateway[0].custom", "no effect", `preset = "custom"`},
	{gatewayHead + "custom = 1\n", 7, "gateway[0].custom", "not a table", "[gateway.custom]"},
	{strings.Replace(gatewayHead, `"sandbox"`, `"custom"`, 1) + "custom = 1\n", 7, "gateway[0].custom", "is a number, not a table", "write [gateway.custom]"},
	{strings.Replace(gatewayHead, `"sandbox"`, `"custom"`, 1), 3, "gateway[0].preset", "needs a definition", "[gateway.custom]"},
	{strings.Replace(gatewayHead, `["env:HOOK"]`, `"env:HOOK"`, 1), 6, "gateway[0].webhook_secrets", "not a list", "square brackets"},
	{strings.Replace(gatewayHead, `["env:HOOK"]`, "[\n \"env:HOOK\",\n {until = 2031-04-01}]", 1), 8, "gateway[0].webhook_secrets[1]", "without a value", "value ="},
	{strings.Replace(gatewayHead, `"env:HOOK"`, `{value = "env:HOOK", until = "2031-04-01"}`, 1), 6, "gateway[0].webhook_secrets[0].until", "not a date", "without quotes"},
	{strings.Replace(gatewayHead, `"env:HOOK"`, `{value = "env:HOOK", not_before = 2031-04-01, until = 2031-04-01}`, 1), 6, "gateway[0].webhook_secrets[0].until", "never counts", "correct"},
	{strings.Replace(gatewayHead, `"env:HOOK"`, `{value = "env:HOOK", untill = 2031-04-01}`, 1), 6, "gateway[0].webhook_secrets[0].untill", "not a key", "did you mean until?"},
}

func TestWrongConfigurations(t *testing.T) {
	for name, list := range map[string][]wrong{"top level": topLevel, "listeners": listeners, "shops": shops, "values": values, "gateways": gateways, "judgings": judgings, "certificates": certificates} {
		for _, w := range list {
			t.Run(name+"/"+w.key+" "+w.says, func(t *testing.T) { w.check(t) })
		}
	}
}

func (w wrong) check(t *testing.T) {
	_, err := load(w.text)
	var faults *Faults
	if !errors.As(err, &faults) {
		t.Fatalf("err = %v, want faults for:\n%s", err, w.text)
	}
	if len(faults.List) != 1 {
		t.Fatalf("%v\nwant one fault for:\n%s", err, w.text)
	}
	f := faults.List[0]
	if f.Line != w.line || w.key != "" && f.Key != w.key || !strings.Contains(f.Text, w.says) || !strings.Contains(f.Remedy, w.remedy) {
		t.Errorf("fault = %+v\nwant line %d, key %q, text with %q, remedy with %q", f, w.line, w.key, w.says, w.remedy)
	}
}

func TestAllFaultsAtOnceByLine(t *testing.T) {
	_, err := load(`language = "xx"
[private]
listen = ":8081"
[shop]
timeout = "soon"
[[gateway]]
name = "g"
preset = "sandbox"
mode = "prod"
api_key = "env:NONE"
webhook_secrets = ["env:NONE"]
query_rate = "fast"
give_upafter = "1h"
`)
	var faults *Faults
	if !errors.As(err, &faults) {
		t.Fatalf("err = %v, want faults", err)
	}
	var lines []int
	for _, f := range faults.List {
		lines = append(lines, f.Line)
	}
	equal(t, "lines", lines, []int{1, 3, 5, 9, 10, 11, 12, 13})
	text := err.Error()
	if !strings.HasPrefix(text, "configuration /etc/nodrop/nodrop.toml has 8 faults\n  line 1: language: ") || !strings.Contains(text, "\n  line 9: gateway.mode: ") {
		t.Errorf("Error() = %s", text)
	}
}

func TestColumns(t *testing.T) {
	_, err := load("shop = { timeout = \"1s\",  timeot = \"2s\" }\n")
	var faults *Faults
	if !errors.As(err, &faults) || len(faults.List) != 1 {
		t.Fatalf("err = %v, want one fault", err)
	}
	equal(t, "place", []int{faults.List[0].Line, faults.List[0].Column}, []int{1, 27})
}

func TestDefinitionFaultsHaveTheirLine(t *testing.T) {
	text := gatewayHead + "[[gateway]]\nname = \"c\"\npreset = \"custom\"\nmode = \"test\"\nwebhook_secrets = [\"env:HOOK\"]\n" +
		"[gateway.custom]\ntitel = \"x\"\n[[gateway.custom.signature]]\nkind = \"hmac\"\nhash = 1\n"
	_, err := load(text)
	var faults *Faults
	if !errors.As(err, &faults) {
		t.Fatalf("err = %v, want faults", err)
	}
	got := map[string]int{}
	for _, f := range faults.List {
		got[f.Key] = f.Line
	}
	equal(t, "title", got["gateway[1].custom.titel"], 13)
	equal(t, "hash", got["gateway[1].custom.signature[0].hash"], 16)
}

func TestWarnings(t *testing.T) {
	c := mustLoad(t, `
[public]
trusted_proxies = ["0.0.0.0/0"]
[shop]
url = "http://shop.example/events"
secrets = ["whsec_c2hvcnQ="]
`+gatewayHead+`api_secret = " x"
`)
	var got []string
	for _, w := range c.Warnings {
		got = append(got, fmt.Sprintf("%d %s", w.Line, w.Key))
		if w.Text == "" || w.Remedy == "" {
			t.Errorf("warning %+v says not what to do", w)
		}
	}
	equal(t, "warnings", got, []string{
		"3 public.trusted_proxies[0]",
		"5 shop.url",
		"6 shop.secrets[0]", // written plainly
		"6 shop.secrets[0]", // shorter than 24 bytes
		"13 gateway[0].api_secret",
		"13 gateway[0].api_secret",
	})
}
