package templates

import (
	"strconv"

	"github.com/a-h/templ"
)

// Field is the id of a field of an act's form; of the form itself where no field is named.
func (v FormsView) Field(a Act, name string) string {
	if name == "" {
		return v.ID + "-" + a.Act
	}
	return v.ID + "-" + a.Act + "-" + name
}

// choice is the id of one of a field's choices; the first bears the field's own.
func (v FormsView) choice(a Act, name string, i int) string {
	if i == 0 {
		return v.Field(a, name)
	}
	return v.Field(a, name) + strconv.Itoa(i)
}

// wrong ties a field to what is wrong with it.
func (v FormsView) wrong(a Act, name, problem string) templ.Attributes {
	if problem == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": v.Field(a, name) + "-problem"}
}

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
