package rpc

import "testing"

func TestIDsAreEqualByValue(t *testing.T) {
	for in, want := range map[string]string{
		"3": "3", "3.0": "3", "30e-1": "3", "0.3E1": "3", "-0": "0", "-7.00": "-7", "9007199254740993": "9007199254740993", "3.5": "3.5", "1e400": "1e400", "null": "null",
		`"3"`: `"3"`, `"a\u0062"`: `"ab"`, `"a\"b"`: `"a\"b"`, `""`: `""`,
	} {
		if got := ID([]byte(in)); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

func TestLogLinesAreNotMessages(t *testing.T) {
	for text, want := range map[string]bool{
		`{"jsonrpc":"2.0","method":"x"}`: true, `{"method":"x","params":{}}`: true, `{"id":1,"result":null}`: true, `{"id":1,"error":{},"_meta":{}}`: true, `{"jsonrpc":"2.0","id":1}`: true,
		`{"jsonrpc":"2.0","id":1,"result":{},"trace":"x"}`: true, `{"jsonrpc":"2.0"}`: false, `{"jsonrpc":"2.0","method":7}`: false, `{"id":1}`: false, `{}`: false, `{"result":{}}`: false,
		`{"level":"info","id":1,"msg":"x"}`: false, `{"level":"info","id":1,"error":"x"}`: false, `{"method":"GET","path":"/","id":1}`: false, `[]`: false, `"x"`: false,
	} {
		if m := Read([]byte(text)); m.Valid() != want {
			t.Errorf("%s is a message: %v", text, !want)
		}
	}
}
