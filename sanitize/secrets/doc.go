// Package secrets finds credentials in text, before the text leaves a machine
// and again before a server stores it.
//
// Start at [New] and [Scanner.Scan]. The rules and the matching are those of
// gitleaks, used as a library; this package decides where gitleaks looks, what
// it may overlook, and what a caller learns about a finding:
//
//   - rulefile.go reads the library's rules, rewrite.go and placeholders.go
//     harden them, tokenrules.go, tokenproviders.go, keyrules.go, contextrules.go
//     and toolrules.go add those it lacks, traits.go, compile.go and rule.go make
//     them ready, each when it is needed;
//   - automaton.go, measure.go, window.go and matcher.go let each rule read only
//     the few bytes around its own keywords, which is where the speed comes
//     from; chunk.go and verdicts.go spare it what was clean before;
//   - disguise.go, escapes.go, glue.go, spelled.go, dump.go, table.go and encoded.go show
//     the rules the text behind invisible characters, markup, operators, line
//     breaks, encodings and table columns;
//   - judge.go, shapes.go and words.go drop what only looks like a secret;
//   - findings.go, fingerprint.go and excerpt.go say what was found.
//
// It imports the standard library, gitleaks (with the zerolog that gitleaks logs
// to), golang.org/x/text and package sanitize; nothing else.
//
// What holds:
//
//   - A finding carries rule, severity, line, column and, under a key, a
//     fingerprint; never the value, its length or its line. Errors carry nothing
//     of the text either.
//   - A scan that was cut short is an error, never a shorter list: no caller
//     can take "not finished" for "clean". The same goes for a rule that does
//     not compile.
//   - No file name ever reaches gitleaks, whose allowlists would let the writer
//     of a text switch the scan off by naming the file well.
//   - No inline comment switches a rule off.
//   - No whole credential stands in this package's source or tests: prefixes
//     are joined, and test values generated, at run time.
//
// Use:
//
//	scanner, err := secrets.New() // once per process, when first needed
//	found, err := scanner.Scan(ctx, text)
//	if errors.Is(err, secrets.ErrTimeout) { /* refuse the text */ }
//	for _, f := range found {
//		fmt.Println(f.Rule, f.Severity, f.Line, f.Column)
//	}
package secrets
