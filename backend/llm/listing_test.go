package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

func TestListErrorKeepsWhatUsersAreTold(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"none":               nil,
		"any":                errors.New("the answer has no list"),
		"of a provider":      &Error{Code: CodeAuth, Message: "OpenAI doesn't accept the key."},
		"wrapped":            fmt.Errorf("list: %w", &Error{Code: CodeUnreachable, Message: "Nobody answers at 127.0.0.1:9."}),
		"silent":             fmt.Errorf("list: %w", ErrSilent),
		"silent, a provider": &Error{Code: CodeServer, Message: "OpenAI is silent.", Err: ErrSilent},
		"an unknown code":    &Error{Code: "new", Message: "Something new."},
	} {
		raw, failed := json.Marshal(Listed{Error: NewListError(err)})
		if failed != nil {
			t.Fatal(failed)
		}
		var answer Listed
		if failed := json.Unmarshal(raw, &answer); failed != nil {
			t.Fatal(failed)
		}
		again := answer.Error.Err()
		if (again == nil) != (err == nil) || errors.Is(again, ErrSilent) != errors.Is(err, ErrSilent) {
			t.Errorf("%s: %v became %v", name, err, again)
		}
		var before, after *Error
		if errors.As(err, &before) && before.Code.Known() && (!errors.As(again, &after) || after.Code != before.Code) {
			t.Errorf("%s: %v became %v", name, err, again)
		}
		if err != nil && !errors.Is(err, ErrSilent) && again.Error() != err.Error() {
			t.Errorf("%s: %q became %q", name, err, again)
		}
	}
}
