package tools

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"weft/backend/base/lazyregexp"

	"github.com/go-json-experiment/json/jsontext"
)

// A template is a text with placeholders: {{price}} or {{args.price}} stands for an argument, {{result.items}} for a
// part of the result, and {{price | money EUR}} for a value in a format. The frontend implements the same language
// (frontend/src/views/displays/template.ts); testdata/templates.json tests both.

// placeholderIn matches a placeholder of a template: its path and its format.
var placeholderIn = lazyregexp.New(`\{\{\s*([^{}|]*?)\s*(?:\|\s*([^{}|]*?)\s*)?\}\}`)

// formats has the names of the formats.
var formats = map[string]bool{"number": true, "money": true, "percent": true, "list": true, "json": true}

// fill replaces the placeholders of a template by the values of a call; missing values become "". result is the tool's
// result or the user's answer, nil if there is none yet.
func fill(template string, args, result json.RawMessage) string {
	return strings.Join(strings.Fields(placeholderIn.ReplaceAllStringFunc(template, func(hole string) string {
		m := placeholderIn.FindStringSubmatch(hole)
		return formatted(valueAt(m[1], args, result), m[2])
	})), " ")
}

// source splits a path into its source, "args" or "result", and the rest.
func source(path string) (of string, rest []string) {
	parts := strings.Split(path, ".")
	if parts[0] == "args" || parts[0] == "result" {
		return parts[0], parts[1:]
	}
	return "args", parts
}

// valueAt returns the value at a path, or nil.
func valueAt(path string, args, result json.RawMessage) json.RawMessage {
	of, rest := source(path)
	value := args
	if of == "result" {
		value = result
	}
	for _, name := range rest {
		if len(value) == 0 {
			return nil
		}
		switch jsonKind(value) {
		case '{':
			var fields map[string]json.RawMessage
			if json.Unmarshal(value, &fields) != nil {
				return nil
			}
			value = fields[name]
		case '[':
			var list []json.RawMessage
			i, err := strconv.Atoi(name)
			if err != nil || json.Unmarshal(value, &list) != nil || i < 0 || i >= len(list) {
				return nil
			}
			value = list[i]
		default:
			return nil
		}
	}
	return value
}

// formatted returns a value as text in a format.
func formatted(value json.RawMessage, format string) string {
	name, more, _ := strings.Cut(format, " ")
	switch n, ok := numberIn(value); {
	case !ok:
	case name == "number":
		return grouped(n)
	case name == "money":
		return money(n, strings.ToUpper(strings.TrimSpace(more)))
	case name == "percent":
		return grouped(math.Floor(n*1000+0.5)/10) + " %"
	}
	if name == "json" {
		return compact(value)
	}
	return plain(value)
}

// plain returns a value as text: strings without quotes, lists of scalars separated by commas.
func plain(value json.RawMessage) string {
	switch jsonKind(value) {
	case 'n':
		return ""
	case '"':
		var s string
		_ = json.Unmarshal(value, &s) // it is a string
		return s
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return ""
		}
		words := make([]string, len(list))
		for i, one := range list {
			words[i] = plain(one)
		}
		return strings.Join(words, ", ")
	case '0':
		if n, ok := numberIn(value); ok {
			return decimal(n)
		}
	case '{':
		return compact(value)
	case 't', 'f':
		return strings.TrimSpace(string(value))
	}
	return ""
}

func compact(value json.RawMessage) string {
	v := jsontext.Value(value).Clone()
	if v.Compact() != nil {
		return ""
	}
	return string(v)
}

// numberIn reads a number, also from a string.
func numberIn(value json.RawMessage) (float64, bool) {
	text := strings.TrimSpace(string(value))
	if jsontext.Value(value).Kind() == '"' {
		text = strings.TrimSpace(plain(value))
	}
	if !isNumber.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

var isNumber = lazyregexp.New(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// grouped formats a number with thousands separators.
func grouped(n float64) string { return withCommas(decimal(n)) }

func withCommas(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	whole, rest, fraction := strings.Cut(text, ".")
	var b strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if fraction {
		b.WriteString("." + rest)
	}
	return sign + b.String()
}

var signs = map[string]string{"": "$", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "¥", "INR": "₹"}

// money formats an amount with its currency, without cents if they are zero.
func money(n float64, code string) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	cents := math.Floor(n*100 + 0.5)
	text := withCommas(strconv.FormatFloat(math.Floor(cents/100), 'f', 0, 64))
	if rest := int(math.Mod(cents, 100)); rest != 0 {
		text += "." + strconv.Itoa(100 + rest)[1:]
	}
	if symbol, ok := signs[code]; ok {
		return sign + symbol + text
	}
	return sign + code + " " + text
}

// jsonKind returns the kind of a value: its first byte, '0' for numbers, 0 for invalid JSON.
func jsonKind(value json.RawMessage) byte { return byte(jsontext.Value(value).Kind()) }
