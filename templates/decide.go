package templates

func (v FormsView) allowed() []Act { return v.sorted(func(a Act) bool { return a.Blocked == "" }) }

func (v FormsView) blocked() []Act { return v.sorted(func(a Act) bool { return a.Blocked != "" }) }

func (v FormsView) sorted(keep func(Act) bool) (list []Act) {
	for _, a := range v.Acts {
		if keep(a) {
			list = append(list, a)
		}
	}
	return list
}
