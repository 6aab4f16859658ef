// Package wording has what error messages are made of: quoted values, lists of names, and "did you mean". It guesses
// nothing beyond a misspelling. Start at DidYouMean.
package wording
