package slice

// Everything tunable of the slice stands here. Numbers were set on the test
// sets under testdata (two invented workspaces, ten languages), at their own
// size and buried in thousands of foreign entries; none was set on a published
// benchmark. Change one, run the tests, and record the new floors with it.

// Budgets, in tokens (ceil(UTF-8 bytes / 4)), where the settings name none.
const (
	defaultMinimal    = 300
	defaultFocused    = 1200
	defaultDeep       = 2400
	defaultTool       = 300
	defaultPathBodies = 3
	defaultLoadMax    = 1600

	// cheapBody is a body that costs hardly more than the line that stands for it,
	// in tokens.
	cheapBody = 80
	// guideBody is a guide of a touched folder that takes part in the tool's budget
	// like anything else; one longer guide comes on top of it.
	guideBody = 200
	fewNotes  = 4
	// guideSections is the room for sections of such a guide when it is longer than
	// the host's cap.
	guideSections = 800

	// protocolTokens bounds workspace, protocol and team text together.
	protocolTokens = 120
	// compactTokens bounds all that is said after a compaction.
	compactTokens = 300
	// overviewTokens bounds the overview.
	overviewTokens = 400
	// skillIndexChars bounds the list of skills at session start; longer lists
	// make some hosts drop descriptions of their own skills.
	skillIndexChars = 1600
	// bestReserve is the room for one-line items beside a best match that alone
	// takes more than the budget.
	bestReserve = 80
)

// How many items of a form an answer may hold, by depth. Fit still decides
// what there is room for.
type quota struct{ bodies, cards, skills int }

func quotaOf(d Depth) quota {
	switch d {
	case Minimal:
		return quota{bodies: 2, cards: 2, skills: 2}
	case Deep:
		return quota{bodies: 8, cards: 6, skills: 5}
	}
	return quota{bodies: 4, cards: 3, skills: 3}
}

const (
	// maxLoad is how many candidates' files are read to see what they hold.
	maxLoad = 28
	// searchLimit is how many text candidates the source is asked for.
	searchLimit = 60
	// maxItems bounds the items that Fit looks at; a folder may have thousands
	// of notes, a reader has not.
	maxItems = 40
	// maxExists is how often the disk may be asked whether a path exists.
	maxExists = 20
	// maxNamedPaths is how many paths of one prompt count.
	maxNamedPaths = 6
	// maxPathCards is how many rules that bind a named path come as a line with
	// one prompt; more come as names.
	maxPathCards = 5
	// maxPrompt is how much of a prompt is read, in bytes: pasted logs are long
	// and their first screens tell enough.
	maxPrompt = 16 << 10
	// maxBody is how much of an entry is compared with the prompt, in bytes.
	maxBody = 48 << 10
	// maxWords bounds the words of a question.
	maxWords = 96
)

// What a word of the question is worth. Its base is the inverse document
// frequency ln((N+priorDocs+1)/(df+priorShare·priorDocs+0.5)).
const (
	// priorDocs imaginary entries keep a workspace of ten entries from believing
	// that every word in it is rare; a word stands in priorShare of them.
	priorDocs  = 30.0
	priorShare = 0.02
	// An ordinary word ("because", "somebody") stands in as many of the imaginary
	// entries as of other texts, and is worth no more than in commonMore times as
	// many: a note is brief, and few notes hold what everybody says. At commonWeak it
	// supports and does not carry.
	commonMore   = 2.0
	commonWeak   = 0.15
	commonWeight = 0.2
	// plainIDF is used where the source does not know how common words are.
	plainIDF = 3.6
	// weightWeak is for words that name an action or a thing of every project
	// ("add", "file", "test", "ошибка"): they support, they never carry.
	weightWeak = 0.3
	// weightGram is for bigrams: two or three of them make one word.
	weightGram = 0.55
	// weightNumber is for bare numbers and single letters.
	weightNumber = 0.4
	// weightUnknown is for words that no entry holds. They speak against the
	// whole knowledge base being about this question, a little.
	weightUnknown = 0.55
	// weightAsked is for such a word where a question names what it asks for
	// ("which router ..."): an entry without it answers another question.
	weightAsked = 1.8
	// focusWords is how many words after "which" or "what" that are.
	focusWords = 2
	// weightUnknownGram: most unknown bigrams only straddle two words.
	weightUnknownGram = 0.1
	// weightWhole is for identifiers kept whole, against the sum of their parts.
	weightWhole = 1.15
	// weightAlike is for a word that an entry holds almost as written: one typo
	// away, or with another ending. Only words that no entry holds are compared.
	weightAlike = 0.7
	// weightSynonym is for the glossary's words.
	weightSynonym = 0.85
	// weightLike is for words that the thesaurus puts in one group with a word of
	// the prompt that no entry holds, weightTouches for those that only touch the
	// group.
	weightLike    = 0.6
	weightTouches = 0.35
	// likeWord and touchesWord are what such a hit counts as an informative word.
	likeWord    = 0.5
	touchesWord = 0.25
	// topWords is how many of the heaviest words make up the total that coverage
	// is measured against: a long prompt need not be covered word for word.
	// Further ones count tailShare, and less the more there are.
	topWords  = 9
	tailShare = 0.5
)

// Where an entry holds a word.
const (
	fieldTitle = 1.15
	fieldTag   = 1.05
	fieldLine  = 0.95 // a skill's description
	fieldBody  = 0.8
	fieldPath  = 0.55 // words of its scope
	// repeat is added per further mention in a body, at most three times.
	repeat = 0.06
	// adjacent is added when two neighbouring words of the question stand
	// together in the entry, as a share of the lighter one.
	adjacent = 0.25
	// longBody: words beyond which a body matches by sheer length.
	longBody = 700
	// usualBody is how many words a note has; each doubling beyond it adds
	// lengthChance of what a random entry holds of a question.
	usualBody    = 150
	lengthChance = 0.15
	// passageWords is how long a stretch of a longer text is of which words are
	// taken to say one thing; those elsewhere in it give apartShare, and to no more
	// than a line.
	passageWords = 90
	apartShare   = 0.6
	// passageChance is for the logarithm of how many times as long as usual a text
	// is: of its many passages one agrees with a question by chance.
	passageChance = 1.0
)

// Confidence. An entry's evidence is the weight of the question's words that
// it holds, minus what a random entry would hold, minus ln of how many entries
// there are: the surprise that this many words meet in one of them. It does
// not depend on the size of the workspace. Coverage is the share of the
// question's weight that the entry holds.
const (
	// chance is how much of the expected evidence of a random entry is taken off.
	chance = 0.8

	strongEvidence = 0.9
	strongCoverage = 0.34
	strongWords    = 2 // informative words, so that one alone never carries a body

	// surelyEvidence needs less coverage: of a prompt that tells a story the answer
	// holds a part, but that part is no coincidence.
	surelyEvidence = 2.3
	surelyCoverage = 0.2
	// absentShare of what is asked goes by a name that no entry holds, and it takes
	// the usual coverage after all.
	absentShare = 0.15

	// aPart is what an answer to one sentence must have more than one to all.
	aPart        = 0.3
	partCoverage = 0.6
	// anotherShare of what an entry holds of its sentence the better ones may hold
	// too, and it still answers another one.
	anotherShare = 0.5
	// anotherWords and anotherEvidence beyond what the better ones hold make an
	// answer of its own, however strong they are.
	anotherWords    = 2
	anotherEvidence = 1.5

	// A whole title in the question, or high coverage, stands in for evidence.
	titleEvidence = -0.6
	fullCoverage  = 0.62
	fullEvidence  = -0.4
	// In a script without spaces one long word may be all that a question says: its
	// pairs of letters carry a body nearly alone.
	gramsCoverage = 0.75
	gramsWords    = 1.5

	// An entry that covers a path in hand needs less.
	pathEvidence = -1.2
	pathCoverage = 0.16
	// One whose scope lies elsewhere while paths are in hand needs more.
	elsewhere = 1.6
	// The session's folder moves evidence a little.
	cwdBonus     = 0.5
	cwdAside     = -0.3
	cardFloor    = -0.9
	cardCoverage = 0.2
	// looseWords that stand apart in a long text are worth a line; lineEvidence is
	// what sections beside a line need.
	looseWords   = 3
	lineEvidence = 0.0
	// bindCoverage is enough for a high rule of the folder or file in hand.
	bindCoverage = 0.2
	// loneCoverage lets a single informative word be worth a line.
	loneCoverage = 0.5
	loneGrams    = 0.65
	// headingEvidence lets a single word that stands in the title be worth a line.
	headingEvidence = 0.7
	// Skills are cheap to name; still, only those that fit.
	skillEvidence = 0.0
	skillCoverage = 0.25
	skillShare    = 0.5
	// otherKind: a body of one kind must come this near to the best of any kind.
	otherKind = 0.5
	// cardShare is how near a card must come to the best entry's evidence sum.
	cardShare = 0.5

	// A further body of the same kind must come this near to the best one ...
	runnerUp = 0.86
	// ... or stand on words that the better ones do not hold: the words they
	// share count only this much.
	coveredShare = 0.25
)

// Ranking beyond evidence, in its unit (nats).
const (
	rankNamed    = 8.0
	rankFile     = 6.0
	rankFolder   = 2.0
	rankDepth    = 0.4 // per segment of the covering folder
	rankGlob     = 1.2
	rankText     = 1.5 // the source's own score, normalised to its best
	rankHigh     = 0.6
	rankLow      = -0.3
	rankStrict   = 0.8
	rankRelated  = 1.2
	rankInherit  = 0.05 // per segment of the owner's prefix: closest workspace first
	duplicateOf  = 0.85 // share of words that makes two bodies near-copies
	maxRelated   = 3
	nearestNames = 5
)

// Route: which file to open first.
const (
	routeNamed = 4.6 // its base name stands in the prompt
	routeOwn   = 3.2 // a strong entry is attached to it
	// routeWords is what a word of the prompt in the file's path is worth beside
	// one that goes with the file in the subjects of commits (catalog.PathHit).
	routeWords = 0.35
	// routeBase and routeFolder are per word of the prompt in the file's name and
	// folders, by weight, where the source does not know how telling it is.
	routeBase   = 1.4
	routeFolder = 0.7
	// Earlier work on a subject that the prompt names: the first files of it, and
	// per subject named; a file of several stretches, and of this session.
	routeWork    = 1.2
	routeSubject = 0.8
	routeFirst   = 4
	routeHot     = 0.5
	routeNow     = 0.8
	// routeFloor was set on the histories of six projects (internal/bench/route):
	// above it one of the three best is right in about four of five.
	routeFloor = 4.2
	// routeClose is how near the runner-up must come to be named too.
	routeClose = 1.0
	// routeLength is how many words a prompt may have whose evidence counts whole.
	routeLength = 14.0
	// routeLooks is how often the disk may be asked.
	routeLooks = 4
)
