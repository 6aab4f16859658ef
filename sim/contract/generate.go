package contract

//go:generate go test . -run TestExamples -update
