// Package console serves a page for people: what is in the bank, what an app asked, why it was answered so, and how to
// change it. The page calls the control API and nothing else, so whatever it can do, curl can.
//
// The page is plain ES modules and CSS in the folder assets, which the program embeds as they are.
package console
