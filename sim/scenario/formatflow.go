package scenario

// inFlow formats the next token within brackets.
func (f *formatter) inFlow() (message string) {
	if f.last == 0 {
		closing := 0
		for i := f.at; f.has(i, "]} \t"); i++ {
			if f.has(i, "]}") {
				closing++
			}
		}
		f.begin(f.flowIndent(closing), indentLevel{shown: f.flowIndent(0)})
	}
	switch c := f.text[f.at]; {
	case c == '[' || c == '{':
		f.bracket()
	case c == ']' || c == '}':
		f.put(c, f.take(f.at+1))
		f.flow = f.flow[:len(f.flow)-1]
		if f.skip(); len(f.flow) == 0 && f.colonAt(f.at) {
			return noComplexKeys
		}
	case c == ',', c == ':' && (f.colonAt(f.at) || f.last == '"' || f.last == ']' || f.last == '}'):
		f.put(c, f.take(f.at+1))
	case c == '?' && f.blankAt(f.at+1):
		return noComplexKeys
	case c == '&' || c == '!':
		f.put(tokenWord, f.take(f.wordEnd(f.at)))
	case c == '*':
		f.put(tokenAlias, f.take(f.wordEnd(f.at)))
	case c == '"' || c == '\'':
		f.scalar(f.take(f.quotedEnd(f.at)), f.flowIndent(0)+indentStep)
		f.last = '"'
	default:
		f.scalar(f.take(f.plainEnd(f.at, -1)), f.flowIndent(0)+indentStep)
	}
	return ""
}

// bracket formats a bracket that opens.
func (f *formatter) bracket() {
	kind := f.text[f.at]
	f.put(kind, f.take(f.at+1))
	f.flow = append(f.flow, f.lines)
}

// flowIndent returns the indentation of a line within brackets, of which it closes some first. Brackets that were opened on the
// same line indent it once.
func (f *formatter) flowIndent(closing int) int {
	indent := f.base
	for i, line := range f.flow[:max(len(f.flow)-closing, 0)] {
		if i == 0 || line != f.flow[i-1] {
			indent += indentStep
		}
	}
	return indent
}
