package app

import (
	"slices"
	"strings"

	"nodrop/app/settlement"
	"nodrop/store"
)

// maxZeros is how many leading zeros a spreadsheet may have taken off an id.
const maxZeros = 10

// fetchDoubts looks whether lines whose ids nobody knows may have damaged ones: the ids of the payments under their
// merchant reference, and payments whose ids differ from theirs in leading zeros only.
func (s *bookshelf) fetchDoubts(rx *store.Rx, lines []settlement.Line) error {
	var doubtful []int64
	var refs []string
	for i := range lines {
		l := &lines[i]
		if len(s.found[i]) > 0 || l.Fault != "" || l.GatewayRef == "" {
			continue
		}
		doubtful = union(doubtful, s.foundBy[i])
		if len(s.foundBy[i]) == 0 {
			for _, ref := range nearly(l.GatewayRef) {
				refs = want(refs, s.byRef, ref)
			}
		}
	}
	if len(doubtful) > 0 {
		err := rx.RefsOf(doubtful, func(id int64, ref string) { s.books[id].refs = append(s.books[id].refs, ref) })
		if err != nil {
			return err
		}
	}
	if err := s.lookUp(refs, s.byRef, rx.BooksByRef); err != nil || len(refs) == 0 {
		return err
	}
	for i := range lines {
		if l := &lines[i]; len(s.found[i])+len(s.foundBy[i]) == 0 && l.Fault == "" {
			for _, ref := range nearly(l.GatewayRef) {
				s.near[i] = union(s.near[i], s.byRef[ref])
			}
		}
	}
	return nil
}

// nearly lists what an id of digits may have been before its leading zeros were lost or added.
func nearly(ref string) []string {
	if ref == "" || strings.Trim(ref, "0123456789") != "" {
		return nil
	}
	var list []string
	if bare := strings.TrimLeft(ref, "0"); bare != "" && bare != ref {
		list = append(list, bare)
	}
	for n := 1; n <= maxZeros; n++ {
		list = append(list, strings.Repeat("0", n)+ref)
	}
	return list
}

// damaged tells whether an id of a line looks like an id of the payment that was changed on the way: so it is not taken
// for that payment's, though the merchant's reference is the same.
func damaged(l *settlement.Line, refs []string) bool {
	return slices.ContainsFunc(allRefs(l), func(ref string) bool {
		return slices.ContainsFunc(refs, func(own string) bool { return alike(ref, own) })
	})
}

// alike tells whether two different ids are equal but for leading zeros, or are long and differ in their last signs only.
func alike(a, b string) bool {
	if a == b {
		return false
	}
	if strings.Trim(a+b, "0123456789") == "" && strings.TrimLeft(a, "0") == strings.TrimLeft(b, "0") {
		return true
	}
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return len(a) == len(b) && len(a) >= 8 && same*4 >= len(a)*3
}
