package slice

// The cue lists, in English, Russian, German, Spanish, French, Portuguese,
// Turkish, Japanese, Chinese and Korean, folded (no diacritics, dotless i as i).
// A cue may be several words; "x*" is the beginning of a word. Cues of scripts
// without spaces match anywhere.

// uiStrong name what is drawn on a screen and nothing else.
const uiStrong = "css|button|buttons|padding|margin|font|fonts|icon|icons|tooltip|tooltips|dropdown|modal|navbar|sidebar|footer|hover|tailwind|colour|color|colors|colours|dark mode|light mode|layout|responsive|placeholder text|z index|flexbox|breakpoint|spacing|alignment|a11y|aria|border radius|rounded corners|animation|carousel|checkbox|breadcrumb|favicon|centered|center the|pixel|pixels|px|landing page|ui|ux|wording|copy text|label text|i18n string|spinner|toast|avatar|drawer|animate|animates|banner|small screens" +
	"|кнопк*|отступ*|шрифт*|иконк*|цвет*|верстк*|выравн*|подсказк*|модальн*|темн* тем*|меню|анимац*" +
	"|schaltflache*|knopf|abstand|schrift*|farbe*|hintergrundfarbe|ausricht*|dunkelmodus|oberflache|zentrier*|seitenleiste" +
	"|boton*|margen*|icono*|modo oscuro|interfaz|alinea*|centrar|centra|barra lateral" +
	"|bouton*|marge*|police*|icone*|couleur*|mode sombre|aligne*|centre le|centrer|infobulle|mise en page" +
	"|botao|botoes|margem|icone*|cor do|cor da|cores|modo escuro|alinha*|centraliz*|barra lateral|espacamento" +
	"|buton*|dugme*|renk*|rengi*|yazi tipi*|simge*|karanlik mod|hizala*|arayuz*|kenar bosluk|bosluk*|ortala*" +
	"|ボタン|余白|フォント|アイコン|配色|色を|レイアウト|ツールチップ|モーダル|ダークモード|中央寄せ|画面の見た目|デザイン|サイドバー|文言" +
	"|按钮|按鈕|边距|字体|图标|颜色|布局|样式|弹窗|深色模式|暗色|居中|对齐|侧边栏|间距|文案" +
	"|버튼|여백|폰트|글꼴|아이콘|색상|레이아웃|툴팁|모달|다크 모드|다크모드|정렬|사이드바|간격|문구"

// uiWeak are drawn too, but have other meanings; they never make a UI prompt
// alone.
const uiWeak = "page|pages|tab|tabs|form|table|view|views|card|cards|list|header|screen|style|styles|theme|text|label|image|link|menu|component|visual|look|looks|width|height|size|title|bold|display" +
	"|страниц*|экран*|форм*|таблиц*|карточк*|заголов*|текст|компонент*|ширин*|размер*" +
	"|seite|formular|tabelle|ansicht|karte|uberschrift|komponente|breite|grosse" +
	"|pagina|fuente|fondo|formulario|tabla|vista|tarjeta|titulo|componente|ancho|tamano" +
	"|formulaire|tableau|vue|carte|titre|composant|largeur|taille" +
	"|tabela|visualizacao|cartao|largura|tamanho" +
	"|sayfa*|ekran*|tablo*|kart|baslik|bilesen*|genislik|boyut*" +
	"|画面|表示|ページ|見出し|コンポーネント|幅を|ヘッダー" +
	"|页面|頁面|表单|表格|卡片|标题|组件|宽度|显示" +
	"|화면|페이지|표시|제목|컴포넌트|너비|크기"

const dataWords = "sql|query|queries|migration|migrations|schema|database|db|postgres|mysql|sqlite|index|foreign key|transaction|endpoint|api|server|backend|worker|queue|cache|kafka|redis|protobuf|grpc|page fault|page cache|memory page|pagination token|hash table|routing table|lookup table|primary key|row|rows|join" +
	"|запрос*|миграц*|схем*|базы данных|базе данных|сервер*|очеред*|кеш*" +
	"|abfrage*|datenbank*|schnittstelle|warteschlange|consulta*|base de datos|servidor|cola|requete*|base de donnees|serveur|banco de dados|fila|sorgu*|veritabani*|sunucu*|kuyruk*" +
	"|マイグレーション|データベース|クエリ|スキーマ|サーバ|キュー|迁移|数据库|数据表|查询|索引|服务器|队列|缓存|마이그레이션|데이터베이스|쿼리|스키마|서버|큐"

// bugStrong say that something is broken.
const bugStrong = "crash|crashes|crashed|crashing|bug|bugs|exception|exceptions|stack trace|stacktrace|traceback|segfault|panic|panics|regression|broken|deadlock|race condition|memory leak|leaks|leaking|hangs|hanging|throws|throwing|fails|failing|failed|failure|flaky|fail|not working|doesn't work|does not work|stopped working|isn't working|won't start|wrong result|incorrect|infinite loop|times out|timing out|timeout|timeouts|off by one|undefined is not|null pointer|debug|troubleshoot|root cause|500 error|returns 500|returns 404|double charge|double charged|duplicated|corrupt|corrupted|latency spike|why is it slow|too slow|logged out|signed out" +
	"|баг|баги|багом|сломал*|не работает|не работают|падает|падают|падение|упал*|зависает|вылетает|исключени*|утечк*|регресси*|таймаут*|неправильн*|некорректн*|отвалил*|отладь|отладк*" +
	"|absturz|sturzt|kaputt|fehlgeschlagen|schlagt fehl|funktioniert nicht|ausnahme|haengt|hangt sich|bugfix|debugge*|fehlersuche|falsche ergebnis*|geht nicht" +
	"|no funciona|no funcionan|roto|rota|se cae|se cuelga|excepcion*|falla|fallan|fallo|fallos|depura*|se rompe|incorrect*" +
	"|ne marche pas|ne fonctionne pas|ne fonctionnent pas|plante|plantage|casse|cassee|exception|bogue|bogues|echoue|echouent|debogue*|fuite" +
	"|nao funciona|nao funcionam|quebrado|quebrada|quebrou|quebra|trava|travando|excecao|falha|falham|falhando|depura*" +
	"|calismiyor|calismadi|bozuk|bozuldu|cokuyor|coktu|hata veriyor|hatasini|hatayi|hatasi|istisna|takiliyor|ayikla*" +
	"|バグ|不具合|クラッシュ|例外|落ちる|落ちた|落ちて|動かない|動作しない|失敗する|失敗して|失敗し|壊れ|タイムアウト|エラーが出|エラーになる|エラーが発生|リーク|デバッグ|原因を調" +
	"|崩溃|报错|异常|不工作|无法工作|失败|坏了|卡死|超时|泄漏|错误地|出错|调试|故障|闪退|排查|死锁" +
	"|버그|크래시|예외|작동하지|동작하지|안 돼|안돼|실패|깨졌|깨져|멈춰|멈춤|타임아웃|누수|오류가|에러가|디버그|디버깅"

// bugWeak only lean towards it.
const bugWeak = "500|502|503|504|twice|falsch|falsche|falschen|faux|fausse|errado|errada|se cierra|yanlis|返回5|fix|fixes|fixed|fixing|error|errors|issue|problem|wrong|investigate|repair|unexpected|mismatch" +
	"|исправ*|ошибк*|почин*|проблем*|fehler*|beheb*|behebe|repari*|problem*|arregl*|error|errores|corrig*|erreur*|repare*|probleme*|erro|erros|conserta*|duzelt*|hata*|sorun*|修正して|直して|エラー|問題|修复|修正|错误|问题|고쳐|오류|에러|수정해|문제"

const refactorStrong = "refactor|refactors|refactoring|refactored|rename|renaming|extract|deduplicate|dedupe|clean up|cleanup|restructure|reorganize|reorganise|rewrite|simplify|decouple|split up|migrate|modernize|tech debt|technical debt|inline the|consolidate|move the|convert" +
	"|рефактор*|отрефактор*|переименуй*|переименова*|вынес*|упрост*|перепиш*|переписать|раздели*|реорганиз*|перенес*" +
	"|refaktorier*|benenne|refactore|umbenenn*|extrahier*|aufraum*|raume|vereinfach*|umschreib*|aufteil*|umbau*" +
	"|refactoriza*|renombra*|extrae*|simplifica*|reescrib*|limpia el|reorganiza*|separa" +
	"|refactoris*|refactorise|renomme*|extrais|extraire|simplifi*|reecri*|nettoi*|reorganis*|restructur*" +
	"|refator*|renomei*|extrai*|simplifi*|reescrev*|reorganiz*" +
	"|yeniden duzenle*|refaktor*|yeniden adlandir*|adini degistir*|sadelestir*|basitlestir*|ayikla|bol ve|tasi" +
	"|リファクタ|名前を変更|リネーム|整理して|切り出|共通化|書き直|分割して|簡潔に" +
	"|重构|重命名|抽取|提取|拆分|简化|重写|清理|整理代码|解耦" +
	"|리팩터|리팩토|이름을 변경|이름 변경|추출|정리해|단순화|분리해|다시 작성|통합해"

const refactorWeak = "dedup|reuse|duplicate code|shared helper|move|merge the|split|overhaul|improve|optimi*|улучш*|оптимиз*|verbesser*|optimier*|mejora*|optimiza*|amelior*|optimis*|melhor*|otimiz*|iyilestir*|改善|最適化|优化|改进|개선|최적화"

// exploreStrong ask how things are.
const exploreStrong = "how does|how do we|how is|how are|architecture|explain how|explain the|walk me through|overview|give me a tour|onboard|onboarding|design of|data flow|big picture|where is|where are|where do|where does|where can i find|what is the|what does|what are the|understand|why do we|why does|why is|why was|deep dive|analyze|analyse|what happens|which service|who owns|how it works|high level" +
	"|как работает|как работают|как устроен*|архитектур*|объясни*|обзор|где находит*|где лежит|где определ*|где хран*|расскажи|почему мы|почему у нас|зачем мы|что делает|разберись|как мы|как у нас" +
	"|wie funktioniert|wie funktionieren|architektur|erklar*|uberblick|wo ist|wo sind|wo wird|wo werden|wo liegt|warum|wieso|was macht|wie ist|wie wird|wie werden|ubersicht" +
	"|como funciona|como funcionan|arquitectura|explica*|donde esta|donde estan|donde se|por que|que hace|vista general|resumen de" +
	"|comment fonctionne*|comment marche|architecture|explique*|ou est|ou se trouve*|ou sont|pourquoi|que fait|qu'est ce|vue d'ensemble|comment est|comment sont" +
	"|como funcionam|arquitetura|explique*|onde esta|onde fica|onde sao|onde e|por que|o que faz|visao geral" +
	"|nasil calis*|mimari*|acikla*|nerede|nereye|neden|ne yapar|ne yapiyor|genel bakis|anlat*" +
	"|どのように|どうやって|どうなって|仕組み|アーキテクチャ|説明して|概要|どこに|どこで|なぜ|何をして|全体像|教えて|構成は|とは何" +
	"|怎么工作|如何工作|怎样工作|是如何|架构|解释|说明一下|概述|概览|在哪里|在哪|哪里定义|为什么|做什么|介绍一下|原理|流程是|怎么实现的|如何实现的" +
	"|어떻게 동작|어떻게 작동|어떻게 되|아키텍처|구조를|설명해|개요|어디에|어디서|어디 있|왜 |무엇을 하|무슨 일"

const exploreWeak = "how|why|where|what|which|when|describe|tell me|structure|flow|question" +
	"|как|почему|где|зачем|что такое|какой|какие|wie|wo|welche|was ist|como|donde|cual|que es|comment|quel|quelle|onde|qual|quais|nasil|hangi|nedir|何ですか|どう|どの|什么|怎么|如何|哪个|哪些|무엇|어떤|어떻게"

const inventoryWhole = "everything you have|rules are there|the rules for|all the rules|все правила|kurallari goster|workspace map|project map|list everything you know|what do you know about this repo|what do you know about this project|list skills|list rules|list memories|list notes|all skills|all rules|all memories" +
	"|is on record|on record here|what do we know about this repo|what do we know about this repository|what do we know about this project|knowledge do we have|knowledge is there|notes do we have|notes are there|memories do we have|memories are there" +
	"|какие есть правила|какие правила|список правил|список заметок|какие навыки|welche regeln|welche skills|alle regeln|alle notizen|que reglas|todas las reglas|lista de reglas|quelles regles|toutes les regles|liste des regles|quais regras|todas as regras|liste as regras|hangi kurallar|tum kurallar|kurallari listele|ルール一覧|メモ一覧|スキル一覧|一覧を表示|所有规则|规则列表|列出所有|哪些规则|有哪些技能|모든 규칙|규칙 목록|메모 목록|스킬 목록" +
	"|какие у нас есть|какие у нас правила|какие у нас заметки|hangi kurallarimiz|hangi notlarimiz|hangi beceriler|welche notizen haben wir|que notas tenemos|que habilidades tenemos|quelles notes avons|quais notas temos|quais habilidades" +
	"|どんなルール|どのようなルール|どんなメモ|どんなスキル|什么规则|有哪些笔记|有哪些记忆|어떤 규칙이 있|무슨 규칙이 있|어떤 메모가 있|어떤 스킬이 있" +
	"|กฎอะไรบ้าง|กฎทั้งหมด|กฎมีอะไร|บันทึกอะไรบ้าง|บันทึกทั้งหมด|ทักษะอะไรบ้าง|ทักษะทั้งหมด"

const listWords = "list|show|enumerate|display|what|which|count|how many|inventory|покажи|перечисли|список|какие|сколько|liste|zeig|zeige|welche|auflisten|wie viele|lista|muestra|enumera|cuales|cuantas|cuantos|affiche|liste|quelles|combien|mostre|liste|quais|quantas|listele|goster|kac|一覧|列挙|リスト|見せて|列出|显示|有哪些|多少|목록|나열|보여"

const keptWords = "memories|memory notes|rules do we|our rules|rules apply|rules for this|team rules|project rules|skills|team notes|knowledge base|knowledge entries|pathrule entries|заметки|наши правила|правила проекта|навыки|записи|unsere regeln|projektregeln|notizen|wissen|skills|nuestras reglas|reglas del proyecto|memorias|habilidades|nos regles|regles du projet|notes de l'equipe|competences|nossas regras|regras do projeto|memorias|kurallar|kurallarimiz|notlar|beceriler|ルール|メモリ|スキル|ナレッジ|规则|记忆|技能|知识库|规则条目|규칙|메모리|스킬|지식"

const historyStrong = "++history|we left off|i left off|previously|last session|previous session|yesterday|earlier today|last week|last time|how did we|why did we|what did we|did we already|have we ever|what have we done|recent work|recent changes|what changed recently|who changed|when did we" +
	"|вчера|в прошлый раз|прошл* сесси*|ранее мы|как мы сделали|как мы реализовали|почему мы решили|что мы делали|что мы сделали|недавно" +
	"|gestern|letzte sitzung|letztes mal|letzte woche|wie haben wir|warum haben wir|was haben wir|haben wir schon|zuvor|fruher" +
	"|ayer|ultima sesion|la ultima vez|semana pasada|como hicimos|como implementamos|por que decidimos|que hicimos|anteriormente" +
	"|fait hier|hier soir|d'hier|hier nous|hier on|derniere session|derniere fois|semaine derniere|comment avons nous|pourquoi avons|qu'avons nous|precedemment" +
	"|ontem|ultima sessao|da ultima vez|semana passada|como fizemos|como implementamos|por que decidimos|o que fizemos|anteriormente" +
	"|dun|gecen sefer|gecen hafta|onceki oturum*|son oturum*|nasil yapmistik|neden yaptik|ne yaptik|daha once" +
	"|昨日|前回|先週|以前|これまでに|この前|どうやって実装した|なぜ決めた" +
	"|昨天|上次|上周|之前我们|我们之前|以前|最近做了|当时为什么|我们是怎么做的" +
	"|어제|지난번|지난 번|지난주|이전에|예전에|전에 우리|최근에"
