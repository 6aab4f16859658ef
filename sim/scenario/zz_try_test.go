package scenario
import ("testing";"fmt";"os";"path/filepath";"strings";"math/rand/v2";"sort";"bytes")
func TestZZValid(t *testing.T) {
	files := []string{}
	for _, g := range []string{"../../scenarios/*.yaml","../../fixtures/bad/*.yaml","testdata/*","testdata/*/*","*.yaml", "testdata/fuzz/*/*"} { m,_ := filepath.Glob(g); files = append(files, m...) }
	for _, f := range files {
		b, err := os.ReadFile(f); if err != nil {continue}
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
		docs, err := decode(b)
		m, ok := scanMistake(string(b))
		if err == nil && ok && len(docs)<2 { l,c := position(b, m.offset); fmt.Printf("FALSE %s:%d:%d %s\n", f, l, c, m.message) }
		if err != nil && !ok { fmt.Printf("GAP %s: %v\n", f, err) }
	}
}
func TestZZDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(1,2))
	type key struct{ what string }
	count := map[string]int{}; ex := map[string][]string{}
	for _, name := range Names() {
		src, _ := Source(name)
		if len(src) > 20000 { continue }
		for i := 0; i < 3000; i++ {
			at := r.IntN(len(src))
			c := "\"':-[]{} \t,#"[r.IntN(12)]
			var d []byte
			op := "ins"
			if r.IntN(2)==0 { d = append(append(append([]byte{}, src[:at]...), c), src[at:]...) } else {
				if strings.IndexByte("\"':-[]{} \t,#", src[at]) < 0 { continue }
				op="del"; c = src[at]; d = append(append([]byte{}, src[:at]...), src[at+1:]...) }
			_, err := decode(d)
			m, ok := scanMistake(string(d))
			line, _ := position(d, min(at,len(d)))
			res := ""
			switch {
			case err == nil && ok: res = "FALSE"
			case err != nil && !ok: res = "GAP"
			case err == nil: res = "legal"
			default:
				l,_ := position(d, m.offset)
				switch { case l == line: res = "exact"; case l < line: res="before"; default: res = "after" }
			}
			k := res+" "+op+" "+fmt.Sprintf("%q",c)
			count[res]++; count[k]++
			if (res != "legal" && res != "exact") && len(ex[k]) < 3 {
				ls := strings.Split(string(d), "\n")
				s := fmt.Sprintf("--- %s %s damage line %d: %v\n", k, name, line, err)
				if ok { l,cc := position(d, m.offset); s += fmt.Sprintf("   says %d:%d %s\n", l, cc, m.message) }
				for j := max(0, line-3); j < min(len(ls), line+4); j++ { s += fmt.Sprintf("   %d| %s\n", j+1, ls[j]) }
				ex[k] = append(ex[k], s)
			}
		}
	}
	ks := []string{}; for k := range count { ks = append(ks,k) }; sort.Strings(ks)
	for _, k := range ks { fmt.Println(k, count[k]) }
	ks = nil; for k := range ex { ks = append(ks,k) }; sort.Strings(ks)
	for _, k := range ks { for _, e := range ex[k] { fmt.Print(e) } }
}
