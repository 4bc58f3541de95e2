// Package news publishes the events of the app, which concern all spaces. Send states with [Publisher.Tell], so that an
// older state is never sent after a newer one.
package news
