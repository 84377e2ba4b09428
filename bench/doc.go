// Package bench is responsible for measurements of the built program: what a sync costs in time, memory and bytes on
// the wire, beside other ways to do the same. It runs binaries as a user would and imports no package of ours;
// micro-benchmarks stand in the package they measure.
package bench
