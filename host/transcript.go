package host

import "pathrule/internal/rawjson"

// Transcript is the file in which the client keeps the session's conversation,
// as the payload names it; "" when it names none. It is read only where it is
// asked for, so that no other event pays for it.
func Transcript(payload []byte) string {
	v, err := rawjson.Parse(payload)
	if err != nil {
		return ""
	}
	for _, name := range [...]string{"transcript_path", "transcriptPath"} {
		if s := v.Get(name).Text(); s != "" {
			return s
		}
	}
	return ""
}
