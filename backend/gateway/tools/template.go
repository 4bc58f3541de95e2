package tools

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"weft/backend/lazyregexp"

	"github.com/go-json-experiment/json/jsontext"
)

// A template is a text with placeholders: {{price}} or {{args.price}} stands for an argument, {{result.items}} for a part of the
// result, and {{price | money EUR}} for a value in a format. The frontend draws with the same language
// (frontend/src/views/displays/template.ts); both are held to testdata/templates.json.

// placeholderIn finds the placeholders of a template: what is meant, and the format.
var placeholderIn = lazyregexp.New(`\{\{\s*([^{}|]*?)\s*(?:\|\s*([^{}|]*?)\s*)?\}\}`)

// formats are the formats of placeholders.
var formats = map[string]bool{"number": true, "money": true, "percent": true, "list": true, "json": true}

// fill returns a template with the values of a call in it. What is not there is left out; the result is that of a tool or the
// user's answer, nil before there is one.
func fill(template string, args, result json.RawMessage) string {
	return strings.Join(strings.Fields(placeholderIn.ReplaceAllStringFunc(template, func(hole string) string {
		m := placeholderIn.FindStringSubmatch(hole)
		return formatted(valueAt(m[1], args, result), m[2])
	})), " ")
}

// source is what a path of a template begins at, and the rest of it.
func source(path string) (of string, rest []string) {
	parts := strings.Split(path, ".")
	if parts[0] == "args" || parts[0] == "result" {
		return parts[0], parts[1:]
	}
	return "args", parts
}

// valueAt is the JSON at a path, nil if there is none.
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
		switch begins(value) {
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

// formatted is a value as a text.
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

// plain is a value as it is read: texts without quotes, lists of plain values with commas between them.
func plain(value json.RawMessage) string {
	switch begins(value) {
	case 'n':
		return ""
	case '"':
		var s string
		_ = json.Unmarshal(value, &s) // it is one
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

// numberIn reads a number, also where it is written as a text.
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

// grouped is a number with commas between the thousands.
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

// money is an amount with its currency; cents are left out where there are none.
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

// begins is the kind of a value: its first byte, '0' for every number, 0 for what is no JSON.
func begins(value json.RawMessage) byte { return byte(jsontext.Value(value).Kind()) }
