// Package plugins holds what coding agents install to use teammem: manifests,
// hook definitions and skills, no program code. Agents read the folder itself;
// the program carries only the skill, which "teammem install" writes where
// there is no plugin.
//
// The package imports nothing of ours.
package plugins

import _ "embed"

// Skill is SKILL.md of the skill "team-memory".
//
//go:embed teammem/skills/team-memory/SKILL.md
var Skill string
