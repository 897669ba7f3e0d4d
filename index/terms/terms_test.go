package terms

import (
	"bufio"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	stemEnglish "github.com/blevesearch/snowballstem/english"
	stemRussian "github.com/blevesearch/snowballstem/russian"
	"github.com/google/go-cmp/cmp"
)

// show writes terms compactly: wholes in angle brackets, singles in braces.
func show(ts []Term) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case t.Whole:
			b.WriteString("<" + t.Text + ">")
		case t.Single:
			b.WriteString("{" + t.Text + "}")
		default:
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func TestAnalyse(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"nothing":                                {"", ""},
		"signs alone":                            {"-- ... /// ::: 🎉", ""},
		"prose is folded and stemmed":            {"Retrying failed Payments", "retri fail payment"},
		"a noun and its verb meet":               {"authentication authenticate authenticated", "authent authent authent"},
		"camelCase is whole and split":           {"retryPayments", "<retrypayments> retri payment"},
		"snake_case is the same word":            {"retry_payments", "<retrypayments> retri payment"},
		"kebab-case is the same word":            {"retry-payments", "<retrypayments> retri payment"},
		"an acronym before a word":               {"HTTPServer parseURL", "<httpserver> http server <parseurl> pars url"},
		"a name with digits":                     {"sha256 utf8 ERR-19", "<sha256> sha 256 <utf8> utf <err19> err 19"},
		"a path is whole, its file too":          {"lib/reply.js", "<lib/reply.js> <reply.js> lib repli js"},
		"a Windows path is the same path":        {`lib\reply.js`, "<lib/reply.js> <reply.js> lib repli js"},
		"a file name":                            {"docker-compose.yaml", "<docker-compose.yaml> <dockercompose> docker compos yaml"},
		"a dotted name":                          {"reply.send()", "<reply.send> repli send"},
		"a line number is apart":                 {"reply.js:42", "<reply.js> repli js 42"},
		"a sentence end is no joiner":            {"the end. Next", "the end next"},
		"dunder names":                           {"__init__", "init"},
		"flags":                                  {"--no-verify", "<noverify> no verifi"},
		"numbers":                                {"v1.2.3 10,000", "<v1.2.3> <v1> 10 000"},
		"languages with signs":                   {"C++ and C# code", "c++ and c# code"},
		"possessive":                             {"the user's token", "the user token"},
		"typographic apostrophe":                 {"the user’s token", "the user token"},
		"French elision":                         {"l'authentification d’abord", "authentif abord"},
		"Turkish suffix after a name":            {"Stripe'ın API'nin", "stripe api"},
		"negation in English":                    {"doesn't", "doesn"},
		"diacritics are folded":                  {"Übersicht café naïve", "ubersicht cafe naiv"},
		"German plurals":                         {"Prüfung Prüfungen Schnittstelle Schnittstellen", "prufung prufung schnittstell schnittstell"},
		"Spanish plurals":                        {"autenticación autenticaciones error errores", "autenticacion autenticacion error error"},
		"Portuguese plurals":                     {"configuração configurações", "configuracao configuracao"},
		"French plurals":                         {"requête requêtes paiement paiements", "requet requet paiement paiement"},
		"Turkish capitals and dotless i":         {"KAPI kapı İPTAL iptal", "kapi kapi iptal iptal"},
		"sharp s":                                {"Straße STRASSE", "strass strass"},
		"Russian cases":                          {"Ошибка ошибки ошибками ёлка", "ошибк ошибк ошибк елк"},
		"Cyrillic identifiers":                   {"платёжныйШлюз", "<платежныйшлюз> платежн шлюз"},
		"full width is folded":                   {"ＡＰＩ　１２", "api 12"},
		"half-width Katakana is folded":          {"ｶﾞｲﾄﾞ", "ガイ イド <ガイド>"},
		"Japanese is cut at script borders":      {"支払いを再試行する", "支払 {支} {払} いを 再試 {再} 試行 {試} {行} する"},
		"Katakana words are whole too":           {"リトライ", "リト トラ ライ <リトライ>"},
		"a middle dot parts Katakana":            {"エラー・ログ", "エラ ラー <エラー> ログ"},
		"Latin beside CJK":                       {"APIキー用のtoken設定", "api キー 用 の token 設定 {設} {定}"},
		"Chinese bigrams":                        {"支付重试", "支付 {支} 付重 {付} 重试 {重} {试}"},
		"one Chinese character":                  {"税", "税"},
		"Korean bigrams":                         {"결제를 앱", "결제 {결} 제를 앱"},
		"Thai clusters keep their marks":         {"ชำระเงิน", "ช\u0e4d\u0e32 \u0e32ร ระ ะเ เงิ งิน"},
		"Thai digits beside words":               {"ปี2024", "ปี 2024"},
		"Khmer and Lao do not vanish":            {"ការ ລາຍ", "ការ ລາ າຍ"},
		"Arabic marks and hamza are folded":      {"مُحَاوَلَة أحمد", "محاولة احمد"},
		"a soft hyphen is no border":             {"pay\u00adment", "payment"},
		"invalid bytes part words":               {"pay\xffment", "pay ment"},
		"ligatures and circled digits":           {"ﬁle ①", "file 1"},
		"combining marks compose":                {"cafe\u0301", "cafe"},
		"a hash is whole only":                   {"a1b2c3d4e5f6a7b8c9d0", "<a1b2c3d4e5f6a7b8c9d0>"},
		"an identifier of many words":            {"a_very_long_name_with_more_than_twelve_parts_in_it_at_all_times", "<averylongnamewithmorethantwelvepartsinitatalltimes>"},
		"single letters of a path are left out":  {"a/b.ts", "<a/b.ts> <b.ts> ts"},
		"identifiers are not stemmed as a whole": {"userServices", "<userservices> user servic"},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, show(Analyse(tc.in))); d != "" {
				t.Errorf("Analyse(%q) (-want +got)\n%s", tc.in, d)
			}
		})
	}
}

func TestPartsShareAPositionAndOffsetsPointIntoTheInput(t *testing.T) {
	in := "Ｆix lib/retryPayments.ts， 支払い②"
	got := Analyse(in)
	type row struct {
		Text, From string
		Pos        int
	}
	var rows []row
	for _, g := range got {
		rows = append(rows, row{g.Text, in[g.Start:g.End], g.Pos})
	}
	want := []row{
		{"fix", "Ｆix", 1},
		{"lib/retrypayments.ts", "lib/retryPayments.ts", 2},
		{"retrypayments.ts", "retryPayments.ts", 2},
		{"lib", "lib", 2},
		{"retrypayments", "retryPayments", 2},
		{"retri", "retry", 2},
		{"payment", "Payments", 2},
		{"ts", "ts", 2},
		{"支払", "支払", 3},
		{"支", "支", 3},
		{"払", "払", 3},
		{"い", "い", 4},
		{"2", "②", 5},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error("(-want +got)\n" + d)
	}
}

func TestOneCharacterQueryFindsTheRun(t *testing.T) {
	holds := func(text, query string) bool {
		set := map[string]bool{}
		for _, x := range Analyse(text) {
			set[x.Text] = true
		}
		for _, q := range Query(query) {
			if set[q.Text] {
				return true
			}
		}
		return false
	}
	for text, query := range map[string]string{
		"消費税率は10%": "税", "值を返す": "值", "앱에서 오류": "앱", "支付重试": "支付", "決済APIの制限": "api", "ログ出力": "ログ",
	} {
		if !holds(text, query) {
			t.Errorf("%q is not found by %q", text, query)
		}
	}
	if holds("消費と税", "消費税") && len(Query("消費税")) != 2 {
		t.Error("a query of three characters asks for more than its bigrams")
	}
}

// The algorithm is published; the generated stemmer is the check on ours.
func TestEnglishStemmerAgreesWithSnowball(t *testing.T) {
	f, err := os.Open("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		agree(t, sc.Text())
		n++
	}
	if n < 3000 {
		t.Fatalf("only %d words", n)
	}
}

func agree(t *testing.T, word string) {
	t.Helper()
	env := snowballstem.NewEnv(word)
	stemEnglish.Stem(env)
	b := []byte(word)
	if got := string(b[:english(b)]); got != env.Current() {
		t.Errorf("%s: %q, snowball says %q", word, got, env.Current())
	}
}

func FuzzEnglishStemmer(f *testing.F) {
	for _, s := range []string{"yyying", "eeds", "aied", "skies", "oogli", "sayings", "ied", "ing", "eed", "feedly"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 40 {
			return
		}
		for i := range len(s) {
			if s[i] < 'a' || s[i] > 'z' {
				return
			}
		}
		if s != "" {
			agree(t, s)
		}
	})
}

func TestRussianStemmerAgreesWithSnowball(t *testing.T) {
	data, err := os.ReadFile("testdata/russian.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(data))
	if len(words) < 300 {
		t.Fatalf("only %d words", len(words))
	}
	for _, w := range words {
		agreeRussian(t, w)
	}
	// Every ending after every kind of beginning.
	for _, start := range []string{"", "б", "ба", "бя", "бо", "баба", "бабя", "бабаб", "бабабе", "бабабаб", "бабанн", "бабаем", "бабаост"} {
		for _, end := range words {
			if n := len(end); n > 2 {
				agreeRussian(t, start+end[max(0, n-14)/2*2:])
			}
		}
	}
}

func agreeRussian(t *testing.T, word string) {
	t.Helper()
	if word == "" {
		return
	}
	env := snowballstem.NewEnv(word)
	stemRussian.Stem(env)
	if got := russian(word); got != env.Current() {
		t.Errorf("%s: %q, snowball says %q", word, got, env.Current())
	}
}

func FuzzRussianStemmer(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3})
	f.Add([]byte("abcdefgh"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 24 {
			return
		}
		const letters = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
		var w strings.Builder
		for _, c := range b {
			i := int(c) % (len(letters) / 2) * 2
			w.WriteString(letters[i : i+2])
		}
		agreeRussian(t, w.String())
	})
}

func FuzzAnalyse(f *testing.F) {
	for _, s := range []string{
		"", "The quick_brownFox.jumps/over", "支払いAPIを呼ぶ", "ｶﾞｲﾄﾞ①ﬁ", "l'été’s", "\xff\xfea\xc3", "กำหนด", "İı", "a\u0301\u0301", "___a__b__",
		"한국어를", "ーーー", "か\u3099ー", "x#y++", "C#a", "1/2.3-4_5", "\u00adab\u200d", "ﷺ", "㍿", "Dž", "aB\u0327c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		all := Analyse(s)
		last := 0
		for i, x := range all {
			switch {
			case x.Text == "":
				t.Fatalf("empty term %d of %q", i, s)
			case len(x.Text) > MaxTermBytes:
				t.Fatalf("term %q too long", x.Text)
			case x.Start < 0 || x.End > len(s) || x.Start >= x.End:
				t.Fatalf("offsets %d..%d of %q", x.Start, x.End, s)
			case x.Pos < last || x.Pos > last+1 || x.Pos < 1:
				t.Fatalf("position %d after %d in %q", x.Pos, last, s)
			case utf8.ValidString(s) && !utf8.ValidString(x.Text):
				t.Fatalf("term %q of valid text is not valid", x.Text)
			}
			last = x.Pos
		}
		var asked []Term
		for _, x := range all {
			if !x.Single {
				asked = append(asked, x)
			}
		}
		if d := cmp.Diff(asked, Query(s)); d != "" {
			t.Fatalf("Query is not Analyse without singles\n%s", d)
		}
		once := Fold(s)
		if twice := Fold(once); twice != once {
			t.Fatalf("Fold(%q) = %q, then %q", s, once, twice)
		}
	})
}

func BenchmarkAnalyse(b *testing.B) {
	for name, text := range map[string]string{
		"english":  "When a card is declined we retry the charge at most three times, with a pause of 10 minutes. See `lib/billing/retry.ts` and retryPayment(). The worker never retries refunds, because the ledger is append-only and a refund that was booked twice cannot be undone.\n",
		"japanese": "カードが拒否された場合は最大3回まで再試行し、間隔は10分です。`lib/billing/retry.ts` を参照。返金は再試行しません。\n",
		"russian":  "Если карта отклонена, мы повторяем списание не более трёх раз с паузой в десять минут. Возвраты никогда не повторяются.\n",
	} {
		long := strings.Repeat(text, 200)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(long)))
			b.ReportAllocs()
			var dst []Term
			for b.Loop() {
				dst = AppendTerms(dst[:0], long)
			}
		})
	}
}
