package index

// MaxSegments is the bound that a test holds every generation to.
const MaxSegments = maxSegments
