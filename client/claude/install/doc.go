// Package install puts teammem's hooks and its skill where a coding agent reads
// them, and takes them out again.
//
//	place, err := install.PlaceOf(install.User, folder, getenv)
//	plan, err := install.Install(dirs, place, "/usr/local/bin/teammem", version)
//	plan.Changes … // shown to the member
//	err = plan.Apply()
//
// # What is promised
//
//   - Nothing is written before [Plan.Apply], and nothing that is not in
//     [Plan.Changes], but for a receipt in the state folder.
//   - A file is replaced as a whole or not at all, keeps its mode, and is
//     written where a link leads to. If it changed since it was looked at,
//     nothing is written.
//   - [Uninstall] restores the settings byte for byte if nobody changed them
//     since. Else it takes out what the receipt lists and nothing else.
//   - Only "hooks" is ever touched in the settings, and no file of the agent's
//     memory.
//
// The package may import the standard library, package json, client, memory,
// plugins and its siblings hook and settings.
package install
