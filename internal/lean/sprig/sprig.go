// Package sprig stands in for the template functions of that name. The secret
// scanner's library links them for its report templates, which teammem never
// makes, and their packages' initialisation would be paid at every start of the
// program.
package sprig

import "text/template"

// TxtFuncMap returns no functions.
func TxtFuncMap() template.FuncMap { return template.FuncMap{} }
