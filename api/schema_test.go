package api

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/teammem/teammem/api/wire"
)

// The schemas of openapi.yaml have the members of the wire's types, and say of
// those that are always there that they are.
func TestOpenAPI_MatchesWire(t *testing.T) {
	t.Parallel()
	types := map[string]any{
		"Author": wire.Author{}, "Agent": wire.Agent{}, "Feed": wire.Feed{}, "Change": wire.Change{}, "Manifest": wire.Manifest{},
		"ManifestEntry": wire.ManifestEntry{}, "RevisionRef": wire.RevisionRef{}, "ContentsRequest": wire.ContentsRequest{},
		"Contents": wire.Contents{}, "Content": wire.Content{}, "Push": wire.Push{}, "PushOp": wire.Op{}, "Release": wire.Release{}, "Receipt": wire.Receipt{},
		"Result": wire.Result{}, "Current": wire.Current{}, "Entry": wire.Entry{}, "EntryPage": wire.Page[wire.Entry]{}, "EntryPut": wire.EntryPut{},
		"Revision": wire.Revision{}, "RevisionPage": wire.Page[wire.Revision]{}, "Restore": wire.Restore{},
		"Proposal": wire.Proposal{}, "ProposalPage": wire.Page[wire.Proposal]{}, "ProposalView": wire.ProposalView{}, "Decision": wire.Decision{},
		"Decide": wire.Decide{}, "ConflictKeep": wire.ConflictKeep{}, "Conflict": wire.Conflict{}, "ConflictPage": wire.Page[wire.Conflict]{},
		"ConflictView": wire.ConflictView{}, "QuarantineAdd": wire.QuarantineAdd{}, "QuarantineRelease": wire.QuarantineRelease{}, "Quarantine": wire.Quarantine{}, "Quarantined": wire.Quarantined{},
		"QuarantinePage": wire.Page[wire.Quarantine]{}, "Purge": wire.Purge{}, "Purged": wire.Purged{}, "Resolution": wire.Resolution{}, "Resolve": wire.Resolve{}, "Check": wire.Check{},
		"HeadEvent": wire.HeadEvent{}, "FindingEvent": wire.FindingEvent{}, "Project": wire.Project{}, "ProjectPage": wire.Page[wire.Project]{}, "Me": wire.Me{}, "DeviceAdd": wire.DeviceAdd{},
		"DevicePage": wire.Page[wire.Device]{}, "TokenRequest": wire.TokenRequest{}, "Tokens": wire.Tokens{}, "Member": wire.Member{},
		"TokenRevoke": wire.TokenRevoke{}, "Done": wire.Done{}, "Keys": wire.Keys{}, "Key": wire.Key{},
		"Device": wire.Device{}, "Health": wire.Health{}, "Report": wire.Report{}, "ReportedHold": wire.ReportedHold{}, "RefusedFile": wire.RefusedFile{}, "BlockedFile": wire.BlockedFile{}, "Version": wire.Version{}, "Problem": wire.Problem{}, "Finding": wire.Finding{}, "Risk": wire.Risk{},
		"SecretFinding": wire.SecretFinding{}, "SecretFindingPage": wire.Page[wire.SecretFinding]{}, "AllowRequest": wire.AllowRequest{},
		"FindingReport": wire.FindingReport{}, "Receiver": wire.Receiver{}, "Rotation": wire.Rotation{}, "AllowAction": wire.AllowAction{}, "AllowDecision": wire.AllowDecision{}, "AllowRule": wire.AllowRule{}, "AllowRulePage": wire.Page[wire.AllowRule]{},
	}
	file, err := os.ReadFile("openapi.yaml")
	must(t, err)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Type       string         `yaml:"type"`
				Required   []string       `yaml:"required"`
				Properties map[string]any `yaml:"properties"`
			} `yaml:"schemas"`
		} `yaml:"components"`
	}
	must(t, yaml.Unmarshal(file, &doc))
	for name, schema := range doc.Components.Schemas {
		if schema.Type != "object" {
			continue
		}
		v, ok := types[name]
		if !ok {
			t.Errorf("schema %s has no type", name)
			continue
		}
		delete(types, name)
		all, always := members(reflect.TypeOf(v))
		var got []string
		for property := range schema.Properties {
			got = append(got, property)
		}
		if !sameSet(got, all) {
			t.Errorf("%s: members %v in openapi.yaml, %v in wire", name, got, all)
		}
		if !sameSet(schema.Required, always) {
			t.Errorf("%s: required are %v in openapi.yaml, %v in wire", name, schema.Required, always)
		}
	}
	for name := range types {
		t.Errorf("type %s has no schema", name)
	}
}

// members returns the JSON names of a type, and those that are never left out.
func members(t reflect.Type) (all, always []string) {
	for i := range t.NumField() {
		parts := strings.Split(t.Field(i).Tag.Get("json"), ",")
		all = append(all, parts[0])
		if !slices.Contains(parts, "omitzero") {
			always = append(always, parts[0])
		}
	}
	return all, always
}
