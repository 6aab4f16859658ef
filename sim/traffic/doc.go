// Package traffic counts the requests to the simulated interface by the second, for a plot of the last minutes: how many
// there were, with which statuses, and how long they took. Counting takes no lock and no memory per request.
package traffic
