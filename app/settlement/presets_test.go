package settlement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/gateway"
)

// presetReports are files as the gateways write them: headings and conventions from their documentation or from real
// files that others published, values made up. Each line of want is one line of the report.
var presetReports = map[string]struct {
	charset string
	text    string
	want    []string
	stated  string
}{
	"sandbox": {text: "Line,Type,Payment,Refund,Reference,Amount,Fee,Net,Currency,Created,Payout\n" +
		"ln_1,payment,sbx_1,,ORD-1,1250.50,31.26,1219.24,PHP,2026-11-30T01:15:00Z,po_7\nln_2,refund,sbx_1,re_1,ORD-1,-100.00,0.00,-100.00,PHP,2026-11-30T05:12:44Z,po_7\n" +
		"ln_3,payout,,,,-1119.24,0.00,-1119.24,PHP,2026-11-30T22:00:00Z,po_7\n",
		want: []string{"payment ln_1 sbx_1 ORD-1 125050 3126 121924 PHP 2026-11-30", "refund ln_2 sbx_1 ORD-1 -10000 0 -10000 PHP 2026-11-30", "payout ln_3 - - -111924 0 -111924 PHP 2026-11-30"}},
	"stripe": {text: "balance_transaction_id,created_utc,available_on_utc,reporting_category,gross,fee,net,currency,payment_intent_id,charge_id,source_id,payment_metadata[order_id],automatic_payout_id\n" +
		"txn_1,2026-11-29 16:30:00,2026-12-01 00:00:00,charge,1250.50,48.02,1202.48,php,pi_1,ch_1,ch_1,ORD-1,po_1\n" +
		"txn_2,2026-11-30 02:00:00,2026-12-01 00:00:00,refund,-250.50,0.00,-250.50,php,pi_1,ch_1,re_1,ORD-1,po_1\n" +
		"txn_3,2026-11-30 03:00:00,2026-12-01 00:00:00,dispute,-500.00,15.00,-515.00,php,pi_2,ch_2,dp_1,,po_1\n",
		want: []string{"payment txn_1 pi_1 ORD-1 125050 4802 120248 PHP 2026-11-29", "refund txn_2 pi_1 ORD-1 -25050 0 -25050 PHP 2026-11-30", "chargeback txn_3 pi_2 - -50000 1500 -51500 PHP 2026-11-30"}},
	"wechatpay": {text: "\ufeff交易时间,微信订单号,商户订单号,交易状态,货币种类,应结订单金额,退款金额,手续费,订单金额,申请退款金额\n" +
		"`2026-11-29 23:30:00,`420001,`ORD-1,`SUCCESS,`CNY,`12.50,`0.00,`0.08000,`12.50,`0.00\n" +
		"`2026-11-30 00:10:00,`420002,`ORD-2,`REFUND,`CNY,`0.00,`5.00,`-0.03000,`0.00,`5.00\n" +
		"总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额\n" +
		"`2,`12.50,`5.00,`0.00,`0.05000,`12.50,`5.00\n",
		want:   []string{"payment - 420001 ORD-1 1250 8 ? CNY 2026-11-29", "refund - 420002 ORD-2 -500 -3 ? CNY 2026-11-30"},
		stated: "[{count  2 2} {fee CNY 5 5} {credit CNY 1250 1250} {debit CNY 500 500}]"},
	"alipay": {charset: "gbk", text: "#支付宝业务明细查询\n#账号：[2088000000000099]\n支付宝交易号,商户订单号,业务类型,商品名称,创建时间,完成时间,订单金额（元）,商家实收（元）,服务费（元）,备注\n" +
		"2026112922001\t,ORD-1\t,交易\t,苹果,2026-11-29 10:00:00,2026-11-29 10:01:00,125.50,125.50,-0.75,\n" +
		"2026112922001\t,ORD-1\t,退款\t,苹果,2026-11-29 11:00:00,2026-11-29 11:01:00,-25.50,-25.50,0.15,\n" +
		"#业务明细列表结束\n#导出时间：[2026-11-30]\n",
		want: []string{"payment - 2026112922001 ORD-1 12550 75 ? CNY 2026-11-29", "refund - 2026112922001 ORD-1 -2550 15 ? CNY 2026-11-29"}},
	"paypal": {text: "\"RH\",2026/11/30 04:00:00 +0000,\"A\",\"ACC\",011\n\"FH\",1\n\"SH\",2026/11/29 00:00:00 +0000,2026/11/29 23:59:59 +0000,\"ACC\",\"\"\n" +
		"\"CH\",\"Transaction ID\",\"Invoice ID\",\"PayPal Reference ID\",\"PayPal Reference ID Type\",\"Transaction Event Code\",\"Transaction Initiation Date\",\"Transaction Completion Date\",\"Transaction Debit or Credit\",\"Gross Transaction Amount\",\"Gross Transaction Currency\",\"Fee Debit or Credit\",\"Fee Amount\",\"Fee Currency\",\"Custom Field\"\n" +
		"\"SB\",\"4AB\",\"INV-1\",\"\",\"\",\"T0006\",\"2026/11/29 09:15:00 +0800\",\"2026/11/29 09:15:00 +0800\",\"CR\",125050,\"PHP\",\"DR\",4802,\"PHP\",\"ORD-1\"\n" +
		"\"SB\",\"5CD\",\"INV-1\",\"4AB\",\"TXN\",\"T1107\",\"2026/11/29 10:15:00 +0000\",\"2026/11/29 10:15:00 +0000\",\"DR\",25050,\"PHP\",\"\",0,\"PHP\",\"\"\n" +
		"\"SF\",\"PHP\",1\n\"SC\",2\n\"RF\",\"PHP\",2\n\"RC\",2\n",
		want: []string{"payment 4AB 4AB ORD-1 125050 4802 ? PHP 2026-11-29", "refund 5CD 5CD INV-1 -25050 0 ? PHP 2026-11-29"}},
	"adyen": {text: "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,Gross Currency,Gross Debit (GC),Gross Credit (GC),Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number\n" +
		"Co,Shop,8815,ORD-1,visa,2026-11-29 23:30:00,CET,Settled,EUR,,48.50,EUR,,47.90,0.10,0.20,0.10,0.20,7\n" +
		"Co,Shop,8815,ORD-1,visa,2026-11-30 10:00:00,CET,Refunded,EUR,8.50,,EUR,8.50,,,,,,7\n" +
		"Co,Shop,,Payout,,2026-11-30 11:00:00,CET,MerchantPayout,EUR,,,EUR,39.40,,,,,,7\n",
		want: []string{"payment - 8815 ORD-1 4850 60 ? EUR 2026-11-29", "refund - 8815 ORD-1 -850 ? ? EUR 2026-11-30", "payout - - Payout ? ? ? EUR 2026-11-30"}},
	"mercadopago": {text: "EXTERNAL_REFERENCE;SOURCE_ID;USER_ID;PAYMENT_METHOD_TYPE;PAYMENT_METHOD;SITE;TRANSACTION_TYPE;TRANSACTION_AMOUNT;TRANSACTION_CURRENCY;TRANSACTION_DATE;FEE_AMOUNT;SETTLEMENT_NET_AMOUNT;SETTLEMENT_CURRENCY;SETTLEMENT_DATE\n" +
		"ORD-1;711;1;wallet;account_money;MLB;SETTLEMENT;100.50;BRL;2026-11-29T20:00:00.000-03:00;-4.99;95.51;BRL;2026-11-29T20:00:00.000-03:00\n" +
		"ORD-1;711;1;wallet;account_money;MLB;REFUND;-20.50;BRL;2026-11-30T10:00:00.000-03:00;0.99;-19.51;BRL;2026-11-30T10:00:00.000-03:00\n",
		want: []string{"payment - 711 ORD-1 10050 499 9551 BRL 2026-11-29", "refund - 711 ORD-1 -2050 -99 -1951 BRL 2026-11-30"}},
	"checkout": {text: "Client Entity ID,Payment ID,Reference,Type,Processed On,Available On,Holding Currency,Gross In Holding Currency,Net In Holding Currency,Payout ID\n" +
		"ent_1,pay_1,ORD-1,Charge,2026-11-29T10:00:00Z,2026-12-01T00:00:00Z,GBP,48.50,47.10,PO1\nent_1,pay_1,ORD-1,Refund,2026-11-29T12:00:00Z,2026-12-01T00:00:00Z,GBP,-8.50,-8.50,PO1\n",
		want: []string{"payment - pay_1 ORD-1 4850 ? 4710 GBP 2026-11-29", "refund - pay_1 ORD-1 -850 ? -850 GBP 2026-11-29"}},
	"gocardless": {text: "resources.type,resources.status,resources.created_at,payments.id,payouts.id,payouts.arrival_date,gross_amount,gocardless_fees,app_fees,surcharge_fees,net_amount,currency\n" +
		"payment,paid_out,2026-11-29T10:00:00Z,PM1,PO1,,48.50,0.50,0.00,0.10,47.90,EUR\nrefund,refunded,2026-11-29T11:00:00Z,PM1,PO1,,-8.50,0.00,0.00,0.00,-8.50,EUR\n",
		want: []string{"payment - PM1 - 4850 60 4790 EUR 2026-11-29", "refund - PM1 - -850 0 -850 EUR 2026-11-29"}},
}

func TestPresetReports(t *testing.T) {
	for _, name := range gateway.PresetNames() {
		specs := presetSpecs(t, name)
		if len(specs) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			sample, ok := presetReports[strings.TrimSuffix(name, "-v2")]
			if !ok {
				t.Fatal("no file shows how its report is read")
			}
			content := []byte(sample.text)
			if sample.charset != "" {
				content = encoded(t, sample.text, sample.charset)
			}
			lines, totals, err := readPath(write(t, "r.csv", content), Limits{}, specs...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range lines {
				got = append(got, summary(l))
			}
			if !slices.Equal(got, sample.want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(sample.want, "\n     "))
			}
			if stated := fmt.Sprint(totals.Stated); sample.stated != "" && stated != sample.stated {
				t.Errorf("it states %s, want %s", stated, sample.stated)
			}
		})
	}
}

func presetSpecs(t *testing.T, name string) (list []Format) {
	t.Helper()
	spec, err := gateway.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range spec.Report {
		list = append(list, Format{Spec: s, Days: time.UTC})
	}
	return list
}

func summary(l Line) string {
	if l.Fault != "" {
		return "fault"
	}
	or := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	minor := func(a Amount) string {
		if !a.Known {
			return "?"
		}
		return fmt.Sprint(a.Minor)
	}
	return strings.Join([]string{l.Type, or(l.ID), or(l.GatewayRef), or(l.MerchantRef), minor(l.Gross), minor(l.Fee), minor(l.Net), l.Currency, l.Day}, " ")
}
