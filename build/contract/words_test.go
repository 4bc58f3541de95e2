package contract

import (
	"slices"
	"testing"
)

// wordy are names of fields that may hold a sentence or a name of Weft's.
var wordy = []string{
	"about", "body", "conflict", "coverage", "description", "detail", "error", "failure", "hint", "installHint", "label", "left", "loginError", "message",
	"note", "notes", "problem", "problems", "reason", "said", "sentence", "skipped", "stuck", "summary", "text", "title", "trouble", "troubles",
	"warning", "why", "words",
}

// Who writes what is in such a field.
const (
	// The window translates it: it has the template beside it, or finds it again in the text.
	translated = "translated"
	// It is stored as Weft or the tool has said it; the window translates what is Weft's.
	ofCall = "of a call"
	// The words of users, agents, tools or other programs, or the content of files.
	theirs = "theirs"
	// The window has words of its own by a code beside it, and this is for programs that use the API.
	coded = "coded"
	// The window doesn't show it: messages as programs read them.
	raw = "for programs"
	// It has the name of something: a space, a conversation, a message.
	named = "a name"
)

// fieldsWithWords says of each such field who writes it. A new one is refused until it is here: make its sentences with fault.Text or fault.Say, show
// them with told (frontend/src/i18n/said.ts), or say why it stays English.
var fieldsWithWords = map[string]string{
	"Agent.description":          theirs,
	"Agent.installHint":          translated,
	"AgentWordsResult.text":      raw,
	"Auth.description":           translated,
	"Auth.problem":               coded,
	"AuthVariable.label":         translated,
	"AvailableUpdate.notes":      theirs,
	"Background.loginError":      translated,
	"BackupState.error":          translated,
	"Block.error":                raw,
	"Block.summary":              raw,
	"Block.text":                 raw,
	"Block.title":                raw,
	"BrokenEntry.reason":         translated,
	"CallView.error":             ofCall,
	"CallView.summary":           ofCall,
	"CallView.title":             ofCall,
	"ChangeDiff.text":            theirs,
	"ChangedFile.stuck":          translated,
	"Changes.coverage":           translated,
	"Commit.note":                raw,
	"CommitFile.problem":         translated,
	"Content.text":               theirs,
	"Decision.about":             theirs,
	"Decision.title":             theirs,
	"DeletedSpace.left":          translated,
	"Draft.text":                 theirs,
	"EarlierSession.title":       named,
	"ExportedText.text":          theirs,
	"Failure.detail":             theirs,
	"Failure.message":            translated,
	"FileView.text":              theirs,
	"FindHit.text":               theirs,
	"FoundProgram.problem":       translated,
	"FoundSpace.title":           named,
	"Handed.problem":             translated,
	"ImportFault.message":        translated,
	"ImportJob.error":            translated,
	"ImportProblem.message":      translated,
	"ImportProblem.title":        named,
	"ImportProgress.title":       named,
	"ImportedConversation.notes": translated,
	"ImportedConversation.title": named,
	"InstallQuestion.message":    coded,
	"InstalledInfo.warning":      translated,
	"Item.text":                  theirs,
	"LastTest.failure":           translated,
	"LeftFile.message":           translated,
	"McpListedTool.description":  theirs,
	"McpListedTool.title":        named,
	"McpServer.troubles":         translated,
	"OutlineEntry.text":          translated,
	"Part.error":                 raw,
	"Part.text":                  raw,
	"Part.title":                 raw,
	"PastedServers.skipped":      translated,
	"Problem.message":            translated,
	"QueuedPrompt.said":          named,
	"QueuedPrompt.text":          theirs,
	"Reading.title":              theirs,
	"RegistryEntry.description":  theirs,
	"RegistryEntry.problems":     translated,
	"RemovedWorktree.note":       translated,
	"Repository.reason":          translated,
	"Remote.problem":             translated,
	"SavedRules.problem":         translated,
	"SearchAnswer.notes":         translated,
	"SearchHit.title":            theirs,
	"SegmentTextResult.text":     theirs,
	"SegmentView.text":           translated,
	"SessionChoice.description":  translated,
	"SessionOption.description":  translated,
	"SignInOutput.text":          theirs,
	"SnippetPiece.text":          theirs,
	"Space.title":                named,
	"TerminalView.text":          theirs,
	"ToolCallEnd.summary":        ofCall,
	"ToolCallError.error":        ofCall,
	"ToolCallError.summary":      ofCall,
	"ToolCallStart.title":        ofCall,
	"ToolCallUpdate.error":       ofCall,
	"ToolCallUpdate.summary":     ofCall,
	"ToolCallUpdate.title":       ofCall,
	"TreeSpace.words":            theirs,
	"Unasked.about":              theirs,
	"Unasked.problem":            translated,
	"UndoFile.conflict":          translated,
	"UndoFile.stuck":             translated,
	"UpdateOutcome.why":          translated,
	"UpdateState.error":          translated,
	"Wait.title":                 theirs,
	"Wish.label":                 theirs, // a mode or a model of the agent
	"Wish.why":                   theirs, // the agent\'s words
}

func TestFieldsWithWordsAreTranslatedOrSayWhyNot(t *testing.T) {
	c, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range c.model.order {
		if !s.told {
			continue
		}
		for _, f := range s.fields {
			of := f.of
			if of.kind == "list" {
				of = *of.elem
			}
			if of.kind != "string" || !slices.Contains(wordy, f.name) {
				continue
			}
			key := s.name + "." + f.name
			seen[key] = true
			if fieldsWithWords[key] == "" {
				t.Errorf("%s may hold words: say in fieldsWithWords who writes them", key)
			}
		}
	}
	for key := range fieldsWithWords {
		if !seen[key] {
			t.Errorf("%s is no field with words", key)
		}
	}
}
