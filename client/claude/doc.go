// Package claude knows where Claude Code keeps its memory, and nothing else of
// teammem knows it. Facts about the agent change with its versions, so each is
// one named constant here.
//
// [Locate] goes from a working folder to the root of its repository (all
// worktrees and sub-folders share one memory, a submodule has its own) and then
// through the sources in the agent's order; the first that says something wins,
// and is named in the result:
//
//	1  the member's --memory-dir, or TEAMMEM_MEMORY_DIR
//	2  CLAUDE_COWORK_MEMORY_PATH_OVERRIDE
//	3  autoMemoryDirectory in the agent's settings
//	4  <config>/projects/<slug>/memory, see [Slug]
//
// Nothing that comes with a repository decides where teammem reads or writes:
// a setting in its files is an error that names --memory-dir, and a .git file
// only leads to another repository if that one points back.
//
// The package reads files and environment; it runs no git and writes nothing.
// It may import the standard library, package json, client and memory.
package claude
