package view

import "time"

// Frame is what surrounds every page.
type Frame struct {
	Asset    func(name string) string // the address of a static file; nil: its plain name below /static/
	Theme    Theme
	Viewer   string  // the name of who is signed in; "" for nobody
	Section  Section // the marked item of the navigation
	Waiting  int     // proposals that the viewer may decide; 0 shows no figure
	Findings int     // that wait for the viewer
	Here     string  // path and query of this page, where forms of the frame return to
	Now      time.Time
	Flash    *Notice // what the last action did
}

// asset returns the address of a static file.
func (f Frame) asset(name string) string {
	if f.Asset == nil {
		return "/static/" + name
	}
	return f.Asset(name)
}

// Theme is the colours that a person chose.
type Theme string

// The themes. The zero value follows the system too.
const (
	ThemeSystem Theme = "system"
	ThemeLight  Theme = "light"
	ThemeDark   Theme = "dark"
)

// ParseTheme reads the name of a theme, of a form or a cookie; anything
// unknown follows the system.
func ParseTheme(s string) Theme {
	if t := Theme(s); t == ThemeLight || t == ThemeDark {
		return t
	}
	return ThemeSystem
}

// Section is one item of the navigation.
type Section string

// The sections.
const (
	SectionNone     Section = ""
	SectionHome     Section = "home"
	SectionReview   Section = "review"
	SectionFindings Section = "findings"
	SectionProjects Section = "projects" // and the entries in them
	SectionSync     Section = "sync"     // members' computers
)

// Tone is the colour of a notice.
type Tone string

// The tones.
const (
	ToneInfo Tone = "info"
	ToneOK   Tone = "ok"
	ToneWarn Tone = "warn"
	ToneNo   Tone = "no"
)

// Notice says what happened and what to do next.
type Notice struct {
	Tone  Tone
	Title string
	Text  string
}

// Purge is how a text went for good.
type Purge struct {
	By     string // "": not known, and neither is the rest
	At     time.Time
	Reason string
}

// Project names a project.
type Project struct {
	ID   string
	Slug string
}

// Agent is the program that wrote, as it named itself; the zero value is a
// person at a keyboard, or unknown.
type Agent struct {
	Name    string
	Version string
	Model   string
	Session string
}

// schemes is what the browser may draw its own controls in.
func (t Theme) schemes() string {
	switch t {
	case ThemeLight, ThemeDark:
		return string(t)
	case ThemeSystem:
	}
	return "light dark"
}

// pressed writes the state of a button that is one of several.
func pressed(is bool) string {
	if is {
		return "true"
	}
	return "false"
}

// role makes a screen reader say a bad notice at once and a good one when it
// has time.
func (n Notice) role() string {
	if n.Tone == ToneNo || n.Tone == ToneWarn {
		return "alert"
	}
	return "status"
}

func (n Notice) icon() string {
	switch n.Tone {
	case ToneOK:
		return "circle-check"
	case ToneWarn:
		return "triangle-alert"
	case ToneNo:
		return "circle-x"
	case ToneInfo:
	}
	return "info"
}
