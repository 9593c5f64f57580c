package web

import (
	"nodrop/app/certs"
	"nodrop/templates"
)

var troubleShape = map[certs.Trouble]string{certs.Fine: "ok", certs.Missing: "bad", certs.Ended: "bad", certs.Ending: "odd", certs.Link: "odd"}

// certificateRows says how our own certificates stand.
func (v *visit) certificateRows(list []certs.Status) []templates.CertificateRow {
	rows := make([]templates.CertificateRow, len(list))
	for i, st := range list {
		kind := troubleShape[st.Trouble]
		if st.Urgent {
			kind = "bad"
		}
		rows[i] = templates.CertificateRow{
			Host: st.Host, Listener: v.lang.word("listener", st.Listener), Ends: v.stamp(st.EndsMs), Next: v.stamp(st.NextMs),
			State: templates.Badge{Kind: kind, Label: v.lang.word("certificate", troubleWord(st))},
		}
		if st.Trouble != certs.Fine {
			rows[i].Says = v.lang.word("certificate_says", troubleWord(st)+"_"+sourceWord(st))
			rows[i].Failure = visible(st.Error)
		}
	}
	return rows
}

func troubleWord(st certs.Status) string {
	if st.Trouble == certs.Fine {
		return "fine"
	}
	return string(st.Trouble)
}

func sourceWord(st certs.Status) string {
	if st.Certificate != "" {
		return "files"
	}
	return "acme"
}

// troubled names the hosts whose certificates need a person.
func troubled(list []certs.Status) (hosts []string) {
	for _, st := range list {
		if st.Trouble != certs.Fine {
			hosts = append(hosts, st.Host)
		}
	}
	return hosts
}
