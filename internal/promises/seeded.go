package promises

// Fault is a small mistake in the source that a test has to find.
type Fault struct {
	Name string // what somebody got wrong
	File string
	Old  string // in the file exactly once
	New  string
	Test string // package and name
}

// Faults are mistakes that would each cost somebody a text, or let one out.
func Faults() []Fault {
	return []Fault{
		{"the guard for many deletes is gone", "sync/guard.go", `len(pending)+before <= max(fewDeletes, `, `len(pending)+before <= max(1<<30, `, "sync.TestGuard_Deletes"},
		{"the guard for an emptied folder is gone", "sync/guard.go", "	g.folders(plan, why)\n", "", "sync.TestGuard_EmptiedFolder"},
		{"what was held before is let go", "sync/guard.go", "	g.still(plan, why)\n", "", "client.TestGuard_EmptiedFolder"},
		{"a merge has the member's lines first", "sync/merge3.go", "slices.Concat(c.server, c.local[shared(c.server, c.local):])", "slices.Concat(c.local[shared(c.server, c.local):], c.server)", "sync.TestMerge3"},
		{"of two edits of one line the member's is dropped", "sync/merge3.go", "	return nil, false\n}\n\n// keeps", "	return c.server, true\n}\n\n// keeps", "sync.TestMerge3"},
		{"what came before a kill is not known again", "client/received.go", "e.base.Rev < r.Rev", "e.base.Rev < 0", "client.TestSync_KilledAfterADownload"},
		{"the server does not look at the base of a push", "memory/judge.go", "return w.BaseRev == head.Rev && (w.BaseSum.IsZero() || w.BaseSum == head.Sum)", "return true", "memory.TestJudge_Verdicts"},
		{"the digest leaves out the path", "memory/digest.go", "	buf = append(buf, p.key...)\n", "", "memory.TestDigest_TellsPathFromText"},
		{"a text is not searched for secrets", "memory/clean.go", `scan(ctx, scanner, "content", pieces(text, head, meta)...)`, `scan(ctx, scanner, "content")`, "memory.TestScreen_Refused"},
		{"a push does not lock the project", "store/heads.go", "\n		where project_id = @project\n		for update`,", "\n		where project_id = @project`,", "store.TestScenario_S40_FeedGaps"},
		{"a text is replaced without another look at it", "client/tree/commit.go", "case memory.Sum(content) != o.expect:", "case memory.Sum(content) == memory.Hash{}:", "client/tree.TestBatch_DropsWhatChanged"},
		{"a replaced text is let go unread", "client/tree/replace.go", "if err := t.options.Keep(context.WithoutCancel(ctx), old); err != nil {", "if err := error(nil); err != nil {", "client/tree.TestBatch_PutReplaces"},
		{"a folder is entered whatever it became", "client/tree/folder.go", "	if !before.dir() {\n", "	if false {\n", "client.TestScenario_S33_SymlinkSwap"},
		{"whatever is replaced goes to the trash", "client/keep.go", "if old.Ours || ", "if true || ", "client.TestScenario_S19_BetweenLookAndRename"},
		{"a conflict's text is not kept", "client/carry.go", "		if err := c.keepLocal(ctx, op); err != nil {\n", "		if err := error(nil); err != nil {\n", "client.TestScenario_S23_SameLine"},
		{"a push in flight is not waited for", "client/push.go", "context.WithCancel(context.WithoutCancel(ctx))", "context.WithCancel(ctx)", "client.TestScenario_S47_Cancel"},
		{"a run calls itself proven without the digest", "client/pull.go", "len(c.state.foreign) > 0 || c.state.digest == d", "true", "client.TestSync_WrongAnswers"},
		{"a layer of the path rules is gone", "sanitize/key.go", "		refuseTraversal,\n", "", "sanitize.TestParseKey_Vectors"},
		{"names that differ in case are no twins", "sanitize/skeleton.go", "		return strings.ToLower(canonical)\n", "		return canonical\n", "sanitize.TestSkeleton_Twins"},
	}
}
