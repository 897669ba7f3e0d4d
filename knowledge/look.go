package knowledge

import "pathrule/workspace"

// Look is one look at the files of a store by somebody who read them before: it
// knows which stand as they were, so that only the others need reading.
type Look interface {
	// Files are the store's files, and what is wrong with them as files; see Walk.
	Files() ([]FileRef, []workspace.Problem)
	// Plain says of Files()[i] that it stands as it was read, byte for byte, that
	// it is an entry about which frontmatter.Parse reports nothing, and that it
	// holds no block, no check and nothing that waits for a person.
	Plain(i int) bool
	// Version is Entry.Version of a plain file, "" of any other.
	Version(i int) string
	// Outlines calls yield for plain files with what their entries are without
	// their text: Body, Source, Created, Updated and Workspaces are empty, ID is
	// that of Files. It may leave files out.
	Outlines(yield func(i int, e Entry)) error
	// Alike are the files whose words fit a text best, the best first, at most n.
	Alike(text string, n int) ([]string, error)
}
