// Package templates draws the admin pages: components that are pure functions of view
// models shaped like the page. What they show is chosen, formatted and translated by the
// caller; nothing here fetches, knows the time or imports anything else of ours.
package templates

import (
	"fmt"
	"strings"
)

// Lang turns the English texts of the pages into the reader's language.
type Lang struct {
	Code string              // "en" or "zh"
	Find func(string) string // nil: English as it stands
}

// T gives a text in the reader's language, its verbs filled with args.
func (l Lang) T(text string, args ...any) string {
	if l.Find != nil {
		text = l.Find(text)
	}
	if !strings.Contains(text, "%") {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// N is T with one of two texts, for one thing and for any other number.
func (l Lang) N(n int64, one, many string, args ...any) string {
	if n == 1 {
		return l.T(one, args...)
	}
	return l.T(many, args...)
}

// Assets are the addresses of the embedded files, with the hash of their content.
type Assets struct{ CSS, JS, Icon string }

// User is who is signed in.
type User struct{ Name, Role string }

// Flash is one message about what has just been done.
type Flash struct {
	Text string
	Bad  bool
}

// Page is what every page needs.
type Page struct {
	Lang
	Title   string
	Section string // of the navigation: overview, reviews …
	User    User
	Open    int64 // open reviews
	Flash   *Flash
	Alerts  []Link // what is wrong with a form that was sent, each leading to its field
	Failed  bool   // a form was sent in vain; Alerts say so too
	Assets  Assets
	Now     Stamp
	Zone    string
	Refresh int // seconds between refreshes of the live parts; 0: none
}

// heard is the title, with a word before it where something went wrong, so that it is heard first.
func (p Page) heard(wrong string) string {
	if p.Failed || len(p.Alerts) > 0 {
		return wrong + p.Title
	}
	return p.Title
}

// Stamp is an instant as the reader sees it.
type Stamp struct {
	ISO   string // for machines; "" where there is no instant
	Text  string // in the configured zone
	Title string // in full, with the offset
	Ago   string // relative to now
}

// Known tells whether there is an instant at all.
func (s Stamp) Known() bool { return s.ISO != "" }

// Ref is an identifier; Short is cut in the middle when it is long.
type Ref struct{ Short, Full string }

// Badge is a state by word, shape and colour.
type Badge struct {
	Kind  string // ok, bad, wait, busy, odd, off: shape and colour
	Label string
}

// Link leads somewhere.
type Link struct{ Text, Href string }

// Filter is one link of a row of filters.
type Filter struct {
	Text   string
	Href   string
	Count  string // "" where it is not known
	Active bool
}

// Pager leads to the neighbouring parts of a list; an empty address has no link.
type Pager struct{ First, Next string }

// Row is a name beside a value.
type Row struct {
	Name  string
	Value string
	Ref   Ref   // shown with a copy button where it is set
	At    Stamp // shown where it is set
	Link  Link
}

// Bar is one line of a simple chart; Share is out of 100.
type Bar struct {
	Label string
	Count string
	Share int
	Kind  string
}

func (b Bar) width() string { return fmt.Sprint(max(b.Share, 1)) }
