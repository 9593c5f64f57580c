package gateway

import "testing"

func sortedOf(t *testing.T, s SortedSpec) *sortedForm {
	t.Helper()
	c := &compiler{g: &Gateway{}}
	out := c.sorted("sorted", s)
	if err := c.err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSortedText(t *testing.T) {
	none, pipe := "", "|"
	cases := map[string]struct {
		spec   SortedSpec
		fields []field
		end    string
		want   string
	}{
		// The sample of WeChat Pay's v2 documentation.
		"wechat v2": {SortedSpec{Leave: List{"sign"}, Empty: "drop"},
			[]field{{"sign", "x"}, {"nonce_str", "ibuaiVcKdpRxkhJA"}, {"mch_id", "10000100"}, {"attach", ""}, {"device_info", "1000"}, {"body", "test"}, {"appid", "wxd930ea5d5a258f4f"}},
			"&key=k", "appid=wxd930ea5d5a258f4f&body=test&device_info=1000&mch_id=10000100&nonce_str=ibuaiVcKdpRxkhJA&key=k"},
		// The sample of Billplz's X Signature redirect.
		"billplz": {SortedSpec{Leave: List{"billplz[x_signature]"}, Strip: "[]", By: "element", Pair: "{name}{value}", Join: &pipe},
			[]field{{"billplz[paid]", "true"}, {"billplz[paid_at]", "2018-09-27 15:15:09 +0800"}, {"billplz[id]", "zq0tm2wc"}, {"billplz[x_signature]", "s"}},
			"", "billplzidzq0tm2wc|billplzpaid_at2018-09-27 15:15:09 +0800|billplzpaidtrue"},
		"case of elements": {SortedSpec{By: "element", Pair: "{name}{value}", Join: &pipe}, []field{{"b", "1"}, {"A", "1"}, {"a", "0"}}, "", "a0|A1|b1"},
		"names by bytes":   {SortedSpec{}, []field{{"b", "1"}, {"a", "2"}, {"B", "3"}}, "", "B=3&a=2&b=1"},
		"empty kept":       {SortedSpec{Join: &none, Pair: "{name}{value}"}, []field{{"b", ""}, {"a", "1"}}, "", "a1b"},
		"marks in values":  {SortedSpec{Pair: "<{name}:{value}>"}, []field{{"a", "{name}{value}"}, {"b", "&="}}, "", "<a:{name}{value}>&<b:&=>"},
		"nothing":          {SortedSpec{}, nil, "&key=k", "&key=k"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := string(sortedText(c.fields, sortedOf(t, c.spec), c.end)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestSortedTextsTryBothWhereEmptyValuesMayBeDropped(t *testing.T) {
	either := sortedOf(t, SortedSpec{Empty: "either", Leave: List{"sign"}})
	got := sortedTexts([]field{{"b", ""}, {"a", "1"}, {"sign", ""}}, either, "")
	if len(got) != 2 || string(got[0]) != "a=1&b=" || string(got[1]) != "a=1" {
		t.Errorf("%q", got)
	}
	if got = sortedTexts([]field{{"a", "1"}, {"sign", ""}}, either, ""); len(got) != 1 || string(got[0]) != "a=1" {
		t.Errorf("without empty values: %q", got)
	}
	if got = sortedTexts([]field{{"b", ""}, {"a", "1"}}, sortedOf(t, SortedSpec{Empty: "drop"}), "."); len(got) != 1 || string(got[0]) != "a=1." {
		t.Errorf("dropped: %q", got)
	}
}

func TestWrongSortingIsRefused(t *testing.T) {
	for at, s := range map[string]SortedSpec{"sorted.empty": {Empty: "skip"}, "sorted.by": {By: "value"}, "sorted.pair": {Pair: "{name}={valeu}"}} {
		c := &compiler{g: &Gateway{}}
		c.sorted("sorted", s)
		if len(c.list) != 1 || c.list[0].Path != at || c.list[0].Remedy == "" {
			t.Errorf("%s: %v", at, c.list)
		}
	}
}
