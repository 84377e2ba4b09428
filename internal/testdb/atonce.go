package testdb

import (
	"flag"
	"runtime"
	"strconv"
)

// MoreAtOnce lets a package run two tests for each processor, unless -parallel
// says how many: what starts processes or asks a database waits most of its
// time. It is for TestMain, before the tests run.
func MoreAtOnce() {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err) // the flag is the testing package's
	}
}
