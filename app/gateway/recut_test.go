package gateway

import (
	"net/url"
	"strings"
	"testing"
)

func TestSortedFieldsThatCanBeCutAnewProveNothing(t *testing.T) {
	const secret = "k"
	for join, values := range map[string]map[string]bool{`"&"`: {"plain": false, "a&amount=999": true}, `""`: {"plain": true}} {
		g := custom(t, "[[envelope]]\nkind = \"form\"\n[[signature]]\nkind = \"hmac\"\nhash = \"sha256\"\nfrom = \"{field:sig}\"\nencoding = \"hex\"\nsorted = { leave = \"sig\", join = "+join+" }\n"+kindTail, secret)
		glue := strings.Trim(join, `"`)
		for note, hint := range values {
			text := strings.Join([]string{"amount=12.50", "id=o1", "note=" + note, "status=paid"}, glue)
			form := url.Values{"id": {"o1"}, "status": {"paid"}, "amount": {"12.50"}, "note": {note}, "sig": {hex256(secret, text)}}
			rd := g.Read(post(form.Encode()))
			wantVerdict(t, rd, Accepted, "")
			if o := only(t, rd); o.Hint != hint {
				t.Errorf("joined by %s with %q: hint %v, want %v", join, note, o.Hint, hint)
			}
		}
	}
}
