// Package search splits texts into tokens, parses queries, matches texts against them, and makes snippets of the hits.
// It doesn't access the database; backend/store/search is the index.
//
// The index only narrows the search: a text matches a query if its tokens contain those of [Term.Needs] and
// [Query.Match] finds each term in it. Comparisons ignore case and accents.
package search
