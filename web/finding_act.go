package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// ask asks a maintainer for an exception.
func (c *Console) ask(v *visit) error {
	return c.act(v, "asked", func(id memory.FindingID) error {
		_, err := c.service.RequestAllow(v.ctx(), v.who, v.project.ID, id, memory.AllowWish{
			Reason: memory.AllowReason(v.form["reason"]), Note: v.form["note"], Glob: strings.TrimSpace(v.form["paths"]),
		})
		return err
	})
}

// unask takes the viewer's own request back.
func (c *Console) unask(v *visit) error {
	return c.act(v, "unasked", func(id memory.FindingID) error {
		_, err := c.service.CancelAllow(v.ctx(), v.who, v.project.ID, id)
		return err
	})
}

// allowFinding makes the exception that was asked for, for the paths that were on the
// screen: its author may have asked for others meanwhile.
func (c *Console) allowFinding(v *visit) error {
	return c.act(v, "allowed", func(id memory.FindingID) error {
		const most = int(memory.AllowRuleLife / (24 * time.Hour))
		days, err := strconv.Atoi(v.form["days"])
		if err != nil || days < 1 || days > most {
			return memory.Invalid("days", fmt.Sprintf("an exception lasts 1 to %d days", most))
		}
		if v.form["paths"] == "" {
			return memory.Invalid("paths", "these are the paths that were looked at")
		}
		asked, err := v.asked()
		if err != nil {
			return err
		}
		_, err = c.service.DecideAllow(v.ctx(), v.who, v.project.ID, id, memory.AllowAnswer{
			Approve: true, Asked: asked, Glob: v.form["paths"], Life: time.Duration(days) * 24 * time.Hour, Note: v.form["note"],
		})
		return err
	})
}

// asked is when the request was made that was on the screen: its author may have
// asked for another reason meanwhile.
func (v *visit) asked() (time.Time, error) {
	if v.form["asked"] == "" {
		return time.Time{}, nil
	}
	micros, err := strconv.ParseInt(v.form["asked"], 10, 64)
	if err != nil {
		return time.Time{}, memory.Invalid("asked", "this is the time of a request")
	}
	return time.UnixMicro(micros), nil
}

// denyFinding makes none.
func (c *Console) denyFinding(v *visit) error {
	return c.act(v, "denied", func(id memory.FindingID) error {
		asked, err := v.asked()
		if err != nil {
			return err
		}
		_, err = c.service.DecideAllow(v.ctx(), v.who, v.project.ID, id, memory.AllowAnswer{Asked: asked, Note: v.form["note"]})
		return err
	})
}

// care says that a finding is taken care of.
func (c *Console) care(v *visit) error {
	return c.act(v, "cared", func(id memory.FindingID) error {
		_, err := c.service.ResolveFinding(v.ctx(), v.who, v.project.ID, id)
		return err
	})
}

// act does something about a finding, and shows it again.
func (c *Console) act(v *visit, done string, do func(memory.FindingID) error) error {
	id, err := v.findingID()
	if err != nil {
		return err
	}
	if err := do(id); err != nil {
		return c.notDone(v, err)
	}
	return v.redirect(view.FindingURL(string(v.project.ID), string(id)) + "?done=" + done)
}

// notDone shows the finding again, as it stands now, with why what was wanted
// did not happen. What was typed is kept.
func (c *Console) notDone(v *visit, err error) error {
	e := describe(err)
	var said *view.Notice
	var forms findingForms
	switch status(e) {
	case http.StatusConflict:
		said = &view.Notice{Tone: view.ToneWarn, Title: sentence(e.Message), Text: "Look at it as it stands now."}
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		forms = v.typed(e)
	default:
		return err
	}
	v.problem = e.Code
	return c.showFinding(v, status(e), said, forms)
}

// typed is what was typed into the form that was sent, with what is wrong in it.
func (v *visit) typed(e *memory.Error) (f findingForms) {
	note, wrong := v.words(e, "note"), sentence(e.Message)
	switch path := v.Path(); {
	case strings.HasSuffix(path, "/ask"):
		f.ask = view.AskForm{Reason: v.form["reason"], Note: note, Paths: v.words(e, "paths"), Error: wrong}
	case strings.HasSuffix(path, "/allow"):
		f.answer = view.AnswerForm{Days: v.form["days"], Note: note, Error: wrong}
	case strings.HasSuffix(path, "/deny"):
		f.answer = view.AnswerForm{Deny: true, Note: note, Error: wrong}
	}
	return f
}
