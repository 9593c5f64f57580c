package gateway

import (
	"fmt"
	"strings"
)

// change turns the text of a template's part into another; false when it cannot.
type change func(string) (string, bool)

// changes are the words that may follow a part: {field:amount|digits}.
var changes = map[string]change{
	"lower":        func(s string) (string, bool) { return strings.ToLower(s), true },
	"upper":        func(s string) (string, bool) { return strings.ToUpper(s), true },
	"digits":       onlyDigits,
	"fixed2":       fixed2,
	"last_segment": lastSegment,
}

// cutChanges takes the changes off the end of a part.
func cutChanges(s string) (string, []change, error) {
	head, rest, found := strings.Cut(s, "|")
	if !found {
		return s, nil, nil
	}
	var out []change
	for name := range strings.SplitSeq(rest, "|") {
		f, ok := changes[name]
		if !ok {
			return head, nil, fmt.Errorf("|%s is not known; known are |%s", name, strings.Join(sortedKeys(changes), " |"))
		}
		out = append(out, f)
	}
	return head, out, nil
}

// onlyDigits keeps the digits: 1,230.50 becomes 123050.
func onlyDigits(s string) (string, bool) {
	out := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	return out, out != ""
}

// fixed2 writes a plain decimal with exactly two places; more are no such amount.
func fixed2(s string) (string, bool) {
	whole, places, _ := strings.Cut(s, ".")
	if whole == "" || !allDigits(whole) || !allDigits(places) || len(places) > 2 {
		return "", false
	}
	return whole + "." + places + strings.Repeat("0", 2-len(places)), true
}

// lastSegment is what stands behind the last slash of an address, without its query.
func lastSegment(s string) (string, bool) {
	s, _, _ = strings.Cut(s, "?")
	s = strings.TrimRight(s, "/")
	return s[strings.LastIndexByte(s, '/')+1:], true
}
