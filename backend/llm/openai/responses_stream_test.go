package openai

import "testing"

func TestResponsesStreams(t *testing.T) {
	for _, c := range []struct{ name, stream, want string }{
		{
			"thinking, text and two calls", `event: response.created
data: {"type":"response.created","response":{"id":"r","model":"m-1","status":"in_progress"}}

data: {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}

data: {"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"First"}

data: {"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"Second"}

data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"First"},{"type":"summary_text","text":"Second"}],"encrypted_content":"enc"}}

data: {"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"msg_1","role":"assistant","content":[]}}

data: {"type":"response.content_part.added","output_index":1,"content_index":0,"part":{"type":"output_text","text":""}}

data: {"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"Look"}

data: {"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"ing"}

data: {"type":"response.output_text.done","output_index":1,"content_index":0,"text":"Looking"}

data: {"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"msg_1","phase":"commentary","content":[{"type":"output_text","text":"Looking"}]}}

data: {"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"a","name":"read","arguments":""}}

data: {"type":"response.output_item.added","output_index":3,"item":{"type":"function_call","id":"fc_2","call_id":"b","name":"list","arguments":""}}

data: {"type":"response.function_call_arguments.delta","output_index":3,"delta":"{\"m\":"}

data: {"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"n\":1}"}

data: {"type":"response.function_call_arguments.delta","output_index":3,"delta":"2}"}

data: {"type":"response.function_call_arguments.done","output_index":2,"arguments":"{\"n\":1}"}

data: {"type":"response.output_item.done","output_index":3,"item":{"type":"function_call","id":"fc_2","call_id":"b","name":"list","arguments":"{\"m\":2}"}}

data: {"type":"response.completed","response":{"status":"completed","model":"m-1","output":[{"type":"reasoning"},{"type":"message","content":[{"type":"output_text","text":"Looking"}]}],"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":3}}}}

`, `
think "First"
think "\n\nSecond"
text "Look"
text "ing"
call 0 read(a)
call 1 list(b)
input 1 {"m":
input 0 {"n":1}
input 1 2}
= Thinking {"text":"First\n\nSecond","sealed":{"provider":"openai","data":{"at":"HOST","item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"First"},{"type":"summary_text","text":"Second"}],"encrypted_content":"enc"}}}}
= Text {"text":"Looking","sealed":{"provider":"openai","data":{"at":"HOST","id":"msg_1","phase":"commentary"}}}
= ToolCall {"id":"a","name":"read","input":{"n":1},"sealed":{"provider":"openai","data":{"at":"HOST","id":"fc_1"}}}
= ToolCall {"id":"b","name":"list","input":{"m":2},"sealed":{"provider":"openai","data":{"at":"HOST","id":"fc_2"}}}
tools {Input:10 CacheRead:4 CacheWrite:0 Output:7 Thinking:3 Cost:0}`,
		},
		{
			"thinking that is kept from us", `data: {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1"}}

data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"enc"}}

data: {"type":"response.output_text.delta","output_index":1,"delta":"A"}

data: {"type":"response.completed","response":{"status":"completed"}}

`, `
text "A"
= Thinking {"text":"","sealed":{"provider":"openai","data":{"at":"HOST","item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"enc"}}}}
= Text {"text":"A"}
end`,
		},
		{
			"thinking as text, and items that come only whole", `data: {"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"hm"}

data: {"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"fc","call_id":"x","name":"read","arguments":"{}"}}

data: {"type":"response.output_item.done","output_index":2,"item":{"type":"message","content":[{"type":"output_text","text":"A"}]}}

data: {"type":"response.function_call_arguments.done","output_index":1,"arguments":"{}"}

data: {"type":"response.completed","response":{"status":"completed"}}

`, `
think "hm"
call 0 read(x)
input 0 {}
text "A"
= Thinking {"text":"hm"}
= ToolCall {"id":"x","name":"read","input":{},"sealed":{"provider":"openai","data":{"at":"HOST","id":"fc"}}}
= Text {"text":"A"}
tools`,
		},
		{
			"a refusal", `data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"msg_1"}}

data: {"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"I will"}

data: {"type":"response.refusal.done","output_index":0,"content_index":0,"refusal":"I will not."}

data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"msg_1","content":[{"type":"refusal","refusal":"I will not."}]}}

data: {"type":"response.completed","response":{"status":"completed"}}

`, `
text "I will"
text " not."
= Text {"text":"I will not.","sealed":{"provider":"openai","data":{"at":"HOST","id":"msg_1","refusal":true}}}
refusal`,
		},
		{
			"cut at the limit", `data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"A"}

data: {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}

`, `
text "A"
= Text {"text":"A"}
length`,
		},
		{"filtered", "data: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"content_filter\"}}}\n\n", "refusal"},
		{"a server that doesn't stream", `{"object":"response","status":"completed","model":"m","output":[{"type":"message","content":[{"type":"output_text","text":"A"}]},{"type":"function_call","call_id":"x","name":"read","arguments":"{}"}]}`, `
text "A"
call 0 read(x)
input 0 {}
= Text {"text":"A"}
= ToolCall {"id":"x","name":"read","input":{}}
tools`},
		{"what it doesn't know is passed over", "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"web_search_call\",\"id\":\"ws\"}}\n\ndata: {\"type\":\"response.new.thing\",\"delta\":{}}\n\ndata: {\"type\":\"keepalive\",\"sequence_number\":3}\n\n" + responsesOK, "text \"ok\"\n= Text {\"text\":\"ok\"}\nend"},
		{"items that contradict each other", "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\"}}\n\ndata: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":0,\"delta\":\"{}\"}\n\ndata: {\"type\":\"response.reasoning_text.delta\",\"output_index\":0,\"delta\":\"hm\"}\n\ndata: {\"type\":\"response.output_item.added\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n", "text \"{}\"\nthink \"hm\"\n= Text {\"text\":\"{}\"}\n= Thinking {\"text\":\"hm\"}\nend"},

		{"broken off", "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"A\"}\n\n", "text \"A\"\n= Text {\"text\":\"A\"}\nend ! The answer of HOST was interrupted. Try again. [retryable]"},
		{"ended by [DONE] only", "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"A\"}\n\ndata: [DONE]\n\n", "text \"A\"\n= Text {\"text\":\"A\"}\nend ! The answer of HOST was interrupted. Try again. [retryable]"},
		{"failed", "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"A\"}\n\ndata: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"Something went wrong\"}}}\n\n", "text \"A\"\n= Text {\"text\":\"A\"}\nend ! HOST failed or is overloaded (500): Something went wrong (server_error). Try again later. [retryable]"},
		{"an error in the stream", "data: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"Slow down\",\"sequence_number\":1}\n\n", "end ! HOST is limiting requests (429): Slow down (rate_limit_exceeded). Wait a moment, or check your plan and credit. [retryable]"},
		{"an error inside an error", "data: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"code\":\"context_length_exceeded\",\"message\":\"Your input exceeds the context window of this model\"}}\n\n", "end ! The conversation is too long for this model (400): Your input exceeds the context window of this model (context_length_exceeded)."},
		{"an event that is no JSON", "data: nonsense\n\n", "end ! The response from HOST can't be read: invalid character 'o' in literal null (expecting 'u'). Check the base URL, and any proxy in between."},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, "responses", c.stream, c.want) })
	}
}
