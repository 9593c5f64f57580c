package web

// The words for why something came in otherwise than hoped, and for people's mistakes; a part of families.
func init() {
	families["reason"] = map[string]said{
		"": {"–", "–"}, "bad_signature": {"Wrong signature", "签名错误"}, "no_signature": {"No signature", "没有签名"}, "stale_timestamp": {"Too old, or a clock is off", "过期或时钟不准"}, "no_secret": {"No secret is configured", "没有配置密钥"}, "wrong_mode": {"Test and live are mixed up", "测试与正式混淆"},
		"wrong_method": {"Wrong method", "方法错误"}, "not_ours": {"Another merchant account", "其他商户账号"}, "not_concerned": {"A type that is not our concern", "与我们无关的类型"}, "unmapped_word": {"A word that the definition does not know", "定义不认识的词"}, "other_payment": {"It is about another payment", "属于另一笔支付"},
		"body_unreadable": {"The body cannot be read", "正文无法读取"}, "items_unreadable": {"The list of items cannot be read", "条目列表无法读取"}, "unreadable": {"It cannot be read", "无法读取"}, "failed": {"It failed again and again", "反复失败"}, "retry": {"It failed and is tried again", "失败，将重试"},
		"mode_unreadable": {"The mode cannot be read", "模式无法读取"}, "type_unreadable": {"The type cannot be read", "类型无法读取"}, "status_unreadable": {"The status cannot be read", "状态无法读取"}, "status_missing": {"The status is missing", "缺少状态"},
		"reference_unreadable": {"The reference cannot be read", "参考号无法读取"}, "reference_missing": {"The reference is missing", "缺少参考号"}, "object_missing": {"The object is missing", "缺少对象"}, "amount_unreadable": {"The amount cannot be read", "金额无法读取"}, "amount_missing": {"The amount is missing", "缺少金额"},
		"guard_unreadable": {"A field that decides how to read it cannot be read", "决定读法的字段无法读取"}, "dedupe_unreadable": {"The event id cannot be read", "事件编号无法读取"}, "account_missing": {"The merchant account is missing", "缺少商户账号"},
		"unregistered": {"Nobody registered this payment", "支付尚未登记"}, "reference_conflict": {"It names two different payments", "指向两笔不同的支付"}, "dismissed": {"A person set it aside", "已被人工搁置"}, "not_yet": {"The gateway may not show it yet", "网关可能尚未显示"}, "reviewed": {"Nobody registered it; a person is asked", "未登记；已转人工"},
	}
	families["likely"] = map[string]said{
		"bad_signature":   {"The signature does not fit. Most often the secret is another one than the gateway's, test and live are mixed up, or a proxy changed the body on its way.", "签名不符。最常见的原因：密钥与网关的不同、测试与正式混淆，或代理改动了正文。"},
		"no_signature":    {"There is no signature. Either it does not come from the gateway, or a proxy removed the header.", "没有签名。要么不是网关发来的，要么代理去掉了请求头。"},
		"stale_timestamp": {"The time at which it was signed is too far from ours. Either it was held up or sent again by somebody, or a clock is off.", "签名时间与我们的时间相差太大。要么被延误或被人重发，要么时钟不准。"},
		"no_secret":       {"No secret is configured, so nothing can be verified. Add webhook_secrets to the configuration.", "没有配置密钥，无法验证。请在配置中加入 webhook_secrets。"},
		"wrong_mode":      {"It belongs to the other mode: test against live. Compare the mode in the configuration with the gateway's dashboard.", "属于另一种模式（测试或正式）。请核对配置与网关后台的模式。"},
		"not_ours":        {"It is about another merchant account; it is kept and not applied.", "属于其他商户账号；已保留，不生效。"},
		"not_concerned":   {"It is of a type that is not our concern; it is kept and not applied.", "属于与我们无关的类型；已保留，不生效。"},
	}
	families["fault"] = map[string]said{
		"stale": {"This has changed since you looked", "您查看之后内容已变化"}, "unknown_payment": {"There is no such payment", "没有这笔支付"}, "unknown_review": {"There is no such review", "没有这项审查"}, "not_waiting": {"It is not waiting any more", "它已不在等待"},
	}
	families["error"] = map[string]said{
		"throttled": {"There were too many tries. Wait a little, then try again.", "尝试次数过多。请稍等再试。"}, "sign_in_wrong": {"The name or the password is wrong.", "用户名或密码错误。"}, "password_short": {"The password needs at least twelve characters.", "密码至少需要十二个字符。"},
		"password_long": {"The password is too long.", "密码过长。"}, "password_is_name": {"The password is the name; choose another.", "密码与用户名相同，请换一个。"}, "password_changed": {"The password was changed meanwhile. Sign in again.", "密码已被修改，请重新登录。"},
		"reason_required": {"Write in a few words what it rests on.", "请用几句话写明依据。"}, "reason_missing": {"Write in a few words what it rests on.", "请用几句话写明依据。"}, "reason_too_long": {"The reason is too long; shorten it.", "原因过长，请缩短。"},
		"bad_amount": {"This is no amount. Write it like 1250.50.", "这不是金额。请写成 1250.50 的形式。"}, "amount_missing": {"Type the amount.", "请输入金额。"}, "amount_differs": {"This is not the amount. Type it exactly as shown above the field.", "金额不对。请按输入框上方所示准确输入。"}, "currency_differs": {"The currency is another one.", "币种不符。"},
		"basis_missing": {"Say what it is based on.", "请说明依据。"}, "bad_until": {"Choose a time within the next 31 days.", "请选择 31 天内的时间。"}, "nothing_to_undo": {"There is no such decision to undo.", "没有可撤销的决定。"}, "not_allowed": {"The present state of the payment does not allow it.", "支付的当前状态不允许。"},
		"no_query": {"This gateway cannot be asked about this payment.", "无法就这笔支付查询此网关。"}, "gateway_gone": {"This gateway is no longer configured. Add it to the configuration again.", "此网关已不在配置中。请重新加入配置。"}, "other_gateway": {"That payment belongs to another gateway. Choose one of the gateway that the notice came from.", "那笔支付属于其他网关。请选择通知来源网关的支付。"},
		"other_payment": {"That payment has nothing to do with this question.", "那笔支付与此问题无关。"}, "no_address": {"It cannot be sent: no address of the shop is configured.", "无法发送：没有配置商店地址。"}, "not_waiting": {"It is neither dead nor parked any more; somebody or a repetition was faster.", "它已不是死信也未暂存；可能已被他人或重复通知处理。"},
		"unknown_payment": {"There is no payment with this id. Search for it by anything that the customer has.", "没有此编号的支付。请用顾客手上的任何线索查找。"}, "unknown_review": {"There is no question with this number.", "没有此编号的问题。"}, "unreadable": {"The notice cannot be read. Correct the gateway's definition and replay it.", "通知无法读取。请修正网关定义后重放。"},
	}
}
