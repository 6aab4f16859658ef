// Package console serves a page for people: what is in the bank, what an app asked, why it was answered so, and how to change it.
// It has no way of its own into the bank: the page calls the control API, so whatever it can do, curl can. Start at assets/app.js:
// the page is plain ES modules and CSS, embedded as they are.
package console
