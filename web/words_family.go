package web

import (
	"maps"
	"slices"
)

// families are the stable words of the contract, as people read them.
var families = map[string]map[string]said{
	"state": {
		"pending": {"Pending", "待支付"}, "processing": {"Processing", "处理中"}, "succeeded": {"Succeeded", "已成功"}, "failed": {"Failed", "已失败"}, "closed": {"Closed", "已关闭"}, "unknown": {"Unknown", "未知"},
	},
	"standing": {
		"pending": {"Pending", "待支付"}, "processing": {"Processing", "处理中"}, "succeeded": {"Succeeded", "已成功"}, "failed": {"Failed", "已失败"},
		"closed.expired": {"Closed: expired", "已关闭：过期"}, "closed.cancelled": {"Closed: cancelled", "已关闭：取消"}, "closed.abandoned": {"Closed: abandoned", "已关闭：放弃支付"},
		"succeeded.refunded": {"Succeeded, refunded", "已成功，已全额退款"}, "succeeded.reversed": {"Succeeded, taken back", "已成功，款项被收回"}, "succeeded.back": {"Succeeded, money back", "已成功，款项已退回"},
		"unknown.no_answer": {"Unknown: no answer", "未知：无答复"}, "unknown.difference": {"Unknown: amount differs", "未知：金额不符"}, "unknown.contradiction": {"Unknown: contradiction", "未知：说法矛盾"},
	},
	"truth": {
		"pending":               {"Nothing definite yet. The customer may still pay; no money is known to have come.", "尚无定论。顾客仍可能支付；目前没有收到款项。"},
		"processing":            {"The payment is under way at the gateway. Wait for its word; do not charge again.", "支付正在网关处理。请等待结果，不要再次收款。"},
		"succeeded":             {"The money was taken. The order can be fulfilled.", "款项已收到，可以履行订单。"},
		"succeeded.asked":       {"The money was taken, but a question about it is open. Answer it before the order is fulfilled.", "款项已收到，但还有未决问题。请先处理再履行订单。"},
		"succeeded.late":        {"The money was taken, but only after the payment had been called over. Fulfil the order or refund it.", "款项已收到，但在此支付被判定结束之后才到。请履行订单或退款。"},
		"succeeded.owed":        {"The money was taken and is to be refunded. Do not fulfil the order with it.", "款项已收到并将退款。请不要据此履行订单。"},
		"succeeded.undone":      {"The money was taken, and went back again. Nothing of it is left.", "款项曾收到，后来又退回，已没有余额。"},
		"failed":                {"The gateway's final word is that this will not be paid.", "网关最终答复：这笔不会支付。"},
		"closed.expired":        {"It expired without money. The customer must begin anew.", "已过期，没有收款。顾客需重新支付。"},
		"closed.cancelled":      {"It was cancelled without money.", "已取消，没有收款。"},
		"closed.abandoned":      {"The customer never came to pay.", "顾客始终没有来支付。"},
		"unknown.no_answer":     {"The gateway never gave a final word. Look into its dashboard and decide.", "网关始终没有最终答复。请查看其后台后决定。"},
		"unknown.difference":    {"Money came, but not the expected amount. Decide whether to accept it.", "收到了款项，但金额与预期不符。请决定是否接受。"},
		"unknown.contradiction": {"The gateway said both that it was paid and that it was not. Look into its dashboard and decide.", "网关既说已支付又说未支付。请查看其后台后决定。"},
	},
	"source": {
		"": {"the registration", "登记"}, "notice": {"Webhook", "通知"}, "query": {"Our question", "我们的查询"}, "report": {"Report", "对账单"}, "person": {"A person", "人工"}, "shop": {"The shop", "商店"}, "timer": {"Time", "时限"}, "nodrop": {"nodrop", "nodrop"},
	},
	"trigger": {
		"webhook": {"Webhook", "通知"}, "query": {"Question", "查询"}, "scan": {"Scan", "扫描"}, "settlement": {"Report", "对账单"}, "person": {"Person", "人工"}, "shop": {"Shop", "商店"}, "timer": {"Time", "时限"}, "registration": {"Registration", "登记"},
	},
	"moved": {
		"webhook": {"By a webhook.", "由通知引起。"}, "query": {"By the answer to a question.", "由查询答复引起。"}, "scan": {"By a question of the scan.", "由扫描查询引起。"}, "settlement": {"By a question after a report.", "由对账后的查询引起。"}, "person": {"By a person.", "由人工引起。"},
		"shop": {"By the shop.", "由商店引起。"}, "timer": {"By time.", "由时限引起。"}, "registration": {"By a notice that waited for the registration.", "由等待登记的通知引起。"},
	},
	"word": {
		"pending": {"pending", "待支付"}, "processing": {"processing", "处理中"}, "authorised": {"authorised", "已授权"}, "succeeded": {"succeeded", "成功"}, "attempt_failed": {"this try failed", "本次尝试失败"}, "failed": {"failed", "失败"},
		"expired": {"expired", "过期"}, "cancelled": {"cancelled", "取消"}, "reversed": {"money taken back", "款项被收回"}, "not_found": {"it does not know this payment", "查无此支付"}, "unreadable": {"something that cannot be read", "无法读取的内容"},
	},
	"refund":  {"pending": {"under way", "处理中"}, "succeeded": {"done", "已完成"}, "failed": {"failed", "失败"}},
	"dispute": {"open": {"open", "进行中"}, "won": {"won", "胜诉"}, "lost": {"lost", "败诉"}},
	"class": {
		"answered": {"The gateway was asked and answered", "已查询网关，得到答复"}, "not_found": {"The gateway was asked and does not know the payment", "已查询网关，查无此支付"}, "unreadable": {"The gateway was asked; its answer cannot be read", "已查询网关，答复无法读取"},
		"timeout": {"The gateway did not answer in time", "网关未及时答复"}, "refused": {"The gateway refused our key", "网关拒绝了我们的密钥"}, "throttled": {"The gateway wants to be asked less often", "网关要求降低查询频率"},
		"failing": {"The gateway was out of order", "网关故障"}, "not_asked": {"The gateway could not be asked", "无法查询网关"},
	},
	"fact": {
		"hold_over": {"The failure was held back long enough and counts now", "失败通知保留期已过，现在生效"}, "gave_up": {"The time for this payment is over", "这笔支付的等待时限已到"}, "late": {"The success came after it was called over", "成功在判定结束之后才到"},
		"return_over": {"A refund or dispute has had no last word for a month, so a person is asked", "退款或争议一个月来没有最终结果，请人工处理"}, "order_closed": {"The shop closed the order", "商店关闭了订单"}, "order_reopened": {"The shop reopened the order", "商店重新打开了订单"},
	},
	"entry": {
		"webhook": {"Webhook", "通知"}, "answer": {"Answer", "答复"}, "query": {"Question", "查询"}, "change": {"Change", "变化"}, "event": {"To the shop", "通知商店"}, "decision": {"Decision", "决定"}, "shop": {"Shop", "商店"}, "nodrop": {"nodrop", "nodrop"},
	},
	"event": {
		"payment.authorised": {"Payment authorised", "支付已授权"}, "payment.succeeded": {"Payment succeeded", "支付成功"}, "payment.succeeded_late": {"Payment succeeded late", "支付迟到成功"}, "payment.duplicate": {"Second payment of a paid order", "已付订单的重复支付"},
		"payment.failed": {"Payment failed", "支付失败"}, "payment.closed": {"Payment closed", "支付关闭"}, "payment.unknown": {"Payment unknown", "支付未知"}, "payment.refunded": {"Payment refunded", "支付已退款"}, "payment.refund_failed": {"Refund failed", "退款失败"},
		"payment.disputed": {"Payment disputed", "支付有争议"}, "payment.reversed": {"Money taken back", "款项被收回"}, "payment.decided": {"Decided or corrected", "已决定或更正"},
	},
	"outbox":  {"pending": {"Waiting", "等待中"}, "delivered": {"Delivered", "已送达"}, "dead": {"Given up", "已放弃"}, "feed": {"In the feed", "在事件流中"}},
	"inbox":   {"pending": {"Waiting", "等待处理"}, "parked": {"Parked", "暂存"}, "done": {"Done", "已处理"}, "ignored": {"Not our concern", "与我们无关"}, "dead": {"Dead", "死信"}, "refused": {"Refused", "已拒绝"}},
	"channel": {"webhook": {"webhook", "通知"}, "query": {"answer", "答复"}, "report": {"report", "对账单"}},
	"verdict": {"accepted": {"Accepted", "已接受"}, "ignored": {"Not our concern", "与我们无关"}, "refused": {"Refused", "已拒绝"}, "unreadable": {"Cannot be read", "无法读取"}, "challenge": {"Challenge", "地址验证"}},
	"reads": {
		"accepted": {"It would be stored, acknowledged and worked on.", "会被保存、确认并处理。"}, "ignored": {"It would be stored and acknowledged, and change nothing.", "会被保存并确认，但不带来任何变化。"}, "refused": {"It would be kept for inspection only, and nothing of it applied.", "只会留存备查，内容不会生效。"},
		"unreadable": {"It would be stored and acknowledged, and wait for a person as a dead letter.", "会被保存并确认，作为死信等待人工处理。"}, "challenge": {"It would be answered, and nothing stored.", "会得到应答，不保存任何内容。"},
	},
	"observed": {"payment": {"Payment", "支付"}, "refund": {"Refund", "退款"}, "dispute": {"Dispute", "争议"}},
	"ends": {
		"lf": {"The body fits with its line ends as LF. A browser sends them as CRLF, so they were changed back.", "正文的换行按 LF 处理时签名相符。浏览器会把换行发送为 CRLF，因此已改回。"}, "crlf": {"The body fits with its line ends as CRLF.", "正文的换行按 CRLF 处理时签名相符。"}, "cut": {"The body fits without the line end that was pasted after it.", "去掉正文末尾多粘贴的换行后签名相符。"},
	},
	"networks": {
		"off": {"The address of the sender is not looked at: source_networks is off, and the signature decides.", "不检查发送方地址：source_networks 为 off，由签名决定。"}, "flag": {"A request from elsewhere is taken in and flagged: source_networks = \"flag\".", "来自其他地址的请求会被接收并标记：source_networks = \"flag\"。"}, "enforce": {"A request from elsewhere is refused: source_networks = \"enforce\".", "来自其他地址的请求会被拒绝：source_networks = \"enforce\"。"},
	},
	"became": {
		"pending": {"It is stored and waits to be worked on.", "已保存，等待处理。"}, "parked": {"It is about a payment that nobody registered yet; it waits and is applied when your shop registers it.", "所涉支付尚未登记；登记后即生效。"},
		"done": {"It was read and applied.", "已读取并生效。"}, "ignored": {"It was read; nothing of it is our concern.", "已读取；与我们无关。"}, "dead": {"It could not be worked on. Correct the cause, then replay it.", "无法处理。请排除原因后重放。"},
	},
	"mode":       {"live": {"live", "正式"}, "test": {"test", "测试"}},
	"role":       {"viewer": {"Viewer", "查看者"}, "operator": {"Operator", "操作员"}, "admin": {"Admin", "管理员"}},
	"confidence": {"verified": {"Verified", "已核实"}, "unconfirmed": {"Unconfirmed", "未确认"}, "": {"Your own definition", "您自己的定义"}},
	"confidence_says": {
		"verified": {"Official vectors or an official SDK are behind it. Some of it remains to be confirmed.", "以官方向量或官方 SDK 为依据，仍有部分内容待确认。"}, "unconfirmed": {"It follows the gateway's documentation, but no official vectors or SDK prove it. Try it in the gateway's sandbox before live money depends on it.", "它依据网关的文档，但没有官方向量或 SDK 佐证。请先在网关沙箱中试用，再用于正式收款。"},
		"": {"You have described this gateway yourself; try it in the gateway's sandbox before live money depends on it.", "此网关由您自己描述；请先在网关沙箱中试用，再用于正式收款。"},
	},
	"condition": {
		"working": {"Working", "正常"}, "silent": {"Not heard of yet", "尚无消息"}, "paused": {"Paused", "已暂停查询"}, "failing": {"Not answering", "无答复"}, "key_refused": {"Refuses our key", "拒绝我们的密钥"}, "refusing": {"Last webhook refused", "最近的通知被拒"}, "clock_off": {"Our clock is off", "本机时钟不准"}, "misdirected": {"Probably redirected", "可能被重定向"},
	},
	"condition_says": {
		"working": {"What it sends arrives, and what it is asked it answers.", "通知能送达，查询有答复。"}, "silent": {"Nothing has come from it yet. Paste the address below into its dashboard and send a test payment.", "还没有收到任何内容。请把下面的地址填入其后台并做一笔测试支付。"},
		"paused": {"It failed again and again, so it is left alone for a while and then asked once.", "连续失败，因此暂停一段时间后再试一次。"}, "failing": {"The last question was not answered; it is asked again.", "最近一次查询没有答复，会再次查询。"},
		"key_refused": {"It refuses our key. Check api_key and its mode in the configuration.", "它拒绝了我们的密钥。请检查配置中的 api_key 及其模式。"}, "refusing": {"The last request to its address was refused. Look below for the likely reason.", "发往其地址的最近请求被拒。可能的原因见下方。"},
		"clock_off":   {"Its clock and the clock of this server differ by more than a minute, so its notices may be refused as too old. Set the clock of this server right (NTP), then verify the refused requests again.", "它与本机的时钟相差超过一分钟，其通知可能因过期被拒。请校准本机时钟（NTP），然后重新验证被拒的请求。"},
		"misdirected": {"A GET without a body came to its address, and no notice since. A redirect on the way, say from http to https, makes that of a notice and loses it. Register the address exactly as it is written below.", "其地址收到了没有正文的 GET 请求，之后再无通知。途中的重定向（例如从 http 到 https）会这样丢失通知。请完全按下方的地址登记。"},
	},
}

// sortedWords lists the words of a family.
func sortedWords(family string) []string { return slices.Sorted(maps.Keys(families[family])) }
