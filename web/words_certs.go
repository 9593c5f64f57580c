package web

// The words around our own certificates; a part of families.
func init() {
	families["listener"] = map[string]said{"public": {"hooks", "通知"}, "private": {"pages and API", "页面与接口"}}
	families["certificate"] = map[string]said{
		"fine": {"In order", "正常"}, "missing": {"None yet", "尚无证书"}, "ended": {"Ended", "已过期"}, "ending": {"Ends soon", "即将到期"}, "link": {"Chain cut short", "证书链已缩短"},
	}
	families["certificate_says"] = map[string]said{
		"missing_acme":  {"There is no certificate yet, so nobody can connect. It is asked for by itself; the last failure, if there is one, says what to mend.", "还没有证书，因此谁也连不上。程序会自动申请；若有上次失败的说明，请据此修正。"},
		"missing_files": {"The certificate's files cannot be used, so nobody can connect. Correct them: they are read again every minute.", "证书文件无法使用，因此谁也连不上。请更正文件：程序每分钟重新读取。"},
		"ended_acme":    {"The certificate has ended, and senders refuse it. A new one is asked for by itself; the last failure says what to mend.", "证书已过期，发送方会拒绝连接。程序会自动申请新证书；请据上次失败的说明修正。"},
		"ended_files":   {"The certificate has ended, and senders refuse it. Put a new one into its files.", "证书已过期，发送方会拒绝连接。请更换证书文件。"},
		"ending_acme":   {"The certificate ends soon and could not be renewed. It is tried again by itself; the last failure says what to mend.", "证书即将到期且续期失败。程序会自动重试；请据上次失败的说明修正。"},
		"ending_files":  {"The certificate, or another one in its chain, ends soon. Put a new one into its files.", "证书或其链中的另一张即将到期。请更换证书文件。"},
		"link_acme":     {"Another certificate in the chain has ended and is left out, so that senders with few authorities may refuse the rest. A new chain is asked for by itself.", "证书链中有一张已过期，已不再发送；信任列表较旧的发送方可能拒绝连接。程序会自动申请新的证书链。"},
		"link_files":    {"Another certificate in the chain has ended and is left out, so that senders with few authorities may refuse the rest. Have the chain made anew.", "证书链中有一张已过期，已不再发送；信任列表较旧的发送方可能拒绝连接。请重新生成证书链。"},
	}
}
