package main

import (
	"fmt"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// leakStatusLine is a text that the server took back, in --json.
type leakStatusLine struct {
	Type string `json:"type"`
	client.Leak
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Console string `json:"console"`
}

// leaks tells the author which texts the server took back for a secret, until
// somebody says that it was taken care of.
func (p reportPrinter) leaks(st client.Status) error {
	for i, l := range st.Leaks {
		message := fmt.Sprintf("the rule %s found a secret at line %d, column %d, after this was shared", shown(l.Rule), l.Line, l.Column)
		hint := fmt.Sprintf("rotate it: teammem findings show %s says where, and who may have read it; then teammem findings resolve %s", l.Finding, l.Finding)
		hint += p.leakRequest(l)
		if p.asJSON {
			if err := p.printJSON(leakStatusLine{"taken_back", l, message, hint, p.link.FindingPage(l.Finding)}); err != nil {
				return err
			}
			continue
		}
		if i == maxLines {
			p.tell("… and %d more taken back: teammem status --json lists all", len(st.Leaks)-maxLines)
			break
		}
		name := shown(l.Path)
		if l.Path == "" {
			name = "(a name or note)"
		}
		if l.Withheld != "" {
			p.tell("taken back: the %s: %s", shown(l.Withheld), message)
		} else {
			p.tell("taken back: %s, revision %d: %s", name, l.Rev, message)
		}
		p.tell("  %s", hint)
	}
	return nil
}

// leakRequest says how it stands with an exception for what was taken back.
func (p reportPrinter) leakRequest(l client.Leak) string {
	switch {
	case l.Hard:
		return ""
	case l.State == string(memory.FindingRequested):
		return "; you asked for it to be allowed: another maintainer decides at " + p.link.FindingPage(l.Finding)
	case l.State == string(memory.FindingDenied):
		return fmt.Sprintf("; it was not allowed: teammem findings show %s says why", l.Finding)
	}
	return fmt.Sprintf("; if it is none: teammem allow request %s --reason false-positive", l.Finding)
}
