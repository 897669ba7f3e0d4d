package slice

import (
	"strings"

	"pathrule/index/terms"
)

// greeting reports a prompt that is a greeting and nothing else. In a small
// store its words may be the rarest of all; still nobody asks for anything.
func greeting(prompt string) bool {
	if len(prompt) > 64 {
		return false
	}
	p := terms.Fold(strings.Trim(prompt, " \t\r\n.,!?…。、！？¡¿~"))
	switch p {
	case "hi", "hello", "hey", "hi there", "hello there", "good morning", "good afternoon", "good evening", "good night", "bye", "goodbye",
		"hallo", "guten morgen", "guten tag", "guten abend", "moin", "servus", "tschuss",
		"bonjour", "bonsoir", "salut", "hola", "buenos dias", "buenas tardes", "buenas noches", "ola", "bom dia", "boa tarde", "boa noite",
		"привет", "здравствуйте", "добрыи день", "добрыи вечер", "добрый день", "добрый вечер", "доброе утро",
		"merhaba", "selam", "gunaydin", "iyi aksamlar",
		"おはよう", "おはようございます", "こんにちは", "こんばんは", "你好", "您好", "早上好", "晚上好", "안녕", "안녕하세요":
		return true
	}
	return false
}
