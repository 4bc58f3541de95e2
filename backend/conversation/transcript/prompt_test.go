package transcript

import (
	"strings"
	"testing"
)

var picture = Content{Type: "image", Name: "a.png", Mime: "image/png", Ref: &Ref{Hash: strings.Repeat("a", 64), Size: 3, Mime: "image/png"}}

func TestAttachmentsFollowThePromptText(t *testing.T) {
	b := newBench(t)
	b.turns.Prompt("look", Content{Type: "resource_link", Path: "src/"}, picture)
	b.turns.Prompt("", picture)
	out := b.box.Take()
	uses := 0
	for _, blob := range out.Blobs {
		if blob.Ref != *picture.Ref || blob.Data != nil {
			t.Errorf("a blob that is stored already is stored again: %+v", blob)
		}
		uses++
	}
	if uses != 2 {
		t.Errorf("%d uses of the picture are counted, want 2", uses)
	}
	b.box.out = out
	b.want(`
		user
		  text "look"
		  display resource_link
		  display image
		user
		  display image`)
}

func TestEchoedPromptIsNotQuoted(t *testing.T) {
	b := newBench(t)
	block := func() *Update {
		return &Update{Kind: UpdateUser, Block: &Content{Type: "image", Mime: "image/png", Text: "AAAA"}}
	}
	b.turns.Begin("r", "look").ExpectEchoes(1)
	b.do(user("lo"), user("ok"), block(), text("seen"), block())
	b.want(`
		agent …
		  text "seen"
		  display by user image`)
}
