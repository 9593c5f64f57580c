package web

// The words for why something came in otherwise than hoped, and for people's mistakes; a part of families.
func init() {
	families["reason"] = map[string]said{
		"": {"–", "–"}, "bad_signature": {"Wrong signature", "签名错误"}, "no_signature": {"No signature", "没有签名"}, "stale_timestamp": {"Too old, or a clock is off", "过期或时钟不准"}, "no_secret": {"No secret is configured", "没有配置密钥"}, "wrong_mode": {"Test and live are mixed up", "测试与正式混淆"},
		"wrong_method": {"Wrong method", "方法错误"}, "not_ours": {"Another merchant account", "其他商户账号"}, "not_concerned": {"A type that is not our concern", "与我们无关的类型"}, "unmapped_word": {"A word that the definition does not know", "定义不认识的词"}, "other_payment": {"It is about another payment", "属于另一笔支付"},
		"body_unreadable": {"The body cannot be read", "正文无法读取"}, "items_unreadable": {"The list of items cannot be read", "条目列表无法读取"}, "unreadable": {"It cannot be read", "无法读取"}, "failed": {"It failed again and again", "反复失败"}, "retry": {"It failed and is tried again", "失败，将重试"},
		"certificate_pending": {"Its certificate is being fetched", "正在获取证书"}, "unknown_network": {"Unknown network", "未知网络"}, "bad_challenge": {"A challenge that cannot be answered", "无法应答的地址验证"}, "key_unknown": {"Signed with an unknown key", "签名密钥未知"},
		"mode_unreadable": {"The mode cannot be read", "模式无法读取"}, "type_unreadable": {"The type cannot be read", "类型无法读取"}, "status_unreadable": {"The status cannot be read", "状态无法读取"}, "status_missing": {"The status is missing", "缺少状态"},
		"reference_unreadable": {"The reference cannot be read", "参考号无法读取"}, "reference_missing": {"The reference is missing", "缺少参考号"}, "object_missing": {"The object is missing", "缺少对象"}, "amount_unreadable": {"The amount cannot be read", "金额无法读取"}, "amount_missing": {"The amount is missing", "缺少金额"},
		"guard_unreadable": {"A field that decides how to read it cannot be read", "决定读法的字段无法读取"}, "dedupe_unreadable": {"The event id cannot be read", "事件编号无法读取"}, "account_missing": {"The merchant account is missing", "缺少商户账号"},
		"unregistered": {"Nobody registered this payment", "支付尚未登记"}, "reference_conflict": {"The ids that it names do not belong together", "其中的编号彼此不符"}, "dismissed": {"A person set it aside", "已被人工搁置"}, "not_yet": {"The gateway may not show it yet", "网关可能尚未显示"}, "reviewed": {"Nobody registered it; a person is asked", "未登记；已转人工"},
	}
	families["likely"] = map[string]said{
		"bad_signature":       {"The signature does not fit. Most often the secret is another one than the gateway's, test and live are mixed up, or a proxy changed the body on its way.", "签名不符。最常见的原因：密钥与网关的不同、测试与正式混淆，或代理改动了正文。"},
		"no_signature":        {"There is no signature. Either it does not come from the gateway, or a proxy removed the header.", "没有签名。要么不是网关发来的，要么代理去掉了请求头。"},
		"stale_timestamp":     {"The time at which it was signed is too far from ours. Either it was held up or sent again by somebody, or a clock is off.", "签名时间与我们的时间相差太大。要么被延误或被人重发，要么时钟不准。"},
		"no_secret":           {"No secret is configured, so nothing can be verified. Add webhook_secrets to the configuration.", "没有配置密钥，无法验证。请在配置中加入 webhook_secrets。"},
		"wrong_mode":          {"It belongs to the other mode: test against live. Compare the mode in the configuration with the gateway's dashboard.", "属于另一种模式（测试或正式）。请核对配置与网关后台的模式。"},
		"certificate_pending": {"The certificate that it is signed with is being fetched. It is verified again by itself as soon as the certificate is here.", "正在获取其签名所用的证书。证书到达后会自动重新验证。"},
		"unknown_network":     {"It comes from an address outside the networks that the gateway is known to send from. Either the gateway has moved, trusted_proxies is not set, or somebody else sent it.", "来源地址不在该网关已知的网段内。可能是网关换了地址、没有设置 trusted_proxies，或由他人发送。"},
		"bad_challenge":       {"It asks to prove that the address is ours, but is not written as the gateway writes it, or the key for the answer is missing.", "它要求验证地址归属，但格式与网关的不同，或缺少应答所需的密钥。"},
		"key_unknown":         {"It names a key that is not configured. Most often the gateway has changed its key: add the new one to public_keys or webhook_secrets.", "它指明的密钥没有配置。最常见的原因是网关更换了密钥：请把新密钥加入 public_keys 或 webhook_secrets。"},
		"wrong_method":        {"The gateway does not send with this method. It is a redirect on the way, or a browser.", "网关不使用此方法。可能是途中被重定向，或来自浏览器。"},
		"not_ours":            {"It is about another merchant account; it is kept and not applied.", "属于其他商户账号；已保留，不生效。"},
		"not_concerned":       {"It is of a type that is not our concern; it is kept and not applied.", "属于与我们无关的类型；已保留，不生效。"},
	}
	families["diagnosis"] = map[string]said{ // by how the diagnosis begins
		"the body was changed on its way":  {"Something between the gateway and nodrop changes the body: a proxy, a firewall or a content filter. Have it pass the bytes on as they are.", "网关与 nodrop 之间有设备改动了正文：代理、防火墙或内容过滤。请让其原样转发字节。"},
		"it was sent to another address":   {"The address is part of what is signed, and the gateway knows nodrop by another one than public_url says.", "签名包含通知地址，而网关登记的地址与 public_url 不同。"},
		"it says that it is a live notice": {"It is a live notice, and this gateway is configured for test. Test and live have secrets of their own.", "这是正式环境的通知，而此网关配置为测试。两种模式的密钥不同。"},
		"it says that it is a test notice": {"It is a test notice, and this gateway is configured for live. Test and live have secrets of their own.", "这是测试环境的通知，而此网关配置为正式。两种模式的密钥不同。"},
		"it is signed with secret":         {"Its secret is configured, but was not valid when it came in. Compare not_before and until with the gateway's dashboard.", "其密钥已配置，但在收到时不在有效期内。请对照网关后台核对 not_before 和 until。"},
	}
	families["fault"] = map[string]said{
		"stale": {"This has changed since you looked", "您查看之后内容已变化"}, "unknown_payment": {"There is no such payment", "没有这笔支付"}, "unknown_review": {"There is no such review", "没有这项审查"}, "not_waiting": {"It is not waiting any more", "它已不在等待"}, "unknown_gateway": {"There is no such gateway", "没有这个网关"}, "unknown_request": {"There is no such request", "没有这个请求"}, "taken_in": {"It was taken in already", "它已被接收"},
	}
	families["error"] = map[string]said{
		"overtaken":    {"The payment has changed since this decision was made. Turn it down, and decide anew.", "作出此决定后支付已有变化。请否决并重新决定。"},
		"own_decision": {"You made this decision; another person must approve it.", "这是您作出的决定；须由另一人批准。"}, "approval_waits": {"Another decision about this payment waits for approval. Approve it or turn it down first.", "此支付已有一项决定等待批准。请先批准或否决它。"},
		"throttled": {"There were too many tries. Wait a little, then try again.", "尝试次数过多。请稍等再试。"}, "sign_in_wrong": {"The name or the password is wrong.", "用户名或密码错误。"}, "password_short": {"The password needs at least twelve characters.", "密码至少需要十二个字符。"},
		"password_long": {"The password is too long.", "密码过长。"}, "password_is_name": {"The password is the name; choose another.", "密码与用户名相同，请换一个。"}, "password_changed": {"The password was changed meanwhile. Sign in again.", "密码已被修改，请重新登录。"},
		"reason_required": {"Write in a few words what it rests on.", "请用几句话写明依据。"}, "reason_missing": {"Write in a few words what it rests on.", "请用几句话写明依据。"}, "reason_too_long": {"The reason is too long; shorten it.", "原因过长，请缩短。"},
		"bad_amount": {"This is no amount. Write it like 1250.50.", "这不是金额。请写成 1250.50 的形式。"}, "amount_missing": {"Type the amount.", "请输入金额。"}, "amount_differs": {"This is not the amount. Type it exactly as shown above the field.", "金额不对。请按输入框上方所示准确输入。"}, "currency_differs": {"The currency is another one.", "币种不符。"},
		"basis_missing": {"Say what it is based on.", "请说明依据。"}, "bad_until": {"Choose a time within the next 31 days.", "请选择 31 天内的时间。"}, "nothing_to_undo": {"There is no such decision to undo.", "没有可撤销的决定。"}, "not_allowed": {"The present state of the payment does not allow it.", "支付的当前状态不允许。"},
		"no_query": {"This gateway cannot be asked about this payment.", "无法就这笔支付查询此网关。"}, "gateway_gone": {"This gateway is no longer configured. Add it to the configuration again.", "此网关已不在配置中。请重新加入配置。"}, "other_gateway": {"That payment belongs to another gateway. Choose one of the gateway that the notice came from.", "那笔支付属于其他网关。请选择通知来源网关的支付。"},
		"other_payment": {"That payment has nothing to do with this question.", "那笔支付与此问题无关。"}, "no_address": {"It cannot be sent: no address of the shop is configured.", "无法发送：没有配置商店地址。"}, "not_waiting": {"It is neither dead nor parked any more; somebody or a repetition was faster.", "它已不是死信也未暂存；可能已被他人或重复通知处理。"},
		"unknown_gateway": {"No gateway of this name is configured. Choose one under Gateways.", "没有配置此名称的网关。请在“网关”中选择。"}, "unknown_request": {"This refused request is no longer kept.", "这个被拒请求已不再保留。"}, "taken_in": {"It was verified again and taken in before; nothing was done.", "它此前已重新验证并被接收，没有执行任何操作。"},
		"unknown_payment": {"There is no payment with this id. Search for it by anything that the customer has.", "没有此编号的支付。请用顾客手上的任何线索查找。"}, "unknown_review": {"There is no question with this number.", "没有此编号的问题。"}, "unreadable": {"The notice cannot be read. Correct the gateway's definition and replay it.", "通知无法读取。请修正网关定义后重放。"},
	}
}
