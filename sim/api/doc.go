// Package api has the wire types of the control API, each once, and its one client. The server of package controlapi, the commands,
// package testkit and tests all use them. What is a journal's or a fault's has its type in package journal or fault; the names here
// are aliases.
//
// A tag about describes a member where its name doesn't say enough; required marks one that a request must have. The OpenAPI document
// of the control API is made from both.
package api
