package openai

import "testing"

func TestChatStreams(t *testing.T) {
	for _, c := range []struct{ name, stream, want string }{
		{
			"text, then three calls side by side", `data: {"model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}

data: {"choices":[{"index":0,"delta":{"content":"Loo"}}]}

data: {"choices":[{"index":0,"delta":{"content":"king"}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"read","arguments":"{\"p\""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\""}},{"index":2,"id":"c","function":{"name":"list"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":":2}"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":2},"completion_tokens_details":{"reasoning_tokens":3}}}

data: [DONE]

`, `
text "Loo"
text "king"
call 0 read(a)
call 1 read(b)
input 1 {"p"
input 0 {"n"
call 2 list(c)
input 1 :2}
input 0 :1}
= Text {"text":"Looking"}
= ToolCall {"id":"a","name":"read","input":{"n":1}}
= ToolCall {"id":"b","name":"read","input":{"p":2}}
= ToolCall {"id":"c","name":"list","input":{}}
tools {Input:10 CacheRead:4 CacheWrite:2 Output:7 Thinking:3 Cost:0}`,
		},
		{
			"comments, other line ends, no [DONE], usage beside the end", ": PROCESSING\r\n\r\n: PROCESSING\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"hi\",\"tool_calls\":null},\"finish_reason\":null}],\"error\":null,\"usage\":null}\r\n\r\n" +
				"data: {\"choices\":[{\"delta\":{\"content\":null},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2,\"cost\":0.25,\"prompt_cache_hit_tokens\":1}}\r\n\r\n", `
text "hi"
= Text {"text":"hi"}
end {Input:1 CacheRead:1 CacheWrite:0 Output:2 Thinking:0 Cost:0.25}`,
		},
		{
			"thinking, as most tell it", `data: {"choices":[{"delta":{"reasoning_content":"h"}}]}

data: {"choices":[{"delta":{"reasoning_content":"m","reasoning":"m","content":null}}]}

data: {"choices":[{"delta":{"content":"A","reasoning_content":null},"finish_reason":"stop"}]}

`, `
think "h"
think "m"
text "A"
= Thinking {"text":"hm","sealed":{"provider":"openai-chat","data":{"at":"HOST","field":"reasoning_content"}}}
= Text {"text":"A"}
end`,
		},
		{
			"thinking with details", `data: {"choices":[{"delta":{"reasoning":"h","reasoning_details":[{"type":"reasoning.text","text":"h","index":0}]}}]}

data: {"choices":[{"delta":{"reasoning":"m","reasoning_details":[{"type":"reasoning.text","text":"m","index":0,"signature":"s"}]}}]}

data: {"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"x","index":1}]}}]}

data: {"choices":[{"delta":{"content":"A"},"finish_reason":"stop"}]}

`, `
think "h"
think "m"
text "A"
= Thinking {"text":"hm","sealed":{"provider":"openai-chat","data":{"at":"HOST","details":[{"index":0,"signature":"s","text":"hm","type":"reasoning.text"},{"type":"reasoning.encrypted","data":"x","index":1}]}}}
= Text {"text":"A"}
end`,
		},
		{
			"whole calls in one event, all of the same index", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read","arguments":"{\"n\":1}"}},{"index":0,"id":"y","function":{"name":"read","arguments":"{\"n\":2}"}}]},"finish_reason":"stop"}]}

`, `
call 0 read(x)
input 0 {"n":1}
call 1 read(y)
input 1 {"n":2}
= ToolCall {"id":"x","name":"read","input":{"n":1}}
= ToolCall {"id":"y","name":"read","input":{"n":2}}
tools`,
		},
		{
			"neither index nor id, input as an object", `data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"read","arguments":{"n": 1}}},{"function":{"name":"read","arguments":"{\"n\""}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":":2}"}}]},"finish_reason":"tool_calls"}]}

`, `
call 0 read()
input 0 {"n": 1}
call 1 read()
input 1 {"n"
input 1 :2}
= ToolCall {"id":"call_1_0","name":"read","input":{"n":1}}
= ToolCall {"id":"call_1_1","name":"read","input":{"n":2}}
tools`,
		},
		{
			"an id that two calls have, and a name in each piece", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read","arguments":"{\"n\":"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read","arguments":"1}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":1,"id":"x","function":{"name":"read","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}

`, `
call 0 read(x)
input 0 {"n":
input 0 1}
call 1 read(x)
input 1 {}
= ToolCall {"id":"x","name":"read","input":{"n":1}}
= ToolCall {"id":"x_2","name":"read","input":{}}
tools`,
		},
		{
			"text behind a call, and an input that is no JSON", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read","arguments":"{\"n\":"}}]}}]}

data: {"choices":[{"delta":{"content":"cut"},"finish_reason":"length"}]}

`, `
call 0 read(x)
input 0 {"n":
text "cut"
= ToolCall {"id":"x","name":"read","input":{},"raw":"{\"n\":"}
= Text {"text":"cut"}
length`,
		},
		{
			"signed calls", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]},"finish_reason":"tool_calls"}]}

`, `
call 0 read(x)
input 0 {}
= ToolCall {"id":"x","name":"read","input":{},"sealed":{"provider":"openai-chat","data":{"at":"HOST","extra_content":{"google":{"thought_signature":"s"}}}}}
tools`,
		},
		{
			"content in parts", `data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"A"}]},"finish_reason":"stop"}]}

`, `
think "hm"
text "A"
= Thinking {"text":"hm"}
= Text {"text":"A"}
end`,
		},
		{
			"a refusal", `data: {"choices":[{"delta":{"refusal":"I will not."},"finish_reason":"stop"}]}

`, `
text "I will not."
= Text {"text":"I will not."}
refusal`,
		},
		{
			"filtered", `data: {"choices":[{"delta":{"content":"A"}}]}

data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}

`, `
text "A"
= Text {"text":"A"}
refusal`,
		},
		{"nothing at all", "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", `end`},
		{"an end without a reason", "data: {\"choices\":[{\"delta\":{\"content\":\"A\"}}]}\n\ndata: [DONE]\n\n", "text \"A\"\n= Text {\"text\":\"A\"}\nend"},
		{"other answers than the first are passed over", "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"B\"},\"finish_reason\":\"length\"},{\"index\":0,\"delta\":{\"content\":\"A\"},\"finish_reason\":\"stop\"}]}\n\n", "text \"A\"\n= Text {\"text\":\"A\"}\nend"},
		{"fields of other types", "data: {\"choices\":[{\"index\":\"0\",\"delta\":{\"content\":\"A\",\"refusal\":7},\"finish_reason\":\"stop\"}],\"model\":3}\n\n", "text \"A\"\n= Text {\"text\":\"A\"}\nend"},
		{
			"a server that doesn't stream", `{"model":"m","choices":[{"index":0,"message":{"content":"A","tool_calls":[{"id":"x","function":{"name":"read","arguments":"{\"n\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, `
text "A"
call 0 read(x)
input 0 {"n":1}
= Text {"text":"A"}
= ToolCall {"id":"x","name":"read","input":{"n":1}}
tools {Input:1 CacheRead:0 CacheWrite:0 Output:2 Thinking:0 Cost:0}`,
		},

		{"broken off", "data: {\"choices\":[{\"delta\":{\"content\":\"A\"}}]}\n\n", "text \"A\"\n= Text {\"text\":\"A\"}\nend ! The answer of HOST was interrupted. Try again. [retryable]"},
		{"broken off in an event", "data: {\"choices\":[{\"delta\":{\"content\":\"A\"}}]}\n\ndata: {\"choices\":[{\"de", "text \"A\"\n= Text {\"text\":\"A\"}\nend ! The answer of HOST was interrupted. Try again. [retryable]"},
		{"an empty body", "", "end ! The answer of HOST was interrupted. Try again. [retryable]"},
		{"an event that is no JSON", "data: {\"choices\":[{\"delta\":{\"content\":\"A\"}}]}\n\ndata: oops\n\n", "text \"A\"\n= Text {\"text\":\"A\"}\nend ! The response from HOST can't be read: invalid character 'o' looking for beginning of value. Check the base URL, and any proxy in between."},
		{"a web page", " \n<!DOCTYPE html><html>Welcome</html>", "end ! HOST answered with a web page (200), not as an API. Check the base URL, and any proxy in between."},
		{"some text", "Ollama is running", "end ! The response from HOST can't be read: invalid character 'O' looking for beginning of value. Check the base URL, and any proxy in between."},
		{"an error in the stream", "data: {\"choices\":[{\"delta\":{\"content\":\"A\"}}]}\n\ndata: {\"error\":{\"message\":\"The backend is gone\",\"code\":502}}\n\n", "text \"A\"\n= Text {\"text\":\"A\"}\nend ! HOST failed or is overloaded (502): The backend is gone (502). Try again later. [retryable]"},
		{"an error in words", "data: {\"error\":\"slot unavailable\"}\n\n", "end ! HOST failed or is overloaded (500): slot unavailable. Try again later. [retryable]"},
		{"an event that is named an error", "event: error\ndata: {\"message\":\"out of memory\"}\n\n", "end ! HOST failed or is overloaded (500): out of memory. Try again later. [retryable]"},
		{"a limit in the stream", "data: {\"error\":{\"message\":\"Slow down\",\"type\":\"rate_limit_error\"}}\n\n", "end ! HOST is limiting requests (429): Slow down (rate_limit_error). Wait a moment, or check your plan and credit. [retryable]"},
		{"an error as JSON with 200", `{"error":{"message":"Unexpected endpoint or method.","type":"invalid_request_error"}}`, "end ! HOST doesn't accept the request (400): Unexpected endpoint or method. (invalid_request_error)."},
		{"too long", `{"error":{"message":"This model's maximum context length is 10 tokens","code":"context_length_exceeded"}}`, "end ! The conversation is too long for this model (400): This model's maximum context length is 10 tokens (context_length_exceeded)."},
		{"an end with an error", "data: {\"choices\":[{\"delta\":{\"content\":\"A\"},\"finish_reason\":\"error\"}]}\n\n", "text \"A\"\n= Text {\"text\":\"A\"}\nend ! The answer of HOST was interrupted. Try again. [retryable]"},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, "chat", c.stream, c.want) })
	}
}
