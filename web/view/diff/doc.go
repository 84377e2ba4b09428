// Package diff finds what changed between two texts, for people to look at: lines, and within changed lines the words.
// It is for display only; merging is package sync's.
//
//	d := diff.Compare(diff.Side{Text: old}, diff.Side{Text: new})
//	for _, row := range d.Rows { … }
//
// Put together, the rows that are not insertions are the old text and those that are not deletions the new one, byte for
// byte but for the line breaks. Work is bounded by the size of the texts: very long ones have no rows ([Diff.Large]), and
// changed blocks of very many words no marks.
package diff
