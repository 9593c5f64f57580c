package store

import (
	"slices"
	"testing"
)

func TestSearchFindsPiecesAndAmounts(t *testing.T) {
	db := openProduct(t)
	update(t, db, func(tx *Tx) error {
		for i, p := range []Payment{
			{MerchantRef: "ORDER-0195", AmountMinor: 444474, Currency: "PHP"},
			{MerchantRef: "0195", AmountMinor: 444400, Currency: "PHP"},
			{MerchantRef: "100%_SURE", AmountMinor: 4444, Currency: "PHP"},
			{MerchantRef: "YEN", AmountMinor: 4444, Currency: "JPY"},
		} {
			o, err := tx.EnsureOrder("O-"+p.MerchantRef, 1)
			if err != nil {
				return err
			}
			p.PublicID, p.Gateway, p.OrderID, p.State, p.Version, p.GiveUpMs = "pay_"+string(rune('a'+i)), "sandbox", o.ID, "pending", 1, 9
			id, err := tx.InsertPayment(p)
			if err != nil {
				return err
			}
			if i == 3 {
				_, err = tx.AddRef("sandbox", GatewayRef{"id", "Link_9f"}, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	of := func(want string) func(string) bool { return func(currency string) bool { return currency == want } }
	cases := []struct {
		text    string
		amounts []AmountRange
		want    []string
	}{
		{"0195", nil, []string{"0195", "ORDER-0195"}},
		{"order-0195", nil, []string{"ORDER-0195"}},
		{"%_s", nil, []string{"100%_SURE"}},
		{"0_1", nil, nil},
		{"NK_9", nil, []string{"YEN"}},
		{"4444", []AmountRange{{444400, 444499, of("PHP")}, {4444, 4444, of("JPY")}}, []string{"YEN", "0195", "ORDER-0195"}},
		{"4444.74", []AmountRange{{444474, 444474, of("PHP")}}, []string{"ORDER-0195"}},
	}
	for _, c := range cases {
		var got []string
		err := db.View(t.Context(), "search", func(rx *Rx) error {
			list, err := rx.SearchPayments(c.text, c.amounts, 10)
			for _, p := range list {
				got = append(got, p.MerchantRef)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q finds %v, want %v", c.text, got, c.want)
		}
	}
}
