package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

// noticeFacts makes facts of one webhook item. Their keys hold what the item means, so that a repetition of the
// same statement under the same dedupe key is the same fact, whatever else its bytes say.
func noticeFacts(it store.Item, o gateway.Observation) []payment.Fact {
	own := it.ReceivedMs
	if at := o.OccurredAt.UnixMilli(); !o.OccurredAt.IsZero() && at > 0 && at < own {
		own = at
	}
	f := factOf(o, own)
	f.Source = payment.SourceNotice
	source := "n"
	if it.Channel == channelReport {
		f.Source, source = payment.SourceReport, "r"
	}
	f.Key = factKey(source, it.DedupeKey, f)
	return []payment.Fact{f}
}

// answerFacts makes facts of an answer; what it says is identified by when it was asked.
func answerFacts(askedMs int64, observations []gateway.Observation) []payment.Fact {
	var facts []payment.Fact
	for _, o := range observations {
		if o.Verdict != gateway.Accepted {
			continue
		}
		f := factOf(o, askedMs)
		f.Source = payment.SourceQuery
		if f.Kind == payment.FactUnmapped {
			f.Kind, f.Word = payment.FactWord, payment.WordUnreadable
		}
		f.Key = factKey("q", strconv.FormatInt(askedMs, 10), f)
		facts = append(facts, f)
	}
	return facts
}

func factOf(o gateway.Observation, own int64) payment.Fact {
	f := payment.Fact{Kind: payment.FactWord, Word: o.Word, Hint: o.Hint, HasAmount: o.HasAmount, Amount: o.AmountMinor, Currency: o.Currency, OwnMs: own}
	switch {
	case o.Kind == gateway.KindRefund:
		f.Kind, f.Word, f.Ref, f.Cumulative, f.Status = payment.FactRefund, "", o.RefundRef, o.Cumulative, o.Status
	case o.Kind == gateway.KindDispute:
		f.Kind, f.Word, f.Ref, f.Status = payment.FactDispute, "", o.RefundRef, o.Status
	case o.Word == "":
		f.Kind, f.Ref = payment.FactUnmapped, o.RawWord
	}
	if f.Kind != payment.FactWord && f.Kind != payment.FactUnmapped && f.Status == "" {
		f.Kind, f.Ref = payment.FactUnmapped, o.RawWord
	}
	return f
}

// factKey is the identity of a fact within its payment.
func factKey(source, key string, f payment.Fact) string {
	amount := "-"
	if f.HasAmount {
		amount = strconv.FormatInt(f.Amount, 10) + f.Currency
	}
	text := strings.Join([]string{source, key, string(f.Kind), string(f.Word), amount, f.Ref, f.Status}, "\x00")
	sum := sha256.Sum256([]byte(text))
	return source + ":" + hex.EncodeToString(sum[:16])
}

// compareVariants asks a person when a dedupe key came with other content and another amount, currency or reference.
func (e *Engine) compareVariants(tx *store.Tx, it store.Item, o gateway.Observation, p store.Payment, now int64) error {
	rows, err := tx.Variants(it.Gateway, it.Channel, it.DedupeKey)
	if err != nil {
		return err
	}
	meanings := map[string]bool{}
	for _, w := range rows {
		v, ok := e.observation(e.gateways[it.Gateway], w)
		if !ok {
			continue
		}
		meanings[fmt.Sprint(v.HasAmount, v.AmountMinor, v.Currency, v.MerchantRef)] = true
	}
	if len(meanings) < 2 {
		return nil
	}
	if enough, err := e.enough(tx, e.gateways[it.Gateway], "same_key_other_content", o); err != nil || enough {
		return err
	}
	_, err = e.openReview(tx, store.Review{
		Kind: "same_key_other_content", Subject: "key:" + it.Gateway + ":" + it.DedupeKey, PaymentID: p.ID, OrderID: p.OrderID, InboxID: it.ID,
		Gateway: it.Gateway, AmountMinor: p.AmountMinor, Currency: p.Currency, OpenedMs: now,
	})
	return err
}
