package web

// chinese gives the sentences of the pages in Simplified Chinese, by their English text.
var chinese = map[string]string{
	// Frame
	"Skip to the content": "跳到正文", "Pages": "页面", "Overview": "概览", "Reviews": "待审", "Payments": "支付", "Inbox": "收件箱", "Outbox": "发件箱", "Gateways": "网关", "Audit": "审计",
	"Sign out": "退出登录", "Times in %s": "时间按 %s 时区显示", "As of": "截至", "Copy %s": "复制 %s", "Parts of the list": "列表分页", "To the beginning": "回到开头", "Next page": "下一页",
	"Done.": "已完成。", "Error: ": "错误：", "Nothing was done:": "没有执行任何操作：",

	// Time
	"2 Jan 15:04": "1月2日 15:04", "just now": "刚刚", "%d s ago": "%d 秒前", "%d min ago": "%d 分钟前", "%d h ago": "%d 小时前", "%d days ago": "%d 天前",
	"in %d s": "%d 秒后", "in %d min": "%d 分钟后", "in %d h": "%d 小时后", "in %d days": "%d 天后", "%d s": "%d 秒", "%d min": "%d 分钟", "%d h": "%d 小时", "%d days": "%d 天", "%s ms": "%s 毫秒",

	// Sign-in and account
	"Sign in": "登录", "Name": "用户名", "Password": "密码",
	"No access yet, or the password is lost? Whoever runs this server makes a sign-up link with “nodrop user add NAME” or “nodrop user passwd NAME”.": "还没有账号，或忘记了密码？请服务器管理员用“nodrop user add 用户名”或“nodrop user passwd 用户名”生成注册链接。",
	"Choose your password": "设置密码",
	"This link is not valid: it was used already, is more than a day old, or was not copied whole.": "此链接无效：已被使用、已超过一天，或复制不完整。",
	"Ask whoever runs this server for a new one: “nodrop user passwd NAME” prints it.":              "请服务器管理员重新生成：运行“nodrop user passwd 用户名”。",
	"To the sign-in": "去登录", "At least twelve characters. A few unrelated words make a good one.": "至少十二个字符。用几个互不相关的词就很好。",
	"The same password again": "再输入一次密码", "Save and go to the sign-in": "保存并去登录", "Your password is set, %s. Sign in with it.": "%s，密码已设置，请用它登录。",
	"The two passwords are not alike. Type the same one twice.": "两次输入的密码不一致，请重新输入。",
	"Your account": "我的账号", "Role": "角色", "Signed in": "登录时间", "Language": "语言", "Use it": "使用", "Change the password": "修改密码", "Every other session of yours ends with it.": "您的其他登录会随之失效。",
	"Present password": "当前密码", "New password, at least twelve characters": "新密码，至少十二个字符", "The new password again": "再输入一次新密码",
	"The present password is wrong.": "当前密码不正确。", "The password is changed. Your other sessions have ended.": "密码已修改，其他登录已失效。", "The pages now speak your language.": "页面已切换为您的语言。",

	// Errors
	"Whoever runs this server finds the reason in the log under this number:":                           "服务器管理员可用此编号在日志中找到原因：",
	"Nothing is at this address. It may have been copied in part, or what it led to is no longer kept.": "此地址没有内容。地址可能复制不完整，或内容已不再保留。",
	"This form was sent from another site, so nothing was done. Open the page here and send it again.":  "此表单来自其他网站，因此没有执行。请在这里打开页面后重新提交。",
	"To the overview": "回到概览", "Not found": "未找到", "Not allowed": "不允许", "It has changed": "内容已变化", "Not now": "暂时不行", "Something went wrong on our side": "我们这边出错了", "That did not work": "没有成功",
	"What changed meanwhile": "期间发生的变化", "What you had entered; nothing of it was done": "您填写的内容（均未执行）", "This has changed since you looked": "您查看之后内容已变化",
	"Nothing was done. Look at what changed, then decide again.": "没有执行任何操作。请看清变化后再决定。", "Look again": "重新查看",

	// Overview
	"The disk is full: %s MB are free. Gateways are answered 503 and send again later. Make room; nothing need be started anew.": "磁盘已满：剩余 %s MB。对网关答复 503，它们稍后会重发。请腾出空间，无需重启。",
	"The disk that holds the database is %d %% full: %s MB are free. Make room, or gateways' notices can soon not be stored.":    "数据库所在磁盘已用 %d %%：剩余 %s MB。请腾出空间，否则网关的通知很快将无法存储。",
	"The clock of this server is off: by that of %s, %s. Set it right (NTP); until then notices may be refused as too old.":      "本机时钟不准：以 %s 为准，%s。请校准（NTP）；在此之前通知可能因过期被拒。",
	"The clock of this server is off: by that of %s, %s. Set it right (NTP), then verify this request again.":                    "本机时钟不准：以 %s 为准，%s。请校准（NTP），然后重新验证此请求。",
	"asks another person to approve: %s": "请求另一人批准：%s",
	"GET without a body":                 "没有正文的 GET", "once; probably a redirect on the way, which loses the notice": "一次；可能途中被重定向，通知因此丢失", "%s times; probably a redirect on the way, which loses the notice": "%s 次；可能途中被重定向，通知因此丢失",
	"One question waits for you, %[2]s at risk.": "有 1 个问题等您处理，涉及金额 %[2]s。", "%[1]d questions wait for you, %[2]s at risk.": "有 %[1]d 个问题等您处理，涉及金额 %[2]s。",
	"One question waits for you.": "有 1 个问题等您处理。", "%d questions wait for you.": "有 %d 个问题等您处理。", "No payment has been registered yet.": "还没有登记任何支付。",
	"Nothing needs you; one payment is under way.": "无需您处理；有 1 笔支付进行中。", "Nothing needs you; %s payments are under way.": "无需您处理；有 %s 笔支付进行中。", "All payments are settled.": "所有支付均已了结。",
	", but gateway %s does not answer.": "，但网关 %s 没有答复。", ", but gateways %s do not answer.": "，但网关 %s 没有答复。",
	", but look at the certificate of %s.": "，但请查看 %s 的证书。", "Certificates": "证书", "Host name": "主机名", "Ends": "到期", "Asked for next": "下次申请",
	"Open reviews": "未决审查", "Payments not over": "未了结的支付", "Inbox, not yet read": "收件箱待处理", "Waiting for a registration": "等待登记", "Events for your shop": "待通知商店", "Dead letters": "死信",
	"%s in the inbox, %s in the outbox": "收件箱 %s，发件箱 %s", "%s at risk": "涉及金额 %s", "no money at risk": "不涉及金额", "nothing waits": "没有积压", "oldest: %s": "最早：%s",
	"What waits for a person": "等待人工处理", "All reviews": "全部审查", "Nothing waits for you.": "没有等您处理的事。",
	"A question comes here when the facts of a payment leave it open: a wrong amount, a success after a failure, a gateway that never answers.": "当事实不足以判断一笔支付时，问题会出现在这里：金额不符、失败后又成功、网关始终不答复。",
	"Payments that are not over, by age": "未了结的支付（按时长）", "No payment is under way.": "没有进行中的支付。", "A payment appears here when your shop registers it with POST /v1/payments.": "商店用 POST /v1/payments 登记后，支付会出现在这里。",
	"Nothing was resolved yet.": "还没有了结的支付。", "Each payment that comes to its end counts here by what brought it about.": "每笔了结的支付按其了结方式计入这里。", "All about them": "查看全部", "Age": "时长", "Expected": "应收", "Unknown": "未知",
	"less than an hour": "不到一小时", "an hour to a day": "一小时至一天", "a day to a week": "一天至一周", "more than a week": "超过一周", "How payments were resolved in the last 24 hours": "过去 24 小时支付的了结方式",
	"More than a fifth was found out only by asking: webhooks may not arrive. Look at the address, the secret and the list of allowed senders.": "超过五分之一靠查询才得知：通知可能没有送达。请检查地址、密钥和来源白名单。",
	"Most of them by webhook is how it should be.": "大多数由通知得知，这是正常情况。",

	// Reviews
	"What is wrong": "问题", "What was wrong": "原问题", "Payment": "支付", "Gateway": "网关", "Money at risk": "涉及金额", "Open since": "提出时间", "Answer": "处理", "Answer: %s": "处理：%s", "Urgent": "紧急", "Snoozed until": "推迟到",
	"Which reviews": "审查筛选", "No review was answered yet.": "还没有已处理的审查。", "Answered questions stay here with who answered them and why.": "已处理的问题连同处理人和原因保留在这里。",
	"By": "处理人", "When": "时间", "Answered": "已处理", "Reason": "原因", "What it is about": "相关信息", "Your answer": "您的处理", "What happened": "经过",
	"No question is open.": "没有未决问题。", "One question is open.": "有 1 个未决问题。", "%d questions are open.": "有 %d 个未决问题。", "One question is open, %[2]s at risk.": "有 1 个未决问题，涉及金额 %[2]s。",
	"%[1]d questions are open, %[2]s at risk. Most money first, then the oldest.": "有 %[1]d 个未决问题，涉及金额 %[2]s。金额大的在前，其次按时间。", "Open": "未决", "With snoozed ones": "含已推迟",
	"%s came where %s was expected": "收到 %s，应收 %s", "%s has not answered any question for long": "%s 已长时间没有答复任何查询", "The request as it came in": "原始请求", "The event and its attempts": "事件及其发送记录",
	"%s at %s, %s, %s received": "%s（%s），%s，已收 %s",

	// Approval, and what only a hint says
	"It is written down and waits until another person approves it. Nothing has changed yet.": "已记录，等待另一人批准。目前尚无变化。", "A decision that waits for approval": "等待批准的决定", "Decided already": "已有决定",
	"Decision": "决定", "Made by": "作出者", "Amount typed": "输入的金额", "Based on": "依据", "Its reason": "其原因", "It answers": "所答复的问题", "This question": "此问题", "Refund: %s": "退款：%s", "Dispute: %s": "争议：%s",
	"%s (a hint, which proves nothing)": "%s（仅为提示，不能作证）", "%s, from the gateway's dashboard": "%s（据网关后台）", "The amount that the gateway's dashboard shows; %s was received": "网关后台显示的金额；已收 %s",

	"The payments of its order": "其订单的各笔支付", "The message that it is about": "相关消息", "The messages that it is about": "相关消息", "Came in at %s": "收到于 %s", "Claim": "认领", "Claimed by": "认领者", "Claimed at": "认领时间",

	// Deciding
	"To confirm, type the amount that will be refunded": "请输入将退款的金额以确认",
	"You may look but not decide.":                      "您可以查看，但不能处理。", "Deciding needs the role operator or admin; whoever runs this server can give it.": "处理需要“操作员”或“管理员”角色，请联系服务器管理员。", "There is nothing to do here.": "这里无需处理。",
	"Why other answers are not allowed now": "为什么其他处理现在不允许", "Which payment": "哪一笔支付", "What is it based on?": "依据是什么？", "Id of the payment that it belongs to": "所属支付的编号", "Ask again": "再次提醒", "Which decision": "哪一个决定",
	"Reason, for those who ask later":                               "原因（供日后查询）",
	"To confirm, type the amount that will be refunded; %s is left": "请输入将退款的金额以确认；可退余额 %s", "To confirm, type the amount that the gateway reports: %s": "请输入网关报告的金额以确认：%s", "Amount received; %s was expected": "实收金额；应收 %s",
	"%s by %s, %s": "%s，由 %s 于 %s 作出", "There is no payment with this id. Copy it from the payment's page.": "没有此编号的支付。请从支付页面复制编号。",

	// Payments
	"Export as CSV": "导出 CSV", "Find a payment": "查找支付", "Find": "查找", "Order, reference or amount": "订单号、参考号或金额", "State": "状态", "No payment is like that.": "没有符合条件的支付。",
	"Try another piece: the order number, a piece of a reference, the gateway's id from the customer's receipt, or the amount such as 1250.50.": "换个线索试试：订单号、参考号的一部分、顾客收据上的网关编号，或金额（如 1250.50）。",
	"No payment yet.": "还没有支付。", "Order": "订单", "Registered": "登记", "late": "迟到", "1 review": "1 项待审", "%d reviews": "%d 项待审", "received %s": "已收 %s", "refunded %s": "已退 %s", "taken back %s": "被收回 %s",
	"All": "全部", "All gateways": "全部网关", "With a review": "有待审", "One payment matches.": "找到 1 笔支付。", "%d payments match.": "找到 %d 笔支付。", "More than %d payments match; the newest are shown. Type more of the reference.": "符合的支付超过 %d 笔，只显示最新的。请输入更多内容。",
	"One question is open": "有 1 个未决问题", "%d questions are open": "有 %d 个未决问题", "Its order": "所属订单", "Other payments of this order": "该订单的其他支付", "What happened, newest first": "经过（最新在前）", "What you can do": "可执行的操作",
	"What we expected, and what each source says": "预期与各来源的说法", "Source": "来源", "Says": "说法", "Amount": "金额", "Evidence": "证据", "differs": "不符", "We expected": "我们的预期", "as the shop registered it": "商店登记的内容", "nothing yet": "尚无",
	"Merchant reference": "商户参考号", "Attempt": "尝试", "Gateway's id (%s)": "网关编号（%s）", "Last change": "最近变化", "Decided by": "判定来源", "Expires": "失效时间", "Metadata": "附加数据", "Payment id": "支付编号",
	"Received": "已收", "Refunded": "已退款", "Disputed": "争议中", "Taken back": "已被收回", "Charging again": "再次收款", "Safe: no payment of this order can still succeed.": "安全：该订单没有还可能成功的支付。", "Not safe.": "不安全。",
	"The gateway is asked next": "下次查询网关", "not any more": "不再查询",

	// Timeline
	"Raw bytes": "原始字节", "It came once more, unchanged.": "又收到 1 次，内容相同。", "It came %d more times, unchanged.": "又收到 %d 次，内容相同。", "It said nothing new": "没有新内容", "Refund of %s: %s": "退款 %s：%s", "Dispute about %s: %s": "争议 %s：%s",
	"The gateway says “%s”, a word that its definition does not know": "网关说“%s”，其定义不认识这个词", "The gateway hints at: %s. It proves nothing, so the gateway is asked": "网关提示：%s。这不能作为证明，因此会查询网关",
	"The gateway says: %s, %s": "网关说：%s，%s", "The gateway says: %s": "网关说：%s",
	"Asked once more with the same result, last at %[2]s.": "又查询 1 次，结果相同，最近一次 %[2]s。", "Asked %[1]d more times with the same result, last at %[2]s.": "又查询 %[1]d 次，结果相同，最近一次 %[2]s。",
	"%s: %s": "%s：%s", "Something new is known; the state stayed": "有新的信息，状态不变", "It was: %s. Now it is:": "原来是：%s。现在是：", "The event": "事件", "Your shop took it at %s.": "商店已于 %s 接收。", "Given up after three days; send it again by hand.": "三天后放弃；请手动重发。",
	"In the feed that your shop reads.": "在商店读取的事件流中。", "Tried once, tried again at %[2]s.": "已尝试 1 次，%[2]s 再试。", "Tried %[1]d times, tried again at %[2]s.": "已尝试 %[1]d 次，%[2]s 再试。", "Waits to be sent.": "等待发送。",

	// Inbox
	"Every webhook and every answer of a gateway, as it came in and what became of it.": "网关的每条通知和答复：原样保存及处理结果。", "Find an entry": "查找条目", "Whole reference or event id": "完整的参考号或事件编号",
	"Replay dead entries together": "批量重放死信", "You see how many they are before anything happens.": "执行前会先显示数量。", "Came in": "收到时间", "Why": "原因", "Repeats": "重复", "%s of %s: %s": "%s 条（%s）：%s", "All dead entries": "全部死信",
	"No entry is like that.": "没有符合条件的条目。", "Here a merchant reference or an event id must be whole. Search by part of it under Payments.": "这里须输入完整的商户参考号或事件编号。按部分内容查找请到“支付”。",
	"Nothing is dead.": "没有死信。", "An entry that cannot be read, or fails again and again, is kept here until a person replays it.": "无法读取或反复失败的条目保留在这里，直到有人重放。",
	"Nothing is parked.": "没有暂存的条目。", "A notice for a payment that your shop has not registered waits here and is applied when it does.": "商店尚未登记的支付，其通知在这里等候，登记后即生效。",
	"Nothing was refused.": "没有被拒绝的请求。", "A request with a missing, wrong or old signature is answered with 401, never applied, and kept here.": "签名缺失、错误或过期的请求会得到 401，绝不生效，并保留在这里。",
	"Nothing is in this state.": "没有处于此状态的条目。", "Nothing has come in yet.": "还没有收到任何内容。", "Webhooks appear here as soon as a gateway posts to its address; the address is on the page of the gateway.": "网关向其地址发送通知后会出现在这里；地址见该网关的页面。",
	"Entry": "条目", "Request": "请求", "Other statements of the same request": "同一请求的其他内容", "Download the body": "下载正文", "Indented for reading; numbers as they came": "缩进显示，数字保持原样", "Untouched": "原样", "Headers, credentials left out": "请求头（已隐去凭据）",
	"Dead entries": "死信", "Replay dead entries": "重放死信", "Each is read again as if it had just come in. What was done already is not done twice.": "每条都会像刚收到一样重新处理。已做过的不会再做。", "Replay %s": "重放 %s 条",
	"No dead entry is like that any more.": "已没有符合条件的死信。", "The one dead entry would be worked on again.": "将重新处理仅有的 1 条死信。", "All %d dead entries would be worked on again.": "将重新处理全部 %d 条死信。",
	"One dead entry of %[2]s would be worked on again.": "将重新处理 %[2]s 的 1 条死信。", "%[1]d dead entries of %[2]s would be worked on again.": "将重新处理 %[2]s 的 %[1]d 条死信。",
	"One dead entry of %[2]s would be worked on again. It died of: %[3]s": "将重新处理 %[2]s 的 1 条死信。原因：%[3]s", "%[1]d dead entries of %[2]s would be worked on again. They died of: %[3]s": "将重新处理 %[2]s 的 %[1]d 条死信。原因：%[3]s",
	"That was done already.": "已经做过了。", "One entry is being worked on again.": "正在重新处理 1 条。", "%d entries are being worked on again.": "正在重新处理 %d 条。",
	"The count has changed since you looked; nothing was done. Look at the new count and send it again.": "您查看之后数量已变化，没有执行。请核对新数量后再提交。", "To the payment": "查看支付",
	"Answer of %s": "%s 的答复", "Webhook of %s": "%s 的通知", "Request to %s": "发往 %s 的请求", "Event id": "事件编号", "Came again": "重复收到", "once": "1 次", "%d times": "%d 次", "Same id, other content": "编号相同、内容不同", "one came before": "之前有 1 条", "%d came before": "之前有 %d 条",
	"Tries": "尝试次数", "Worked on": "处理时间", "Done": "完成时间", "From": "来自", "Answered with": "答复", "The gateway's status": "网关状态码", "Bytes": "字节数", "Secret that matched": "匹配的密钥", "number %d of the configuration": "配置中的第 %d 个",
	"The body is no text, so it is shown in hexadecimal.": "正文不是文本，以十六进制显示。", "Only the beginning is shown; the file holds all of it.": "只显示开头，下载文件可得全部。", "The body is empty, or was not kept because it changed nothing.": "正文为空，或因没有带来变化而未保留。",

	// Outbox
	"Sending is stopped since your shop answered 410: its address is gone. Events wait.": "商店答复 410（地址已停用），已停止发送，事件在等待。", "Resume it in its review": "请在审查中恢复发送",
	"No event is like that.": "没有符合条件的事件。", "An event to your shop is written whenever the standing of a payment changes.": "支付情况变化时会写下给商店的事件。", "Event": "事件", "Attempts": "尝试", "Written": "写入时间", "tried again": "再试：",
	"No address of your shop is configured, so events wait in the feed that it reads: GET /v1/events.": "没有配置商店地址，事件在商店读取的事件流中等候：GET /v1/events。",
	"Your shop never took one event; it was given up.":                                                 "有 1 个事件商店始终没有接收，已放弃。", "Your shop never took %s events; they were given up.": "有 %s 个事件商店始终没有接收，已放弃。",
	"One event waits for your shop to take it.": "有 1 个事件等待商店接收。", "%s events wait for your shop to take them.": "有 %s 个事件等待商店接收。", "Your shop has taken every event.": "商店已接收全部事件。",
	"Not sent yet.": "尚未发送。", "Each attempt appears here with the answer of your shop.": "每次发送及商店的答复会出现在这里。", "Body, as the shop gets it": "发给商店的正文", "Failure": "失败原因", "Took": "耗时",
	"Type": "类型", "Version": "版本", "Delivered": "送达时间", "Tried next": "下次尝试", "Last failure": "最近失败", "none": "无",

	// Gateways
	"No gateway is configured.": "没有配置网关。", "Add a [[gateway]] table to the configuration file and start nodrop again.": "请在配置文件中加入 [[gateway]] 并重新启动 nodrop。", "Health": "状况", "Last webhook": "最近通知", "Last answer": "最近答复", "Last refused": "最近拒绝",
	"Questions waiting": "待查询", "Clock": "时钟", "Address for its webhooks": "通知地址", "Set-up": "设置", "When it is asked": "何时查询", "This gateway cannot be asked.": "此网关不能查询。",
	"Its payments rest on webhooks and reports alone; a failure is held back for a while before it counts.":   "其支付只依靠通知和对账单；失败通知会先保留一段时间再生效。",
	"A payment registered now is asked about at these times, each with a little jitter, until it is settled:": "现在登记的支付会在以下时间查询（略有随机偏移），直到了结：",
	"Refused requests kept for inspection": "保留备查的被拒请求", "Every gateway that has been asked answers.": "所有查询过的网关都有答复。", "One gateway needs attention.": "有 1 个网关需要关注。", "%d gateways need attention.": "有 %d 个网关需要关注。",
	"1,000 or more": "1,000 或更多", "ours is %s behind": "我们慢 %s", "ours is %s ahead": "我们快 %s", "in step": "一致",
	"Paste it into the gateway's dashboard as the address for webhooks. The address must be reached from the Internet by HTTPS.": "请把它填入网关后台的通知地址。该地址须能从互联网以 HTTPS 访问。",
	"Then after 3, 6 and 12 hours more and once a day, until %s after its registration it is given up.":                          "之后再过 3、6、12 小时，然后每天一次，登记 %s 后放弃。",
	"Failures in a row": "连续失败", "Not asked before": "恢复查询时间", "May be asked at once": "可立即查询", "Preset": "预设", "Mode": "模式", "Query rate": "查询频率", "Given up after": "放弃时限",
	"It repeats a webhook for": "通知重发期限", "Event types to subscribe to": "应订阅的事件类型",

	// Audit
	"Who did what and why, newest first. Nothing here is ever changed or removed by a person.": "谁做了什么、为什么，最新在前。这里的记录任何人都不能修改或删除。", "Nobody has done anything yet.": "还没有人做过操作。",
	"Each decision, replay and closing of an order appears here with its reason.": "每个决定、重放和关单都会连同原因出现在这里。", "Who": "操作人", "Did": "操作", "To": "对象", "Reason and details": "原因与详情",
}
