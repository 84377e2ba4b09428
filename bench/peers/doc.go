// Command peers measures a sync of teammem beside other ways to keep a folder
// of notes equal on two computers: git over HTTP, Unison and rsync. All of them
// work on the same trees, in the same minutes and on the same file system: for
// each size every peer is set up, and then they take turns, run by run, so that
// whatever else the machine does hits all of them alike. Only ratios within one
// run mean anything.
//
// # What is measured
//
// A first upload, a first download, a sync without news, one edit up and down
// again, and a sync without news that reads every file. Unison brings both
// sides in step in one run, so its runs stand for upload and download together;
// rsync only mirrors one way. The server's processor time is that of all its
// processes, but for Postgres, which is told apart. Bytes on the wire are IP
// bytes of both directions on a loopback that nobody else uses: the program
// runs itself again in a network namespace of its own, and leaves the bytes out
// where it may not.
//
// Watchers are measured by themselves (-live), beside Syncthing and Mutagen: how
// long a change takes from one watched folder to the other, one at a time and in
// a burst, and what a watcher needs while nothing happens; and how long it takes
// until what a maintainer takes back has left the members' folders.
//
// A command that fails is no measurement and makes the program fail. So do two
// replicas that differ in the end, which void all figures of that peer and size.
//
// # Variants of the program
//
// teammem is measured as it ships: secret scan, audit and durable commits are
// on. What the scan costs is told by a second program, built from the same
// source but with a scanner that finds nothing, and where the time goes by a
// third that writes profiles. Both are made with "go build -overlay", so that
// production code has no switch that turns its checks off; a variant whose
// patches no longer fit the source does not build.
//
// It imports no package of ours and may use the standard library and x/sys.
package main
