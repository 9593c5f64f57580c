package web

import "maps"

// The sentences about trying, verifying and setting up gateways; a part of chinese.
func init() {
	maps.Copy(chinese, map[string]string{
		// Trying a request
		"Try a request": "试读请求", "Try a request with %s": "用 %s 试读请求", "See how a captured request would be read and answered. Nothing is stored, nothing is sent, and no payment changes.": "查看一条抓取的请求会被如何解读和应答。不保存、不发送，也不改变任何支付。",
		"The request": "请求内容", "Try another one": "再试一条", "Request line, headers, one blank line, body": "请求行、请求头、一个空行、正文", "Headers, one a line, if the field above holds the body alone": "请求头（每行一个；仅当上面只填了正文时需要）",
		"The body alone will do: write its headers into the next field. Headers that carry credentials are shown again as their SHA-256 only.": "也可以只填正文，请求头填入下一栏。含凭据的请求头再次显示时只给出其 SHA-256。",
		"Or a file with the request": "或上传含有请求的文件",
		"A file is read byte for byte. Browsers change the line ends of pasted text, which breaks signatures over the body; pasted text is therefore tried with both kinds. Up to %s.": "文件按字节原样读取。浏览器会改变粘贴文本的换行，使针对正文的签名失效，因此粘贴的文本会按两种换行各试一次。上限 %s。",
		"When it came in, if not now": "收到的时间（不填即现在）", "In the time zone %s, or with a zone of its own as in 2031-03-07T09:15:00Z. A signature that states its time is only good around it.": "按 %s 时区，或自带时区，如 2031-03-07T09:15:00Z。带时间的签名只在该时间前后有效。",
		"Address that it came from": "来源地址", "This gateway's requests are compared with the networks that it is known to send from.": "此网关的请求会与其已知的发送网段比对。", "Read it": "试读",
		"This is no time. Write it like 2031-03-07 09:15:00 or 2031-03-07T09:15:00Z.": "这不是时间。请写成 2031-03-07 09:15:00 或 2031-03-07T09:15:00Z 的形式。", "This is no address. Write it like 203.0.113.7 or 2001:db8::7.": "这不是 IP 地址。请写成 203.0.113.7 或 2001:db8::7 的形式。",
		"This cannot be read as a request: %s": "无法作为请求读取：%s", "Paste a request, or choose a file.": "请粘贴一条请求，或选择一个文件。", "The form did not arrive whole. Send it again.": "表单没有完整送达，请重新提交。",
		"The request is larger than %s. Read it with “nodrop explain” on the server.": "请求超过 %s。请在服务器上用“nodrop explain”读取。",

		// How it was read
		"How it was read": "解读方式", "The answer that the gateway would get": "网关会得到的应答", "Body, exactly": "正文（逐字节）", "In hexadecimal": "十六进制", "Each byte of it": "逐字节", "What it says": "内容", "It makes no statement about a payment.": "其中没有关于支付的内容。", "A refused request is not read any further.": "被拒的请求不再往下读取。",
		"One more statement is not shown.": "还有 1 项内容未显示。", "%d more statements are not shown.": "还有 %d 项内容未显示。", "The request as it was read": "被读取的请求", "Headers, credentials as their SHA-256": "请求头（凭据以 SHA-256 显示）",
		"Its signature states a time %s before it came in: it was held up, was sent again by somebody, or a clock is off by that much.":                                       "签名所载时间比收到时早 %s：可能被延误、被人重发，或时钟相差这么多。",
		"Its signature states a time %s after it came in: a clock, here or at the sender, is off by that much.":                                                               "签名所载时间比收到时晚 %s：本机或发送方的时钟相差这么多。",
		"The pasted body was tried with line ends as LF and as CRLF, and without one at its end; none fits. If it still should, upload the request as a file, byte for byte.": "粘贴的正文已按 LF、CRLF 换行以及去掉末尾换行各试一次，签名均不符。如果本应相符，请以文件逐字节上传。",
		"The body has %s bytes here, but its Content-Length announces %s: something was added, cut or changed.":                                                               "这里的正文有 %s 字节，而 Content-Length 声明为 %s：内容被增减或改动过。",
		"Certificate": "证书", "Signed": "签名时间", "%s before it came in": "收到前 %s", "%s after it came in": "收到后 %s", "Status": "状态码", "Currency": "币种", "Merchant account": "商户账号", "Happened at": "发生时间", "Proof": "证明",
		"It is taken at its word.": "直接采信。", "It proves nothing by itself: the gateway is asked.": "本身不能作为证明：会查询网关。", "%s: “%s”, a word that the definition does not know": "%s：“%s”，定义不认识这个词", "%s in all so far": "累计 %s", "Only the beginning is shown.": "只显示开头。",

		// Verifying again
		"Verify again": "重新验证", "Refused requests": "被拒的请求", "Verify refused requests again": "重新验证被拒的请求", "After a secret, a clock or an address was corrected. You see how many are right now before anything happens.": "在更正密钥、时钟或地址之后使用。执行前会先显示现在有多少条正确。",
		"Verify one request of %[2]s again": "重新验证 %[2]s 的 1 条请求", "Verify %[1]s requests of %[2]s again": "重新验证 %[2]s 的 %[1]s 条请求", "Verify %s again": "重新验证 %s 条", "See how %s reads it": "查看 %s 如何解读",
		"Each is read with the present configuration as of the moment at which it came in. What is right now is taken in as if it had just come; what is still wrong stays refused. What was taken in already is not taken in twice.": "每条都按当前配置、以其收到的时刻重新验证。现在正确的会像刚收到一样接收，仍然错误的继续拒绝。已接收过的不会再次接收。",
		"With the present configuration it is right: verify it again to take it in.": "按当前配置它是正确的：重新验证即可接收。", "No refused request of %s is kept.": "没有保留 %s 的被拒请求。",
		"The one refused request of %[2]s is still wrong with the present configuration. Correct what the reason says, start nodrop again, then come back.":     "%[2]s 的 1 条被拒请求按当前配置仍然错误。请按原因更正，重新启动 nodrop 后再来。",
		"All %[1]d refused requests of %[2]s are still wrong with the present configuration. Correct what the reasons say, start nodrop again, then come back.": "%[2]s 的 %[1]d 条被拒请求按当前配置全部仍然错误。请按原因更正，重新启动 nodrop 后再来。",
		"The one refused request of %[2]s is right with the present configuration and would be taken in.":                                                       "%[2]s 的 1 条被拒请求按当前配置正确，会被接收。",
		"All %[1]d refused requests of %[2]s are right with the present configuration and would be taken in.":                                                   "%[2]s 的 %[1]d 条被拒请求按当前配置全部正确，会被接收。",
		"Of %[1]d refused requests of %[2]s, %[3]d are right with the present configuration and would be taken in; %[4]d would stay refused.":                   "%[2]s 的 %[1]d 条被拒请求中，%[3]d 条按当前配置正确，会被接收；%[4]d 条仍会被拒。",
		"It is right now and was taken in.": "现在正确，已接收。", "It was verified again and is still refused.": "已重新验证，仍被拒绝。", "Verified again: %d tried, %d taken in, %d still refused.": "已重新验证：共 %d 条，接收 %d 条，仍被拒 %d 条。",
		"Taken in": "已接收", "It was refused at first, then verified again and taken in.": "起初被拒，重新验证后已接收。",

		// Setting a gateway up
		"How sure its definition is": "定义的可靠程度", "Confirm in the gateway's sandbox": "请在网关沙箱中确认",
		"To have a webhook sent again by hand": "手动重发通知", "Keys": "密钥", "Key": "密钥", "It needs no key.": "不需要密钥。", "Where the gateway shows it": "在网关后台的位置", "missing": "缺少", "configured": "已配置",
		"Which of them matched last": "最近匹配的密钥", "Secret or public key": "密钥或公钥", "Matched last": "最近匹配", "Remark": "备注", "never": "从未", "It matched last of all.": "最近一次匹配的就是它。", "It has ended and counts no more.": "已到期，不再有效。", "It does not count yet.": "尚未生效。",
		"This one has not matched for 30 days while another one has: it can be removed.": "它已 30 天没有匹配，而其他密钥有匹配：可以移除。",
		"It is not asked, because a key is missing.":                                     "缺少密钥，因此不查询。", "Configure what is missing above; until then its payments rest on webhooks and reports alone.": "请配置上面缺少的内容；在此之前其支付只依靠通知和对账单。", "Where its requests come from": "请求来源", "The networks that are known": "已知网段",
		"Certificate to be fetched": "待获取的证书", "one request waits for it": "有 1 条请求在等待", "%s requests wait for it": "有 %s 条请求在等待", "%s; the last try failed: %s": "%s；上次尝试失败：%s", "Signing times may differ by": "签名时间允许相差", "What its definition does, in plain words": "用白话说明其定义",
		"One more gateway is ready to be configured": "还有 1 个网关可以配置", "%d more gateways are ready to be configured": "还有 %d 个网关可以配置", "Copy a table into the configuration file, put the keys into the environment, and start nodrop again.": "把对应的配置段复制到配置文件，把密钥放入环境变量，然后重新启动 nodrop。",
		"For the configuration file": "写入配置文件", "Copy the table for %s": "复制 %s 的配置段",
	})
}
