package contract

//go:generate go test . -run TestDocumentIsFresh -update
