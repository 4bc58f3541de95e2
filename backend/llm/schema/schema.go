// Package schema reduces a JSON Schema to what a provider accepts.
//
// Schemas come from tools and from MCP servers, so they are hostile input: they are bounded in size, depth and
// number of parts, references are followed only inside of the document, and what is malformed is left out. Nothing
// gets lost silently: each loss is a sentence for the log. The order of keys is kept, since it is the order in which
// a model writes its fields.
//
// reduce.go makes the document, merge.go replaces references and alternatives; each dialect has a file.
package schema

import (
	"encoding/json"
	"fmt"

	"weft/backend/base/lazyregexp"
)

// Dialect is what one provider accepts at one place.
type Dialect struct {
	Provider string // for sentences: "Google"
	// Keywords are those that are accepted; nil for all. Others are told in the description if Describe is set and they
	// are short, else left out.
	Keywords map[string]bool
	Describe bool
	// Refuses, if set, is asked about the value of an accepted keyword: string, json.Number, bool, nil, []any or *object.
	Refuses func(keyword string, value any) bool
	// Refs says that references to the document's $defs, or to its top ("#"), are allowed. Else they are replaced by what
	// they mean, and a recursion is cut.
	Refs bool
	// RefAlone says that a $ref has no siblings.
	RefAlone bool
	// OptionalCycles says that a property that leads back to the schema around it cannot be required.
	OptionalCycles bool
	// FlatTop says that the top can have no anyOf, oneOf and allOf. They are merged into one object.
	FlatTop bool
	// TypeLists says that "type" can be a list; else it becomes an anyOf.
	TypeLists bool
	// Closed says that every object needs additionalProperties: false.
	Closed bool
	// Maps says that with Closed, an object without properties may keep a schema for all of its values.
	Maps bool
	// AllRequired says that every property has to be required. What was optional may be null instead.
	AllRequired bool
	// Declared says that required can only name properties that are declared.
	Declared bool
	// Filled says that the top has properties and every list has items, also where that says nothing.
	Filled bool
	// PropertyName, if set, is what the name of a property at the top has to match.
	PropertyName *lazyregexp.Regexp
}

// accepts reports whether a keyword is accepted.
func (d *Dialect) accepts(keyword string) bool { return d.Keywords == nil || d.Keywords[keyword] }

// notAccepted says why something was left out.
func (d *Dialect) notAccepted() string { return d.Provider + " doesn't accept it" }

// The bounds of a schema.
const (
	maxSize   = 512 << 10 // bytes
	maxDepth  = 64        // schemas inside of schemas
	maxParts  = 50000     // schemas, after references were replaced
	maxLosses = 40        // sentences
)

// Reduce makes a schema that d accepts: a JSON object whose type is "object". losses are sentences about what it
// says less than raw. The error is a sentence as well: raw is no JSON, no schema of an object, or out of bounds. An
// empty raw is the schema of an object of which nothing is known.
func Reduce(raw json.RawMessage, d Dialect) (out json.RawMessage, losses []string, err error) {
	if len(raw) > maxSize {
		return nil, nil, fmt.Errorf("the schema is too large: it has more than %d KB", maxSize>>10)
	}
	root := newObject()
	if len(raw) > 0 {
		if root, err = parse(raw); err != nil {
			return nil, nil, err
		}
	}
	r := newReducer(d, root)
	top, err := r.top()
	if err != nil {
		return nil, nil, err
	}
	if out, err = encode(top); err != nil {
		return nil, nil, err
	}
	return out, r.losses.told(), nil
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
