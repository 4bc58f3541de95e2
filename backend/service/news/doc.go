// Package news sends the events of the app, those that concern all spaces. A state is sent through [Publisher.Tell], which keeps an
// older state from being sent after a newer one.
package news
