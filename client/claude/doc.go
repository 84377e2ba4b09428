// Package claude holds what teammem knows about Claude Code: where it keeps its memory, its settings and its hooks.
// These facts change with the agent's versions, so each is one named constant here and none is repeated elsewhere.
package claude
