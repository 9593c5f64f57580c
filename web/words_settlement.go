package web

import "maps"

// The words around settlement reports; a part of families.
func init() {
	for family, words := range map[string]map[string]said{
		"kind": {"settlement": {"Report differs", "对账差异"}, "accept_report": {"Only the report knows", "仅对账单有记录"}},
		"review": {
			"settlement": {"A day differs from the gateway’s report", "有一天与网关对账单不符"}, "accept_report": {"The report says paid, and the gateway cannot be asked", "对账单说已付款，而网关无法查询"},
		},
		"advice": {
			"settlement":    {"Open the day, look at each difference beside our books, and decide. It closes by itself when nothing is open.", "请打开该日，逐项对照差异与账簿后决定。全部处理后会自动关闭。"},
			"accept_report": {"Compare the report with the gateway's dashboard. If the money is there, take the report's word; otherwise set it aside.", "请将对账单与网关后台核对。款项属实就采信对账单，否则搁置。"},
		},
		"act": {
			"accept_report": {"Take the report's word", "采信对账单"}, "undo_import": {"Undo the import", "撤销导入"}, "save_format": {"Saved how a report is read", "保存了对账单读法"},
		},
		"answer": {"accept_report": {"Take the report's word", "采信对账单"}, "import undone": {"The import was undone", "导入已撤销"}},
		"follows": {
			"accept_report": {"The payment becomes succeeded with the report's amount, and the shop is told so.", "支付按对账单金额变为成功，并通知商店。"},
			"undo_import":   {"Its lines and what was found on them are taken back. What the gateway was asked stays asked.", "收回其各行及由此发现的差异。已向网关提出的查询照旧。"},
		},
		"acted": {"accept_report": {"The report's word is taken.", "已采信对账单。"}},
	} {
		maps.Copy(families[family], words)
	}
	maps.Copy(families, map[string]map[string]said{
		"day":        {"clean": {"Clean", "一致"}, "open": {"Open", "有差异"}, "missing": {"No report", "缺对账单"}, "expected": {"Expected", "待对账"}, "none": {"Nothing", "无"}},
		"weekday":    {"0": {"Sun", "周日"}, "1": {"Mon", "周一"}, "2": {"Tue", "周二"}, "3": {"Wed", "周三"}, "4": {"Thu", "周四"}, "5": {"Fri", "周五"}, "6": {"Sat", "周六"}},
		"import":     {"waiting": {"Waits", "等待中"}, "reading": {"Being read", "读取中"}, "acting": {"Being settled", "处理中"}, "done": {"Done", "完成"}, "failed": {"Failed", "失败"}, "undoing": {"Being undone", "撤销中"}, "undone": {"Undone", "已撤销"}},
		"brought":    {"upload": {"by upload", "上传"}, "command": {"by command", "命令"}, "folder": {"from the folder", "来自文件夹"}, "gateway": {"from the gateway", "来自网关"}},
		"difference": {"asking": {"The gateway is asked", "正在查询网关"}, "expected": {"Expected", "待对账"}, "open": {"Open", "未决"}, "decided": {"Decided", "已决定"}, "cleared": {"Cleared by itself", "已自行消除"}},
		"line": {
			"payment": {"Payment", "支付"}, "refund": {"Refund", "退款"}, "chargeback": {"Chargeback", "拒付"}, "chargeback_reversed": {"Chargeback won", "拒付撤回"}, "fee": {"Fee", "手续费"},
			"payout": {"Payout", "结算打款"}, "reserve": {"Reserve", "准备金"}, "adjustment": {"Adjustment", "调整"}, "balance": {"Balance", "余额"},
		},
		"total": {"count": {"Number of lines", "行数"}, "gross": {"Gross", "总额"}, "fee": {"Fees", "手续费"}, "net": {"Net", "净额"}, "credit": {"Money in", "收入"}, "debit": {"Money out", "支出"}},
		"import_says": {
			"waiting": {"Another report of this gateway is being imported; this one comes next.", "此网关的另一份对账单正在导入，之后轮到这份。"}, "reading": {"Nothing of it counts before it is read whole.", "全部读完之前不会生效。"},
			"acting": {"It is read whole; what follows from it is being written.", "已全部读完，正在写入结果。"}, "done": {"What differs stands on the pages of its days.", "差异列在各日的页面上。"},
			"failed": {"Nothing of it is stored.", "没有保存任何内容。"}, "undoing": {"Its lines are being taken back.", "正在收回其各行。"}, "undone": {"Nothing of it counts any more.", "其内容已全部失效。"},
		},
	})
	findingWords()
	settleWords()
	mappingWords()
}

func findingWords() {
	families["finding"] = map[string]said{
		"matched": {"Matched", "一致"}, "amount": {"Other amount", "金额不符"}, "currency": {"Other currency", "币种不符"}, "fee": {"Fee differs", "手续费不符"}, "status_behind": {"Paid there, not yet here", "对方已收，我方未知"},
		"status_ahead": {"Paid here, not there", "我方已收，对方未收"}, "missing_locally": {"Unknown here", "我方无此支付"}, "missing_at_gateway": {"Missing in the report", "对账单缺少"}, "expected": {"Still expected", "待对账"},
		"duplicate_line": {"Repeated line", "重复行"}, "refund": {"Refund differs", "退款不符"}, "dispute": {"Dispute differs", "争议不符"}, "settled_twice": {"Settled twice", "重复结算"}, "other_money": {"Other money", "其他款项"},
		"unparseable": {"Line cannot be read", "行无法读取"}, "totals": {"Totals differ", "合计不符"},
	}
	families["found"] = map[string]said{
		"matched": {"The line and our payment say the same.", "对账单与账簿一致。"}, "amount": {"The report has another amount than we received.", "对账单金额与我方收到的不同。"}, "currency": {"The report has another currency than we have.", "对账单币种与我方不同。"},
		"fee":             {"The line does not add up, or the fee came twice.", "该行金额不平，或手续费出现两次。"},
		"status_behind":   {"The report says paid; here the payment is not. The gateway is asked first.", "对账单显示已付款，我方未成功。先查询网关。"},
		"status_ahead":    {"Here the payment succeeded; the report says otherwise.", "我方已成功，对账单却不是。"},
		"missing_locally": {"The report has money for a payment that nobody registered.", "对账单有款项，但支付未登记。"}, "missing_at_gateway": {"The payment succeeded here, and its time in a report is over.", "我方已成功，但应出现的对账单中没有。"},
		"expected":       {"The payment succeeded here; its line may still come.", "我方已成功，对账行可能还会到。"},
		"duplicate_line": {"The same id stands twice in the file; it is counted once.", "同一编号在文件中出现两次，只计一次。"}, "refund": {"The report has a refund that we do not know, or with another amount.", "对账单有我方未知或金额不同的退款。"},
		"dispute": {"The report has a dispute that we do not know, or with another amount.", "对账单有我方未知或金额不同的争议。"}, "settled_twice": {"Another line has settled this payment already.", "此支付已由另一行结算。"},
		"other_money": {"Payouts, fees and reserves; no payment of a customer.", "打款、手续费与准备金，并非顾客支付。"}, "unparseable": {"The line cannot be used; the others count.", "该行无法使用，其余照常生效。"}, "totals": {"The file states another total or number of lines than it holds.", "文件所载合计或行数与其内容不符。"},
	}
}

func settleWords() {
	families["settle"] = map[string]said{
		"accept": {"Accept as it is", "接受现状"}, "ask": {"Ask the gateway now", "立即查询网关"}, "ignore": {"Close without consequence", "关闭，不作处理"}, "reopen": {"Open again", "重新打开"}, "note": {"Write a note", "写备注"},
		"link": {"Link to a payment", "关联到支付"}, "accept_report": {"Take the report's word", "采信对账单"},
	}
	families["settle_follows"] = map[string]said{
		"accept": {"It is so and right, and is closed with your reason. The payment stays as it is.", "情况属实，附原因关闭。支付保持原样。"}, "ask": {"Nothing is decided; the answer counts like any other.", "不作决定；答复照常生效。"},
		"ignore": {"It is closed; nothing else happens.", "关闭，不做其他事。"}, "reopen": {"It is open again and waits for a person.", "重新打开，等待人工处理。"}, "note": {"Nothing changes; the note appears in the audit.", "不作改变；备注出现在审计中。"},
		"link":          {"What the line says is applied to that payment, as if the gateway had sent it; the gateway is asked.", "该行的内容按网关来信处理到那笔支付，并查询网关。"},
		"accept_report": {"The payment becomes succeeded with the report's amount, and the shop is told so.", "支付按对账单金额变为成功，并通知商店。"},
	}
}

// mappingWords are those of the form in which the columns of a report are assigned.
func mappingWords() {
	families["column"] = map[string]said{
		"line_id": {"id of the line", "行编号"}, "type": {"kind of the line", "行类别"}, "gateway_ref": {"the gateway's id of the payment", "网关支付编号"}, "merchant_ref": {"our reference", "商户参考号"}, "parent_ref": {"the payment that a refund is about", "退款所属支付"},
		"gross": {"amount before the fee", "手续费前金额"}, "fee": {"fee", "手续费"}, "tax": {"tax on the fee", "手续费税额"}, "net": {"amount after the fee", "手续费后金额"}, "credit": {"money in", "收入"}, "debit": {"money out", "支出"}, "direction": {"in or out", "收支方向"},
		"currency": {"currency", "币种"}, "occurred": {"time of the payment", "支付时间"}, "zone": {"its time zone", "时区"}, "settled": {"time of the settlement", "结算时间"}, "batch": {"payout or batch", "结算批次"}, "status": {"status", "状态"},
	}
	families["amount"] = map[string]said{"decimal": {"with decimals: 1250.50", "带小数：1250.50"}, "minor": {"in the smallest unit: 125050", "最小单位：125050"}, "hundredths": {"in hundredths, whatever the currency", "一律为百分之一单位"}}
	families["mark"] = map[string]said{"": {"whatever the file shows clearly", "以文件明确显示为准"}, ".": {"a point: 1,250.50", "点：1,250.50"}, ",": {"a comma: 1.250,50", "逗号：1.250,50"}}
	families["sign"] = map[string]said{"signed": {"a minus sign", "负号"}, "debit_credit": {"two columns, in and out", "收入、支出两列"}, "direction": {"a column that says in or out", "收支方向列"}, "type": {"the kind of the line", "行类别"}}
	families["charset"] = map[string]said{"": {"as the file shows", "以文件为准"}, "utf-8": {"UTF-8", "UTF-8"}, "gbk": {"GBK (Chinese)", "GBK（中文）"}, "windows-1252": {"Windows-1252 (Western)", "Windows-1252（西文）"}, "utf-16": {"UTF-16", "UTF-16"}}
	families["times"] = map[string]said{"auto": {"with a zone, as in 2026-11-30T15:04:05+08:00", "带时区，如 2026-11-30T15:04:05+08:00"}, "unix": {"seconds since 1970", "1970 年起的秒数"}, "unix_ms": {"milliseconds since 1970", "1970 年起的毫秒数"}}
	maps.Copy(families["error"], map[string]said{
		"import_busy": {"Another report of this gateway is being imported. Wait until it is done.", "此网关的另一份对账单正在导入，请等待完成。"}, "import_taken": {"Another run has taken this import up.", "此导入已由另一进程接手。"},
		"not_done": {"Only an import that is done can be undone.", "只有已完成的导入才能撤销。"}, "import_kept": {"A person has decided differences of this import, or a later import brought its lines again. Undo or reopen that first.", "已有人对此导入的差异作出决定，或之后的导入包含同样的行。请先撤销或重新打开它们。"},
		"unknown_import": {"There is no such import.", "没有这次导入。"}, "no_differences": {"Tick at least one difference.", "请至少勾选一项差异。"}, "too_many": {"Too many are decided at once. Narrow your choice.", "一次决定的项目过多，请缩小范围。"},
		"ambiguous": {"Several payments have this reference. Name one by its id.", "多笔支付使用此参考号，请用编号指明。"}, "other_currency": {"The report has another currency than the payment.", "对账单币种与支付不同。"},
		"upload_gone": {"This upload is no longer kept. Upload the file again.", "此上传已不再保留，请重新上传。"},
	})
	maps.Copy(families["fault"], map[string]said{"unknown_import": {"There is no such import", "没有这次导入"}, "upload_gone": {"The upload is gone", "上传已不在"}})
}

// The sentences about settlement; a part of chinese.
func init() {
	maps.Copy(chinese, map[string]string{
		// The month
		"Settlement": "对账", "Month": "月份", "January 2006": "2006年1月", "2 Jan 2006": "2006年1月2日", "Day": "日", "Days": "日期",
		"One day differs from its reports, %[2]s at stake.": "有 1 天与对账单不符，涉及 %[2]s。", "%[1]d days differ from their reports, %[2]s at stake.": "有 %[1]d 天与对账单不符，涉及 %[2]s。",
		"One day differs from its reports.": "有 1 天与对账单不符。", "%d days differ from their reports.": "有 %d 天与对账单不符。", "One day lacks its report.": "有 1 天缺少对账单。", "%d days lack their report.": "有 %d 天缺少对账单。",
		"Nothing differs; some payments are still expected in a report.": "没有差异；部分支付仍待对账。", "Every day with a report agrees with it.": "有对账单的日子全部一致。", "No report speaks of this month.": "本月没有对账单。",
		"No payment and no report in this month.": "本月没有支付，也没有对账单。", "A day appears as soon as a payment succeeds on it or a report speaks of it.": "某日有支付成功或出现在对账单中时，会显示在这里。",
		"1 difference": "1 项差异", "%s differences": "%s 项差异", "1 payment": "1 笔支付", "%s payments": "%s 笔支付", "%s expected": "%s 笔待对账", "1 line": "1 行", "%s lines": "%s 行",

		// Imports
		"Imports": "导入记录", "No report has been imported yet.": "还没有导入过对账单。", "Upload one here, run “nodrop import”, or name a folder with reports = … in the configuration.": "请在此上传、运行“nodrop import”，或在配置中用 reports = … 指定文件夹。",
		"Import a report": "导入对账单", "You may look but not import.": "您可以查看，但不能导入。", "File: CSV, TSV or XLSX, or one of them in a ZIP": "文件：CSV、TSV 或 XLSX，或 ZIP 内的其中之一", "Read it": "读取",
		"You see what it would change before anything is stored. Up to %s.": "保存之前会先显示结果。最大 %s。", "File": "文件", "Lines": "行数", "Matched": "一致", "Differ": "差异", "Imported": "导入", "Finding": "结论", "Count": "数量", "Sum": "金额",
		"How much of the file is read": "文件读取进度", "Result": "结果", "Nothing has been found yet.": "还没有结果。", "The file": "文件", "What the file states of itself": "文件自载的合计", "Total": "合计", "Stated": "所载", "Counted": "实算",
		"Lines that cannot be used": "无法使用的行", "%s is being imported": "正在导入 %s", "%s was not imported": "%s 未导入", "The import of %s was undone": "%s 的导入已撤销", "Read as": "读作", "Lines that can be used": "可用行", "Lines that cannot": "不可用行",
		"Came in an earlier file": "此前文件已有", "Imported by": "导入者", "Begun": "开始", "Line %s": "第 %s 行", "One more is not shown.": "另有 1 行未显示。", "%s more are not shown.": "另有 %s 行未显示。", "The import is undone.": "导入已撤销。",
		"One difference": "1 项差异", "One difference, %[2]s": "1 项差异，%[2]s", "%[1]s differences, %[2]s": "%[1]s 项差异，%[2]s", "The one line matches.": "唯一一行一致。", "All %s lines match.": "全部 %s 行一致。",
		"Nothing differs in the one line.": "唯一一行没有差异。", "Nothing differs in %s lines.": "%s 行没有差异。",

		// Upload and columns
		"Choose a file.": "请选择文件。", "The file is larger than %s. Import it with “nodrop import” on the server.": "文件超过 %s。请在服务器上用“nodrop import”导入。",
		"This upload is no longer kept: it was imported, or is older than a day. Upload the file again.": "此上传已不再保留：已导入，或已超过一天。请重新上传。", "This file was imported before; nothing was done.": "此文件之前已导入，没有执行任何操作。",
		"This file cannot be imported as it is": "此文件无法直接导入", "Say what the columns hold": "请指明各列的内容", "read as %s": "读作 %s", "Choose another file": "另选文件", "Assign the columns anew": "重新指定各列", "First rows of the file": "文件前几行",
		"What would be found": "将会发现", "Nothing is stored yet": "尚未保存任何内容", "Import it": "导入",
		"Where the gateway has money that we have not, it is asked first; a line alone changes no payment. The import can be undone until something is decided on it.": "对方有而我方没有的款项会先查询网关；单凭一行不会改变任何支付。在作出决定之前可以撤销导入。",
		"What the columns hold": "各列的内容", "It is kept under a name, and the next report with these headings is read the same way.": "以名称保存，之后表头相同的对账单按同样方式读取。", "Row of the headings": "表头所在行", "Show its columns": "显示其各列",
		"Amounts are written": "金额写法", "Before the decimals stands": "小数点为", "Money that goes out is told by": "支出的表示方式", "Times are written": "时间写法", "Characters": "字符编码", "Time zone of the report": "对账单的时区", "Currency, where no column says it": "币种（没有币种列时）",
		"Words of the column of kinds, one a line": "类别列的用词，每行一个", "Behind the sign stands one of payment, refund, chargeback, chargeback_reversed, fee, payout, reserve, adjustment, balance.": "等号后填写其中之一：payment、refund、chargeback、chargeback_reversed、fee、payout、reserve、adjustment、balance。",
		"Name of this kind of report": "这种对账单的名称", "Save and read it": "保存并读取", "nothing that is needed": "不需要", "Write each word of the column of kinds as in “Sale = payment”.": "类别列的用词请写成“Sale = payment”的形式。", "The columns are saved as %s.": "各列已保存为 %s。",

		// The day
		"%s, %s": "%s，%s", "%s, %s: %s lines of reports, %s of our payments succeeded": "%s，%s：对账单 %s 行，我方成功支付 %s 笔", "Differences as CSV": "差异 CSV", "Lines as CSV": "明细 CSV", "as XLSX": "XLSX 格式", "Export": "导出",
		"One payment succeeded, and no report speaks of this day.": "有 1 笔支付成功，但没有当日的对账单。", "%s payments succeeded, and no report speaks of this day.": "有 %s 笔支付成功，但没有当日的对账单。",
		"One payment succeeded; the report is still expected.": "有 1 笔支付成功，等待对账单。", "%s payments succeeded; the report is still expected.": "有 %s 笔支付成功，等待对账单。",
		"One payment is still expected in a report.": "有 1 笔支付仍待对账。", "%s payments are still expected in a report.": "有 %s 笔支付仍待对账。", "A report speaks of this day, and has no line.": "对账单包含此日，但没有明细。", "Nothing happened on this day.": "这一天没有发生任何事。",
		"Lines: %s": "明细：%s", "No line is like that.": "没有这样的明细。", "Differences": "差异", "Differences: %s": "差异：%s", "No difference is like that.": "没有这样的差异。", "Nothing differs.": "没有差异。",
		"What a report and our books say differently about this day appears here, with what can be done about it.": "对账单与账簿对此日的不同说法会列在这里，并附可采取的操作。", "Decide on all %s": "对全部 %s 项作决定", "%s, line %s": "%s，第 %s 行", "It may be about %s": "可能属于 %s", "%[1]s by %[2]s": "%[1]s（由 %[2]s 决定）",
		"Ticked": "勾选", "Tick %s": "勾选 %s", "Reference": "参考号", "Our books": "我方账簿", "Report": "对账单", "Kind": "类别", "Gross": "总额", "Fee": "手续费", "Net": "净额", "Line": "行",

		// Deciding
		"Decide on those that are ticked": "对勾选项作决定", "Tick at least one difference.": "请至少勾选一项差异。", "Decide on differences": "处理差异", "What you had chosen is no longer there. Look again.": "您所选的内容已不在，请重新查看。",
		"One difference is decided on": "对 1 项差异作决定", "%s differences are decided on": "对 %s 项差异作决定", "%s at stake. Nothing happens before you send a form below.": "涉及 %s。提交下方表单之前不会发生任何事。", "Nothing happens before you send a form below.": "提交下方表单之前不会发生任何事。",
		"%s more are not shown, and are decided on too.": "另有 %s 项未显示，也会一并决定。", "Only %s of the %s allow it. Narrow your choice.": "%s 项（共 %s 项）允许此操作，请缩小范围。", "What you decide on": "决定的对象",
		"One difference: %[2]s.": "1 项差异：%[2]s。", "%[1]s differences: %[2]s.": "%[1]s 项差异：%[2]s。",
	})
}
