// Package console serves a page for people. It shows the bank's rows, the requests of an app and the reasons for the
// answers, and can change the bank. The page calls the control API, so curl can do the same. Start at assets/app.js:
// the page is plain ES modules and CSS, embedded without a build step.
package console
