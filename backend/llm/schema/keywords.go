package schema

import (
	"encoding/json"
	"strings"
)

// shape is what the value of a keyword has to be.
type shape uint8

const (
	anything shape = iota
	aSchema
	schemaOrList
	schemaList
	schemaMap
	aString
	aNumber
	aCount
	aBool
	names
	types
	values
)

var shapes = map[string]shape{
	"items": schemaOrList, "additionalItems": aSchema, "additionalProperties": aSchema, "not": aSchema, "if": aSchema, "then": aSchema, "else": aSchema,
	"contains": aSchema, "propertyNames": aSchema, "unevaluatedItems": aSchema, "unevaluatedProperties": aSchema, "contentSchema": aSchema,
	"anyOf": schemaList, "oneOf": schemaList, "allOf": schemaList, "prefixItems": schemaList,
	"properties": schemaMap, "patternProperties": schemaMap, "dependentSchemas": schemaMap,
	"description": aString, "title": aString, "pattern": aString, "format": aString, "contentEncoding": aString, "contentMediaType": aString,
	"minimum": aNumber, "maximum": aNumber, "exclusiveMinimum": aNumber, "exclusiveMaximum": aNumber, "multipleOf": aNumber,
	"minLength": aCount, "maxLength": aCount, "minItems": aCount, "maxItems": aCount, "minProperties": aCount, "maxProperties": aCount,
	"minContains": aCount, "maxContains": aCount,
	"uniqueItems": aBool, "deprecated": aBool, "readOnly": aBool, "writeOnly": aBool,
	"required": names, "propertyOrdering": names, "type": types, "enum": values, "examples": values,
}

// silent are the keywords whose absence tells a model nothing less.
var silent = set("$schema", "$id", "$anchor", "$comment", "$vocabulary", "$dynamicAnchor", "id")

var typeNames = set("string", "number", "integer", "boolean", "object", "array", "null")

// wellFormed says whether a keyword's value is of its shape. Schemas inside of it are looked at later.
func wellFormed(keyword string, v any) bool {
	switch shapes[keyword] {
	case aSchema:
		return isSchema(v)
	case schemaOrList:
		list, ok := v.([]any)
		return isSchema(v) || ok && all(list, isSchema)
	case schemaList:
		list, ok := v.([]any)
		return ok && len(list) > 0 && all(list, isSchema)
	case schemaMap:
		_, ok := v.(*object)
		return ok
	case aString:
		return isString(v)
	case aNumber:
		_, ok := v.(json.Number)
		return ok
	case aCount:
		n, ok := v.(json.Number)
		return ok && !strings.ContainsAny(n.String(), "-.eE")
	case aBool:
		_, ok := v.(bool)
		return ok
	case names:
		list, ok := v.([]any)
		return ok && all(list, isString)
	case types:
		list, ok := v.([]any)
		return isType(v) || ok && len(list) > 0 && all(list, isType)
	case values:
		list, ok := v.([]any)
		return ok && len(list) > 0
	default:
		return true
	}
}

func isSchema(v any) bool {
	_, object := v.(*object)
	_, truth := v.(bool)
	return object || truth
}

func isString(v any) bool {
	_, ok := v.(string)
	return ok
}

func isType(v any) bool {
	s, ok := v.(string)
	return ok && typeNames[s]
}

func all(list []any, is func(any) bool) bool {
	for _, v := range list {
		if !is(v) {
			return false
		}
	}
	return true
}

// strings of a list, without those that are said twice.
func stringsOf(v any) []string {
	list, _ := v.([]any)
	var out []string
	seen := map[string]bool{}
	for _, e := range list {
		if s, ok := e.(string); ok && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func listOf(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}
