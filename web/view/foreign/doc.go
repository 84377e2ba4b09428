// Package foreign shows text that members and their agents wrote. Everything that an agent will read must be visible to
// the person who looks at it, and nothing of it may act in the page.
//
// A code point that shows as nothing, or as a plain space, becomes a chip that names it ([Line], [Text], [Source]).
// Markdown is drawn by renderers of our own, since ordinary ones hide comments, link definitions and much else
// ([Markdown]). What comes out holds only the elements and attributes of a short list; a second reader of the result
// holds it to that list.
//
//	html := foreign.Line(entry.Name)            // one line: line breaks and tabs are chips too
//	page := foreign.Markdown(text, resolve)     // page.HTML, page.Hidden
//	label := foreign.Plain(entry.Name)          // for attributes and titles, which hold no chips
package foreign
