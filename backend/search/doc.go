// Package search says what a text has to contain to be found by a query: how texts are taken apart into tokens, how queries are read,
// whether a text matches, and which part of it is shown as the hit. It knows no database; backend/store/search is the index.
//
// Index and scan agree: a text matches a query if, and only if, its tokens contain those that [Term.Needs] names and [Query.Match] finds
// each term in it. Letters are compared without case and accents.
package search
