// Package watch reloads a scenario when its files change.
//
// A [Watcher] replaces the scenario of a registry of sandboxes with what the files hold. If that is bad, the last good
// scenario stays and the registry records the problem.
//
// The watcher asks the system for events of the folders of the files, because editors and Kubernetes replace files rather
// than write to them. Some mounts have no events, so it also compares the files every two seconds. It compares content,
// including that of the files that the scenario extends or would extend if they existed.
//
// A file that is being written may be valid half-way, so changed files are taken once they have stayed as they are for a moment:
// settle.go says for how long, trace.go what events say about it. changes.go compares two versions for the log.
package watch
