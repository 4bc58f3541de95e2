package guide

import (
	"slices"
	"strings"
)

// topics are the things that people ask about Weft itself, with the words by which a question is recognized. Buttons
// and commands have the names that the user sees.
var topics = []struct {
	words  []string
	answer string
}{
	{[]string{"undo", "revert", "roll back", "restore", "take back"}, "**Undo**, below an answer that changed files, and **Undo all changes from here**, beside each of your prompts, restore the files to their state when you sent that prompt. In **Changes** you can reject single files and hunks."},
	{[]string{"review", "accept", "reject", "see changes", "see the changes", "see what changed", "see the diff", "diff", "changes"}, "**Changes**, in the header of the space, lists all files that the agent changed. Accept or reject hunks, files, or all of it."},
	{[]string{"commit", "push", "pull request"}, "Accept the changes in **Changes**, then choose **Commit accepted changes…** there. Afterwards you can push, and open a pull request where the remote has them."},
	{[]string{"stop", "interrupt", "cancel", "abort"}, "**Stop**, beside the message field, ends the agent's turn. What was shown until then is kept."},
	{[]string{"permission", "permissions", "allow", "forbid", "rule", "rules", "read-only", "approve"}, "The button with the permission mode below the message field sets how much an agent may do in a space. Rules for all spaces are in **Settings → Permissions**."},
	{[]string{"export", "share", "print"}, "**Export conversation**, in the menu of the space, writes a conversation as HTML or Markdown."},
	{[]string{"branch", "branches", "fork", "edit a prompt", "edit my prompt"}, "Edit an earlier prompt or choose **Branch this conversation** to continue from there. **Branches** shows all of them."},
	{[]string{"member", "members", "several agents", "two agents", "mention"}, "**Members** adds agents to a space. Mention one with @ to talk to it."},
	{[]string{"shortcut", "shortcuts", "keys", "keyboard"}, "All actions have names in the palette, and most have a key."},
	{[]string{"search", "find", "old conversations", "history"}, "**Search everywhere** searches all conversations, and **Find in this conversation** the one that is open."},
}

// weftWords returns the words of all topics as alternatives of a pattern, the longest first.
func weftWords() string {
	var words []string
	for _, t := range topics {
		words = append(words, t.words...)
	}
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	return strings.Join(words, "|")
}

// topicOf returns the answer that belongs to a word of a topic.
func topicOf(word string) string {
	for _, t := range topics {
		if slices.ContainsFunc(t.words, func(w string) bool { return strings.EqualFold(w, word) }) {
			return t.answer
		}
	}
	return ""
}
