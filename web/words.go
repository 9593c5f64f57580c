package web

import "nodrop/templates"

// lang is the reader's language: sentences by their English text, words of the contract by family.
type lang struct{ templates.Lang }

// language gives one of the languages of the pages; anything but "zh" is English.
func language(code string) lang {
	if code != "zh" {
		return lang{templates.Lang{Code: "en"}}
	}
	return lang{templates.Lang{Code: "zh", Find: func(text string) string {
		if found, ok := chinese[text]; ok {
			return found
		}
		return text
	}}}
}

// said is one word of the contract in both languages.
type said struct{ en, zh string }

func (s said) in(code string) string {
	if code == "zh" {
		return s.zh
	}
	return s.en
}

// word says a stable word of a family in the reader's language; one that is not known is shown as it is.
func (l lang) word(family, word string) string { return l.wordOr(family, word, word) }

func (l lang) wordOr(family, word, otherwise string) string {
	if s, ok := families[family][word]; ok {
		return s.in(l.Code)
	}
	return otherwise
}
