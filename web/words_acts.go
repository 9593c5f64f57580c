package web

// The words around reviews and what people do; a part of families.
func init() {
	families["kind"] = map[string]said{
		"unproved_return": {"Refund to check", "待核退款"}, "approval_wanted": {"Approval wanted", "待批准"},
		"difference": {"Amount differs", "金额不符"}, "contradiction": {"Contradiction", "说法矛盾"}, "no_answer": {"No answer", "无答复"}, "reversed": {"Taken back", "款项被收回"}, "late": {"Late", "迟到"}, "excess": {"Too much taken back", "收回过多"},
		"money_without_success": {"Money without success", "无成功却有款项变动"}, "elsewhere_and_gateway": {"Paid twice", "两处支付"}, "unmapped": {"Unknown word", "未知词语"}, "refund_owed": {"Refund owed", "欠退款"}, "duplicate": {"Order paid twice", "订单重复支付"},
		"reference_conflict": {"References disagree", "参考号冲突"}, "money_without_order": {"Not registered", "未登记"}, "same_key_other_content": {"Same id, other content", "编号相同内容不同"}, "dead_inbox": {"Dead letter", "收件死信"}, "dead_outbox": {"Event given up", "事件已放弃"},
		"shop_gone": {"Shop gone", "商店拒收"}, "gateway_unaskable": {"Gateway silent", "网关无答复"}, "claim_overdue": {"Claim overdue", "认领超时"}, "unanswered": {"No answer", "无答复"}, "second_payment": {"Paid again", "再次支付"}, "unsound_database": {"Database unsound", "数据库异常"},
	}
	families["review"] = map[string]said{
		"unproved_return": {"A notice that proves nothing says that money went back", "一条不能作证的通知说款项已退回"}, "approval_wanted": {"A decision waits for another person’s approval", "一项决定等待另一人批准"},
		"difference": {"The amount or the currency is not the expected one", "金额或币种与预期不符"}, "contradiction": {"The gateway says both paid and not paid", "网关既说已付又说未付"}, "no_answer": {"The gateway never gave a final word", "网关始终没有最终答复"},
		"reversed": {"The money was taken back after a success", "成功之后款项被收回"}, "late": {"It was paid after it had been called over", "判定结束之后才付款"}, "excess": {"More was taken back than was received", "收回的多于收到的"},
		"money_without_success": {"Money was refunded or disputed, yet no success is known", "有退款或争议，却没有成功记录"}, "elsewhere_and_gateway": {"It was paid elsewhere and through the gateway", "别处已付，网关也收到"}, "unmapped": {"The gateway uses a word that its definition does not know", "网关用了其定义不认识的词"},
		"refund_owed": {"A refund was decided and has not been seen yet", "已决定退款，但还没有看到退款"}, "duplicate": {"Two payments of one order are paid", "同一订单有两笔支付成功"},
		"reference_conflict": {"A notice names two different payments", "一条通知指向两笔不同的支付"}, "money_without_order": {"Money came for a payment that nobody registered", "收到未登记支付的款项"}, "same_key_other_content": {"The same event came again with other content", "同一事件再次到来但内容不同"},
		"dead_inbox": {"A message of a gateway could not be worked on", "网关的一条消息无法处理"}, "dead_outbox": {"The shop never took an event", "商店始终没有接收一个事件"}, "shop_gone": {"The shop says that its address is gone (410)", "商店表示其地址已停用（410）"},
		"gateway_unaskable": {"A gateway has not answered for long", "网关长时间没有答复"}, "claim_overdue": {"Something was claimed and not finished in time", "认领的事项没有按时完成"}, "unsound_database": {"The nightly check found that the database breaks one of its own laws", "夜间检查发现数据库违反自身规则"}, "second_payment": {"The reference was paid a second time under another id of the gateway", "同一编号以网关的另一笔编号再次支付"}, "unanswered": {"The gateway has not answered about this payment for a day, though it answers about others", "网关一天来没有答复这笔付款，却答复了其他付款"},
	}
	families["advice"] = map[string]said{
		"unproved_return": {"Look into the gateway’s dashboard. Record what it shows there; if it shows nothing, set the notice aside.", "请查看网关后台。如实记录其显示；若没有，则搁置该通知。"}, "approval_wanted": {"Check what the decision rests on before you approve it. Whoever made it cannot approve it; if nobody else can, “nodrop user add” makes another user.", "批准前请核实该决定的依据。作出决定的人不能自己批准；若没有别人，可用“nodrop user add”添加用户。"},
		"difference": {"Compare with the gateway's dashboard. Accept what came, or refund it there and reject it here.", "请对照网关后台。接受收到的金额，或在网关退款后在此拒绝。"}, "contradiction": {"Look into the gateway's dashboard: what it shows there decides.", "请查看网关后台，以其显示为准。"},
		"no_answer": {"Look into the gateway's dashboard. If the money is there, mark it as succeeded; if not, as failed.", "请查看网关后台。款项在，就标为成功；不在，就标为失败。"}, "reversed": {"Stop the delivery if you still can. If the money comes back, say so here.", "如还来得及，请停止发货。款项若回来，请在此说明。"},
		"late": {"Fulfil the order after all, or refund the money in the gateway's dashboard and say so here.", "继续履行订单，或在网关后台退款后在此说明。"}, "excess": {"Compare the refunds with the gateway's dashboard, then close this question.", "请对照网关后台的退款，然后关闭此问题。"},
		"money_without_success": {"A success may have been missed. Look into the gateway's dashboard.", "可能漏掉了成功记录。请查看网关后台。"}, "elsewhere_and_gateway": {"Refund one of the two, or say that both are meant.", "退还其中一笔，或说明两笔都有效。"}, "unmapped": {"Look into the gateway's dashboard for what the word means, and add it to the definition.", "请在网关后台查明该词含义，并加入定义。"},
		"refund_owed": {"Make the refund in the gateway's dashboard. It closes by itself when the gateway reports it; proof from elsewhere can be given here.", "请在网关后台退款。网关报告后会自动关闭；也可在此提供其他证明。"}, "duplicate": {"Refund one of them in the gateway's dashboard, or keep both if both are meant.", "在网关后台退还其中一笔；若两笔都有效则保留。"},
		"reference_conflict": {"Say to which payment the notice belongs, or set it aside.", "请指明通知属于哪笔支付，或搁置。"}, "money_without_order": {"Find the order that it belongs to and link it, or set it aside if it is not yours.", "找到所属订单并关联；若不属于您则搁置。"}, "same_key_other_content": {"Compare the two messages below, then close this question.", "请比较两条消息，然后关闭此问题。"},
		"dead_inbox": {"Read why it failed, correct the cause, then replay it.", "看清失败原因，排除后重放。"}, "dead_outbox": {"Bring the shop back, then send the event again.", "恢复商店后重发事件。"}, "shop_gone": {"Bring the address back, or configure the new one; then resume.", "恢复地址或配置新地址，然后继续。"},
		"gateway_unaskable": {"Check the key, the network and the gateway's status page. It closes by itself when the gateway answers.", "请检查密钥、网络和网关状态页。网关答复后会自动关闭。"}, "claim_overdue": {"Find out whether it was done. Release it only if it was not.", "请查明是否已完成。只有未完成时才释放。"}, "unsound_database": {"Make a backup now, look into the log for the findings, and run nodrop check.", "请立即备份，查看日志中的发现，并运行 nodrop check。"}, "second_payment": {"Compare both ids in the gateway's dashboard and refund what came twice there.", "请在网关后台核对两笔编号，并在那里退回多收的款项。"}, "unanswered": {"Look the payment up in the gateway's dashboard and decide on its page. It closes by itself when the gateway answers.", "请在网关后台查看这笔付款，并在付款页面上决定。网关答复后会自动关闭。"},
	}
	families["act"] = map[string]said{
		"approve": {"Approve", "批准"}, "turn_down": {"Turn down", "否决"}, "propose": {"Asks for approval", "请求批准"}, "record_refund": {"Record the refund", "记录退款"}, "record_dispute": {"Record an open dispute", "记录未决争议"}, "record_loss": {"Record a lost dispute", "记录败诉争议"},
		"ask": {"Ask the gateway now", "立即查询网关"}, "mark_succeeded": {"Mark as succeeded", "标为成功"}, "accept": {"Accept what the gateway says", "接受网关的说法"}, "mark_failed": {"Mark as failed", "标为失败"}, "reject": {"Reject", "拒绝"},
		"money_back": {"The money is back", "款项已回来"}, "fulfil": {"Fulfil after all", "继续履行"}, "refund": {"Will be refunded", "将退款"}, "refund_proof": {"The refund was made", "退款已完成"}, "keep_both": {"Both are meant", "两笔都有效"},
		"ignore": {"Close without consequence", "关闭，不作处理"}, "note": {"Write a note", "写备注"}, "undo": {"Undo a decision", "撤销决定"}, "link": {"Link to a payment", "关联到支付"}, "replay": {"Replay", "重放"}, "resend": {"Send again now", "立即重发"}, "verify": {"Verify again", "重新验证"},
		"release": {"Release the claim", "释放认领"}, "resume": {"Resume sending", "恢复发送"}, "snooze": {"Snooze", "推迟"}, "reopen": {"Open again", "重新打开"}, "dismiss": {"Set aside", "搁置"},
		"order_closed": {"Closed the order", "关闭订单"}, "order_reopened": {"Reopened the order", "重新打开订单"},
	}
	families["follows"] = map[string]said{
		"approve": {"The decision takes effect now, as that of the person who made it.", "该决定以作出者的名义立即生效。"}, "turn_down": {"The decision is not carried out; the question that it answers stays open.", "该决定不执行；它所答复的问题保持未决。"}, "propose": {"The decision waits for another person.", "该决定等待另一人。"}, "record_refund": {"The amount counts as refunded, and the shop is told so.", "该金额计为已退款，并通知商店。"}, "record_dispute": {"The amount counts as disputed, and the shop is told so.", "该金额计为有争议，并通知商店。"}, "record_loss": {"The amount counts as taken back, and the shop is told so.", "该金额计为被收回，并通知商店。"},
		"ask": {"Nothing is decided; the answer counts like any other.", "不作决定；答复照常生效。"}, "mark_succeeded": {"The payment becomes succeeded, and the shop is told so.", "支付变为成功，并通知商店。"}, "accept": {"The payment becomes succeeded with the amount that came, and the shop is told so.", "支付按实收金额变为成功，并通知商店。"},
		"mark_failed": {"The payment becomes failed, and the shop is told so. A later success still counts.", "支付变为失败，并通知商店。之后的成功仍会生效。"}, "reject": {"What the gateway said so far does not count; the payment becomes failed.", "网关此前的说法不算数；支付变为失败。"}, "money_back": {"The payment counts as paid again, and the shop is told so.", "支付重新算作已付，并通知商店。"},
		"fulfil": {"The question is answered; the shop may fulfil the order.", "问题已答复；商店可以履行订单。"}, "refund": {"You refund it in the gateway's dashboard; a question stays open until the refund is seen.", "您在网关后台退款；看到退款前问题保持未决。"}, "refund_proof": {"The question is closed on your word.", "以您的说明关闭问题。"}, "keep_both": {"The question is closed; both payments stand.", "关闭问题；两笔支付都保留。"},
		"ignore": {"The question is closed; the payment stays as it is.", "关闭问题；支付保持原样。"}, "note": {"Nothing changes; the note appears in the timeline.", "不作改变；备注出现在经过中。"}, "undo": {"The decision counts as never made; the facts decide anew.", "该决定视同从未作出；由事实重新判定。"}, "link": {"The notice is applied to that payment.", "通知将应用于该支付。"},
		"replay": {"It is read again as if it had just come in. What was done already is not done twice.", "会像刚收到一样重新处理。已做过的不会再做。"}, "resend": {"The shop gets the same event under the same id.", "商店会收到编号相同的同一事件。"}, "verify": {"It is read with the present configuration as of its arrival; if it is right now, it is taken in.", "按当前配置并以其到达时间重新验证；若正确则接收。"}, "release": {"It can be claimed again, and so may happen a second time.", "可以被再次认领，因此可能再做一次。"}, "resume": {"Events are sent again.", "恢复发送事件。"},
		"snooze": {"The question stays open and comes back.", "问题保持未决，稍后再现。"}, "reopen": {"The question is open again.", "问题重新打开。"}, "dismiss": {"The question is closed; nothing else happens.", "关闭问题；不做其他事。"},
	}
	families["acted"] = map[string]said{
		"approve": {"The decision is approved and has taken effect.", "该决定已批准并生效。"}, "turn_down": {"The decision is turned down.", "该决定已否决。"}, "propose": {"The decision waits for approval.", "该决定等待批准。"}, "record_refund": {"The refund is recorded.", "已记录退款。"}, "record_dispute": {"The dispute is recorded.", "已记录争议。"}, "record_loss": {"The lost dispute is recorded.", "已记录败诉争议。"},
		"ask": {"The gateway is being asked; the answer appears in the timeline.", "正在查询网关；答复会出现在经过中。"}, "mark_succeeded": {"The payment is marked as succeeded.", "支付已标为成功。"}, "accept": {"What the gateway said is accepted.", "已接受网关的说法。"}, "mark_failed": {"The payment is marked as failed.", "支付已标为失败。"},
		"reject": {"What came is rejected.", "已拒绝。"}, "money_back": {"The money is noted as back.", "已记录款项回来。"}, "fulfil": {"The late success is to be fulfilled.", "将履行迟到的成功支付。"}, "refund": {"The refund is noted as owed.", "已记录欠退款。"}, "refund_proof": {"The refund is noted as made.", "已记录退款完成。"},
		"keep_both": {"Both payments stand.", "两笔支付都保留。"}, "ignore": {"The question is closed.", "问题已关闭。"}, "note": {"The note is written down.", "备注已写下。"}, "undo": {"The decision is undone.", "决定已撤销。"}, "link": {"The notice is linked to the payment.", "通知已关联到支付。"}, "replay": {"It is being worked on again.", "正在重新处理。"},
		"resend": {"The event is being sent again.", "正在重发事件。"}, "verify": {"It was verified again.", "已重新验证。"}, "release": {"The claim is released.", "认领已释放。"}, "resume": {"Events are sent again.", "已恢复发送事件。"}, "snooze": {"The question is put off.", "问题已推迟。"}, "reopen": {"The question is open again.", "问题已重新打开。"}, "dismiss": {"The question is set aside.", "问题已搁置。"},
	}
	families["answer"] = map[string]said{"overtaken": {"The payment changed before it was approved", "批准前支付已变化"}, "answered": {"The facts answered it", "事实已作答复"}, "answers again": {"The gateway answers again", "网关恢复答复"}, "": {"–", "–"}}
	for act, words := range families["act"] {
		families["answer"][act] = words
	}
	families["blocked"] = map[string]said{
		"own_decision": {"You made this decision; another person must approve it.", "这是您作出的决定；须由另一人批准。"},
		"not_allowed":  {"The present state of the payment does not allow it.", "支付的当前状态不允许。"}, "no_query": {"This gateway cannot be asked about this payment.", "无法就这笔支付查询此网关。"}, "follows_from_facts": {"It follows from the facts; undo the decision that answered it instead.", "它由事实得出；请改为撤销作答的决定。"},
		"not_confirmed": {"The gateway must confirm first: ask it.", "须先由网关确认：请查询网关。"}, "no_address": {"No address of the shop is configured; it reads the feed.", "没有配置商店地址；商店读取事件流。"},
	}
	families["basis"] = map[string]said{"gateway": {"The gateway has the money", "款项在网关"}, "elsewhere": {"It was paid elsewhere: cash or bank transfer", "款项从别处收到：现金或转账"}}
	families["because"] = map[string]said{
		"no_payment": {"Not safe: nothing is known of this order.", "不安全：对该订单一无所知。"}, "paid": {"Not safe: the order is paid.", "不安全：订单已付款。"}, "open_review": {"Not safe: a question is still open.", "不安全：还有未决问题。"}, "parked_notice": {"Not safe: a notice waits to be matched.", "不安全：有通知等待匹配。"},
		"unconfirmed": {"Not safe: a notice waits to be confirmed.", "不安全：有通知等待确认。"}, "attempt_open": {"Not safe: a payment may still succeed.", "不安全：仍有支付可能成功。"}, "attempt_unknown": {"Not safe: a payment is unknown.", "不安全：有支付情况未知。"}, "attempt_succeeded": {"Not safe: a payment succeeded and was undone.", "不安全：有支付成功后被撤回。"},
		"attempt_abandoned": {"Not safe: the customer never came, but the gateway has not said that it is over.", "不安全：顾客没有来支付，但网关没有说已结束。"}, "failed_by_person": {"Not safe: a person called it failed, not the gateway.", "不安全：是人工而非网关判定失败。"},
	}
}
