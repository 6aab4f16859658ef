package scenario
import ("testing";"fmt";"os")
func TestZZTry(t *testing.T) {
	for _, f := range []string{
		"-\tname: x\n", "- a\n-\tb: c\n", "a:\tb\n", "a: [1,\t2]\n", "a: {\n\tb: 1\n}\n", "\ta: b\n", "a:\n  b: 1\n\n\t\n  c: 2\n", "a: \tb: c\n",
		"- \tname: x\n", "a: |x\n  b\n", "a: >x\n", "a: ?x\n", "a: ? x\n", "a: %x\n", "a: *\n", "a: *.list\n", "a: &\n", "a: & b\n","a: &x\nb: 1\n", "a: !x\nb: 1\n","a: ! x\n", "a: `x`\n",
		"a: {{X}}\n", "a: {{X}} b\n", "a: {{ X }}\n", "{{X}}: a\n", "a: [x] y\n", "a: {a: 1}}\n", "a: [1]]\n", "a: {status:500}\n", "a: {status:500, code: 1}\n", "a: {a: 1 b: 2}\n", "a: {a: 1\n b: 2}\n",
		"a: {\"a\":1}\n", "a: {\"a\" 1}\n","a: {a b: 1}\n", "a: {a, b: 1}\n", "a: {a: 1,, b: 2}\n", "a: {,a: 1}\n","a: [,]\n","a: [1,]\n","a: {a: 1,}\n",
		"a: \"x\n  y\"\nb: 1\n","a: \"x\ny\"\nb: 1\n", "- a: \"x\ny\"\n", "a: [\n1,\n]\nb: 1\n", "- a: [\n1,\n]\n- b\n", "a: x\n  y\nb: 1\n", "a: x # c\n  y\nb: 1\n", "a: x\n  - y\nb: 1\n", "a: x\n  y: z\n",
		"a:\n- b\n- c\nd: 1\n", "a:\n  - b\n - c\n", "a:\n  - b\n  c: 1\n", "a: 1\n- b\n", "- b\na: 1\n", " a: 1\nb: 2\n","a: 1\n b: 2\n", "a:\n  b: 1\n c: 2\n","a:\n    b: 1\n  c: 2\n", 
		"a\n", "a: 1\nb\n", "a: 1\nb\nc: 2\n", "a: b: c\n", "a: 'it's'\n", "a: \"b'\nc: 1\n", "a: 'x\nb: 'y'\n", "```yaml\na: 1\n```\n", "// x\na: 1\n", "/* x */\na: 1\n", "; x\na: 1\n", "a = 1\nb: 1\n",
		"a: 1\n---\nb: 1\n", "---\n---\na: 1\n", "a: 1\n...\nb: 2\n", "a:\nb\n", "a:\n b\n", "a: -\n", "a: - b\n", "a: -b\n", "- - a\n  - b\n", "- a: 1\n   b: 2\n", "- a: 1\n b: 2\n", "-a: 1\n", "- a: 1\n-b: 2\n",
		"a: @x\n", "a: [@x]\n", "a: {b: @x}\n", "a: x, y\n", "a: ,x\n", "a: ]x\n", "a: }x\n", "a: \"x\" # c\n", "a: \"x\"# c\n","a: [x]# c\n", "a: {b: c # d\n}\n", "a: {b: c# d\n}\n", "a: [a\nb: 1\n", "a: {b: [c}\n", "a: [b}\n",
		"a: 'x\n\nb: 1\n", "\"a\": 1\n", "\"a\" : 1\n", "\"a\" 1\n", "a : 1\n", "a: \"b\": c\n", "a: [b]: c\n", "a: b\n\"c\": d\n", "a: *x\n", "<<: *x\n", "a: |\n  x\n y: 1\n", "a: |\n x\n  y\nb: 1\n", "a: |2\n  x\nb: 1\n", "a: |-\n\tx\n",
		"a: \"x\\d\"\n", "%YAML 1.1\n---\na: 1\n", "%TAG\n", "a: 1\n%b\n", "a: 1\u00a0\n", "\u00a0a: 1\nb: 2\n", "a:\u00a01\nb: 2\n", "a: “x: y”\n", "a: \"x”\nb: 1\n", "a： 1\nb: 1\n", "a: 1\rb: 2\r", "a: 1\u2028b: 2\n", "a: x\u0085y: 2\n",
		"a:\n  b: 1\n\t\tc: 2\n", "a: 1\n\tb: 2\n","a: 1\n\t# c\nb: 2\n", "a: 1 \t\nb: 2\n", "a: x\ty\n", "a: x:\n", "a: x:y\n", "a: x :y\n", "a: http://x\n", "a: [http://x]\n", "a: {b: 12:30}\n", "a: :x\n", "a: {b::c}\n","? a\n: b\n", "a: {? b}\n", "a: {b: 1]\n", "- 1\n - 2\n", "-\n  a: 1\n  b: 2\n", "- \n  - 1\n", "- a:\n    b: 1\n  c: 2\n", "- a:\n  b: 1\n","a: &x b\nc: *x\n","a: &x\n  b: 1\nc: *x\n", "a: {b: &x 1, c: *x}\n", "a: {b: *}\n", "a: [*, b]\n", "a: [*.b]\n", "a: ***\n", "- **b**\n", "a: -1\n", "a: --\n", "a: ---\n", "--- a: 1\n", "--- {a: 1}\n", "a: 1 ---\n","---a\n",
	} {
		d, err := decode([]byte(f))
		s := ""
		if len(d) > 0 { var v any; e2 := d[0].Decode(&v); s = fmt.Sprintf("%v %v", v, e2); if len(d)>1 {s+=" +doc"} }
		fmt.Fprintf(os.Stderr, "%-34q %v | %v\n", f, err, s)
	}
}
