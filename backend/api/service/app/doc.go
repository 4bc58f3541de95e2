// Package app implements the commands about the app itself: how the window looks and draws tool calls
// ([AppearanceSettings]), and updates of Weft ([Updates]). It keeps the app's current problems ([Problems]) and
// publishes its events ([Publisher]).
//
// Send states with [Publisher.Tell], so that an older state is never sent after a newer one.
package app
