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
// A linked folder is found by [LinkOf], and [Recheck] holds what has moved since.
// [Siblings] names the second memories that an agent may have made for one
// repository, and [Case] is what "teammem doctor" examines.
//
// The package reads files and environment and runs no git. It writes nothing but
// the empty folder of [MakeMemoryDir], and only doctor runs the agent, to ask for
// its version. It may import the standard library, package json, client, memory
// and client/claude/settings.
package claude
