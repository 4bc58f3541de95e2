// Package space is the room of open spaces: their members' sessions with agents, turns, the queue, requests, and what
// agents do through Weft. backend/api/service calls it, mostly through package runs.
//
// It promises that a space has one owner that changes it in steps (decision 0029), that events are stored before anyone
// sees them, that each request of an agent ends exactly once, and that no process outlives its last session.
//
// A step never blocks, and no goroutine holds the locks of two spaces. The room has no SQL and serves no clients. Most
// packages are values of a step: they have no lock, start nothing and send nothing, but return what must happen.
//
//	runs, owner, lifecycle              turns; steps, storing, effects; phases of a member's session
//	turn, promptqueue, prompt, prelude  a run's phase; waiting prompts; what a prompt sends; what the agent missed
//	acpsession, sessionservers          opens ACP sessions; the MCP servers that a session gets
//	sessionoptions                      model, mode and options: what the user chose, what is restored
//	team, mentions, elsewhere           members; limits and waits between agents; runs that write to other spaces
//	agentcalls                          the order in which an update of a call passes the next two rows
//	gatecalls, modelcalls, gatedrafts   pairs calls with the gateway and the model; shows calls while they are written
//	toolcalls, unasked                  diffs, titles, hidden secrets of calls; what was done without asking
//	requests                            permission requests and questions: what decides them, how they end
//	agentfiles, agentterminals          serve an agent's requests for files and commands
//	agentvisits, agentnotes             agents outside any space; what is remembered of an agent
//	openspaces, savedspace              which spaces are open; what is stored of the others
//	unfinished                          ends what a crash or a branch left without an end
package space
