// Package explore plans the runs of an app's test in which one call of the bank fails after the other, in each way that the
// contract lists for it, and judges by the bank's own journal and rows what the app did then and what it left behind. It runs
// nothing itself: package testkit and the command banksim explore do.
package explore
