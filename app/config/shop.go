package config

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

var (
	shopTimeouts  = span{time.Second, time.Minute}
	claimTimeouts = span{time.Second, 30 * day}
)

const newShopSecret = `make one with: echo "whsec_$(head -c 32 /dev/urandom | base64)"`

func readShop(t *table) Shop {
	defer t.done()
	s := Shop{
		URL:          t.address("url"),
		Secrets:      t.secrets("secrets"),
		Timeout:      t.duration("timeout", DefaultShopTimeout, shopTimeouts),
		ClaimTimeout: t.duration("claim_timeout", DefaultClaimTimeout, claimTimeouts),
	}
	for i, secret := range s.Secrets {
		checkShopSecret(t.d, fmt.Sprintf("%s[%d]", t.at("secrets"), i), secret.Value)
	}
	v, listed := t.values["secrets"]
	list, isList := v.([]any)
	switch {
	case s.URL != "" && (!listed || isList && len(list) == 0):
		t.fault("secrets", "is missing: events would leave unsigned", `write secrets = ["env:NODROP_SHOP_SECRET"]; `+newShopSecret)
	case s.URL == "" && len(s.Secrets) > 0 && !t.has("url"):
		t.fault("url", "is missing", `write url = "https://…", the address of your application that takes the events`)
	}
	return s
}

// checkShopSecret wants the form of the Standard Webhooks specification: whsec_ and
// the base64 of 24 to 64 bytes.
func checkShopSecret(d *document, path string, s Secret) {
	coded, ok := strings.CutPrefix(s.Reveal(), "whsec_")
	raw, err := base64.StdEncoding.DecodeString(coded)
	switch {
	case !ok || err != nil || len(raw) == 0:
		d.fault(path, "is not a secret of the form whsec_ and base64", newShopSecret)
	case len(raw) < 24 || len(raw) > 64:
		d.warn(path, fmt.Sprintf("holds %d bytes; the Standard Webhooks specification wants 24 to 64", len(raw)), newShopSecret)
	}
}
