package main

import "pathrule/internal/demo"

// shopScript is what the demo plays in examples/shop.
var shopScript = demo.Script{
	Prompt:      "A customer was charged twice after a timeout. Make the retry in services/billing/src/charge.ts safe.",
	PromptWants: []string{"memory:billing/double-charge-november", "Store the idempotency key"},
	Read:        "web/src/checkout/Checkout.tsx",
	ReadWants:   []string{"memory:web/number-inputs-lose-digits", "rule:texts-go-through-i18n"},
	Edit:        "services/catalog/catalog/importer.py",
	EditWants:   []string{"The nightly import locks the price table", "Do not write prices between 02:00 and 02:10"},
	Question:    "Why do refund events go through the outbox table?",
	AnswerWants: []string{"db/outbox-not-broker", "## Decision"},
	NewTitle:    "Refunds above 500 euros wait for a second person",
	NewBody:     "The gateway takes them at once and cannot call them back (INC-230). `refund.ts` must leave them in state `held` until somebody else has agreed.",
	NewPath:     "services/billing/src/refund.ts",
	Target:      "windsurf",
}
