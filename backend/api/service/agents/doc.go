// Package agents implements the commands about agents as programs, outside spaces: the list of agents and their entries
// in the settings ([Agents]), the models that agents without a CLI use ([Models]), signing in to them ([SignIns]), and
// installing agents of the registry ([Installs]), which package registry/install downloads and unpacks.
//
// Tests and sign-ins block until the agent has answered; CancelTest cancels them. Installs run in the background and
// report their progress and end as events.
package agents
