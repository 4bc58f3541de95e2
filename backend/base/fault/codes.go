package fault

import "net/http"

// The codes that many packages use. All others are named where they are used, and listed in [Codes].
const (
	Invalid   = "invalid"
	NotFound  = "not_found"
	Conflict  = "conflict"
	Busy      = "busy"
	Cancelled = "cancelled"
	Timeout   = "timeout"
	Internal  = "internal"
)

// Info describes a code.
type Info struct {
	Code string
	// Status is the HTTP status of a command that is refused with it.
	Status int
	// Lasting says that trying again without changing anything is in vain.
	Lasting bool
	Doc     string
}

const (
	bad      = http.StatusBadRequest
	missing  = http.StatusNotFound
	conflict = http.StatusConflict
	large    = http.StatusRequestEntityTooLarge
	ours     = http.StatusInternalServerError
)

// Codes returns all codes, by what they are about.
func Codes() []Info { return codes }

var codes = []Info{
	{Invalid, bad, false, "The request is invalid. The message says what is wrong."},
	{NotFound, missing, false, "What the request names doesn't exist."},
	{Conflict, conflict, false, "It conflicts with the current state, for instance a name that is taken."},
	{Busy, conflict, false, "Another operation is in progress and must end first."},
	{"changed", bad, false, "The state has changed since it was read. Read it again."},
	{"unsupported", bad, false, "This agent, server or machine can't do that."},
	{Cancelled, bad, false, "The user or the caller canceled it."},
	{Timeout, bad, false, "There was no answer in time."},
	{Internal, ours, false, "An internal error of Weft. The log in the data folder has details."},
	{"closing", bad, false, "Weft, or the space, is being closed."},
	{"closed", bad, false, "It is no longer in use."},
	{"too_many", bad, false, "A limit on the number of these is reached."},
	{"incomplete", bad, false, "The data that was sent is incomplete."},
	{"unavailable", bad, false, "The desktop doesn't offer this."},
	{"dialog", bad, false, "The dialog of the desktop couldn't be opened."},
	{"not_started", ours, true, "Weft couldn't start. The message says why. Only its own window gets this."},

	{"in_use", bad, false, "Another Weft uses the data folder, or the agent to remove is running (the detail lists the spaces)."},
	{"io", ours, false, "The disk reported a problem."},
	{"disk", bad, false, "The disk is full, or can't be written."},
	{"disk_full", ours, false, "The disk is full. Nothing was stored."},
	{"read_only", ours, false, "The file, or the data folder, can't be written."},
	{"locked", ours, false, "Another program uses the database, or git has locked the worktree."},
	{"damaged", ours, false, "A part of the database can't be read."},
	{"newer_version", bad, false, "The data folder was written by a newer version of Weft."},
	{"settings_broken", conflict, false, "The settings file has a mistake that saving would overwrite."},

	{"agent_unknown", missing, false, "No agent has this id."},
	{"agent_missing", bad, false, "The command of the agent wasn't found."},
	{"agent_not_executable", bad, false, "The command of the agent can't be run."},
	{"agent_dir_missing", bad, false, "The working directory of the agent doesn't exist."},
	{"agent_start_failed", bad, false, "The agent couldn't be started."},
	{"agent_exited", bad, false, "The agent exited. The detail has the last lines of its stderr."},
	{"agent_ended", bad, false, "The agent was stopped, for instance to restart it."},
	{"agent_closed", bad, false, "The agent closed the connection."},
	{"agent_stalled", bad, false, "The agent doesn't read its input."},
	{"agent_silent", bad, false, "The agent didn't respond in time."},
	{"agent_protocol", bad, true, "The agent doesn't speak a version of the protocol that Weft supports."},
	{"agent_unreadable", bad, false, "The agent has answered, but with a message that is damaged or too long."},
	{"agent_error", bad, false, "The agent reported an error."},
	{"auth_required", bad, false, "The agent requires the user to sign in."},
	{"empty_answer", bad, false, "The turn ended normally, but the agent said and did nothing."},
	{"interrupted", bad, false, "Weft was closed while the agent was working."},
	{"not_waiting", conflict, false, "The request was answered already, or has ended."},
	{"no_option", bad, false, "The agent offers no answer that allows, or rejects, only this request."},
	{"does_not_fit", bad, false, "An answer doesn't have the form that was asked for. The detail is the name of the field."},
	{"not_read", bad, false, "The command isn't reading its input."},
	{"denied", bad, false, "A rule, a mode or the user doesn't permit it."},

	{"sandbox_missing", bad, false, "The program that creates sandboxes isn't installed."},
	{"sandbox_refused", bad, false, "The system doesn't allow sandboxes."},
	{"sandbox_unsupported", bad, false, "Sandboxes aren't supported on this system."},

	{"empty", bad, true, "The file or the prompt is empty."},
	{"too_large", large, true, "The request is larger than 16 MB, or the file is too large to attach."},
	{"not_image", bad, true, "It isn't the image type that its name says, or can't be shown safely."},
	{"not_text", bad, true, "It isn't a regular file, or isn't text in an encoding that Weft supports."},
	{"outside", bad, false, "The path is outside the folder of the space."},
	{"is_directory", bad, false, "The path is a folder."},
	{"folder_not_found", bad, true, "The folder of the space can't be opened."},
	{"folder_outside", bad, true, "As `outside`, in a run."},
	{"folder_replaced", bad, false, "Another folder is in the place of the space's since its session was opened. The next prompt opens it."},
	{"folder_timeout", bad, true, "The disk that holds the folder of the space doesn't respond."},
	{"not_kept", bad, false, "The earlier content of the file wasn't stored, so it can't be restored."},

	{"editor_missing", bad, false, "The program of the editor wasn't found."},
	{"editor_failed", bad, false, "The editor couldn't be started, or failed at once. The message has the last line of its stderr."},

	{"no_git", bad, false, "git wasn't found, or is too old."},
	{"no_repository", bad, false, "The folder isn't in a repository."},
	{"bare", bad, false, "The repository has no working tree."},
	{"no_commits", bad, false, "The repository has no commits yet."},
	{"not_trusted", bad, false, "git doesn't trust the repository, because another user owns it."},
	{"unclear", bad, false, "Weft can't tell which commands the repository's configuration would run."},
	{"elsewhere", bad, false, "The configuration of the repository names another working tree."},
	{"invalid_branch", bad, false, "git doesn't accept this branch name."},
	{"branch_exists", bad, false, "A branch with this name already exists."},
	{"invalid_folder", bad, false, "The worktree can't be created there."},
	{"unsaved", bad, false, "The worktree has changes or commits that would be lost."},
	{"commands_unanswered", bad, false, "The repository would run commands, and the request doesn't say whether they may run."},
	{"commands_changed", bad, false, "The commands of the repository have changed since they were shown."},
	{"git", bad, false, "git failed. The message has its output."},

	{"keychain_unavailable", bad, false, "No keychain was found, or it can't be reached."},
	{"keychain_locked", bad, false, "The keychain is locked."},
	{"keychain_silent", bad, false, "The keychain didn't answer in time."},
	{"secret_missing", bad, false, "The secret no longer exists where it was stored."},
	{"secrets_file", bad, false, "The encrypted file of secrets can't be read or written."},

	{"unauthorized", bad, false, "The server or provider doesn't accept the key."},
	{"unreachable", bad, false, "There is no answer from the address."},
	{"refused", bad, false, "The agent, server or provider refused it. The message is its own."},
	{"lost", bad, false, "The connection was lost during the call, which may have been carried out."},
	{"mcp_error", bad, false, "Weft couldn't communicate with the MCP server. The detail has the end of its stderr."},

	{"auth", bad, false, "The provider of the model requires a key, or doesn't accept this one."},
	{"model", bad, false, "The provider doesn't have the model, or the model can't do this."},
	{"request", bad, false, "The provider doesn't accept the request."},
	{"unmappable", bad, false, "The provider can't carry a part of the request. Nothing was sent."},
	{"context", bad, false, "The conversation is too long for the model."},
	{"server", bad, false, "The provider failed or is overloaded."},
	{"broken", bad, false, "The provider's answer was interrupted or can't be read."},

	{"registry_unreachable", bad, false, "The source of the list of agents didn't answer."},
	{"registry_unreadable", bad, false, "The source didn't send a list of agents."},
	{"registry_source", bad, false, "The address of the source isn't allowed."},
	{"installed", bad, false, "This version of the agent is already installed."},
	{"unverified_download", bad, false, "The user has to confirm a download without a checksum."},
	{"install_scripts", bad, false, "The user has to confirm install scripts of npm packages."},
	{"source_build", bad, false, "The user has to confirm that Python packages are built from source."},
	{"download_failed", bad, false, "The archive couldn't be downloaded."},
	{"wrong_checksum", bad, false, "The download has the wrong checksum."},
	{"bad_archive", bad, false, "The archive can't be unpacked, or isn't safe to unpack."},
	{"update_unreachable", bad, false, "The server with the versions of Weft didn't answer."},
	{"update_unverified", bad, false, "The list of versions isn't signed with the key of this Weft, or can't be read."},
	{"update_older", bad, false, "The list of versions is older than one that was read before, or than this Weft."},
	{"update_broken", bad, false, "An update could be neither finished nor undone."},
	{"tool_missing", bad, false, "npm or uv wasn't found."},
	{"package_failed", bad, false, "npm or uv couldn't install the package."},
	{"program_missing", bad, false, "The installed package doesn't contain its program."},

	{"not_member", bad, false, "The agent isn't a member of the space."},
	{"no_space", bad, false, "The space doesn't exist, or the agent has no access to it."},
	{"no_run", bad, false, "The run doesn't exist."},
	{"wrong_session", bad, false, "An agent used another session's token."},
	{"no_target", bad, false, "The request names no agent to ask."},
	{"no_tool", bad, false, "The tool doesn't exist."},
	{"limit", bad, false, "Too many requests, or no credit, at the provider; or agents have asked each other too often, or too deep."},
	{"deadlock", bad, false, "Two agents would wait for each other."},
	{"failed", bad, false, "A tool failed."},
}

var (
	statuses = map[string]int{}
	lasting  = map[string]bool{}
)

func init() { //nolint:gochecknoinits // two views of one table
	for _, c := range codes {
		statuses[c.Code], lasting[c.Code] = c.Status, c.Lasting
	}
}
