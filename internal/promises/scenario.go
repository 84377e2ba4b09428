package promises

import "strings"

// Scenario is a situation that sync has to be right in.
type Scenario struct {
	ID    string
	Title string
	Mark  string // what has to be so in the end
}

// Scenarios are those of sync, in the order of the page.
func Scenarios() []Scenario {
	return []Scenario{
		{"S01", "The tree's folder is an empty one", "nothing is deleted, and the missing marker is named"},
		{"S02", "Only the marker is gone", "nothing moves until the folder is linked again, which deletes nothing"},
		{"S03", "Most entries are deleted here", "the deletes wait for their exact number, here and at the server; all else goes on"},
		{"S04", "Most entries were deleted by others", "the files stay until somebody says yes, or shares them again"},
		{"S05", "A new computer, cut off again and again", "it only ever receives"},
		{"S06", "A second plan right after a download", "there is nothing to do"},
		{"S07", "Entries are left out, and taken in again", "no delete on either side, and edits go on from where they stood"},
		{"S08", "Other settings of a folder that only receives", "it goes on only receiving; both ways again begins with a plan"},
		{"S09", "Another server answers at the address", "nothing is deleted, and sharing there is asked for"},
		{"S10", "The server went back to a backup", "newer texts are offered again, nothing is removed here"},
		{"S11", "The server went back, and others wrote since", "the fork is found; both branches are merged or kept"},
		{"S12", "Tree and index went back to a backup", "old texts move on, deletes stay, later edits arrive"},
		{"S13", "The index is there, and the files are not", "as with a missing marker: nothing is deleted"},
		{"S14", "The files are there, and the index is not", "equal files are adopted, earlier texts move on, others are conflicts"},
		{"S15", "Away for longer than deletes are remembered", "what was deleted goes to the trash, what was edited lives on"},
		{"S16", "A power cut left an empty file", "it is never sent, and gets its text back"},
		{"S17", "Death or an error at each call on files", "whole texts at all times; the next run ends in sync, with nothing left behind"},
		{"S18", "A write just before a file is removed", "what was written lives on as an entry"},
		{"S19", "A write while the server's text comes", "it is kept in the conflict store, the server's text is in the tree"},
		{"S20", "A file is saved piece by piece", "no empty and no half text is sent, and the whole one is"},
		{"S21", "Another text of the same size and time", "it is seen, and sent once"},
		{"S22", "Edits of different lines", "one text with both, everywhere"},
		{"S23", "Edits of the same line", "the server's text in all trees, the other one kept here and there"},
		{"S24", "Two new files of one name", "both live under names of their own; equal ones are one entry"},
		{"S25", "An edit against a delete, in either order", "the edit lives, and the other side is told"},
		{"S26", "Deleted twice, and created anew", "no noise, and the new entry is everywhere"},
		{"S27", "Each way to resolve a conflict", "the entry is there for everybody afterwards"},
		{"S28", "One conflict, three members, twenty rounds", "each losing text is kept once, none in a tree"},
		{"S29", "Fifteen conflicts at one path", "all fifteen texts can be had"},
		{"S30", "One name, composed and decomposed", "one entry, each disk keeps its spelling, no delete"},
		{"S31", "Names that differ in case", "the second is refused and stays; a rename of case alone is one, on folding disks too"},
		{"S32", "Names that some system cannot store", "refused with place and reason; our own names fit everywhere"},
		{"S33", "A folder becomes a link between plan and write", "nothing outside is touched, nothing is deleted"},
		{"S34", "The watcher loses events", "all is looked at again, and every file arrives"},
		{"S35", "The watcher gets no events", "names are looked at, which status says with the reason"},
		{"S36", "A rename under watch", "the history goes along, nothing is there twice"},
		{"S37", "A rename against an edit of the old name", "one entry at the new name, with the edit"},
		{"S38", "The answer to a push is lost", "no conflict and no second revision"},
		{"S39", "Two watchers of one tree", "the second names the first; syncs beside it work, the dead hold nothing"},
		{"S40", "Followers while sixteen writers commit slowly", "each sees every revision once, in order, and proven"},
		{"S41", "Hints between servers are lost", "followers learn of everything by looking, and are woken again"},
		{"S42", "One entry is refused for good", "all others flow, it is listed with the reason"},
		{"S43", "A secret is found later", "the server's copies go, the member's file stays"},
		{"S44", "Clocks are off by a day, files are from 1970", "nothing comes out differently"},
		{"S45", "A file is saved with other line ends", "nothing is sent; a merge keeps both edits"},
		{"S46", "A run says that it succeeded", "then the server has it; else the run says so"},
		{"S47", "A run of 500 changes is interrupted", "it begins nothing more and takes in what was on its way; a second signal ends it at once"},
		{"S48", "Five members write one index", "each line once, in one order, and no change in later rounds"},
		{"S49", "The disk is full, or a file may not be read", "that op alone fails, and says so; nothing is deleted or forgotten"},
		{"S50", "An agent deletes a third of the memory", "the team's copy stays, and the files come back"},
	}
}

// Promise is what members and their teams can rely on.
type Promise struct {
	ID        string
	Title     string
	Scenarios []string
	Tests     []string // besides those of the scenarios
}

// Promises are those of sync, in the order of the page.
func Promises() []Promise {
	return []Promise{
		{"P1", "Nothing that a member wrote is lost: it is the entry, in its history, a conflict or in the trash", ids("S17 S19 S23 S28 S29 S47"), []string{
			"client.TestWalk_NothingIsLost", "client.TestCrash_AtEveryRequest", "client/tree.TestRace_NoLineIsLost", "cmd/teammem.TestChaos_FiveMembers", "cmd/teammem.TestKill_AtRandomMoments",
		}},
		{"P2", "A path has its old or its new text, never a part of one", ids("S16 S17 S20"), []string{"client/tree.TestTree_ReadIsNeverTorn"}},
		{"P3", "A run may end at any moment; the next one ends in sync, without a way to repair by hand", ids("S17 S38 S47"), []string{"client/tree.TestCrash_KillNine"}},
		{"P4", "The same changes make the same tree everywhere, whatever clocks say", ids("S22 S23 S24 S44"), []string{"sync.TestPlan_Converges", "sync.TestMergeEntry_Laws"}},
		{"P5", "Deletes travel, and no accident is one", ids("S01 S02 S03 S04 S05 S06 S07 S08 S09 S10 S11 S12 S13 S14 S15"), []string{"sync.TestGuard_Unseen"}},
		{"P6", "Many deletes at once wait for a person, in both directions, and hold up nothing else", ids("S03 S04 S50"), []string{"sync.TestGuard_Bound"}},
		{"P7", "What was deleted stays so, also for those who were away", ids("S12 S15"), []string{"client.TestField_F24_LongOffline", "client.TestField_F31_DeletedElsewhere"}},
		{"P8", "A server from a backup costs nobody a newer text", ids("S10 S11"), nil},
		{"P9", "The feed has every change, once and in order", ids("S40"), nil},
		{"P10", "A bad entry holds up none but itself", ids("S42 S49"), nil},
		{"P11", "Nothing outside of team/ is written, and no link in it is followed", ids("S33"), []string{"client/tree.TestRace_FolderFlipsToLink", "client/tree.TestRace_FileFlipsToLink"}},
		{"P12", "Agents find entries in the tree and nothing else: no marks of a merge, no copies, no half files", ids("S17 S23 S28"), []string{"sync.TestMerge3_Laws"}},
		{"P13", "A run that says it is in sync has proven it", ids("S46"), nil},
		{"P14", "A team-mate who watches sees an edit in a moment, and at worst within a minute", ids("S34 S35 S41"), []string{"cmd/teammem.TestWatch_TwoProcesses"}},
	}
}

// ids reads a list that is written in one line.
func ids(list string) []string { return strings.Fields(list) }
