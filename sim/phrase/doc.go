// Package phrase has what error messages are made of: quoted values, lists of names, and "did you mean".
package phrase
