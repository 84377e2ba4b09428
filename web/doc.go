// Package web is the console: the pages on which people read and review what their agents wrote.
//
// It has one file per action. A page calls [github.com/teammem/teammem/memory] through its Service, as the API does,
// and hands plain view structs to package view; it never imports the store, the API or a database driver.
package web
