package templates

func sampleFindings() []FindingRow {
	return []FindingRow{
		{Href: "/settlement/gcash/2031-03-07?kind=amount", State: Badge{"bad", "Other amount"}, Says: "The report has another amount.", Count: "2", Sums: []string{"₱100.00", "JPY 20"}, Active: true},
		{State: Badge{"ok", "Matched"}, Count: "312"},
	}
}

func sampleSettlement() SettlementView {
	return SettlementView{
		Page: samplePage("settlement"), Gateway: "gcash", Gateways: sampleFilters(), Sentence: "One day differs from its reports, ₱4,120.00 at stake.", Month: "March 2031", Before: Link{"February 2031", "/settlement?month=2031-02"}, Lead: 5,
		Days: []DayCell{
			{Href: "/settlement/gcash/2031-03-01", Number: "1", Date: "2031-03-01", Weekday: "Sat", State: Badge{"ok", "Clean"}, Note: "312 lines"},
			{Href: "/settlement/gcash/2031-03-02", Number: "2", Date: "2031-03-02", Weekday: "Sun", State: Badge{"bad", "Open"}, Note: "3 differences", Today: true},
			{Href: "/settlement/gcash/2031-03-03", Number: "3", Date: "2031-03-03", Weekday: "Mon", Empty: true},
		},
		Imports: []ImportRow{
			{Href: "/settlement/imports/2", File: hostile, State: Badge{"busy", "Being read"}, Progress: "40 %", Lines: "1,000", Matched: "990", Differ: "3", Days: "–", By: "maria", At: stamp("09:14:48", "12 s ago")},
			{Href: "/settlement/imports/1", File: "march.csv", State: Badge{"ok", "Done"}, Lines: "312", Matched: "312", Days: "1 Mar 2031", By: "from the folder", At: stamp("08:00:00", "1 h ago")},
		},
		Upload: UploadForm{Gateways: []Option{{Value: "gcash", Text: "gcash", Chosen: true}}, Limit: "256 MB", Problem: "The file is empty."},
	}
}

func sampleImport() ImportView {
	return ImportView{
		Page: samplePage("settlement"), Sentence: "march.csv is being imported", State: Badge{"busy", "Being read"}, Busy: true, Share: 40, Says: "Nothing of it counts yet.", Problem: "It failed.", Rows: []Row{{Name: "File", Value: hostile}},
		Findings: sampleFindings(), Days: []Link{{"7 Mar 2031", "/settlement/gcash/2031-03-07"}}, Faults: []FaultRow{{"Line 7", hostile}}, More: "12 more are not shown.",
		Totals: []TotalRow{{"Gross", "₱100.00", "₱90.00", true}}, Undo: FormsView{Page: samplePage("settlement"), Action: "/settlement/imports/2/undo", Key: "k", ID: "import", Acts: []Act{{Act: "undo_import", Label: "Undo the import", Blocked: "Something was decided on it."}}},
	}
}

func sampleReport() ReportView {
	return ReportView{
		Page: samplePage("settlement"), File: "march.csv", Gateway: "gcash", Sentence: "3 differences, ₱4,120.00", Report: "settlement", Head: [][]string{{"Id", "Amount"}, {hostile, "1"}}, Findings: sampleFindings(),
		Faults: []FaultRow{{"Line 7", "no amount"}}, Rows: []Row{{Name: "Lines", Value: "312"}}, Hidden: []Row{{Name: "file", Value: "00ff"}}, Again: Link{"Assign the columns anew", "/settlement/upload?assign=1"},
	}
}

func sampleMapping() ReportView {
	some := []Option{{Value: "", Text: "nothing"}, {Value: "gross", Text: "amount", Chosen: true}}
	return ReportView{
		Page: failedPage("settlement"), File: "march.csv", Gateway: "gcash", Sentence: "Say what the columns hold", Missing: "Missing: Amount.", Head: [][]string{{"Id", "Amount"}},
		Mapping: &MappingView{Name: "own", Row: "1", Rows: []Option{{Value: "1", Text: "1", Chosen: true}}, Columns: []MappedColumn{{Field: "c0", Heading: hostile, Example: "x", Holds: some}}, Amounts: some, Marks: some, Signs: some, Times: some, Charsets: some,
			Zone: "Asia/Manila", Types: "Sale = payment", Problem: "No column holds an amount."},
	}
}

func sampleDifferences() []DifferenceRow {
	return []DifferenceRow{
		{ID: "7", Kind: Badge{"bad", "Other amount"}, State: Badge{"bad", "Open"}, Href: "/settlement/gcash/2031-03-07/decide?d=7", Ref: Ref{"ORDER-1042", "ORDER-1042"}, Payment: "/payments/pay_1", Here: "Succeeded", Expected: "₱100.00", Seen: "₱90.00", Differs: true,
			Detail: hostile, File: Link{"march.csv, line 7", "/settlement/imports/1"}},
		{ID: "8", Kind: Badge{"bad", "Unknown here"}, State: Badge{"ok", "Decided"}, Href: "/settlement/gcash/2031-03-07/decide?d=8", Ref: Ref{hostile, hostile}, Expected: "–", Seen: "₱40.00", Who: "Accept as it is by maria", Reason: hostile,
			At: stamp("09:00:00", "15 min ago"), Proposal: Link{"It may be about pay_2", "/payments/pay_2"}},
	}
}

func sampleDay() DayView {
	return DayView{
		Page: samplePage("settlement"), Gateway: "gcash", Sentence: "2 differences, ₱50.00", State: Badge{"bad", "Open"}, Says: "312 lines", Back: Link{"Settlement", "/settlement"}, Before: Link{"6 Mar 2031", "/settlement/gcash/2031-03-06"}, After: Link{"8 Mar 2031", "/settlement/gcash/2031-03-08"},
		Findings: sampleFindings(), Narrow: sampleFilters(), Shown: "Differences", Differ: sampleDifferences(), Pager: Pager{Next: "?after=8"}, Exports: []Link{{"Lines as CSV", "/settlement/gcash/2031-03-07/lines.csv"}},
		Decide: "/settlement/gcash/2031-03-07/decide", Kept: []Row{{Name: "kind", Value: "amount"}}, All: "Decide on all 312",
	}
}

func sampleDayLines() DayView {
	v := sampleDay()
	v.Calm, v.OfLines, v.Differ, v.Narrow = true, true, nil, nil
	v.Lines = []LineRow{
		{Number: "2", Kind: "Payment", Finding: Badge{"ok", "Matched"}, Ref: Ref{"ORDER-1042", "ORDER-1042"}, Payment: "/payments/pay_1", Gross: "₱100.00", Fee: "₱2.50", Net: "₱97.50", At: stamp("08:50:00", "")},
		{Number: "3", Kind: "Payout", Finding: Badge{"off", "Other money"}, Ref: Ref{hostile, hostile}, Gross: "−₱97.50", Fee: "–", Net: "–"},
	}
	return v
}
